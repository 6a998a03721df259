// Random items and key ranges against a plain model: forward, backward, in pages of any size, on the table and every
// kind of index.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "api/query/query_testing.h"

namespace armature::api {
namespace {

struct Model {
  std::string pk;
  int sk = 0;
  std::optional<std::string> a;
  std::optional<int> b, g;
  std::optional<std::string> h;
  int n = 0;

  std::string Json() const {
    std::string json = R"({"pk":{"S":")" + pk + R"("},"sk":{"N":")" + std::to_string(sk) + R"("},"n":{"N":")" +
                       std::to_string(n) + R"("})";
    if (a) json += R"(,"a":{"S":")" + *a + R"("})";
    if (b) json += R"(,"b":{"N":")" + std::to_string(*b) + R"("})";
    if (g) json += R"(,"g":{"N":")" + std::to_string(*g) + R"("})";
    if (h) json += R"(,"h":{"S":")" + *h + R"("})";
    return json + "}";
  }
};

std::string S(const std::string& text) { return R"({"S":")" + text + R"("})"; }
std::string N(int number) { return R"({"N":")" + std::to_string(number) + R"("})"; }

// A sort key as the test compares it: numbers made comparable as text.
std::string Sortable(int number) {
  std::string digits = std::to_string(number + 1000);
  return std::string(4 - digits.size(), '0') + digits;
}

// One way to read the items: who is in it, under which partition and sort key, and how a key is written.
struct Access {
  std::string index;  // empty: the table
  std::string hash_name, sort_name;
  std::function<bool(const Model&)> has;
  std::function<std::string(const Model&)> hash_json, sort_json;  // as in a request
  std::function<std::string(const Model&)> sort;                  // comparable
};

const Access kAccesses[] = {
    {"", "pk", "sk", [](const Model&) { return true; }, [](const Model& m) { return S(m.pk); },
     [](const Model& m) { return N(m.sk); }, [](const Model& m) { return Sortable(m.sk); }},
    {"ByAll", "pk", "a", [](const Model& m) { return m.a.has_value(); }, [](const Model& m) { return S(m.pk); },
     [](const Model& m) { return S(*m.a); }, [](const Model& m) { return *m.a; }},
    {"ByA", "pk", "a", [](const Model& m) { return m.a.has_value(); }, [](const Model& m) { return S(m.pk); },
     [](const Model& m) { return S(*m.a); }, [](const Model& m) { return *m.a; }},
    {"ByB", "pk", "b", [](const Model& m) { return m.b.has_value(); }, [](const Model& m) { return S(m.pk); },
     [](const Model& m) { return N(*m.b); }, [](const Model& m) { return Sortable(*m.b); }},
    {"OnAll", "g", "h", [](const Model& m) { return m.g && m.h; }, [](const Model& m) { return N(*m.g); },
     [](const Model& m) { return S(*m.h); }, [](const Model& m) { return *m.h; }},
};

struct Condition {
  const char* text;
  std::function<bool(const std::string& value, const std::string& bound, const std::string& upper)> holds;
  bool needs_upper = false;
};

const Condition kConditions[] = {
    {"", [](const auto&, const auto&, const auto&) { return true; }},
    {" = :v", [](const auto& value, const auto& bound, const auto&) { return value == bound; }},
    {" < :v", [](const auto& value, const auto& bound, const auto&) { return value < bound; }},
    {" <= :v", [](const auto& value, const auto& bound, const auto&) { return value <= bound; }},
    {" > :v", [](const auto& value, const auto& bound, const auto&) { return value > bound; }},
    {" >= :v", [](const auto& value, const auto& bound, const auto&) { return value >= bound; }},
    {" BETWEEN :v AND :w",
     [](const auto& value, const auto& bound, const auto& upper) { return value >= bound && value <= upper; }, true},
};

class QueryPropertyTest : public QueryFixture, public testing::WithParamInterface<int> {
 protected:
  using Key = std::pair<std::string, int>;

  QueryPropertyTest() : dice_(static_cast<unsigned>(GetParam())) { CreateIndexedTable(); }

  int Roll(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(dice_); }
  std::string Word() {
    std::string word;
    for (int length = 1 + Roll(3); length > 0; --length) word.push_back(static_cast<char>('a' + Roll(3)));
    return word;
  }

