// Expressions: parsed, bound and run against an item, as condition, key condition, update and projection.
//
// Input: an expression. The same text gives the same result, and NOT, AND and OR keep the laws of logic.
#include <string>

#include "base/testing/fuzz_check.h"
#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

constexpr std::string_view kItem = "a=M{b=L[M{c=N:1},N:2]},b=SS[x,y],l=L[N:1,S:x],n=N:5,ns=NS[1,2],pk=S:k,s=S:xyz";

class Target {
 public:
  explicit Target(std::string_view text) : text_(text) {}

  void Run() {
    CheckCondition();
    Require(Update(kItem) == Update(kItem), "an update has one outcome");
    (void)Update("(none)");
    (void)Fresh().Updated(text_, kItem);
    (void)Fresh().Project(text_, kItem);
    (void)Fresh().Check(text_, kItem, ExpressionKind::kKeyCondition);
    (void)Fresh().Check(text_, kItem, ExpressionKind::kFilter);
  }

 private:
  struct Request : TestRequest {
    Request()
        : TestRequest({{"#a", "a"}, {"#n", "n"}},
                      {{":n", "N:1"}, {":s", "S:x"}, {":l", "L[N:1]"}, {":ss", "SS[x]"}, {":m", "M{c=N:1}"}}) {}
  };
  Request& Fresh() { return *(request_ = std::make_unique<Request>()); }

  std::string Check(const std::string& condition) { return Fresh().Check(condition, kItem); }
  std::string Update(std::string_view item) { return Fresh().Update(text_, item); }

  static bool IsTruth(const std::string& outcome) { return outcome == "true" || outcome == "false"; }

  void CheckCondition() {
    const std::string text(text_);
    const std::string outcome = Check(text);
    Require(outcome == Check(text), "a condition has one outcome");
    Require(!outcome.empty(), "an error has a text");
    if (!IsTruth(outcome)) return;
    const bool holds = outcome == "true";
    // Longer expressions may break a limit or a rule on parentheses, and then have no truth.
    const auto expect = [this](const std::string& longer, bool truth, const char* what) {
      const std::string other = Check(longer);
      if (IsTruth(other)) Require((other == "true") == truth, what);
    };
    expect("NOT (" + text + ")", !holds, "NOT turns it round");
    expect("NOT NOT (" + text + ")", holds, "NOT NOT is nothing");
    expect("(" + text + ") AND attribute_exists(pk)", holds, "AND with what is true");
    expect("attribute_not_exists(pk) AND (" + text + ")", false, "AND with what is false");
    expect("(" + text + ") OR attribute_not_exists(pk)", holds, "OR with what is false");
    expect("(" + text + ") OR attribute_exists(pk)", true, "OR with what is true");
  }

  std::string_view text_;
  std::unique_ptr<Request> request_;
};

}  // namespace
}  // namespace armature::expr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  armature::expr::Target(armature::FuzzText(data, size)).Run();
  return 0;
}
