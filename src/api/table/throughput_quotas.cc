#include "api/table/throughput_quotas.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "model/messages/capacity.h"
#include "table/catalog.h"

namespace armature::api {

using model::ApiResult;
using model::TableDef;
namespace messages = model::messages;

namespace {

struct Units {
  int64_t reads = 0;
  int64_t writes = 0;
};

// Of reads, or of writes: how the members are called.
struct Names {
  std::string_view provisioned;
  std::string_view maximum;
  std::string_view warm;
  std::string_view quota;
};
constexpr Names kReads{"ReadCapacityUnits", "MaxReadRequestUnits", "ReadUnitsPerSecond", "TableMaxReadCapacityUnits"};
constexpr Names kWrites{"WriteCapacityUnits", "MaxWriteRequestUnits", "WriteUnitsPerSecond",
                        "TableMaxWriteCapacityUnits"};

bool IsRaisedAbove(int64_t quota, int64_t before, int64_t after) { return after > before && after > quota; }

bool IsRaisedAbove(int64_t quota, const std::optional<int64_t>& before, const std::optional<int64_t>& after) {
  return IsRaisedAbove(quota, before.value_or(0), after.value_or(0));
}

// What a table or an index has of reads, or of writes.
struct Figures {
  int64_t provisioned = 0;
  std::optional<int64_t> maximum, warm;
};
template <class Owner>
Figures FiguresOf(const Owner& owner, bool is_reads) {
  if (is_reads) return {owner.throughput.read_units, owner.on_demand.max_read_units, owner.warm.read_units};
  return {owner.throughput.write_units, owner.on_demand.max_write_units, owner.warm.write_units};
}

// `index` is empty for the table itself.
ApiResult<void> CheckOne(std::string_view region, std::string_view index, const Names& names, const Figures& before,
                         const Figures& after) {
  if (IsRaisedAbove(kTableMaxUnits, before.provisioned, after.provisioned)) {
    return model::LimitExceededException(index.empty() ? fmt::format(messages::kUnitsAboveTableQuota, names.provisioned,
                                                                     after.provisioned, region, kTableMaxUnits)
                                                       : fmt::format(messages::kUnitsAboveIndexQuota, names.provisioned,
                                                                     index, after.provisioned, region, kTableMaxUnits));
  }
  if (IsRaisedAbove(kTableMaxUnits, before.maximum, after.maximum)) {
    const std::string whose = index.empty() ? "table" : fmt::format("index : {}", index);
    return model::LimitExceededException(
        fmt::format(messages::kMaximumAboveQuota, names.maximum, whose, names.quota, region));
  }
  if (IsRaisedAbove(kTableMaxUnits, before.warm, after.warm)) {
    const std::string whose = index.empty() ? "table" : fmt::format("index {}", index);
    return model::LimitExceededException(
        fmt::format(messages::kWarmAboveQuota, names.warm, whose, names.quota, region));
  }
  return {};
}

ApiResult<void> CheckEach(const TableDef* before, const TableDef& after, bool is_reads) {
  const Names& names = is_reads ? kReads : kWrites;
  const Figures none;
  ARMATURE_CHECK_OK(
      CheckOne(after.region, {}, names, before ? FiguresOf(*before, is_reads) : none, FiguresOf(after, is_reads)));
  for (const auto& index : after.indexes) {
    if (index.kind != model::IndexKind::kGlobal) continue;
    const model::IndexDef* const was = before ? before->FindIndex(std::string_view(index.name)) : nullptr;
    ARMATURE_CHECK_OK(
        CheckOne(after.region, index.name, names, was ? FiguresOf(*was, is_reads) : none, FiguresOf(index, is_reads)));
  }
  return {};
}

// What is reserved for a table with its indexes.
Units ReservedFor(const TableDef& table) {
  Units units{table.throughput.read_units, table.throughput.write_units};
  for (const auto& index : table.indexes) {
    units.reads += index.throughput.read_units;
    units.writes += index.throughput.write_units;
  }
  return units;
}

}  // namespace

ApiResult<void> CheckThroughputQuotas(const RequestContext& context, const TableDef* before, const TableDef& after) {
  ARMATURE_CHECK_OK(CheckEach(before, after, /*is_reads=*/true));
  ARMATURE_CHECK_OK(CheckEach(before, after, /*is_reads=*/false));
  const Units was = before ? ReservedFor(*before) : Units{};
  const Units wanted = ReservedFor(after);
  if (wanted.reads <= was.reads && wanted.writes <= was.writes) return {};
  Units others;
  for (const auto& table : context.services.catalog.AllTables()) {
    const auto def = table->def();
    if (def->account != after.account || def->region != after.region || def->name == after.name) continue;
    if (def->IsGoneAt(context.now_millis)) continue;
    const Units units = ReservedFor(*def);
    others.reads += units.reads;
    others.writes += units.writes;
  }
  const auto refuse = [&](const Names& names, int64_t reserved, int64_t requested) {
    return model::LimitExceededException(fmt::format(messages::kUnitsAboveAccountQuota, names.provisioned, after.region,
                                                     names.provisioned, reserved, kAccountMaxUnits, requested));
  };
  if (IsRaisedAbove(kAccountMaxUnits, others.reads + was.reads, others.reads + wanted.reads))
    return refuse(kReads, others.reads + was.reads, wanted.reads);
  if (IsRaisedAbove(kAccountMaxUnits, others.writes + was.writes, others.writes + wanted.writes))
    return refuse(kWrites, others.writes + was.writes, wanted.writes);
  return {};
}

}  // namespace armature::api
