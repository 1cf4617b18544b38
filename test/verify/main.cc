#include <iostream>
#include <string>
#include <vector>

#include "verify/command.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return schedlens::verify::RunVerify(arguments, std::cout, std::cerr);
}
