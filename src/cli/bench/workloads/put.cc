// put, load, load-ordered, put-tagged, put-gsi, put-lsi: PutItem without conditions.
#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/dataset.h"
#include "cli/bench/items/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

// What is put where.
struct Form {
  std::string table;
  bool is_ordered = false;
  bool is_tagged = false;  // and ordered
  TagIndex index = TagIndex::kNone;
  bool moves = false;  // the tag changes with every put
};

class PutBase : public Workload {
 public:
  PutBase(const Options& options, const Share& share, Form form)
      : form_(std::move(form)),
        shape_(options.item_size, options.partition_items),
        share_(share),
        count_(share.Count(options.items)),
        head_(fmt::format(R"({{"TableName":"{}","Item":)", form_.table)) {}

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    static_cast<void>(operation);
    if (answer.status == 200 && reader_.IsEmptyObject(answer.body)) return true;
    why = "not 200 with an empty object";
    return false;
  }

 protected:
  void Write(Operation& operation, std::string& body) {
    operation.target = "PutItem";
    body += head_;
    if (form_.is_tagged) shape_.AppendTaggedItem(operation.key, operation.version, TagVersion(operation.version), body);
    else if (form_.is_ordered) shape_.AppendOrderedItem(operation.key, operation.version, body);
    else shape_.AppendItem(operation.key, operation.version, body);
    body += '}';
  }
  uint64_t TagVersion(uint64_t version) const { return form_.moves ? version : 0; }

  Form form_;
  ItemShape shape_;
  Share share_;
  uint64_t count_;
  uint64_t sequence_ = 0;
  ItemReader reader_;

 private:
  std::string head_;
};

// Visits the keys in an order that has nothing to do with their own, each once per round.
class Put final : public PutBase {
 public:
  using PutBase::PutBase;

  void Next(Operation& operation, std::string& body) override {
    operation.version = ++sequence_;
    operation.key = KeyOf(operation.version);
    in_flight_.insert(operation.version);
    operation.note = *in_flight_.begin();
    Write(operation, body);
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (!PutBase::Verify(operation, answer, why)) return false;
    in_flight_.erase(operation.version);  // one that failed may yet take effect and stays
    remembered_[acknowledged_++ % kRemembered] = {operation.key, operation.note};
    return true;
  }

  // A key that came round again may hold a later version; and an earlier one, if that put was still in flight
  // when the remembered one was sent. Nothing else.
  Result<void> Finish(ControlClient& client) override {
    for (size_t i = 0; i < std::min<uint64_t>(acknowledged_, kRemembered); ++i) {
      const auto [key, oldest] = remembered_[i];
      std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", form_.table);
      form_.is_ordered ? shape_.AppendOrderedKey(key, body) : shape_.AppendKey(key, body);
      body += '}';
      ARMATURE_TRY(const Answer answer, client.Call("GetItem", body));
      uint64_t found = 0;
      std::string why;
      if (!reader_.ReadItem(answer.body, "Item", shape_, key, found, why)) {
        return Status::Corruption(fmt::format("acknowledged put of key {} reads back as {}", key, why));
      }
      if (found < oldest || found > sequence_ || KeyOf(found) != key) {
        return Status::Corruption(
            fmt::format("acknowledged put of key {} reads back as version {}, where {} to {} was possible", key, found,
                        oldest, sequence_));
      }
      if (form_.index != TagIndex::kNone) ARMATURE_CHECK_OK(FindByTag(client, key, found));
    }
    return {};
  }

 private:
  static constexpr size_t kRemembered = 256;

  uint64_t KeyOf(uint64_t version) const {
    constexpr uint64_t kStride = 2654435761;  // a prime beyond any --items: the steps meet every key
    return share_.Index(version % count_ * kStride % count_);
  }

  // The index has the item too, under its present tag.
  Result<void> FindByTag(ControlClient& client, uint64_t key, uint64_t version) {
    std::string body = fmt::format(R"({{"TableName":"{}","IndexName":"{}",)", form_.table, kTagIndexName);
    if (form_.index == TagIndex::kLocal) {
      body += R"("KeyConditionExpression":"tag = :t AND pk = :p","ExpressionAttributeValues":{":p":{"S":")";
      shape_.AppendPartitionText(key / shape_.partition_items(), body);
      body += R"("},":t":{"S":")";
    } else {
      body += R"("KeyConditionExpression":"tag = :t","ExpressionAttributeValues":{":t":{"S":")";
    }
    shape_.AppendTag(key, TagVersion(version), body);
    body += R"("}}})";
    ARMATURE_TRY(const Answer answer, client.Call("Query", body));
    std::string why = "no such entry";
    if (answer.status == 200 && reader_.ReadPage(answer.body, shape_, found_, why) && found_ == std::vector{key})
      return {};
    return Status::Corruption(fmt::format("acknowledged put of key {} is not in the index: {}", key, why));
  }

  std::vector<uint64_t> found_;
  std::set<uint64_t> in_flight_;  // versions sent and not acknowledged
  uint64_t acknowledged_ = 0;
  std::array<std::pair<uint64_t, uint64_t>, kRemembered> remembered_{};  // key, oldest version it may still hold
};

class Load final : public PutBase {
 public:
  using PutBase::PutBase;

  void Next(Operation& operation, std::string& body) override {
    operation.key = share_.Index(sequence_++);
    operation.version = 0;
    Write(operation, body);
  }
};

std::unique_ptr<Workload> MakeTagged(const Options& options, const Share& share, TagIndex index, bool moves) {
  return std::make_unique<Put>(options, share, Form{TaggedTable(options, index), true, true, index, moves});
}

}  // namespace

std::unique_ptr<Workload> MakePut(const Options& options, const Share& share) {
  return std::make_unique<Put>(options, share, Form{.table = options.table});
}
std::unique_ptr<Workload> MakeLoad(const Options& options, const Share& share) {
  return std::make_unique<Load>(options, share, Form{.table = options.table});
}
std::unique_ptr<Workload> MakeLoadOrdered(const Options& options, const Share& share) {
  return std::make_unique<Load>(options, share, Form{.table = OrderedTable(options), .is_ordered = true});
}
std::unique_ptr<Workload> MakePutTagged(const Options& options, const Share& share) {
  return MakeTagged(options, share, TagIndex::kNone, false);
}
std::unique_ptr<Workload> MakePutGlobalIndex(const Options& options, const Share& share) {
  return MakeTagged(options, share, TagIndex::kGlobal, false);
}
std::unique_ptr<Workload> MakePutGlobalIndexMove(const Options& options, const Share& share) {
  return MakeTagged(options, share, TagIndex::kGlobal, true);
}
std::unique_ptr<Workload> MakePutLocalIndex(const Options& options, const Share& share) {
  return MakeTagged(options, share, TagIndex::kLocal, false);
}
std::unique_ptr<Workload> MakePutLocalIndexMove(const Options& options, const Share& share) {
  return MakeTagged(options, share, TagIndex::kLocal, true);
}

}  // namespace armature::cli::bench
