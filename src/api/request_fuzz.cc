// Requests of every operation, decoded, checked and executed against tables in memory.
//
// Input: lines of an operation's name, a blank and a JSON body. The mutator knows the schemas
// (wire/testing/request_mutator.h). Every request ends in a reply that is JSON or in an error of the client's; what
// only reads can be repeated.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/api_testing.h"
#include "base/testing/fuzz_check.h"
#include "wire/testing/request_mutator.h"

namespace armature::api {
namespace {

class Target final : public ApiFixture {
 public:
  Target() {
    MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "GlobalSecondaryIndexes":[{"IndexName":"byN","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
          "Projection":{"ProjectionType":"ALL"}}],
        "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
    MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"a":{"S":"b"},"n":{"N":"1"},"ss":{"SS":["x"]},
        "l":{"L":[{"M":{"m":{"N":"1"}}}]}}})");
  }

  // Whether everything is as it was.
  bool Run(const wire::OperationSchema& schema, const std::string& json) {
    const Reply reply = Call(schema.name, json);
    if (reply.ok) {
      // TagResource and UntagResource have no body.
      Require(reply.body.empty() || wire::JsonDocument::Parse(reply.body).has_value(), "a reply is JSON");
    } else {
      Require(reply.error.http_status == 400, "an error is the client's");
    }
    // A statement may write, and an iterator holds the time.
    const bool is_read = schema.kind == wire::OperationKind::kRead &&
                         schema.name.find("Statement") == std::string::npos && schema.name != "ExecuteTransaction";
    if (!is_read) return !reply.ok;
    const Reply again = Call(schema.name, json);
    Require(again.ok == reply.ok && again.body == reply.body && again.ErrorText() == reply.ErrorText(),
            "a read can be repeated");
    return true;
  }

 private:
  void TestBody() override {}
};

struct Request {
  const wire::OperationSchema* schema = nullptr;
  std::string json;
};

const wire::OperationSchema* FindSchema(std::string_view name) {
  for (const wire::OperationSchema& schema : wire::AllOperations())
    if (schema.name == name) return &schema;
  return nullptr;
}

// Lines that name no operation are left out.
std::vector<Request> ReadRequests(std::string_view text) {
  std::vector<Request> requests;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t blank = std::min(line.find(' '), line.size());
    const wire::OperationSchema* schema = FindSchema(line.substr(0, blank));
    if (schema && FindOperation(*schema)) requests.push_back({schema, std::string(line.substr(blank))});
  }
  return requests;
}

const wire::OperationSchema& AnyOperation(RandomSource& random) {
  const auto all = wire::AllOperations();
  while (true) {
    const wire::OperationSchema& schema = all[random.Below(all.size())];
    if (FindOperation(schema)) return schema;
  }
}

// Letters stay ASCII: what is no UTF-8 ends in the JSON parser, which is not what is looked for here.
std::string MutateText(std::string text) {
  constexpr size_t kMostBytes = 256;
  text.resize(std::min(text.size(), kMostBytes));
  const size_t size = text.size();
  text.resize(kMostBytes);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, kMostBytes));
  for (char& c : text) c = static_cast<char>(c & 0x7f);
  return text;
}

std::string MutateRequests(std::vector<Request> requests, RandomSource& random) {
  wire::RequestMutator mutator(random, MutateText);
  constexpr size_t kMostRequests = 4;
  if (requests.empty() || (requests.size() < kMostRequests && random.Below(8) == 0)) {
    const wire::OperationSchema& schema = AnyOperation(random);
    requests.push_back({&schema, " " + mutator.Fresh(schema).ToString()});
  } else {
    Request& request = requests[random.Below(requests.size())];
    auto tree = wire::JsonTree::Parse(request.json);
    if (!tree) tree = mutator.Fresh(*request.schema);
    for (uint64_t rounds = random.Below(3) + 1; rounds != 0; --rounds) mutator.Mutate(*request.schema, *tree);
    request.json = " " + tree->ToString();
    if (requests.size() > 1 && random.Below(16) == 0) requests.erase(requests.begin());
  }
  std::string out;
  for (const Request& request : requests) out.append(request.schema->name).append(request.json).append("\n");
  return out;
}

}  // namespace
}  // namespace armature::api

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  armature::SeededRandom random(seed);
  const std::string text =
      armature::api::MutateRequests(armature::api::ReadRequests(armature::FuzzText(data, size)), random);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<armature::api::Target> target;
  if (!target) target = std::make_unique<armature::api::Target>();
  bool is_as_it_was = true;
  for (const auto& request : armature::api::ReadRequests(armature::FuzzText(data, size)))
    is_as_it_was = target->Run(*request.schema, request.json) && is_as_it_was;
  if (!is_as_it_was) target.reset();  // the next input finds what this one found
  return 0;
}
