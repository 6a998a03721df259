// What a workload is: a source of requests that can tell a right answer from a wrong one.
//
// A workload is one class in workloads/, made once per driver thread, with its own share of the keys (index
// modulo thread count), so it needs no locks and is not thread-safe. The driver calls Next, sends the body signed,
// and hands the answer to Verify, or calls Lost when the connection broke before an answer came. Workloads
// know DynamoDB's JSON and nothing of sockets, time or statistics.
//
// To add one: a file in workloads/, and a line in registry.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/options.h"

namespace armature::cli::bench {

class ControlClient;

// One request in flight. The three numbers are the workload's own memory of what it sent.
struct Operation {
  std::string_view target;  // "GetItem"; points to static text
  uint64_t key = 0;
  uint64_t version = 0;
  uint64_t note = 0;
};

struct Answer {
  int status = 0;
  std::string_view body;  // readable a little beyond its end, see ResponseParser
};

// The share of the keys one driver thread works on.
struct Share {
  uint32_t thread = 0;
  uint32_t threads = 1;
  uint64_t run_id = 0;  // differs between runs on the same table

  uint64_t Count(uint64_t items) const { return (items + threads - 1 - thread) / threads; }
  uint64_t Index(uint64_t position) const { return position * threads + thread; }
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Whether there is something to send now; an answer that is still owed may change it.
  virtual bool HasNext() const { return true; }
  // Fills the operation and appends its JSON body. REQUIRES: HasNext().
  virtual void Next(Operation& operation, std::string& body) = 0;
  // Whether the answer is right; if not, says why in a few words.
  virtual bool Verify(const Operation& operation, const Answer& answer, std::string& why) = 0;
  // No answer will come: whether the operation took effect is unknown.
  virtual void Lost(const Operation& operation) { static_cast<void>(operation); }
  // Reads back what only shows at the end (sums, last writes). Called once, after all answers.
  virtual Result<void> Finish(ControlClient& client) {
    static_cast<void>(client);
    return {};
  }
};

// What must exist before the first request.
enum class Dataset {
  kNothing,
  kTable,
  kItems,         // --items items, at whatever version
  kFreshItems,    // all of them rewritten at version 0
  kCounters,      // --items counters, all set to 0
  kOrderedTable,  // a table of their own for items under sort keys
  kOrdered,       // and --items of them
  kTagged,        // a table of their own for items with tags,
  kTaggedGlobal,  // the same with a global index by tag, of all attributes,
  kTaggedLocal,   // or with a local one
  kExpiring,      // --items items that stay; Time to Live is on
  kStreamed,      // a table of their own with a stream of both images
  kStreamPages,   // at least so many records in its stream as there are --items
};

struct WorkloadInfo {
  std::string_view name;
  std::string_view description;
  Dataset dataset;
  bool one_pass;  // is measured from its first request and ends by itself, after --items of them at the latest
  std::unique_ptr<Workload> (*make)(const Options& options, const Share& share);
};

std::span<const WorkloadInfo> Workloads();
const WorkloadInfo* FindWorkload(std::string_view name);

}  // namespace armature::cli::bench
