// The TOML form of a seed file.
#include <set>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/text/visible_text.h"
#include "iam/seed/seed_file.h"

namespace armature::iam {

namespace {

// One table of the file. Refuses members that it was not asked for.
class Section {
 public:
  Section(std::string where, const toml::table& table) : where_(std::move(where)), table_(table) {}

  void Text(std::string_view name, std::string& out) { Read<std::string>(name, out, "must be text"); }
  void Int(std::string_view name, int64_t& out) { Read<int64_t>(name, out, "must be a whole number"); }
  void Bool(std::string_view name, bool& out) { Read<bool>(name, out, "must be true or false"); }

  void Texts(std::string_view name, std::vector<std::string>& out) {
    const toml::node* const node = Find(name);
    if (!node) return;
    const toml::array* const list = node->as_array();
    if (!list) return Fail(name, "must be an array of texts");
    for (const toml::node& one : *list) {
      const auto text = one.value_exact<std::string>();
      if (!text) return Fail(name, "must be an array of texts");
      out.push_back(*text);
    }
  }

  // Calls visit(key, text) for each member of a table of texts.
  template <class Visit>
  void TextsByName(std::string_view name, Visit visit) {
    const toml::node* const node = Find(name);
    if (!node) return;
    const toml::table* const texts = node->as_table();
    if (!texts) return Fail(name, "must be a table of texts");
    for (const auto& [key, value] : *texts) {
      const auto text = value.template value_exact<std::string>();
      if (!text) return Fail(name, "must be a table of texts");
      visit(std::string(key.str()), *text);
    }
  }

  // Calls visit(table) for each element of an array of tables.
  template <class Visit>
  void Tables(std::string_view name, Visit visit) {
    const toml::node* const node = Find(name);
    if (!node) return;
    const toml::array* const list = node->as_array();
    if (!list) return Fail(name, "must be an array of tables");
    for (const toml::node& one : *list) {
      if (!one.is_table()) return Fail(name, "must be an array of tables");
      visit(*one.as_table());
    }
  }

  void Fail(std::string_view name, std::string_view what) {
    if (status_.ok()) status_ = Status::InvalidArgument(OneLine(fmt::format("{}: {} {}", where_, name, what)));
  }
  void Take(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // Ok if everything there was understood.
  Status Finish() {
    for (const auto& [key, value] : table_)
      if (!known_.contains(key.str())) Fail(key.str(), "is not a setting");
    return status_;
  }

 private:
  const toml::node* Find(std::string_view name) {
    known_.emplace(name);
    return table_.get(name);
  }
  template <class T>
  void Read(std::string_view name, T& out, std::string_view wanted) {
    const toml::node* const node = Find(name);
    if (!node) return;
    if (const auto value = node->value_exact<T>()) out = *value;
    else Fail(name, wanted);
  }

  const std::string where_;
  const toml::table& table_;
  std::set<std::string, std::less<>> known_;
  Status status_;
};

class Reader {
 public:
  Reader(const std::string& file, const std::string& account) : file_(file), account_(account) {}

  Result<Seed> Read(std::string_view text) {
    toml::table root;
    try {
      root = toml::parse(text);
    } catch (const toml::parse_error& error) {
      return Status::InvalidArgument(
          OneLine(fmt::format("{}: line {}: {}", file_, error.source().begin.line, error.description())));
    }
    Section top(file_, root);
    top.Text("account", account_);
    const auto read = [&](std::string_view kind, auto& entries, auto read_one) {
      top.Tables(kind, [&](const toml::table& table) {
        entries.emplace_back();
        top.Take((this->*read_one)(kind, table, entries.back()));
      });
    };
    read("accounts", seed_.accounts, &Reader::ReadAccount);
    read("policies", seed_.policies, &Reader::ReadPolicy);
    read("groups", seed_.groups, &Reader::ReadGroup);
    read("users", seed_.users, &Reader::ReadUser);
    read("roles", seed_.roles, &Reader::ReadRole);
    read("providers", seed_.providers, &Reader::ReadProvider);
    if (Status status = top.Finish(); !status.ok()) return status;
    return std::move(seed_);
  }

