#include <iostream>

#include "cli/command.h"
#include "cli/descriptors.h"
#include "cli/interrupt.h"
#include "cli/last_resort.h"

namespace {

// Before the tables are made, which takes memory.
[[gnu::constructor(101)]] void BeforeAll() { schedlens::EndInOneLine(); }

}  // namespace

int main(int argc, char** argv) {
  schedlens::OpenClosedDescriptors();
  schedlens::HandleInterrupts();
  std::ios::sync_with_stdio(false);
  return schedlens::Main(argc, argv, {std::cin, std::cout, std::cerr});
}
