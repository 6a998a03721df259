// The JSON form of a seed file: what `aws iam get-account-authorization-details` prints.
#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/visible_text.h"
#include "iam/seed/seed_file.h"

namespace armature::iam {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// The lines on which the elements of the list that is the document's member `list` begin. REQUIRES: `json` is JSON.
std::vector<size_t> LinesOfEntries(std::string_view json, std::string_view list) {
  std::vector<size_t> lines;
  size_t line = 1, depth = 0;
  bool is_key_next = true;
  std::string_view key;
  for (size_t i = 0; i < json.size(); ++i) {
    switch (json[i]) {
      case '\n': ++line; break;
      case '"': {
        const size_t begin = i + 1;
        for (++i; i < json.size() && json[i] != '"'; ++i)
          if (json[i] == '\\') ++i;
        if (depth == 1 && is_key_next) key = json.substr(begin, i - begin);
        break;
      }
      case ':':
      case ',':
        if (depth == 1) is_key_next = json[i] == ',';
        break;
      case '{':
      case '[':
        if (depth == 2 && key == list) lines.push_back(line);
        ++depth;
        break;
      case '}':
      case ']': --depth; break;
      default: break;
    }
  }
  return lines;
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// As the API itself sends documents; the CLI has undone it.
std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? DigitOf(text[i + 1]) : -1;
    const int low = high >= 0 ? DigitOf(text[i + 2]) : -1;
    if (low >= 0) i += 2;
    decoded.push_back(low >= 0 ? static_cast<char>(high * 16 + low) : text[i]);
  }
  return decoded;
}

// One entry of a list; what is not as it should be is noted, and told at the end.
class Entry {
 public:
  Entry(object members, std::string where) : members_(members), where_(std::move(where)) {}

  // Empty if there is none: faults of it are told when it is read.
  std::string_view Peek(std::string_view name) const {
    std::string_view text;
    return members_[name].get(text) == simdjson::SUCCESS ? text : std::string_view();
  }

