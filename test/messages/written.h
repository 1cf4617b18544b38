#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "messages/catalog.h"

namespace schedlens::test {

/// No language asks for an argument that a message lacks, and none has nothing to say.
inline void ExpectWrittenInEveryLanguage(const std::vector<Message>& messages) {
  for (const std::string& language : Catalog::Languages()) {
    for (const Message& message : messages) {
      EXPECT_EQ(Catalog::Of(language).Write(message).empty(), message.empty()) << message.id;
    }
  }
}

}  // namespace schedlens::test