  void WriteRandomItems(int writes) {
    for (int i = 0; i < writes; ++i) {
      Model item;
      item.pk = Word().substr(0, 1);
      item.sk = Roll(60) - 30;
      item.n = Roll(10);
      if (Roll(5)) item.a = Word();
      if (Roll(5)) item.b = Roll(5) - 2;
      if (Roll(5)) item.g = Roll(3);
      if (Roll(5)) item.h = Word();
      const Key key{item.pk, item.sk};
      if (Roll(6) == 0) {
        MustCall("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":)" + S(item.pk) + R"(,"sk":)" + N(item.sk) + "}}");
        items_.erase(key);
      } else {
        Put(item.Json());
        items_[key] = item;
      }
    }
  }

  const Model& AnyItem(const Access& access) {
    while (true) {
      auto it = items_.begin();
      std::advance(it, Roll(static_cast<int>(items_.size())));
      if (access.has(it->second)) return it->second;
    }
  }

  static std::string KeyText(const std::string& pk, int sk) { return pk + "/" + std::to_string(sk); }
  static std::string KeyOf(const std::string& item_json) {
    simdjson::dom::parser parser;
    const simdjson::dom::element item = parser.parse(item_json);
    return std::string(item["pk"]["S"].get_string().value()) + "/" + std::string(item["sk"]["N"].get_string().value());
  }

  // The rows a query selects, in order.
  std::vector<const Model*> Expected(const Access& access, const std::string& hash,
                                     const std::function<bool(const Model&)>& selects) {
    std::vector<const Model*> rows;
    for (const auto& [key, item] : items_)
      if (access.has(item) && access.hash_json(item) == hash && selects(item)) rows.push_back(&item);
    std::sort(rows.begin(), rows.end(), [&](const Model* x, const Model* y) {
      return std::tuple(access.sort(*x), x->pk, x->sk) < std::tuple(access.sort(*y), y->pk, y->sk);
    });
    return rows;
  }

  void CheckRandomQuery(const Access& access) {
    const Model& some = AnyItem(access);
    const Model* lower = &AnyItem(access);
    const Model* upper = &AnyItem(access);
    if (access.sort(*upper) < access.sort(*lower)) std::swap(lower, upper);
    const Condition& condition = kConditions[Roll(std::size(kConditions))];
    const std::string hash = access.hash_json(some);

    std::string members = R"("KeyConditionExpression":")" + access.hash_name + " = :h";
    std::string values = R"(":h":)" + hash;
    if (*condition.text) {
      members += " AND " + access.sort_name + condition.text;
      values += R"(,":v":)" + access.sort_json(*lower);
    }
    if (condition.needs_upper) values += R"(,":w":)" + access.sort_json(*upper);
    const bool is_filtered = Roll(3) == 0 && access.index != "ByB" && access.index != "ByA";
    if (is_filtered) values += R"(,":n":)" + N(5);
    members += R"(","ExpressionAttributeValues":{)" + values + "}";
    if (is_filtered) members += R"(,"FilterExpression":"n < :n")";
    if (!access.index.empty()) members += R"(,"IndexName":")" + access.index + '"';
    const bool is_reverse = Roll(2);
    if (is_reverse) members += R"(,"ScanIndexForward":false)";
    const int limit = Roll(4) ? 1 + Roll(8) : 0;
    if (limit) members += R"(,"Limit":)" + std::to_string(limit);

    auto rows = Expected(access, hash, [&](const Model& item) {
      return condition.holds(access.sort(item), access.sort(*lower), access.sort(*upper));
    });
    if (is_reverse) std::reverse(rows.begin(), rows.end());
    std::vector<std::string> expected, got;
    for (const Model* row : rows)
      if (!is_filtered || row->n < 5) expected.push_back(KeyText(row->pk, row->sk));

    size_t scanned = 0;
    for (const Page& page : Pages("Query", members)) {
      if (limit) { EXPECT_LE(page.scanned_count, limit); }
      EXPECT_EQ(page.count, static_cast<int64_t>(page.items.size()));
      scanned += static_cast<size_t>(page.scanned_count);
      for (const std::string& item : page.items) got.push_back(KeyOf(item));
    }
    ASSERT_EQ(got, expected) << members;
    ASSERT_EQ(scanned, rows.size()) << members;
  }

  void CheckRandomScan(const Access& access) {
    const int total = 1 + Roll(4);
    std::multiset<std::string> expected, got;
    for (const auto& [key, item] : items_)
      if (access.has(item)) expected.insert(KeyText(key.first, key.second));
    for (int segment = 0; segment < total; ++segment) {
      std::string members = R"("Segment":)" + std::to_string(segment) + R"(,"TotalSegments":)" + std::to_string(total);
      if (Roll(2)) members += R"(,"Limit":)" + std::to_string(1 + Roll(20));
      if (!access.index.empty()) members += R"(,"IndexName":")" + access.index + '"';
      for (const Page& page : Pages("Scan", members))
        for (const std::string& item : page.items) got.insert(KeyOf(item));
    }
    ASSERT_EQ(got, expected) << access.index;
  }

  std::mt19937 dice_;
  std::map<Key, Model> items_;
};

TEST_P(QueryPropertyTest, AgreesWithThePlainModel) {
  for (int round = 0; round < 4; ++round) {
    WriteRandomItems(80);
    for (const Access& access : kAccesses) {
      for (int i = 0; i < 25; ++i) {
        ASSERT_NO_FATAL_FAILURE(CheckRandomQuery(access));
        if (HasFailure()) return;
      }
      ASSERT_NO_FATAL_FAILURE(CheckRandomScan(access));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueryPropertyTest, testing::Range(1, 9));

}  // namespace
}  // namespace armature::api
