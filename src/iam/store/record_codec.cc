#include "iam/store/record_codec.h"

#include <fmt/format.h>

#include "base/codec/base64.h"
#include "base/text/json_writer.h"
#include "iam/entities/names.h"
#include "model/codec/json_record.h"
#include "model/names/names.h"
#include "table/keys/key_layout.h"

namespace armature::iam {

namespace {

constexpr int64_t kRecordVersion = 1;
constexpr size_t kAccountSize = 12;
constexpr std::string_view kRecordKinds = "augrpo";

// --- writing

void WriteTags(JsonWriter& json, const Tags& tags) {
  json.Key("tags");
  json.BeginArray();
  for (const Tag& tag : tags) {
    json.BeginObject();
    json.Member("key", tag.key);
    json.Member("value", tag.value);
    json.EndObject();
  }
  json.EndArray();
}

void WriteTexts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.Key(name);
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteEntity(JsonWriter& json, const Entity& entity) {
  json.MemberInt("version", kRecordVersion);
  json.Member("id", entity.id);
  json.Member("name", entity.name);
  json.Member("path", entity.path);
  json.MemberInt("created", entity.created_millis);
  WriteTags(json, entity.tags);
}

void WriteHolder(JsonWriter& json, const Holder& holder) {
  WriteEntity(json, holder);
  json.Key("inline");
  json.BeginArray();
  for (const InlinePolicy& policy : holder.inline_policies) {
    json.BeginObject();
    json.Member("name", policy.name);
    json.Member("document", policy.document->text);
    json.EndObject();
  }
  json.EndArray();
  WriteTexts(json, "attached", holder.attached);
  json.Member("boundary", holder.boundary);
}

// --- reading

Tag ReadTag(const model::JsonRecord& record) { return {record.Text("key"), record.Text("value")}; }

void ReadEntity(const model::JsonRecord& record, const RecordName& name, Entity& entity) {
  entity.account = name.account;
  entity.id = record.Text("id");
  entity.name = record.Text("name");
  entity.path = record.Text("path");
  entity.created_millis = record.Int("created");
  entity.tags = record.List("tags", ReadTag);
  if (entity.id != name.id || entity.name.empty() || entity.path.empty()) model::JsonRecord::Damaged();
}

DocumentRef MustMakeDocument(std::string_view text) {
  auto document = MakeDocument(text, policy::PolicyKind::kIdentity);
  if (!document) model::JsonRecord::Damaged();
  return std::move(*document);
}

InlinePolicy ReadInline(const model::JsonRecord& record) {
  return {record.Text("name"), MustMakeDocument(record.Text("document"))};
}

void ReadHolder(const model::JsonRecord& record, const RecordName& name, Holder& holder) {
  ReadEntity(record, name, holder);
  holder.inline_policies = record.List("inline", ReadInline);
  holder.attached = record.Texts("attached");
  holder.boundary = record.Text("boundary");
}

PolicyVersion ReadVersion(const model::JsonRecord& record) {
  return {record.Int("number"), MustMakeDocument(record.Text("document")), record.Int("created")};
}

// An access key whose secret is still sealed.
struct SealedKey {
  AccessKey key;
  std::string sealed;
  std::string fingerprint;  // of the master key
};

SealedKey ReadKey(const model::JsonRecord& record) {
  SealedKey read;
  read.key.id = record.Text("id");
  read.key.is_active = record.Bool("active");
  read.key.created_millis = record.Int("created");
  read.fingerprint = record.Text("key");
  const std::string text = record.Text("secret");
  read.sealed.resize(Base64DecodedCapacity(text.size()));
  const auto size = DecodeBase64To(text, read.sealed.data());
  if (!size || read.key.id.empty()) model::JsonRecord::Damaged();
  read.sealed.resize(*size);
  return read;
}

template <class E>
Status PutUnlessTaken(Draft& draft, std::shared_ptr<const E> entity) {
  const AccountState* const account = draft.state().FindAccount(entity->account);
  if (account && account->Of<E>().Find(entity->name))
    return Status::Corruption(fmt::format("there is another by the name {}", entity->name));
  draft.Put(std::move(entity));
  return Status::Ok();
}

}  // namespace

std::string KeyOf(const RecordName& name) { return table::IamKey(name.account, static_cast<char>(name.kind), name.id); }

Result<RecordName> ParseRecordKey(std::string_view key) {
  key.remove_prefix(table::IamKey().size());
  if (key.size() <= kAccountSize || !model::IsAccountId(key.substr(0, kAccountSize)) ||
      kRecordKinds.find(key[kAccountSize]) == std::string_view::npos)
    return Status::Corruption("its key is none of IAM's");
  return RecordName{std::string(key.substr(0, kAccountSize)), static_cast<RecordKind>(key[kAccountSize]),
                    std::string(key.substr(kAccountSize + 1))};
}

std::string EncodeKeyCheck(const MasterKeys& keys) {
  std::string record;
  JsonWriter json(record);
  json.BeginObject();
  json.MemberInt("version", kRecordVersion);
  json.Member("key", keys.fingerprint());
  json.EndObject();
  return record;
}

Result<std::string> DecodeKeyCheck(std::string_view record) {
  return model::ReadJsonRecord(
      record, "the record of IAM's master key", kRecordVersion,
      [](const model::JsonRecord& members) -> Result<std::string> { return members.Text("key"); });
}

// Secrets of one record, in and out.
struct RecordCodec::Sealing {
  const RecordCodec& codec;
  const RecordName& name;