 private:
  Section Begin(std::string_view kind, std::string_view name_member, const toml::table& table, SeedEntry& entry) {
    entry.account = account_;
    const auto name = table[name_member].value<std::string>();
    entry.where = OneLine(fmt::format("{}: line {}: {} {}", file_, table.source().begin.line, kind,
                                      name ? *name : "without a " + std::string(name_member)));
    Section section(entry.where, table);
    section.Text("account", entry.account);
    section.Text(name_member, entry.name);
    if (!name) section.Fail(name_member, "must be there");
    return section;
  }

  static void ReadTags(Section& section, SeedEntry& entry) {
    section.TextsByName("tags", [&](std::string key, const std::string& value) {
      entry.tags.push_back({std::move(key), value});
    });
  }

  static void ReadKeys(Section& section, const std::string& where, std::vector<SeedKey>& keys) {
    section.Tables("access_keys", [&](const toml::table& table) {
      SeedKey key;
      Section of_key(fmt::format("{}: access key in line {}", where, table.source().begin.line), table);
      of_key.Text("id", key.id);
      of_key.Text("secret", key.secret);
      of_key.Bool("active", key.is_active);
      if (key.id.empty()) of_key.Fail("id", "must be there");
      if (key.secret.empty()) of_key.Fail("secret", "must be there");
      section.Take(of_key.Finish());
      keys.push_back(std::move(key));
    });
  }

  static void ReadHolder(Section& section, SeedHolder& holder) {
    section.Text("path", holder.path);
    section.Texts("policies", holder.attached);
    section.TextsByName("inline_policies", [&](std::string name, const std::string& document) {
      holder.inline_policies[std::move(name)] = document;
    });
  }

  Status ReadAccount(std::string_view, const toml::table& table, SeedAccount& entry) {
    Section section = Begin("account", "id", table, entry);
    entry.account = std::move(entry.name);
    entry.name.clear();
    section.Text("alias", entry.name);
    ReadKeys(section, entry.where, entry.root_keys);
    return section.Finish();
  }

  Status ReadPolicy(std::string_view, const toml::table& table, SeedPolicy& entry) {
    Section section = Begin("policy", "name", table, entry);
    section.Text("path", entry.path);
    section.Text("description", entry.description);
    section.Text("document", entry.document);
    ReadTags(section, entry);
    return section.Finish();
  }

  Status ReadGroup(std::string_view, const toml::table& table, SeedHolder& entry) {
    Section section = Begin("group", "name", table, entry);
    ReadHolder(section, entry);
    return section.Finish();
  }

  Status ReadUser(std::string_view, const toml::table& table, SeedUser& entry) {
    Section section = Begin("user", "name", table, entry);
    ReadHolder(section, entry);
    section.Text("boundary", entry.boundary);
    section.Texts("groups", entry.groups);
    ReadTags(section, entry);
    ReadKeys(section, entry.where, entry.keys);
    return section.Finish();
  }

  Status ReadRole(std::string_view, const toml::table& table, SeedRole& entry) {
    Section section = Begin("role", "name", table, entry);
    ReadHolder(section, entry);
    section.Text("boundary", entry.boundary);
    section.Text("trust", entry.trust);
    section.Text("description", entry.description);
    section.Int("max_session_seconds", entry.max_session_seconds);
    ReadTags(section, entry);
    return section.Finish();
  }

  Status ReadProvider(std::string_view, const toml::table& table, SeedProvider& entry) {
    Section section = Begin("provider", "url", table, entry);
    section.Texts("client_ids", entry.client_ids);
    section.Texts("thumbprints", entry.thumbprints);
    ReadTags(section, entry);
    return section.Finish();
  }

  const std::string file_;
  std::string account_;
  Seed seed_;
};

}  // namespace

Result<Seed> ParseTomlSeed(std::string_view text, const std::string& name, const std::string& account) {
  return Reader(name, account).Read(text);
}

}  // namespace armature::iam
