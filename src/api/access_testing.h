// RecordingAuthorizer: what operations tell the Authorizer, for tests of every protocol's operations.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "auth/authorizer.h"

namespace armature::api {

// Remembers every access as a line of text; refuses all of them if told so.
class RecordingAuthorizer final : public auth::Authorizer {
 public:
  model::ApiResult<void> Authorize(const auth::Principal& principal, const auth::Access& access) const override {
    EXPECT_EQ(principal.arn, "arn:aws:iam::123456789012:root");
    lines.push_back(LineOf(access));
    if (refuses) return model::AccessDeniedException("no");
    return {};
  }

  mutable std::vector<std::string> lines;
  bool refuses = false;

 private:
  static std::string LineOf(const auth::Access& access) {
    const auth::AccessConditions conditions = access.conditions();
    std::string line = fmt::format("{} {}", access.action(), access.resource().Arn());
    const auto add = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) line += fmt::format(" {}={}", name, value);
    };
    add("keys", fmt::format("{}", fmt::join(conditions.leading_keys(), ",")));
    add("second", fmt::format("{}", fmt::join(conditions.partition_keys[1], ",")));
    add("names", fmt::format("{}", fmt::join(conditions.attributes, ",")));
    add("select", std::string(conditions.select));
    add("returns", std::string(conditions.return_values));
    add("capacity", std::string(conditions.return_consumed_capacity));
    add("in", std::string(conditions.enclosing_operation));
    if (conditions.full_table_scan) add("scan", *conditions.full_table_scan ? "yes" : "no");
    for (const auth::Tag& tag : conditions.request_tags) add("tag", fmt::format("{}:{}", tag.key, tag.value));
    add("untag", fmt::format("{}", fmt::join(conditions.bare_tag_keys, ",")));
    return line;
  }
};

}  // namespace armature::api
