#include "io/json_document.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

std::string message_of(std::string_view text) {
  const Result<JsonDocument> document = parse_json(text, "x.json");
  EXPECT_FALSE(document) << text;
  return document.message();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(JsonDocument, KeepsMembersInFileOrder) {
  const Result<JsonDocument> document = parse_json(R"({"z": 1, "a": [true, null, "s"]})", "x.json");
  ASSERT_TRUE(document) << document.message();
  const JsonDocument& d = document.value();
  ASSERT_EQ(d.nodes.size(), 6U);
  EXPECT_EQ(d.at(1).key, "z");
  EXPECT_EQ(d.at(1).next_sibling, 2);
  EXPECT_EQ(d.at(2).key, "a");
  EXPECT_EQ(d.at(2).child_count, 3);
  EXPECT_TRUE(d.at(3).truth);
  EXPECT_EQ(d.at(5).text, "s");
}

TEST(JsonDocument, NamesPaths) {
  const Result<JsonDocument> document = parse_json(R"({"bodies": [0, {"shape": {"odd key": 1}}]})", "x.json");
  ASSERT_TRUE(document) << document.message();
  const JsonDocument& d = document.value();
  EXPECT_EQ(d.path(0), "");
  EXPECT_EQ(d.path(2), "bodies[0]");
  EXPECT_EQ(d.path(static_cast<std::int32_t>(d.nodes.size()) - 1), "bodies[1].shape.\"odd key\"");
}

TEST(JsonDocument, KeepsWholeNumbersOf64BitsExactly) {
  const Result<JsonDocument> document = parse_json("18446744073709551615", "x.json");
  ASSERT_TRUE(document) << document.message();
  EXPECT_TRUE(document.value().at(0).is_natural);
  EXPECT_EQ(document.value().at(0).natural, 18446744073709551615ULL);
}

TEST(JsonDocument, SyntaxErrorsHaveLineColumnAndPath) {
  const std::string message = message_of("{\n  \"a\": [1,\n    oops]\n}");
  EXPECT_TRUE(contains(message, "x.json: line 3, column 5: a[1]: ")) << message;
}

TEST(JsonDocument, RefusesWordsForNonFiniteNumbers) {
  for (const char* word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    const std::string message = message_of(std::string("{\"m\": ") + word + "}");
    EXPECT_TRUE(contains(message, std::string("m: found ") + word + ", expected a finite number")) << message;
  }
}

TEST(JsonDocument, RefusesNumbersThatOverflow) {
  EXPECT_TRUE(contains(message_of("[1, -1e999]"), "[1]: found -1e999, expected a finite number"));
}

TEST(JsonDocument, RefusesDuplicateKeysAlsoAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 5000; ++i) text += "\"k" + std::to_string(i) + "\": 0, ";
  EXPECT_TRUE(contains(message_of(text + "\"k7\": 1}"), "k7: found the key twice"));
}

TEST(JsonDocument, RefusesDeepNestingWithoutRecursion) {
  EXPECT_TRUE(contains(message_of(std::string(100'000, '[')), "nesting deeper than 64"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(contains(message_of(objects), "nesting deeper than 64"));
}

TEST(JsonDocument, AllowsTheDeepestNesting) {
  const std::string text = std::string(kDeepestNesting, '[') + std::string(kDeepestNesting, ']');
  EXPECT_TRUE(parse_json(text, "x.json"));
}

TEST(JsonDocument, RefusesEveryTruncation) {
  const std::string text = R"({"carom": 1, "name": "a\u00e9", "list": [1.5, -2e3, true, null, {"k": "v"}]})";
  ASSERT_TRUE(parse_json(text, "x.json"));
  for (std::size_t length = 0; length < text.size(); ++length) message_of(text.substr(0, length));
}

TEST(JsonDocument, RefusesEverySingleByteOfNoise) {
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || (c >= '0' && c <= '9')) continue;
    message_of(std::string("[1, ") + c + " ]");
  }
}

TEST(JsonDocument, RefusesAnythingAfterAZeroByte) {
  EXPECT_TRUE(contains(message_of(std::string_view("{}\0junk", 7)), "zero byte"));
}

TEST(JsonDocument, AcceptsAByteOrderMarkAndNamesColumnsWithoutIt) {
  EXPECT_TRUE(parse_json("\xef\xbb\xbf{}", "x.json"));
  EXPECT_TRUE(contains(message_of("\xef\xbb\xbf[?]"), "line 1, column 2"));
}

TEST(JsonDocument, RefusesUtf16) { EXPECT_TRUE(contains(message_of(std::string_view("\xff\xfe{\0", 4)), "UTF-16")); }

TEST(JsonDocument, MessagesHoldNoControlBytes) {
  for (const char c : message_of("{\"a\x1b[31m\": 1}")) EXPECT_GE(c, 0x20);
}

}  // namespace
}  // namespace carom
