#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/calibration/method.hpp>

namespace jme {
namespace {

TEST(Method, IsSpelledAsOnTheCommandLine) {
  EXPECT_EQ(parse_method("jme"), Method::jme);
  EXPECT_EQ(parse_method("lambda-jme"), Method::lambda_jme);
  EXPECT_EQ(parse_method("ime"), Method::ime);
  EXPECT_EQ(parse_method("cs"), Method::cs);
  EXPECT_EQ(parse_method("pp"), Method::pp);
  EXPECT_EQ(parse_method("pp-debiased"), Method::pp_debiased);
}

TEST(Method, NameUndoesParsing) {
  for (const char* text : {"jme", "lambda-jme", "ime", "cs", "pp", "pp-debiased"}) {
    EXPECT_EQ(name(parse_method(text)), text);
  }
}

TEST(Method, RefusesOtherSpellings) {
  for (const char* text : {"", "JME", "lambda_jme", "pp-", "post-processing"}) {
    EXPECT_THROW((void)parse_method(text), InvalidParameter) << text;
  }
}

TEST(Method, OnlyPostProcessingSquaresNoisyRows) {
  EXPECT_TRUE(squares_noisy_rows(Method::pp));
  EXPECT_TRUE(squares_noisy_rows(Method::pp_debiased));
  EXPECT_FALSE(squares_noisy_rows(Method::jme));
  EXPECT_FALSE(squares_noisy_rows(Method::cs));
}

}  // namespace
}  // namespace jme
