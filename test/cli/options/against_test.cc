#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/options/output.h"
#include "cli/process.h"
#include "cli/run_main.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::string Capture(const std::string& name) {
  return std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz";
}

Ran Diagnosed(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"diagnose", "--capture", Capture("apiserver-bind-slow-A"),
                                        "--no-cross-check"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunMain(arguments);
}

TEST(AgainstOption, ASavedDiagnosisAndItsCaptureAreTheSameSide) {
  const TempDir dir;
  const std::string saved = dir.Write(
      "then.json",
      RunMain({"diagnose", "--capture", Capture("healthy-A"), "--no-cross-check", "-o", "json"})
          .out);
  const Ran by_file = Diagnosed({"--against", saved, "-o", "json"});
  ASSERT_EQ(by_file.code, 0) << by_file.err;
  const Json document = Json::parse(by_file.out);
  EXPECT_EQ(document.at("then").at("verdict"), "no-incident");
  EXPECT_EQ(document.at("now").at("verdict"), "incident");
  EXPECT_EQ(document.at("findings").at(0).at("fate"), "new");
  EXPECT_EQ(document.at("findings").at(0).at("id"), "bind.apiserver");
  const Ran by_capture = Diagnosed({"--against", Capture("healthy-A"), "-o", "json"});
  EXPECT_EQ(by_capture.out, by_file.out);
}

TEST(AgainstOption, ASavedDiagnosisIsSetAgainstAnother) {
  const TempDir dir;
  const std::string now = dir.Write("now.json", Diagnosed({"-o", "json"}).out);
  const Ran ran = RunMain({"report", now, "--against", now});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n  kept  The binding call is slow"));
}

TEST(AgainstOption, OtherFormsAndFilesAreRefusedInOneLine) {
  const Ran slack = Diagnosed({"--against", Capture("healthy-A"), "-o", "slack"});
  EXPECT_EQ(slack.code, 2);
  EXPECT_THAT(slack.err, HasSubstr("--against supports only text, json, markdown and html"));
  const TempDir dir;
  const Ran broken = Diagnosed({"--against", dir.Write("x.json", "{\"schema\": 1}")});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("x.json"));
  EXPECT_EQ(Diagnosed({"--against", "/nowhere"}).code, 1);
}

TEST(AgainstOption, AFileThatCannotBeReadIsToldBeforeTheDiagnosis) {
  int asked = 0;
  test::FakeServer server([&](const test::FakeRequest&) {
    ++asked;
    return test::Http(500, "down");
  });
  for (const char* file : {"/nowhere", "/tmp"}) {
    const Ran ran = RunMain({"diagnose", "--prometheus", server.url(), "--against", file});
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr(file));
  }
  EXPECT_EQ(asked, 0);
}

TEST(AgainstOption, ACaptureOfAnotherToolIsNoSavedDiagnosis) {
  const TempDir dir;
  const std::string dump = dir.Write("dump", "{__name__=\"x\"} 1 2\n");
  const std::string answer = dir.Write("answer", "{\"status\":\"success\",\"data\":{}}");
  for (const std::string& file : {dump, answer}) {
    EXPECT_EQ(OpenEarlier(file).capture, file);
    EXPECT_FALSE(OpenEarlier(file).saved);
  }
}

TEST(AgainstOption, ACaptureMayBeLargeAndIsNotReadFromStandardInput) {
  const TempDir dir;
  const std::string large = dir.Write("large.om", "# TYPE scheduler_x counter\n");
  std::filesystem::resize_file(large, std::uintmax_t{257} << 20);
  const std::string now = dir.Write("now.json", Diagnosed({"-o", "json"}).out);
  const auto report = [&](const std::string& against, const std::string& in) {
    return RunBinary({"report", now, "--against", against}, in);
  };
  EXPECT_EQ(OpenEarlier(large).capture, large);
  EXPECT_EQ(report("-", now).code, 0) << "a saved diagnosis";
  const Finished streamed = report("-", dir.Write("x.om", "# TYPE scheduler_x counter\n"));
  EXPECT_EQ(streamed.code, 2);
  EXPECT_THAT(streamed.err, HasSubstr("--against -: "));
}

}  // namespace
}  // namespace schedlens
