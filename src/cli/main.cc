#include <iostream>

#include "cli/command.h"
#include "cli/interrupt.h"

int main(int argc, char** argv) {
  schedlens::HandleInterrupts();
  std::ios::sync_with_stdio(false);
  return schedlens::Main(argc, argv, {std::cin, std::cout, std::cerr});
}
