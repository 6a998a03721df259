#include "cli/partition/partition_table.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace armature::cli::partition {
namespace {

constexpr size_t kHashDigits = 16;

// False: it is none.
bool ParseHash(std::string_view text, uint64_t& hash) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return text.size() == kHashDigits && error == std::errc() && end == text.data() + text.size();
}

// How much of all hashes there are from `first` to `last`.
std::string Share(uint64_t first, uint64_t last) {
  const double count = static_cast<double>(last - first) + 1;
  return fmt::format("{:.3g} %", std::ldexp(count, -64) * 100);
}

Result<void> AppendPartition(simdjson::dom::element partition, std::string& out) {
  uint64_t id = 0, epoch = 0, first = 0, last = 0;
  double read = 0, written = 0;
  std::string_view first_hash, last_hash, status;
  const bool is_whole =
      partition["PartitionId"].get(id) == simdjson::SUCCESS &&
      partition["FirstHash"].get(first_hash) == simdjson::SUCCESS &&
      partition["LastHash"].get(last_hash) == simdjson::SUCCESS && partition["Epoch"].get(epoch) == simdjson::SUCCESS &&
      partition["ReadUnits"].get(read) == simdjson::SUCCESS &&
      partition["WriteUnits"].get(written) == simdjson::SUCCESS && partition["Status"].get(status) == simdjson::SUCCESS;
  if (!is_whole || !ParseHash(first_hash, first) || !ParseHash(last_hash, last) || first > last)
    return Status::Format("the endpoint's answer is not a list of partitions");
  // One that was split has no items any more.
  const std::string share = status == "ENDED" ? "-" : Share(first, last);
  out += fmt::format("{:>9}  {}-{}  {:>8}  {:>5}  {:>10}  {:>11}  {}\n", id, first_hash, last_hash, share, epoch, read,
                     written, status);
  return {};
}

Result<void> AppendPartitions(simdjson::dom::element owner, std::string& out) {
  simdjson::dom::array partitions;
  if (owner["Partitions"].get(partitions) != simdjson::SUCCESS)
    return Status::Format("the endpoint's answer is not a list of partitions");
  for (const simdjson::dom::element partition : partitions) ARMATURE_CHECK_OK(AppendPartition(partition, out));
  return {};
}

}  // namespace

Result<std::string> RenderPartitions(simdjson::dom::element reply) {
  std::string out = fmt::format("{:>9}  {:<33}  {:>8}  {:>5}  {:>10}  {:>11}  {}\n", "partition", "hashes", "share",
                                "epoch", "read-units", "write-units", "status");
  ARMATURE_CHECK_OK(AppendPartitions(reply, out));
  simdjson::dom::array indexes;
  if (reply["GlobalSecondaryIndexes"].get(indexes) != simdjson::SUCCESS) return out;
  for (const simdjson::dom::element index : indexes) {
    std::string_view name;
    if (index["IndexName"].get(name) != simdjson::SUCCESS)
      return Status::Format("the endpoint's answer is not a list of partitions");
    out += fmt::format("index {}\n", name);
    ARMATURE_CHECK_OK(AppendPartitions(index, out));
  }
  return out;
}

}  // namespace armature::cli::partition
