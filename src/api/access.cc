#include "api/access.h"

#include <string>
#include <utility>

#include "auth/access_witness.h"
#include "auth/authorizer.h"
#include "base/codec/base64.h"
#include "model/names/arn.h"

namespace armature::api {

namespace {

// As policies write a key.
std::string KeyText(const model::Value& value) {
  if (value.is(model::Type::kN)) return value.number().ToString();
  if (value.is(model::Type::kS)) return std::string(value.str());
  std::string text;
  if (value.is(model::Type::kB)) AppendBase64(text, value.str());
  return text;
}

class Asked final : public auth::AccessDescriber {
 public:
  // `is_of_failure`: as if its condition had failed.
  Asked(const Touch& touch, const model::KeySchema* key_schema, const RequestContext& context,
        const auth::Resource& resource, bool is_of_failure = false)
      : touch_(touch), key_schema_(key_schema), context_(context), resource_(resource), is_of_failure_(is_of_failure) {}

  void Describe(auth::AccessConditions& conditions) const override {
    AccessDetails details(key_schema_, conditions);
    touch_(details);
    if (conditions.return_on_failure.empty()) return;
    shows_otherwise_on_failure_ = true;
    if (is_of_failure_) conditions.return_values = conditions.return_on_failure;
  }
  // Streams have tags of their own, of which there are none yet.
  void DescribeTags(auth::ResourceTags& tags) const override {
    if (resource_.kind != auth::ResourceKind::kTable && resource_.kind != auth::ResourceKind::kIndex) return;
    const auto table = context_.services.catalog.Find({resource_.account, resource_.region}, resource_.name);
    if (!table) return;
    auto def = table->def();
    for (const auto& [key, value] : def->tags) tags.tags.push_back({key, value});
    tags.kept = std::move(def);
  }

  // Somebody has looked at what depends on whether a condition fails.
  bool shows_otherwise_on_failure() const { return shows_otherwise_on_failure_; }

 private:
  const Touch& touch_;
  const model::KeySchema* const key_schema_;
  const RequestContext& context_;
  const auth::Resource& resource_;
  const bool is_of_failure_;
  mutable bool shows_otherwise_on_failure_ = false;
};

// Every path that an assignment reads.
void AddOperands(const expr::UpdateValue* value, AccessDetails& details) {
  if (!value) return;
  if (!value->path.empty()) details.Paths({&value->path, 1});
  AddOperands(value->left, details);
  AddOperands(value->right, details);
}

}  // namespace

void AccessDetails::PartitionKey(size_t position, const model::Value& value) {
  if (position < out.partition_keys.size()) out.partition_keys[position].push_back(KeyText(value));
}

void AccessDetails::Item(model::Item item) {
  for (const auto& attribute : item) out.attributes.push_back(attribute.name);
  if (!key_schema_) return;
  for (size_t i = 0; i < key_schema_->hash.size(); ++i)
    if (const model::Value* value = model::FindAttribute(item, key_schema_->hash[i].name)) PartitionKey(i, *value);
}

void AccessDetails::Paths(std::span<const expr::Path> paths) {
  for (const expr::Path& path : paths) out.attributes.push_back(path.front().name);
}

void AccessDetails::Update(const expr::BoundUpdate& update) {
  Paths(update.paths);
  for (const expr::UpdateAction& action : update.actions) AddOperands(action.value, *this);
}

void AccessDetails::KeyPredicates(std::span<const expr::KeyPredicate> predicates) {
  if (!key_schema_) return;
  for (size_t i = 0; i < key_schema_->hash.size(); ++i) {
    for (const expr::KeyPredicate& predicate : predicates)
      if (predicate.attribute == key_schema_->hash[i].name && predicate.op == expr::ConditionOp::kEqual)
        PartitionKey(i, *predicate.value);
  }
}

auth::Resource TableResource(const RequestContext& context, std::string_view name_or_arn) {
  const auto arn = model::ParseTableArn(name_or_arn);
  // Where one set of tables is there for all, an ARN of any account and Region is another name of the caller's table,
  // and policies know that by one name only.
  if (arn && context.services.shares_tables) name_or_arn = arn->table;
  else if (arn) return {auth::ResourceKind::kTable, arn->region, arn->account, arn->table};
  return {auth::ResourceKind::kTable, context.region, context.account, name_or_arn};
}

auth::Resource IndexResource(const RequestContext& context, std::string_view name_or_arn, std::string_view index) {
  auth::Resource resource = TableResource(context, name_or_arn);
  resource.kind = auth::ResourceKind::kIndex;
  resource.part = index;
  return resource;
}

model::ApiResult<void> AskAuthorizer(const RequestContext& context, const auth::Resource& resource, const Touch& touch,
                                     const model::KeySchema* key_schema, std::string_view action) {
  if (context.witness) context.witness->Saw(action, resource);
  if (!context.authorizer) return {};
  const auto ask = [&](const Asked& asked) {
    return context.authorizer->Authorize(context.caller, auth::Access(action, resource, asked, context.circumstances));
  };
  const Asked asked(touch, key_schema, context, resource);
  auto answer = ask(asked);
  // A policy knows one dynamodb:ReturnValues: who may have some values back does not get all by failing. If no policy
  // has looked at it, none will.
  if (answer && asked.shows_otherwise_on_failure()) answer = ask(Asked(touch, key_schema, context, resource, true));
  if (!answer && context.witness) context.witness->SawDenied(resource, answer.error().message);
  return answer;
}

bool CouldUnder(const RequestContext& context, const auth::Resource& resource, std::string_view action,
                const policy::Policy& future_policy) {
  if (!context.authorizer) return true;
  const Touch nothing;
  const Asked asked(nothing, nullptr, context, resource);
  const auth::Access access(action, resource, asked, context.circumstances, &future_policy);
  return context.authorizer->Authorize(context.caller, access).has_value();
}

}  // namespace armature::api
