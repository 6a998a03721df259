// Requests of Lambda's REST API, from method, path, query and body to the stored mapping.
//
// Input: lines of a method, a blank, path and query, a blank, a body. A @ in path and query stands for the UUID of the
// mapping made last. Every request ends in a reply that is JSON or in an error of the client's that is JSON too; what
// was made is shown as it was told, and the same by triggers that read it from the store.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "api/api_testing.h"
#include "base/testing/fuzz_check.h"
#include "lambda/lambda_api.h"
#include "triggers/triggers.h"

namespace armature::lambda {
namespace {

constexpr std::string_view kCollection = "/2015-03-31/event-source-mappings/";
constexpr table::TableScope kScope{"123456789012", "us-east-1"};

net::Method MethodNamed(std::string_view name) {
  if (name == "GET") return net::Method::kGet;
  if (name == "PUT") return net::Method::kPut;
  if (name == "DELETE") return net::Method::kDelete;
  return net::Method::kPost;
}

// What stands before the next `separator`; takes both away.
std::string_view TakeUntil(char separator, std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

triggers::TriggerConfig Config() {
  triggers::TriggerConfig config;
  config.functions["f"].name = "f";
  config.functions["f"].command = {"/bin/true"};
  config.destinations["d"].directory = "given-up";
  return config;
}

class Target final : public api::ApiFixture {
 public:
  Target() { Require(RunBlocking(triggers_.Load()).ok(), "there is nothing to load"); }

  void Run(std::string_view line) {
    const net::Method method = MethodNamed(TakeUntil(' ', line));
    std::string target;
    for (const char c : TakeUntil(' ', line)) c == '@' ? target.append(uuid_) : target.append(1, c);
    const std::string body = Answer(triggers_, method, target, line);
    simdjson::dom::parser parser;
    std::string_view uuid;
    if (parser.parse(body)["UUID"].get(uuid) == simdjson::SUCCESS) uuid_ = uuid;
  }

  // What is stored is what was told.
  void CheckStored() {
    const auto mappings = triggers_.List(kScope);
    if (mappings.empty()) return;
    triggers::Triggers again(Deps(), Config());
    Require(RunBlocking(again.Load()).ok(), "stored mappings can be loaded");
    for (const auto& mapping : mappings) {
      const std::string path = std::string(kCollection) + mapping->uuid;
      const std::string told = Answer(triggers_, net::Method::kGet, path, {});
      Require(told == Answer(again, net::Method::kGet, path, {}), "a mapping is loaded as it was stored");
      Require(told.find("\"BatchSize\"") != std::string::npos, "a mapping of the list can be asked for");
    }
  }

  bool is_untouched() const { return uuid_.empty(); }

 private:
  triggers::TriggersDeps Deps() { return {*engine_, catalog_, journal_, clock_, random_, metrics_}; }

  std::string Answer(triggers::Triggers& triggers, net::Method method, std::string_view target, std::string_view body) {
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    request.query = target.substr(std::min(request.path.size() + 1, target.size()));
    const auto index = FindRestOperation(request);
    if (!index) return {};
    const RestOperation& operation = RestOperations()[*index];
    Arena arena;
    net::HttpResponse response;
    const front::Caller caller{{.account = kScope.account, .arn = {}, .access_key_id = {}}, kScope.region};
    api::RequestContext context = pipeline_.MakeContext(caller, operation.iam_action, request, arena, response.body);
    const auto answered = RunBlocking(RunRestOperation(operation, triggers, context, request, body));
    if (!answered) {
      Require(answered.error().http_status >= 400 && answered.error().http_status < 500, "an error is the client's");
      SetRestError(answered.error(), response);
    }
    Require(wire::JsonDocument::Parse(response.body).has_value(), "a reply is JSON");
    return response.body;
  }

  void TestBody() override {}

  triggers::Triggers triggers_{Deps(), Config()};  // not started: nothing is invoked
  std::string uuid_;
};

}  // namespace
}  // namespace armature::lambda

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::lambda::Target;
  static std::unique_ptr<Target> target;
  if (!target) target = std::make_unique<Target>();
  std::string_view text = armature::FuzzText(data, size);
  while (!text.empty()) target->Run(armature::lambda::TakeUntil('\n', text));
  target->CheckStored();
  if (!target->is_untouched()) target.reset();  // the next input finds what this one found
  return 0;
}
