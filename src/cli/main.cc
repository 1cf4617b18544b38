#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/descriptors.h"
#include "cli/interrupt.h"
#include "cli/last_resort.h"
#include "cli/secrets.h"

namespace {

// Before the tables are made, which takes memory.
[[gnu::constructor(101)]] void BeforeAll() { schedlens::EndInOneLine(); }

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  std::vector<const char*> copies;
  for (const std::string& word : words) copies.push_back(word.c_str());
  schedlens::HideTyped({argv, static_cast<std::size_t>(argc)});
  schedlens::OpenClosedDescriptors();
  schedlens::HandleInterrupts();
  std::ios::sync_with_stdio(false);
  return schedlens::Main(argc, copies.data(), {std::cin, std::cout, std::cerr});
}
