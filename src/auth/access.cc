#include "auth/access.h"

#include <algorithm>

#include "model/names/arn.h"

namespace armature::auth {

std::string Resource::Arn() const {
  switch (kind) {
    case ResourceKind::kNone: return "*";
    case ResourceKind::kTable: return model::MakeTableArn(region, account, name);
    case ResourceKind::kIndex: return model::MakeIndexArn(model::MakeTableArn(region, account, name), part);
    case ResourceKind::kStream: return model::MakeStreamArn(model::MakeTableArn(region, account, name), part);
    case ResourceKind::kEventSourceMapping:
      return model::MakeArn("lambda", region, account, "event-source-mapping:" + std::string(name));
    case ResourceKind::kDaxCluster: return model::MakeArn("dax", region, account, "cache/" + std::string(name));
    case ResourceKind::kRole: return std::string(name);
    case ResourceKind::kKinesisStream: return model::MakeArn("kinesis", region, account, "stream/" + std::string(name));
  }
  return "*";
}

AccessConditions Access::conditions() const {
  AccessConditions conditions;
  describer_.Describe(conditions);
  const auto sort_and_unite = [](auto& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  for (auto& keys : conditions.partition_keys) sort_and_unite(keys);
  sort_and_unite(conditions.attributes);
  return conditions;
}

ResourceTags Access::resource_tags() const {
  ResourceTags tags;
  describer_.DescribeTags(tags);
  return tags;
}

}  // namespace armature::auth
