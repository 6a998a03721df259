// put, load, load-ordered: PutItem without conditions.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/bench/control_client.h"
#include "cli/bench/item_shape.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class PutBase : public Workload {
 public:
  PutBase(const Options& options, const Share& share)
      : shape_(options.item_size),
        share_(share),
        count_(share.Count(options.items)),
        head_(fmt::format(R"({{"TableName":"{}","Item":)", options.table)) {}

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
    shape_.AppendItem(operation.key, operation.version, body);
    body += '}';
  }

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
  Put(const Options& options, const Share& share) : PutBase(options, share), table_(options.table) {}

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
      std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", table_);
      shape_.AppendKey(key, body);
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
    }
    return {};
  }

 private:
  static constexpr size_t kRemembered = 256;

  uint64_t KeyOf(uint64_t version) const {
    constexpr uint64_t kStride = 2654435761;  // a prime beyond any --items: the steps meet every key
    return share_.Index(version % count_ * kStride % count_);
  }

  std::string table_;
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

class LoadOrdered final : public PutBase {
 public:
  LoadOrdered(const Options& options, const Share& share)
      : PutBase(options, share), head_(fmt::format(R"({{"TableName":"{}","Item":)", OrderedTable(options))) {}

  void Next(Operation& operation, std::string& body) override {
    operation.target = "PutItem";
    operation.key = share_.Index(sequence_++);
    body += head_;
    shape_.AppendOrderedItem(operation.key, 0, body);
    body += '}';
  }

 private:
  std::string head_;
};

}  // namespace

std::unique_ptr<Workload> MakePut(const Options& options, const Share& share) {
  return std::make_unique<Put>(options, share);
}
std::unique_ptr<Workload> MakeLoad(const Options& options, const Share& share) {
  return std::make_unique<Load>(options, share);
}
std::unique_ptr<Workload> MakeLoadOrdered(const Options& options, const Share& share) {
  return std::make_unique<LoadOrdered>(options, share);
}

}  // namespace armature::cli::bench
