#include "wire/testing/request_samples.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace armature::wire {

namespace {

constexpr int kMostDepth = 6;

struct Words {
  std::string_view shape;
  std::vector<std::string_view> words;
};

// Strings that mean something to the operations, by the name of their shape.
const std::vector<Words>& KnownWords() {
  static const std::vector<Words> kWords = {
      {"TableArn", {"Tbl", "arn:aws:dynamodb:us-east-1:123456789012:table/Tbl"}},
      {"TableName", {"Tbl", "Other"}},
      {"IndexName", {"Idx", "byN"}},
      {"AttributeName", {"pk", "a", "n"}},
      {"KeySchemaAttributeName", {"pk", "n"}},
      {"NonKeyAttributeName", {"a", "n"}},
      {"ConditionExpression",
       {"attribute_exists(pk)", "a = :v", "#n <> :v AND size(a) > :n", "contains(a, :v)", "a IN (:v, :n)",
        "NOT (begins_with(a, :v) OR n BETWEEN :n AND :n)", "attribute_type(a, :v)", "l[0].m = :v"}},
      {"KeyExpression", {"pk = :v", "pk = :v AND n > :n", "#n = :v"}},
      {"ProjectionExpression", {"pk", "a, n", "#n, l[0].m"}},
      {"UpdateExpression",
       {"SET a = :v", "ADD n :n", "REMOVE a, l[0]", "DELETE ss :v", "SET n = if_not_exists(n, :n) + :n",
        "SET l = list_append(l, :v)"}},
      {"PartiQLStatement",
       {"SELECT * FROM Tbl WHERE pk = ?", "SELECT a FROM Tbl WHERE pk IN [?, ?] AND n > ?", "SELECT * FROM Tbl",
        "INSERT INTO Tbl VALUE {'pk': ?, 'a': 1}", "UPDATE Tbl SET a = ? WHERE pk = ?",
        "DELETE FROM Tbl WHERE pk = ? RETURNING ALL OLD *", "EXISTS(SELECT * FROM Tbl WHERE pk = ? AND a = 1)"}},
      {"ResourceArnString", {"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl"}},
      {"StreamArn", {"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl/stream/2026-01-01T00:00:00.000"}},
      {"ShardId", {"shardId-00000000000000000000-00000000"}},
      {"SequenceNumber", {"000000000000000000001"}},
      {"TimeToLiveAttributeName", {"n"}},
      {"ExpressionAttributeNameVariable", {"#n"}},
      {"ExpressionAttributeValueVariable", {":v", ":n"}},
  };
  return kWords;
}

std::string Word(const ShapeDesc& shape, const Choose& choose) {
  if (!shape.enum_values.empty()) return std::string(shape.enum_values[choose(shape.enum_values.size())]);
  for (const Words& known : KnownWords()) {
    // A member's own limit makes a variant of the shape, named Owner_Member; its element shapes keep their names.
    if (shape.name == known.shape) return std::string(known.words[choose(known.words.size())]);
  }
  return std::string(std::max<size_t>(shape.has_min ? static_cast<size_t>(shape.min) : 0, 3), 'a');
}

JsonTree Attribute(const Choose& choose, int depth) {
  constexpr std::array<std::string_view, 10> kValues = {
      R"({"S":"a"})",     R"({"N":"1"})",        R"({"S":""})",         R"({"B":"AAE="})",    R"({"BOOL":true})",
      R"({"NULL":true})", R"({"SS":["a","b"]})", R"({"NS":["1","2"]})", R"({"BS":["AA=="]})", R"({"L":[]})"};
  const size_t choice = choose(kValues.size() + 2);
  if (choice < kValues.size() || depth >= kMostDepth) return *JsonTree::Parse(kValues[choice % kValues.size()]);
  JsonTree inner = Attribute(choose, depth + 1);
  if (choice == kValues.size()) return JsonTree::Object().With("L", JsonTree::Array({std::move(inner)}));
  return JsonTree::Object().With("M", JsonTree::Object().With("m", std::move(inner)));
}

JsonTree AttributeMapSample(const ShapeDesc& shape, const Choose& choose, int depth) {
  JsonTree out = JsonTree::Object();
  if (shape.name == "ExpressionAttributeValueMap") {
    out.With(":v", Attribute(choose, depth)).With(":n", *JsonTree::Parse(R"({"N":"1"})"));
  } else {
    out.With("pk", *JsonTree::Parse(R"({"S":"a"})"));
    if (shape.name != "Key" && choose(2) == 1) out.With("a", Attribute(choose, depth));
  }
  return out;
}

std::string_view NumberText(const ShapeDesc& shape, const Choose& choose) {
  if (shape.has_max && shape.max < 100) return "1";
  constexpr std::array<std::string_view, 4> kNumbers = {"1", "5", "100", "0"};
  return kNumbers[choose(kNumbers.size())];
}

// All required members but `but`, and some of the optional ones.
JsonTree Structure(const ShapeDesc& shape, const Choose& choose, int depth, const MemberDesc* but) {
  JsonTree out = JsonTree::Object();
  for (const MemberDesc& member : shape.members) {
    if (&member == but) continue;
    // Along a path the other members are rare, but for choices of how to read what stands there.
    const bool is_wanted =
        member.required ||
        (depth < kMostDepth ? choose(2) == 1 : choose(member.shape->enum_values.empty() ? 8 : 2) == 1);
    if (!is_wanted || depth > kMostDepth + 2) continue;
    out.With(member.name, SampleValue(*member.shape, choose, depth + 1));
  }
  return out;
}

void Collect(const ShapeDesc& shape, std::vector<const ShapeDesc*>& within, ShapePath& path,
             std::vector<ShapePath>& out) {
  if (std::find(within.begin(), within.end(), &shape) != within.end()) return;
  within.push_back(&shape);
  auto step = [&](const MemberDesc* member, const ShapeDesc& next, bool is_element) {
    path.steps.push_back(member);
    const bool is_collection = next.kind == Kind::kList || next.kind == Kind::kMap || next.kind == Kind::kAttributeMap;
    if (is_element || is_collection) out.push_back({path.steps, &next});
    Collect(next, within, path, out);
    path.steps.pop_back();
  };
  for (const MemberDesc& member : shape.members) step(&member, *member.shape, /*is_element=*/false);
  if (shape.element != nullptr) step(nullptr, *shape.element, /*is_element=*/true);
  within.pop_back();
}

JsonTree Along(const ShapeDesc& shape, std::span<const MemberDesc* const> steps, const JsonTree& value,
               const Choose& choose) {
  if (steps.empty()) return value;
  const MemberDesc* member = steps.front();
  if (member != nullptr) {
    JsonTree out = Structure(shape, choose, kMostDepth, member);
    return std::move(out.With(member->name, Along(*member->shape, steps.subspan(1), value, choose)));
  }
  JsonTree inner = Along(*shape.element, steps.subspan(1), value, choose);
  if (shape.kind == Kind::kList) return JsonTree::Array({std::move(inner)});
  JsonTree out = shape.kind == Kind::kAttributeMap ? AttributeMapSample(shape, choose, kMostDepth) : JsonTree::Object();
  const std::string key = shape.kind == Kind::kAttributeMap && choose(2) == 1 ? "a" : Word(*shape.key, choose);
  if (JsonTree* there = out.Find(key)) {
    *there = std::move(inner);
    return out;
  }
  return std::move(out.With(key, std::move(inner)));
}

}  // namespace

