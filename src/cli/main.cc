#include <iostream>

#include "cli/commands/serve.h"
#include "cli/interrupt.h"
#include "cli/safe_stream.h"

// Before the tables are made, which takes memory.
[[gnu::constructor(101)]] static void BeforeAll() { schedlens::EndInOneLine(); }

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  std::vector<const char*> copies;
  for (const std::string& word : words) copies.push_back(word.c_str());
  schedlens::HideTyped({argv, static_cast<std::size_t>(argc)});
  schedlens::OpenClosedDescriptors();
  schedlens::HandleInterrupts();
  std::ios::sync_with_stdio(false);
  if (argc != 2 || words[0] != schedlens::kReporter) {
    return schedlens::Main(argc, copies.data(), {std::cin, std::cout, std::cerr});
  }
  if (words[1].empty()) {
    schedlens::LimitThisProcess(schedlens::kCallCpuSeconds, schedlens::kCallBytes);
  }
  const std::vector<std::string> sent = schedlens::ReadWords(std::cin);
  copies.resize(1);
  for (const std::string& word : sent) copies.push_back(word.c_str());
  return schedlens::Main(static_cast<int>(copies.size()), copies.data(),
                         {std::cin, std::cout, std::cerr, {}, {}, words[1]});
}
