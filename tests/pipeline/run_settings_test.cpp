#include <functional>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {
namespace {

RunSettings read(const std::string& json) {
  return RunSettings::from_json(json, "run.json");
}

std::string refusal(const std::string& json) {
  try {
    static_cast<void>(read(json));
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(RunFields, HaveNamesOfTheirOwnAndARuleAndHelpEach) {
  std::set<std::string> names;
  for (const RunField& field : run_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(field.name.find('-'), std::string::npos) << field.name;
    EXPECT_NE(field.rule, "") << field.name;
    EXPECT_NE(field.help, "") << field.name;
    EXPECT_EQ(find_run_field(field.name), &field);
  }
  EXPECT_EQ(find_run_field("epsilom"), nullptr);
}

TEST(RunSettings, AreReadAsJsonHasThem) {
  const RunSettings settings = read(
      R"({"epsilon": 1, "delta": 1e-6, "bounds": {"temp": [-20, 45.5], "co": [0, 1e3]}, "rows": 5000,
          "every": 1e3, "workload": "mean", "emit": ["mean", "pca:2"], "psd": true, "raw": false})");
  EXPECT_EQ(settings["epsilon"], "1");
  EXPECT_EQ(settings["delta"], "1e-06");
  EXPECT_EQ(settings["bounds"], "temp=-20:45.5,co=0:1000");
  EXPECT_EQ(settings["rows"], "5000");
  EXPECT_EQ(settings["every"], "1000");
  EXPECT_EQ(settings["workload"], "mean");
  EXPECT_EQ(settings["emit"], "mean,pca:2");
  EXPECT_TRUE(settings.is_on("psd"));
  EXPECT_FALSE(settings.is_on("raw"));
  EXPECT_FALSE(settings.is_on("no_header"));
  EXPECT_FALSE(settings["sigma"]);
  const RunSettings words =
      read(R"({"rows": "unbounded", "bounds": "a=0:1", "emit": "mean", "balance": "free"})");
  EXPECT_EQ(words["rows"], "unbounded");
  EXPECT_EQ(words["bounds"], "a=0:1");
}

TEST(RunSettings, RefuseAnUnknownKeyAndNameTheNearest) {
  EXPECT_EQ(refusal(R"({"epsilom": 1})"),
            "config: run.json has the unknown key epsilom; the nearest known one is epsilon");
  EXPECT_EQ(refusal(R"({"norm-bound": 1})"),
            "config: run.json has the unknown key norm-bound; the nearest known one is norm_bound");
  EXPECT_THROW(static_cast<void>(RunSettings()["epsilom"]), InvalidParameter);
}

TEST(RunSettings, RefuseWhatIsNoObjectOrOfTheWrongType) {
  EXPECT_EQ(refusal("{\"epsilon\": 1"), "config: run.json is not JSON: it goes wrong at byte 14");
  EXPECT_EQ(refusal("[1]"), "config: run.json must be one JSON object");
  EXPECT_EQ(refusal(R"({"epsilon": 1, "epsilon": 2})"), "config: run.json sets epsilon twice");
  EXPECT_EQ(refusal(R"({"epsilon": true})"), "epsilon: must be a finite number above 0");
  EXPECT_EQ(refusal(R"({"psd": "yes"})"), "psd: must be true or false");
  EXPECT_EQ(refusal(R"({"emit": [1]})"), "emit: must be a list of names");
  EXPECT_EQ(refusal(R"({"bounds": {"a": [1]}})"), "bounds: must be an object of [low, high] by column");
  EXPECT_EQ(refusal(R"({"bounds": {"a": [1, 0]}})"), "bounds: a needs LOW < HIGH");
  EXPECT_EQ(refusal(R"({"workload": 3})"), "workload: must be text");
}

TEST(RunSettings, OnTopWinFieldByField) {
  RunSettings top;
  top.set("rows", "7");
  const RunSettings both = top.over(read(R"({"rows": 5, "every": 2})"));
  EXPECT_EQ(both["rows"], "7");
  EXPECT_EQ(both["every"], "2");
}

TEST(RunSettings, PrintedAndReadBackMeanTheSameAndSayTheDefaults) {
  RunSettings settings;
  settings.set("epsilon", "0.1");
  settings.set("delta", "1e-6");
  settings.set("rows", "unbounded");
  settings.set("bounds", "temp=-20:45,co=0.1:1e3");
  settings.set("emit", "mean,regression:co");
  settings.set("no_header", "true");
  const std::string printed = settings.to_json();
  const auto object = nlohmann::json::parse(printed);
  EXPECT_EQ(object["epsilon"], 0.1);
  EXPECT_EQ(object["rows"], "unbounded");
  EXPECT_EQ(object["every"], 1);
  EXPECT_EQ(object["method"], "jme");
  EXPECT_EQ(object["bounds"]["co"], nlohmann::json({0.1, 1000.0}));
  EXPECT_EQ(object["emit"], nlohmann::json({"mean", "regression:co"}));
  EXPECT_EQ(object["no_header"], true);
  EXPECT_EQ(object["psd"], false);
  EXPECT_EQ(read(printed).to_json(), printed);
}

}  // namespace
}  // namespace jme