std::vector<ShapePath> CollectionPaths(const OperationSchema& schema) {
  std::vector<ShapePath> out;
  std::vector<const ShapeDesc*> within;
  ShapePath path;
  Collect(*schema.input, within, path, out);
  return out;
}

JsonTree SampleWith(const OperationSchema& schema, const ShapePath& path, const JsonTree& value, const Choose& choose) {
  return Along(*schema.input, path.steps, value, choose);
}

JsonTree SampleValue(const ShapeDesc& shape, const Choose& choose, int depth) {
  switch (shape.kind) {
    case Kind::kStructure: return Structure(shape, choose, depth, nullptr);
    case Kind::kList: return JsonTree::Array({SampleValue(*shape.element, choose, depth + 1)});
    case Kind::kMap:
      return std::move(
          JsonTree::Object().With(Word(*shape.key, choose), SampleValue(*shape.element, choose, depth + 1)));
    case Kind::kAttributeValue: return Attribute(choose, depth);
    case Kind::kAttributeMap: return AttributeMapSample(shape, choose, depth);
    case Kind::kBoolean: return JsonTree::Literal(choose(2) == 0 ? "true" : "false");
    case Kind::kString: return JsonTree::String(Word(shape, choose));
    case Kind::kBlob: return JsonTree::String("AAE=");
    default: return JsonTree::Literal(NumberText(shape, choose));
  }
}

const std::vector<JsonTree>& HostileValues() {
  static const std::vector<JsonTree> kValues = [] {
    std::vector<JsonTree> out;
    for (const std::string_view json : {"null",
                                        "true",
                                        "0",
                                        "-1",
                                        "1.5",
                                        "1e400",
                                        "18446744073709551615",
                                        R"("")",
                                        R"("x")",
                                        "[]",
                                        "{}",
                                        "[null]",
                                        "[[]]",
                                        "[{}]",
                                        R"({"":null})",
                                        R"({"pk":null})",
                                        R"({"S":null})",
                                        R"({"S":1})",
                                        R"({"S":"a","N":"1"})",
                                        R"({"L":null})",
                                        R"({"L":[null]})",
                                        R"({"L":[{}]})",
                                        R"({"M":{"a":null}})",
                                        R"({"M":{"":{"S":"a"}}})",
                                        R"({"SS":[null]})",
                                        R"({"NS":[null]})",
                                        R"({"BS":[null]})",
                                        R"({"SS":[]})",
                                        R"({"NS":["x"]})",
                                        R"({"B":"*"})",
                                        R"({"NULL":null})"}) {
      // What is no JSON for simdjson (1e400) is written as it is: the decoder's parser shall see it.
      out.push_back(JsonTree::Parse(json).value_or(JsonTree::Literal(json)));
    }
    JsonTree deep = JsonTree::Array();
    JsonTree deep_list = *JsonTree::Parse(R"({"S":"a"})");
    JsonTree deep_map = deep_list;
    for (int i = 0; i < 100; ++i) {
      deep = JsonTree::Array({std::move(deep)});
      deep_list = std::move(JsonTree::Object().With("L", JsonTree::Array({std::move(deep_list)})));
      deep_map = std::move(JsonTree::Object().With("M", std::move(JsonTree::Object().With("a", std::move(deep_map)))));
    }
    out.insert(out.end(), {deep, deep_list, deep_map});
    return out;
  }();
  return kValues;
}

}  // namespace armature::wire
