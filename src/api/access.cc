#include "api/access.h"

#include <string>
#include <utility>

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

struct Asked {
  const Touch& touch;
  const model::KeySchema* key_schema;
  const RequestContext& context;
  const auth::Resource& resource;
  bool is_of_failure = false;  // as if its condition had failed
  mutable bool shows_otherwise_on_failure = false;
};

// Streams have tags of their own, of which there are none yet.
void AddResourceTags(const Asked& asked, auth::AccessConditions& conditions) {
  const auth::Resource& resource = asked.resource;
  if (resource.kind != auth::ResourceKind::kTable && resource.kind != auth::ResourceKind::kIndex) return;
  const auto table = asked.context.services.catalog.Find({resource.account, resource.region}, resource.name);
  if (!table) return;
  auto def = table->def();
  for (const auto& [key, value] : def->tags) conditions.resource_tags.push_back({key, value});
  conditions.kept = std::move(def);
}

void Describe(const void* of, auth::AccessConditions& conditions) {
  const Asked& asked = *static_cast<const Asked*>(of);
  AccessDetails details(asked.key_schema, conditions);
  asked.touch(details);
  if (!conditions.return_on_failure.empty()) {
    asked.shows_otherwise_on_failure = true;
    if (asked.is_of_failure) conditions.return_values = conditions.return_on_failure;
  }
  AddResourceTags(asked, conditions);
}

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
  if (const auto arn = model::ParseTableArn(name_or_arn))
    return {auth::ResourceKind::kTable, arn->region, arn->account, arn->table};
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
  const auto ask = [&](const Asked& asked) {
    return context.authorizer->Authorize(context.caller,
                                         auth::Access(action, resource, Describe, &asked, context.circumstances));
  };
  const Asked asked{touch, key_schema, context, resource};
  ARMATURE_CHECK_OK(ask(asked));
  // A policy knows one dynamodb:ReturnValues: who may have some values back does not get all by failing. If no policy
  // has looked at it, none will.
  if (!asked.shows_otherwise_on_failure) return {};
  return ask({touch, key_schema, context, resource, true});
}

bool CouldUnder(const RequestContext& context, const auth::Resource& resource, std::string_view action,
                const policy::Policy& future_policy) {
  if (!context.authorizer) return true;
  const Touch nothing;
  const Asked asked{nothing, nullptr, context, resource};
  const auth::Access access(action, resource, Describe, &asked, context.circumstances, &future_policy);
  return context.authorizer->Authorize(context.caller, access).has_value();
}

}  // namespace armature::api
