#include "policy/policy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/messages/policies.h"
#include "policy/document/check_document.h"
#include "policy/document/principal_name.h"

namespace armature::policy {

namespace {

// Turns a document that has been checked into statements.
class Compiler {
 public:
  Compiler(const Document& document, const PrincipalDirectory* directory, Arena& arena)
      : document_(document), has_variables_(document.version == "2012-10-17"), directory_(directory), arena_(arena) {}

  Result<std::span<const Statement>> Compile() {
    std::vector<Statement> statements;
    statements.reserve(document_.statements.size());
    for (const DocumentStatement& statement : document_.statements) {
      ARMATURE_TRY(auto compiled, CompileStatement(statement));
      statements.push_back(compiled);
    }
    return std::span<const Statement>(arena_.Copy(statements));
  }

 private:
  Result<Statement> CompileStatement(const DocumentStatement& from) {
    Statement statement;
    statement.sid = arena_.Copy(from.sid.value_or(""));
    statement.effect = from.effect == "Allow" ? Effect::kAllow : Effect::kDeny;
    statement.except_actions = from.not_actions.has_value();
    statement.actions = CompileActions(statement.except_actions ? *from.not_actions : from.actions.value_or(Texts()));
    statement.has_resources = from.resources || from.not_resources;
    statement.except_resources = from.not_resources.has_value();
    statement.resources =
        CompileResources(statement.except_resources ? *from.not_resources : from.resources.value_or(Texts()));
    statement.has_principals = from.principals || from.not_principals;
    statement.except_principals = from.not_principals.has_value();
    if (statement.has_principals) {
      const auto& entries = statement.except_principals ? *from.not_principals : *from.principals;
      ARMATURE_TRY(statement.principals, CompilePrincipals(entries));
    }
    statement.conditions = CompileConditions(from.conditions);
    return statement;
  }

  std::span<const ActionPattern> CompileActions(Texts texts) {
    std::vector<ActionPattern> patterns;
    for (const std::string_view text : texts) patterns.push_back(ActionPattern::Compile(text, arena_));
    return arena_.Copy(patterns);
  }

  std::span<const TextPattern> CompileResources(Texts texts) {
    std::vector<TextPattern> patterns;
    for (const std::string_view text : texts)
      patterns.push_back(TextPattern::Compile(text, TextPattern::Form::kResource, has_variables_, arena_));
    return arena_.Copy(patterns);
  }

  std::span<const Condition> CompileConditions(std::span<const ConditionEntry> entries) {
    std::vector<Condition> conditions;
    for (const ConditionEntry& entry : entries) conditions.push_back(Condition::Compile(entry, has_variables_, arena_));
    return arena_.Copy(conditions);
  }

  Result<std::span<const PrincipalPattern>> CompilePrincipals(std::span<const PrincipalEntry> entries) {
    std::vector<PrincipalPattern> patterns;
    for (const PrincipalEntry& entry : entries)
      for (const std::string_view text : entry.texts) {
        const auto name = ReadPrincipalName(entry.kind, text);
        if (!name) continue;  // CheckDocument has found it already
        PrincipalPattern pattern{name->form, arena_.Copy(name->text), {}};
        if (directory_ != nullptr && pattern.form == PrincipalForm::kEntity) {
          const auto id = directory_->FindUniqueId(pattern.text);
          if (!id)
            return Status::InvalidArgument(
                fmt::format(fmt::runtime(model::messages::kPolicyPrincipal), entry.kind, text));
          pattern.unique_id = arena_.Copy(*id);
        }
        patterns.push_back(pattern);
      }
    return std::span<const PrincipalPattern>(arena_.Copy(patterns));
  }

  const Document& document_;
  const bool has_variables_;
  const PrincipalDirectory* const directory_;  // may be null
  Arena& arena_;
};

Result<std::shared_ptr<const Policy>> ParseWith(std::string_view text, PolicyKind kind,
                                                const PrincipalDirectory* directory) {
  Arena reading;  // the document is gone once it is compiled
  ARMATURE_TRY(const Document document, ReadDocument(text, kind, reading));
  ARMATURE_CHECK_OK(CheckDocument(document, kind));
  auto arena = std::make_unique<Arena>();
  ARMATURE_TRY(const auto statements, Compiler(document, directory, *arena).Compile());
  return std::shared_ptr<const Policy>(std::make_shared<Policy>(kind, std::move(arena), statements));
}

void AddKeys(const TextPattern& pattern, std::vector<std::string>& keys) {
  for (const TextPattern::Variable& variable : pattern.variables()) keys.emplace_back(variable.name);
}

}  // namespace

Result<std::shared_ptr<const Policy>> Parse(std::string_view document, PolicyKind kind) {
  return ParseWith(document, kind, nullptr);
}

Result<std::shared_ptr<const Policy>> Parse(std::string_view document, PolicyKind kind,
                                            const PrincipalDirectory& directory) {
  return ParseWith(document, kind, &directory);
}

std::vector<std::string> ContextKeys(const Policy& policy) {
  std::vector<std::string> keys;
  for (const Statement& statement : policy.statements()) {
    for (const TextPattern& resource : statement.resources) AddKeys(resource, keys);
    for (const Condition& condition : statement.conditions) {
      keys.emplace_back(condition.key_name());
      for (const TextPattern& text : condition.texts()) AddKeys(text, keys);
    }
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace armature::policy
