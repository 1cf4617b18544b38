#include <iostream>

#include "cli/command.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return schedlens::Main(argc, argv, {std::cin, std::cout, std::cerr});
}