  // What a sealed secret is bound to.
  std::string Place(const AccessKey& key) const { return KeyOf(name) + "\n" + key.id; }

  void Write(JsonWriter& json, const std::vector<AccessKey>& keys) const {
    json.Key("keys");
    json.BeginArray();
    for (const AccessKey& key : keys) {
      json.BeginObject();
      json.Member("id", key.id);
      json.MemberBool("active", key.is_active);
      json.MemberInt("created", key.created_millis);
      json.Member("key", codec.keys_.fingerprint());
      std::string text;
      AppendBase64(text, codec.keys_.current().Seal(key.secret, Place(key), codec.random_));
      json.Member("secret", text);
      json.EndObject();
    }
    json.EndArray();
  }

  std::vector<AccessKey> Read(const model::JsonRecord& record, const Draft& draft, bool& needs_sealing) const {
    std::vector<AccessKey> keys;
    for (SealedKey& read : record.List("keys", ReadKey)) {
      const AesGcmKey* const master = codec.keys_.Find(read.fingerprint);
      auto secret = master ? master->Open(read.sealed, Place(read.key)) : std::nullopt;
      // A key id of two owners would be a door into one by the other.
      if (!secret || draft.state().FindKeyOwner(read.key.id)) model::JsonRecord::Damaged();
      needs_sealing |= read.fingerprint != codec.keys_.fingerprint();
      read.key.secret = std::move(*secret);
      keys.push_back(std::move(read.key));
    }
    return keys;
  }
};

bool RecordCodec::Encode(const Snapshot& state, const RecordName& name, std::string& record) const {
  record.clear();
  const AccountState* const account = state.FindAccount(name.account);
  if (!account) return false;
  const Sealing sealing{*this, name};
  JsonWriter json(record);
  json.BeginObject();
  switch (name.kind) {
    case RecordKind::kAccount:
      json.MemberInt("version", kRecordVersion);
      json.Member("alias", account->info.alias);
      json.MemberInt("created", account->info.created_millis);
      sealing.Write(json, account->info.root_keys);
      break;
    case RecordKind::kUser: {
      const UserRef user = account->users.FindById(name.id);
      if (!user) return false;
      WriteHolder(json, *user);
      WriteTexts(json, "groups", user->groups);
      sealing.Write(json, user->access_keys);
      break;
    }
    case RecordKind::kGroup: {
      const GroupRef group = account->groups.FindById(name.id);
      if (!group) return false;
      WriteHolder(json, *group);
      break;
    }
    case RecordKind::kRole: {
      const RoleRef role = account->roles.FindById(name.id);
      if (!role) return false;
      WriteHolder(json, *role);
      json.Member("trust", role->trust->text);
      json.Key("principals");
      json.BeginObject();
      for (const auto& [arn, id] : role->trust->principals) json.Member(arn, id);
      json.EndObject();
      json.Member("description", role->description);
      json.MemberInt("max_session_seconds", role->max_session_seconds);
      break;
    }
    case RecordKind::kPolicy: {
      const PolicyRef policy = account->policies.FindById(name.id);
      if (!policy) return false;
      WriteEntity(json, *policy);
      json.Member("description", policy->description);
      json.Key("versions");
      json.BeginArray();
      for (const PolicyVersion& version : policy->versions) {
        json.BeginObject();
        json.MemberInt("number", version.number);
        json.Member("document", version.document->text);
        json.MemberInt("created", version.created_millis);
        json.EndObject();
      }
      json.EndArray();
      json.MemberInt("default", policy->default_version);
      json.MemberInt("next", policy->next_version);
      json.MemberInt("updated", policy->updated_millis);
      break;
    }
    case RecordKind::kProvider: {
      const ProviderRef provider = account->providers.FindById(name.id);
      if (!provider) return false;
      WriteEntity(json, *provider);
      WriteTexts(json, "client_ids", provider->client_ids);
      WriteTexts(json, "thumbprints", provider->thumbprints);
      break;
    }
  }
  json.EndObject();
  return true;
}

std::set<RecordName> AllRecords(const Snapshot& state) {
  std::set<RecordName> names;
  state.accounts().ForEach([&](const std::string& id, const std::shared_ptr<const AccountState>& account) {
    const auto add = [&](RecordKind kind, const auto& entities) {
      entities.by_name().ForEach([&](const auto&, const auto& entity) { names.insert({id, kind, entity->id}); });
    };
    names.insert({id, RecordKind::kAccount, {}});
    add(RecordKind::kUser, account->users);
    add(RecordKind::kGroup, account->groups);
    add(RecordKind::kRole, account->roles);
    add(RecordKind::kPolicy, account->policies);
    add(RecordKind::kProvider, account->providers);
  });
  return names;
}

namespace {

Status DecodeRole(const model::JsonRecord& record, const RecordName& name, Draft& draft) {
  auto role = std::make_shared<Role>();
  ReadHolder(record, name, *role);
  BoundPrincipals principals;
  if (const auto bound = record.Object("principals"))
    bound->ForEachText([&](std::string_view arn, std::string_view id) { principals.emplace(arn, id); });
  auto trust = MakeDocument(record.Text("trust"), policy::PolicyKind::kTrust, std::move(principals));
  if (!trust) return Status::Corruption("its trust policy is damaged");
  role->trust = std::move(*trust);
  role->description = record.Text("description");
  role->max_session_seconds = record.Int("max_session_seconds", 3600);
  return PutUnlessTaken(draft, RoleRef(std::move(role)));
}

Status DecodePolicy(const model::JsonRecord& record, const RecordName& name, Draft& draft) {
  auto policy = std::make_shared<ManagedPolicy>();
  ReadEntity(record, name, *policy);
  policy->description = record.Text("description");
  policy->versions = record.List("versions", ReadVersion);
  policy->default_version = record.Int("default");
  policy->next_version = record.Int("next");
  policy->updated_millis = record.Int("updated");
  if (!policy->FindVersion(policy->default_version)) return Status::Corruption("it has no default version");
  return PutUnlessTaken(draft, PolicyRef(std::move(policy)));
}

}  // namespace

Status RecordCodec::Decode(const RecordName& name, std::string_view record, Draft& draft, bool& needs_sealing) const {
  const Sealing sealing{*this, name};
  const auto read = [&](const model::JsonRecord& members) -> Status {
    switch (name.kind) {
      case RecordKind::kAccount: {
        Account account;
        account.id = name.account;
        account.alias = members.Text("alias");
        account.created_millis = members.Int("created");
        account.root_keys = sealing.Read(members, draft, needs_sealing);
        draft.PutAccount(std::move(account));
        return Status::Ok();
      }
      case RecordKind::kUser: {
        auto user = std::make_shared<User>();
        ReadHolder(members, name, *user);
        user->groups = members.Texts("groups");
        user->access_keys = sealing.Read(members, draft, needs_sealing);
        return PutUnlessTaken(draft, UserRef(std::move(user)));
      }
      case RecordKind::kGroup: {
        auto group = std::make_shared<Group>();
        ReadHolder(members, name, *group);
        return PutUnlessTaken(draft, GroupRef(std::move(group)));
      }
      case RecordKind::kRole: return DecodeRole(members, name, draft);
      case RecordKind::kPolicy: return DecodePolicy(members, name, draft);
      case RecordKind::kProvider: {
        auto provider = std::make_shared<OidcProvider>();
        ReadEntity(members, name, *provider);
        provider->client_ids = members.Texts("client_ids");
        provider->thumbprints = members.Texts("thumbprints");
        return PutUnlessTaken(draft, ProviderRef(std::move(provider)));
      }
    }
    return Status::Corruption("its key is none of IAM's");
  };
  return model::ReadJsonRecord(record, "its record", kRecordVersion, read);
}

}  // namespace armature::iam
