#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "sim/cel/expression.h"

namespace schedlens::sim::cel {
namespace {

Device Gpu() {
  Device out;
  out.driver = "gpu.example";
  out.attributes["gpu.example/model"] = std::string("t4");
  out.attributes["gpu.example/index"] = std::int64_t{3};
  out.attributes["gpu.example/ecc"] = true;
  out.attributes["other.example/rack"] = std::string("r1");
  out.capacity["gpu.example/memory"] = Quantity{std::int64_t{16} * 1024 * 1024 * 1024 * 1000};
  return out;
}

TEST(Expression, SelectsDevices) {
  const struct {
    const char* text;
    bool matches;
  } rows[] = {
      {"device.driver == \"gpu.example\"", true},
      {"device.driver != 'gpu.example'", false},
      {"device.attributes[\"gpu.example\"].model == \"t4\"", true},
      {"device.attributes[\"gpu.example\"][\"model\"] == \"t4\"", true},
      {"device.attributes[\"gpu.example\"].index < 2", false},
      {"device.attributes[\"gpu.example\"].index >= 3", true},
      {"device.attributes[\"gpu.example\"].index > -1", true},
      {"device.attributes[\"gpu.example\"].ecc", true},
      {"!device.attributes[\"gpu.example\"].ecc", false},
      {"device.attributes[\"other.example\"].rack == \"r1\"", true},
      {"device.attributes[\"gpu.example\"].ecc && device.attributes[\"gpu.example\"].index < 9",
       true},
      {"false || (true && !false)", true},
      {"device.attributes[\"gpu.example\"].model in [\"a100\", \"t4\"]", true},
      {"\"model\" in device.attributes[\"gpu.example\"]", true},
      {"\"serial\" in device.attributes[\"gpu.example\"]", false},
      {"has(device.capacity[\"gpu.example\"].memory)", true},
      {"device.capacity[\"gpu.example\"].memory.compareTo(quantity(\"16Gi\")) == 0", true},
      {"device.capacity[\"gpu.example\"].memory.compareTo(quantity(\"40Gi\")) >= 0", false},
      {"device.capacity[\"gpu.example\"].memory.isGreaterThan(quantity(\"8Gi\"))", true},
      {"device.attributes[\"gpu.example\"].model.startsWith(\"t\")", true},
      {"device.attributes[\"gpu.example\"].model.contains(\"x\")", false},
      // A side that decides hides what goes wrong on the other.
      {"device.attributes[\"gpu.example\"].serial == 1 || true", true},
      {"false && device.attributes[\"gpu.example\"].serial == 1", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Expression(row.text).Matches(Gpu()), row.matches) << row.text;
}

std::string ErrorOf(const std::string& text) {
  try {
    Expression(text).Matches(Gpu());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, RefusesByNameWhatItDoesNotKnow) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"semver(\"1.0.0\") == semver(\"1.0.0\")", "`semver` is not supported"},
      {"device.attributes[\"d\"].x.matches(\"a.*\")", "`.matches()` is not supported"},
      {"device.attributes", "`device.attributes` is not supported"},
      {"device.name == \"x\"", "`device.name` is not supported"},
      {"cel.bind(x, 1, x)", "`cel` is not supported"},
      {"1 + 1 == 2", "`+` is not supported"},
      {"1.5 < 2", "`1.5` is not supported"},
      {"device.driver ==", "a value expected"},
      {"(true", "`)` expected"},
      {"'open", "a text does not end"},
      {"quantity('much')", "`much` is not a quantity"},
      {"device.attributes[\"gpu.example\"].serial == 1", "no such key: serial"},
      {"device.attributes[\"gpu.example\"].index < \"a\"", "no such overload"},
      {"device.driver", "neither true nor false"},
  };
  for (const auto& row : rows) {
    EXPECT_NE(ErrorOf(row.text).find(row.error), std::string::npos)
        << row.text << ": " << ErrorOf(row.text);
  }
  EXPECT_NE(ErrorOf(std::string(1000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(1000, '!')).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace schedlens::sim::cel
