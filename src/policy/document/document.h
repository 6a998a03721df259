// Document: a policy as it is written, its JSON taken apart and nothing yet made of it.
//
// Reading finds what is not a policy at all: no JSON, unknown or repeated members, values of the wrong kind. What a
// policy that can be read may say is for check_document.h. All texts are views into the arena that was given; nothing
// refers to the JSON. A document nests six levels at most, and its statements are as many as its length allows.
// Plain data; used by policy/ and its tests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"

namespace armature::policy {

// What a policy is attached to, which decides what it may and must have.
enum class PolicyKind : uint8_t {
  kIdentity,  // a user, group or role; also boundaries and session policies
  kTrust,     // a role: who may assume it
  kResource,  // a table or a stream
};

// IAM counts 131072 characters, none of which takes more than two bytes.
inline constexpr size_t kMostDocumentBytes = 2 * 131072;

using Texts = std::span<const std::string_view>;

// One of the kinds of a Principal element with its texts: "AWS", "Service", "Federated", "CanonicalUser";
// kBarePrincipal is that of a text without a kind.
inline constexpr std::string_view kBarePrincipal = "STAR";
struct PrincipalEntry {
  std::string_view kind;
  Texts texts;
};

// One key below an operator. Numbers and booleans are their texts.
struct ConditionEntry {
  std::string_view operation;
  std::string_view key;
  Texts values;
};

// What is not there is nullopt; an empty list is there.
struct DocumentStatement {
  std::optional<std::string_view> sid;
  std::string_view effect;
  std::optional<std::span<const PrincipalEntry>> principals;
  std::optional<std::span<const PrincipalEntry>> not_principals;
  std::optional<Texts> actions;
  std::optional<Texts> not_actions;
  std::optional<Texts> resources;
  std::optional<Texts> not_resources;
  std::span<const ConditionEntry> conditions;
};

struct Document {
  std::optional<std::string_view> version;
  std::span<const DocumentStatement> statements;
};

// The document, or InvalidArgument with what IAM says of it.
Result<Document> ReadDocument(std::string_view json, PolicyKind kind, Arena& arena);

}  // namespace armature::policy
