// Audit: what is recorded, and how it comes to the log.
//
// Recorded are all calls that are not of the data plane, all denials, and of the data plane what was asked for. One
// object serves all reactors: asking costs a comparison, recording makes a line and offers it to the log, which never
// waits; where there is no memory for it the event is lost and counted. Made by server/, called by front/ where a
// request ends.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "audit/audit_log.h"
#include "audit/event.h"
#include "audit/hash_key.h"
#include "base/clock.h"
#include "base/random.h"

namespace armature::audit {

// Which calls of the data plane are recorded.
enum class DataEvents : uint8_t { kNone, kWrites, kAll };

// What a call is.
enum class CallKind : uint8_t { kManagement, kDataRead, kDataWrite };

class Audit {
 public:
  // `account` is whose server it is, `region` where. All that is referred to must outlive it.
  Audit(DataEvents data_events, std::string account, std::string region, const HashKey& hash_key, LineSink& log,
        const Clock& clock, RandomSource& random)
      : data_events_(data_events),
        account_(std::move(account)),
        region_(std::move(region)),
        hash_key_(hash_key),
        log_(log),
        clock_(clock),
        random_(random) {}

  // Whether such a call is recorded even if it is not denied.
  bool Wants(CallKind kind) const {
    return kind == CallKind::kManagement || data_events_ == DataEvents::kAll ||
           (kind == CallKind::kDataWrite && data_events_ == DataEvents::kWrites);
  }

  // Fills in the time, and the account where nobody is known to be asked.
  void Record(Event& event, bool is_denied) const;
  // What could not be told, because there was no memory for it.
  void NoteLost() const noexcept { log_.NoteLost(); }

  const HashKey& hash_key() const { return hash_key_; }
  const std::string& region() const { return region_; }

 private:
  const DataEvents data_events_;
  const std::string account_;
  const std::string region_;
  const HashKey hash_key_;
  LineSink& log_;
  const Clock& clock_;
  RandomSource& random_;
};

}  // namespace armature::audit
