// TableDef: everything the control plane knows of one table, as plain data.
//
// Immutable once published by table/catalog (a change makes a new copy). Stored as versioned JSON in the system
// partition (codec/table_def_codec.h). No I/O, no threads. Used by table/, workers/ and api/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/value.h"

namespace armature::model {

struct KeyAttribute {
  std::string name;
  Type type = Type::kS;
};

// Tables and local indexes have one hash and at most one range attribute; global indexes up to four of each.
struct KeySchema {
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;

  bool has_range() const { return !range.empty(); }
  const KeyAttribute* Find(std::string_view name) const;
};

enum class ProjectionType { kAll, kKeysOnly, kInclude };

struct Projection {
  ProjectionType type = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes;
};

// Provisioned units with their history, as ProvisionedThroughputDescription shows it.
struct ProvisionedThroughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  int64_t decreases_today = 0;
  int64_t last_increase_millis = 0;  // 0 = never
  int64_t last_decrease_millis = 0;
};

struct OnDemandThroughput {
  std::optional<int64_t> max_read_units;
  std::optional<int64_t> max_write_units;
};

struct WarmThroughput {
  std::optional<int64_t> read_units;
  std::optional<int64_t> write_units;
};

enum class IndexKind { kLocal, kGlobal };
enum class ResourceStatus { kCreating, kUpdating, kDeleting, kActive };

struct IndexDef {
  IndexKind kind = IndexKind::kGlobal;
  std::string name;
  uint32_t id = 0;  // never reused within a table
  // Of a global index: where its rows lie, a keyspace of their own (storage/partition.h). Given by the catalogue.
  uint64_t keyspace = 0;
  KeySchema key_schema;
  Projection projection;
  ProvisionedThroughput throughput;
  OnDemandThroughput on_demand;
  WarmThroughput warm;
  // Of an index made or removed on a live table; one made with its table is always ACTIVE here.
  ResourceStatus status = ResourceStatus::kActive;
  bool is_backfilling = false;  // while CREATING: its place is made, existing items are being entered
};

enum class BillingMode { kProvisioned, kPayPerRequest };

struct SseDef {
  bool is_kms = false;  // false: the service's own key, nothing is described
  std::string kms_key_arn;
};

struct StreamDef {
  bool enabled = false;
  std::string view_type;  // of the enabled stream
  std::string label;      // of the latest stream, enabled or not; empty = never had one
};

enum class TtlStatus { kDisabled, kEnabling, kEnabled, kDisabling };

// Time to Live. Passing states last until the expiry rows are made or gone, and at least until `due_millis`.
struct TtlDef {
  TtlStatus status = TtlStatus::kDisabled;
  std::string attribute;  // empty while DISABLED
  int64_t due_millis = 0;

  // Whether writes keep expiry rows.
  bool keeps_rows() const { return status == TtlStatus::kEnabling || status == TtlStatus::kEnabled; }
};

enum class KinesisStatus { kEnabling, kActive, kDisabling, kDisabled, kEnableFailed, kUpdating };

// A Kinesis data stream that receives, or once received, the changes of a table's items.
struct KinesisDestinationDef {
  std::string stream_arn;
  KinesisStatus status = KinesisStatus::kEnabling;
  std::string status_description;  // why it is ENABLE_FAILED
  std::string precision;           // MILLISECOND or MICROSECOND; empty = never chosen, which means MILLISECOND
  uint64_t generation = 0;         // which enabling this is; names its cursors, never used twice within a table
  int64_t since_millis = 0;        // when the status was entered

  // Whether it is in use: a table has at most one such destination.
  bool is_live() const { return status != KinesisStatus::kDisabled && status != KinesisStatus::kEnableFailed; }
};

// The policy of a table or stream.
struct ResourcePolicyDef {
  std::string document;  // as it was given; empty = there is none
  int64_t revision = 0;  // the RevisionId: when it was put or deleted, and more than any before it; 0 = never had one
  std::map<std::string, std::string, std::less<>> principals;  // unique ids of those it names by ARN, when it was put

  bool is_set() const { return !document.empty(); }
};

struct StreamPolicyDef {
  std::string label;  // of the stream
  ResourcePolicyDef policy;
};

struct TableDef {
  uint64_t id = 0;  // internal, never reused
  std::string account;
  std::string region;
  std::string name;
  std::string uuid;  // TableId
  int64_t created_millis = 0;

  std::vector<KeyAttribute> attribute_definitions;  // in the order given
  KeySchema key_schema;
  std::vector<IndexDef> indexes;  // local and global, in the order given
  uint32_t next_index_id = 1;

  BillingMode billing_mode = BillingMode::kProvisioned;
  int64_t pay_per_request_since_millis = 0;    // 0 = never was on-demand
  std::vector<int64_t> switches_to_on_demand;  // when, those that count for how often it may be; a creation is one
  ProvisionedThroughput throughput;
  OnDemandThroughput on_demand;
  WarmThroughput warm;
  std::string table_class;  // empty = never set
  int64_t table_class_changed_millis = 0;
  bool deletion_protection = false;
  SseDef sse;
  StreamDef stream;
  TtlDef ttl;
  std::vector<KinesisDestinationDef> kinesis;  // every one the table has had, the latest first
  std::map<std::string, std::string> tags;
  ResourcePolicyDef policy;
  std::vector<StreamPolicyDef> stream_policies;  // of those of its streams that have, or had, one

  ResourceStatus status = ResourceStatus::kActive;
  // When a table that is CREATING, UPDATING or DELETING reaches its next state.
  int64_t transition_due_millis = 0;

  std::string Arn() const;
  std::string StreamArn() const;  // REQUIRES: stream.label is set
  const IndexDef* FindIndex(std::string_view index_name) const;
  KinesisDestinationDef* FindKinesisDestination(std::string_view stream_arn);
  const KinesisDestinationDef* LiveKinesisDestination() const;  // null: none
  // Of the table if the label is empty, else of the stream with that label. Null: it never had one.
  const ResourcePolicyDef* FindPolicy(std::string_view stream_label) const;
  // Of itself or of a stream.
  bool HasPolicies() const;
  // The same to be changed; made if it is not there.
  ResourcePolicyDef& PolicyOf(std::string_view stream_label);
  IndexDef* FindIndex(uint32_t index_id);
  // Forgets definitions that no key uses; what is left keeps its order.
  void PruneAttributeDefinitions();
  // The state at a point in time: a due transition has happened, whether or not it was recorded yet.
  ResourceStatus StatusAt(int64_t now_millis) const;
  bool IsGoneAt(int64_t now_millis) const;
};

std::string_view ResourceStatusName(ResourceStatus status);
std::string_view ProjectionTypeName(ProjectionType type);
std::string_view BillingModeName(BillingMode mode);
std::string_view TtlStatusName(TtlStatus status);
std::string_view KinesisStatusName(KinesisStatus status);

}  // namespace armature::model
