#include "cli/iam/surroundings.h"

#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "iam/access/table_policies.h"
#include "model/names/arn.h"
#include "policy/document/document.h"
#include "policy/resource/resource_policy.h"

namespace armature::cli::iam_command {
namespace {

constexpr std::string_view kIndex = "/index/";

// A table, an index or a stream.
struct TableResource {
  model::TableArn table;
  std::string_view stream_label;  // empty: the table or an index
};

std::optional<TableResource> TableOf(std::string_view arn) {
  if (const auto stream = model::ParseStreamArn(arn))
    return TableResource{{stream->region, stream->account, stream->table}, stream->label};
  if (const auto table = model::ParseTableArn(arn.substr(0, arn.find(kIndex)))) return TableResource{*table, {}};
  return std::nullopt;
}

Result<std::string> ReadPolicyFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(policy::kMostDocumentBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) return Status::IoError(fmt::format("{} cannot be read", path));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

Status AddStored(Principals& principals, const TableResource& resource, Surroundings& found) {
  ARMATURE_TRY(const auto def, principals.FindTable(resource.table));
  if (!def) {
    if (principals.has_tables())
      found.notes.push_back("there is no such table here: what it may have of policies and tags does not count");
    return Status::Ok();
  }
  // Streams have tags of their own, of which there are none.
  if (resource.stream_label.empty()) found.tags.assign(def->tags.begin(), def->tags.end());
  const model::ResourcePolicyDef* const policy = def->FindPolicy(resource.stream_label);
  if (!policy || !policy->is_set()) return Status::Ok();
  found.resource_policy = iam::CompileStoredPolicy(*policy);
  found.resource_policy_name = resource.stream_label.empty() ? "the table's" : "the stream's";
  return Status::Ok();
}

Status AddGiven(Principals& principals, const Question& question, const std::optional<TableResource>& resource,
                Surroundings& found) {
  const std::string& path = question.resource_policy_file;
  ARMATURE_TRY(const std::string text, ReadPolicyFile(path));
  const policy::PrincipalDirectory& directory = principals.directory();
  if (!resource) {
    auto policy = policy::Parse(text, policy::PolicyKind::kResource, directory);
    if (!policy) return Status::InvalidArgument(fmt::format("{}: {}", path, policy.error().message()));
    found.resource_policy = std::move(*policy);
  } else {
    const bool is_table = resource->stream_label.empty();
    const std::string arn =
        is_table ? model::MakeTableArn(resource->table.region, resource->table.account, resource->table.table)
                 : question.resource;
    auto policy = policy::ParseResourcePolicy(
        text, is_table ? policy::PolicyOwner::kTable : policy::PolicyOwner::kStream, arn, &directory);
    if (!policy) return Status::InvalidArgument(fmt::format("{}: {}", path, policy.error().message));
    found.resource_policy = std::move(*policy);
  }
  found.resource_policy_name = path;
  return Status::Ok();
}

}  // namespace

Result<Surroundings> FindSurroundings(Principals& principals, const Question& question) {
  Surroundings found;
  const auto table = TableOf(question.resource);
  if (table) {
    if (Status status = AddStored(principals, *table, found); !status.ok()) return status;
  } else if (const auto role = principals.directory().Current()->FindRole(question.resource)) {
    for (const iam::Tag& tag : role->tags) found.tags.emplace_back(tag.key, tag.value);
    if (question.action.starts_with("sts:")) {
      found.resource_policy = role->trust->compiled;
      found.resource_policy_name = "the role's trust policy";
    }
  }
  if (!question.resource_policy_file.empty())
    if (Status status = AddGiven(principals, question, table, found); !status.ok()) return status;
  for (const std::string& path : question.session_policy_files) {
    ARMATURE_TRY(const std::string text, ReadPolicyFile(path));
    auto policy = policy::Parse(text, policy::PolicyKind::kIdentity);
    if (!policy) return Status::InvalidArgument(fmt::format("{}: {}", path, policy.error().message()));
    found.session_policies.emplace_back(std::move(*policy), path);
  }
  return found;
}

}  // namespace armature::cli::iam_command
