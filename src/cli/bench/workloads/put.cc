// put, load: PutItem without conditions.
#include <array>
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
  Put(const Options& options, const Share& share)
      : PutBase(options, share),
        table_(options.table),
        // With fewer keys than this a key may come round again while its previous write is still among the remembered.
        versions_are_exact_(count_ > 4 * (kRemembered + options.connections)) {}

  void Next(Operation& operation, std::string& body) override {
    constexpr uint64_t kStride = 2654435761;  // a prime beyond any --items: the steps meet every key
    operation.key = share_.Index(sequence_ % count_ * kStride % count_);
    operation.version = ++sequence_;
    Write(operation, body);
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    if (!PutBase::Verify(operation, answer, why)) return false;
    remembered_[acknowledged_++ % kRemembered] = {operation.key, operation.version};
    return true;
  }

  Result<void> Finish(ControlClient& client) override {
    for (size_t i = 0; i < std::min<uint64_t>(acknowledged_, kRemembered); ++i) {
      const auto [key, version] = remembered_[i];
      std::string body = fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", table_);
      shape_.AppendKey(key, body);
      body += '}';
      ARMATURE_TRY(const Answer answer, client.Call("GetItem", body));
      uint64_t found = 0;
      std::string why;
      if (!reader_.ReadItem(answer.body, "Item", shape_, key, found, why)) {
        return Status::Corruption(fmt::format("acknowledged put of key {} reads back as {}", key, why));
      }
      if (found < version || (versions_are_exact_ && found != version)) {
        return Status::Corruption(fmt::format("acknowledged put of key {} at version {} reads back as version {}", key, version, found));
      }
    }
    return {};
  }

 private:
  static constexpr size_t kRemembered = 256;

  std::string table_;
  bool versions_are_exact_;
  uint64_t acknowledged_ = 0;
  std::array<std::pair<uint64_t, uint64_t>, kRemembered> remembered_{};
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

}  // namespace

std::unique_ptr<Workload> MakePut(const Options& options, const Share& share) { return std::make_unique<Put>(options, share); }
std::unique_ptr<Workload> MakeLoad(const Options& options, const Share& share) { return std::make_unique<Load>(options, share); }

}  // namespace armature::cli::bench
