#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "diagnose/tail/worst_case.h"

namespace schedlens {
namespace {

using Kind = LinearProgram::Kind;
using Entry = LinearProgram::Entry;

void AddColumn(LinearProgram* program, const std::vector<Entry>& entries) {
  program->AddColumn(entries);
}

TEST(LinearProgramTest, FindsTheBestCorner) {
  // x + y <= 4, x + 3y <= 6, most of 3x + 5y: at x = 3, y = 1.
  LinearProgram program;
  program.AddRow(Kind::kAtMost, 4);
  program.AddRow(Kind::kAtMost, 6);
  AddColumn(&program, {{0, 1}, {1, 1}});
  AddColumn(&program, {{0, 1}, {1, 3}});
  ASSERT_TRUE(program.Start());
  const std::vector<double> costs = {3, 5};
  EXPECT_NEAR(program.Maximize(costs, 10), 14, 1e-4);
  EXPECT_NEAR(program.At(costs), 14, 1e-4);
  // From there to other costs: most of y alone is 2.
  EXPECT_NEAR(program.Maximize(std::vector<double>{0, 1}, 10), 2, 1e-4);
}

TEST(LinearProgramTest, EqualAndAtLeastRowsBind) {
  // x + y = 5, x >= 2, least of 2x + y is 7.
  LinearProgram program;
  program.AddRow(Kind::kEqual, 5);
  program.AddRow(Kind::kAtLeast, 2);
  AddColumn(&program, {{0, 1}, {1, 1}});
  AddColumn(&program, {{0, 1}});
  ASSERT_TRUE(program.Start());
  EXPECT_NEAR(-program.Maximize(std::vector<double>{-2, -1}, 10), 7, 1e-4);
}

TEST(LinearProgramTest, SaysWhenNothingKeepsTheRows) {
  LinearProgram program;
  program.AddRow(Kind::kEqual, 5);
  program.AddRow(Kind::kAtMost, 3);
  AddColumn(&program, {{0, 1}, {1, 1}});
  EXPECT_FALSE(program.Start());
}

TEST(LinearProgramTest, ARowKnownWithSlackGivesWayByIt) {
  LinearProgram program;
  program.AddRow(Kind::kEqual, 5, 0.25);
  AddColumn(&program, {{0, 1}});
  ASSERT_TRUE(program.Start());
  EXPECT_GE(program.Maximize(std::vector<double>{1}, 10), 5.25);
}

/// Whatever rows some x keeps, the bound is not under what that x gives.
TEST(LinearProgramTest, NeverUnderAnyXThatKeepsTheRows) {
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> number(0, 1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t rows = 2 + random() % 12, columns = rows + random() % 60;
    std::vector<std::vector<Entry>> entries(columns);
    std::vector<double> x(columns, 0.0), right(rows, 0.0), costs(columns);
    double total = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      if (random() % 3 == 0) x[j] = std::floor(20 * number(random));
      total += x[j];
      costs[j] = number(random) - 0.3;
      for (std::size_t i = 0; i < rows; ++i) {
        if (random() % 3 != 0) continue;
        entries[j].push_back({i, random() % 2 == 0 ? 1.0 : 100 * number(random)});
        right[i] += entries[j].back().value * x[j];
      }
    }
    LinearProgram program;
    for (std::size_t i = 0; i < rows; ++i) {
      const Kind kind = random() % 2 == 0   ? Kind::kEqual
                        : random() % 2 == 0 ? Kind::kAtMost
                                            : Kind::kAtLeast;
      const double off = kind == Kind::kAtMost ? 1.1 : kind == Kind::kAtLeast ? 0.9 : 1;
      program.AddRow(kind, off * right[i], 1e-9 * (1 + right[i]));
    }
    double given = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      AddColumn(&program, entries[j]);
      given += costs[j] * x[j];
    }
    ASSERT_TRUE(program.Start()) << "round " << round;
    EXPECT_GE(program.Maximize(costs, total), given - 1e-9) << "round " << round;
  }
}

}  // namespace
}  // namespace schedlens
