#include "base/text/json_writer.h"

#include <limits>

#include <gtest/gtest.h>

namespace armature {
namespace {

template <class Write>
std::string Json(Write write) {
  std::string out;
  JsonWriter writer(out);
  write(writer);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElements) {
  EXPECT_EQ(Json([](JsonWriter& w) {
              w.BeginObject();
              w.Key("a"), w.Int(1);
              w.Key("b"), w.BeginArray();
              w.String("x"), w.Bool(true), w.Null();
              w.BeginObject(), w.EndObject();
              w.BeginArray(), w.EndArray();
              w.EndArray();
              w.Member("c", "d");
              w.EndObject();
            }),
            R"({"a":1,"b":["x",true,null,{},[]],"c":"d"})");
}

TEST(JsonWriter, EscapesOnlyWhatItMust) {
  const auto written = [](std::string_view text) { return Json([&](JsonWriter& w) { w.String(text); }); };
  EXPECT_EQ(written("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(written(std::string_view("\0\n\r\t\b\f\x1f\x7f", 8)), "\"\\u0000\\n\\r\\t\\b\\f\\u001f\x7f\"");
  EXPECT_EQ(written("grün €"), "\"grün €\"");
  EXPECT_EQ(written(""), "\"\"");
}

TEST(JsonWriter, FindsAnEscapeAtEveryOffset) {
  for (size_t size = 1; size < 70; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, '\xE4');
      text[at] = '"';
      const std::string expected = '"' + std::string(at, '\xE4') + "\\\"" + std::string(size - at - 1, '\xE4') + '"';
      EXPECT_EQ(Json([&](JsonWriter& w) { w.String(text); }), expected);
    }
  }
}

TEST(JsonWriter, EveryByteAtEveryPlaceOfEveryShortLength) {
  for (size_t size = 1; size <= 34; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        std::string written;
        AppendJsonText(written, text);
        const bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\';
        ASSERT_EQ(written == text, is_plain) << size << ' ' << at << ' ' << byte;
        if (!is_plain) { ASSERT_EQ(written.substr(0, at + 1), std::string(at, 'a') + '\\'); }
      }
    }
  }
}

TEST(JsonWriter, IntegersToTheLimits) {
  EXPECT_EQ(Json([](JsonWriter& w) { w.Int(std::numeric_limits<int64_t>::min()); }), "-9223372036854775808");
}

TEST(JsonWriter, DoublesAlwaysShowAFraction) {
  const auto written = [](double value) { return Json([&](JsonWriter& w) { w.Double(value); }); };
  EXPECT_EQ(written(0.5), "0.5");
  EXPECT_EQ(written(1), "1.0");
  EXPECT_EQ(written(0), "0.0");
  EXPECT_EQ(written(-2.25), "-2.25");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, TimestampsArePlainDecimalsToTheMillisecond) {
  const auto written = [](double seconds) { return Json([&](JsonWriter& w) { w.Timestamp(seconds); }); };
  EXPECT_EQ(written(1421866952.062), "1421866952.062");
  EXPECT_EQ(written(1421866952.5), "1421866952.5");
  EXPECT_EQ(written(1421866952), "1421866952");
  EXPECT_EQ(written(0.001), "0.001");
  EXPECT_EQ(written(-1.5), "-1.5");
}

TEST(JsonWriter, RawAndForeignValuesCountAsValues) {
  EXPECT_EQ(Json([](JsonWriter& w) {
              w.BeginArray();
              w.Raw("{\"x\":1}");
              w.BeginValue(), w.out().append("2");
              w.PlainString("abc");
              w.EndArray();
            }),
            R"([{"x":1},2,"abc"])");
}

}  // namespace
}  // namespace armature
