// mixed-a, mixed-b, mixed-c: the core workloads A, B and C of YCSB over zipfian keys.
//
// YCSB's update is a PutItem of the whole item here. Reads are strongly consistent, so that they can be checked:
// a read must return a version that no write acknowledged before it was sent has replaced.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/items/item_shape.h"
#include "cli/bench/items/random.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {
namespace {

class Mixed final : public Workload {
 public:
  Mixed(const Options& options, const Share& share, uint64_t write_percent)
      : shape_(options.item_size),
        share_(share),
        write_percent_(write_percent),
        random_(options.seed + share.thread),
        zipfian_(share.Count(options.items)),
        states_(share.Count(options.items)),
        get_head_(fmt::format(R"({{"TableName":"{}","ConsistentRead":true,"Key":)", options.table)),
        put_head_(fmt::format(R"({{"TableName":"{}","Item":)", options.table)) {}

  void Next(Operation& operation, std::string& body) override {
    // A prime stride spreads the popular ranks over the keys.
    const uint64_t position = zipfian_.Next(random_) * 2654435761 % states_.size();
    operation.key = share_.Index(position);
    KeyState& state = states_[position];
    if (random_.Below(100) < write_percent_) {
      operation.target = "PutItem";
      operation.version = ++state.issued;
      if (state.in_flight++ == 0) state.oldest_in_flight = state.issued;
      operation.note = state.oldest_in_flight;
      body += put_head_;
      shape_.AppendItem(operation.key, operation.version, body);
    } else {
      operation.target = "GetItem";
      operation.version = state.floor;
      body += get_head_;
      shape_.AppendKey(operation.key, body);
    }
    body += '}';
  }

  bool Verify(const Operation& operation, const Answer& answer, std::string& why) override {
    KeyState& state = states_[operation.key / share_.threads];
    const bool is_put = operation.target == "PutItem";
    if (answer.status != 200) {
      why = "not 200";
      return false;
    }
    if (is_put) return VerifyPut(operation, answer, state, why);
    uint64_t version = 0;
    if (!reader_.ReadItem(answer.body, "Item", shape_, operation.key, version, why)) return false;
    if (version < operation.version || version > state.issued) {
      why = fmt::format("version {} where {} to {} was possible", version, operation.version, state.issued);
      return false;
    }
    return true;
  }

 private:
  // Puts on one key may overlap, and the server may order them either way. A version is known to be replaced only if
  // it was acknowledged before an acknowledged put was sent: nothing below the oldest put in flight when
  // that one was sent can be seen again.
  struct KeyState {
    uint32_t issued = 0;
    uint32_t oldest_in_flight = 0;
    uint32_t in_flight = 0;
    uint32_t floor = 0;
  };

  bool VerifyPut(const Operation& operation, const Answer& answer, KeyState& state, std::string& why) {
    if (!reader_.IsEmptyObject(answer.body)) {
      why = "not an empty object";
      return false;
    }
    --state.in_flight;  // a failed put may yet take effect and stays in flight for ever
    state.floor = std::max(state.floor, static_cast<uint32_t>(operation.note));
    return true;
  }

  ItemShape shape_;
  Share share_;
  uint64_t write_percent_;
  Random random_;
  Zipfian zipfian_;
  std::vector<KeyState> states_;
  std::string get_head_;
  std::string put_head_;
  ItemReader reader_;
};

}  // namespace

std::unique_ptr<Workload> MakeMixedA(const Options& options, const Share& share) {
  return std::make_unique<Mixed>(options, share, 50);
}
std::unique_ptr<Workload> MakeMixedB(const Options& options, const Share& share) {
  return std::make_unique<Mixed>(options, share, 5);
}
std::unique_ptr<Workload> MakeMixedC(const Options& options, const Share& share) {
  return std::make_unique<Mixed>(options, share, 0);
}

}  // namespace armature::cli::bench