  std::string Text(std::string_view name, bool must_be_there = false) {
    element value;
    if (members_[name].get(value) != simdjson::SUCCESS) {
      if (must_be_there) Fail(name, "must be there");
      return {};
    }
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) Fail(name, "must be text");
    return std::string(text);
  }

  // A policy: an object, or its text, percent-encoded or not.
  std::string Document(std::string_view name) {
    element value;
    if (members_[name].get(value) != simdjson::SUCCESS) {
      Fail(name, "must be there");
      return {};
    }
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return text.starts_with('%') ? PercentDecoded(text) : std::string(text);
    if (value.is_object()) return simdjson::minify(value);
    Fail(name, "must be a policy");
    return {};
  }

  std::vector<Entry> List(std::string_view name) {
    std::vector<Entry> entries;
    element value;
    if (members_[name].get(value) != simdjson::SUCCESS) return entries;
    array list;
    if (value.get(list) != simdjson::SUCCESS) {
      Fail(name, "must be a list");
      return entries;
    }
    for (const element one : list) {
      object members;
      if (one.get(members) == simdjson::SUCCESS) entries.emplace_back(members, where_);
      else Fail(name, "must be a list of objects");
    }
    return entries;
  }

  std::vector<std::string> Texts(std::string_view name) {
    std::vector<std::string> texts;
    array list;
    if (members_[name].get(list) != simdjson::SUCCESS) return texts;
    for (const element one : list) {
      std::string_view text;
      if (one.get(text) == simdjson::SUCCESS) texts.emplace_back(text);
      else Fail(name, "must be a list of texts");
    }
    return texts;
  }

  std::string TextIn(std::string_view outer, std::string_view name) {
    object members;
    if (members_[outer].get(members) != simdjson::SUCCESS) return {};
    std::string_view text;
    if (members[name].get(text) != simdjson::SUCCESS) Fail(name, "must be text");
    return std::string(text);
  }

  bool Bool(std::string_view name) {
    bool value = false;
    return members_[name].get(value) == simdjson::SUCCESS && value;
  }
  std::optional<int64_t> Int(std::string_view name) {
    int64_t value = 0;
    return members_[name].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
  }

  void Fail(std::string_view name, std::string_view what) {
    if (status_.ok()) status_ = Status::InvalidArgument(OneLine(fmt::format("{}: {} {}", where_, name, what)));
  }
  void TakeFaultOf(const Entry& inner) {
    if (status_.ok()) status_ = inner.status_;
  }
  const Status& status() const { return status_; }
  const std::string& where() const { return where_; }
  void set_where(std::string where) { where_ = std::move(where); }

 private:
  object members_;
  std::string where_;
  Status status_;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<Seed> Read() {
    simdjson::dom::parser parser;
    object root;
    const auto error = parser.parse(text_.data(), text_.size()).get(root);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS)
      return Status::InvalidArgument(fmt::format("{}: {}", file_, simdjson::error_message(error)));
    Status status = ReadList(root, "Policies", "policy", "PolicyName", [&](Entry& entry) { ReadPolicy(entry); });
    if (status.ok())
      status = ReadList(root, "GroupDetailList", "group", "GroupName", [&](Entry& entry) { ReadGroup(entry); });
    if (status.ok())
      status = ReadList(root, "UserDetailList", "user", "UserName", [&](Entry& entry) { ReadUser(entry); });
    if (status.ok())
      status = ReadList(root, "RoleDetailList", "role", "RoleName", [&](Entry& entry) { ReadRole(entry); });
    if (!status.ok()) return status;
    return std::move(seed_);
  }

 private:
  template <class ReadOne>
  Status ReadList(object root, std::string_view list, std::string_view kind, std::string_view name_member,
                  ReadOne read_one) {
    Entry top(root, file_);
    const std::vector<size_t> lines = LinesOfEntries(text_, list);
    size_t index = 0;
    for (Entry& entry : top.List(list)) {
      const size_t line = index < lines.size() ? lines[index] : 0;
      ++index;
      entry.set_where(OneLine(fmt::format("{}: line {}: {} {}", file_, line, kind, entry.Peek(name_member))));
      read_one(entry);
      if (!entry.status().ok()) return entry.status();
    }
    return top.status();
  }

  // Whose it is, is in its ARN.
  static void Begin(Entry& entry, std::string_view name_member, SeedEntry& seed) {
    seed.where = entry.where();
    seed.name = entry.Text(name_member, /*must_be_there=*/true);
    if (std::string path = entry.Text("Path"); !path.empty()) seed.path = std::move(path);
    const std::string text = entry.Text("Arn", /*must_be_there=*/true);
    const auto arn = ParseEntityArn(text);
    if (arn) seed.account = arn->account;
    else entry.Fail("Arn", "must be that of an entity of IAM");
    for (Entry& tag : entry.List("Tags")) {
      seed.tags.push_back({tag.Text("Key", true), tag.Text("Value", true)});
      entry.TakeFaultOf(tag);
    }
  }

  static void ReadHolder(Entry& entry, std::string_view inline_member, SeedHolder& holder) {
    for (Entry& policy : entry.List(inline_member)) {
      holder.inline_policies[policy.Text("PolicyName", true)] = policy.Document("PolicyDocument");
      entry.TakeFaultOf(policy);
    }
    for (Entry& policy : entry.List("AttachedManagedPolicies")) {
      holder.attached.push_back(policy.Text("PolicyArn", true));
      entry.TakeFaultOf(policy);
    }
    holder.boundary = entry.TextIn("PermissionsBoundary", "PermissionsBoundaryArn");
  }

  void ReadPolicy(Entry& entry) {
    SeedPolicy policy;
    Begin(entry, "PolicyName", policy);
    if (policy.account == "aws") return;  // it is here already, or cannot be: then whoever has it attached is told
    policy.description = entry.Text("Description");
    for (Entry& version : entry.List("PolicyVersionList")) {
      if (version.Bool("IsDefaultVersion")) policy.document = version.Document("Document");
      entry.TakeFaultOf(version);
    }
    if (policy.document.empty()) entry.Fail("PolicyVersionList", "must have a default version");
    seed_.policies.push_back(std::move(policy));
  }

  void ReadGroup(Entry& entry) {
    SeedHolder group;
    Begin(entry, "GroupName", group);
    ReadHolder(entry, "GroupPolicyList", group);
    seed_.groups.push_back(std::move(group));
  }

  void ReadUser(Entry& entry) {
    SeedUser user;
    Begin(entry, "UserName", user);
    ReadHolder(entry, "UserPolicyList", user);
    user.groups = entry.Texts("GroupList");
    for (Entry& key : entry.List("AccessKeys")) {
      const std::string status = key.Text("Status");
      if (!status.empty() && status != "Active" && status != "Inactive")
        key.Fail("Status", "must be Active or Inactive");
      user.keys.push_back({key.Text("AccessKeyId", true), key.Text("SecretAccessKey", true), status != "Inactive"});
      entry.TakeFaultOf(key);
    }
    seed_.users.push_back(std::move(user));
  }

  void ReadRole(Entry& entry) {
    SeedRole role;
    Begin(entry, "RoleName", role);
    if (role.path.starts_with("/aws-service-role/")) return;  // AWS's own: made when a service needs it
    ReadHolder(entry, "RolePolicyList", role);
    role.trust = entry.Document("AssumeRolePolicyDocument");
    role.description = entry.Text("Description");
    role.max_session_seconds = entry.Int("MaxSessionDuration").value_or(role.max_session_seconds);
    seed_.roles.push_back(std::move(role));
  }

  const std::string_view text_;
  const std::string file_;
  Seed seed_;
};

}  // namespace

Result<Seed> ParseJsonSeed(std::string_view text, const std::string& name) { return Reader(text, name).Read(); }

}  // namespace armature::iam
