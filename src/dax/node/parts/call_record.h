// CallRecorder: who is told what was asked of a node, and what became of it; of denials always.
//
// A node tells a call when its answer is made, so that whatever becomes of it is told: what was cached, what failed,
// what came unsigned. What was asked is the call itself, what became of it is read from the bytes that the client gets.
// Made by server/, where there is an audit log.
#pragma once

#include <optional>
#include <string_view>

#include "dax/codec/error_codes.h"
#include "dax/codec/methods.h"
#include "dax/node/parts/dax_call.h"

namespace armature::dax {

class DaxCluster;

// Views: good for the telling.
struct CallRecord {
  const DaxCluster& cluster;
  const DaxCall& call;
  std::string_view claimed_key_id;  // who he says he is whom nobody has believed
  std::optional<ErrorText> error;   // none: it went well
  bool is_denied = false;
};

// Called on reactors: thread-safe, and never waits.
class CallRecorder {
 public:
  virtual ~CallRecorder() = default;
  // Whether calls of that method are told that were not denied.
  virtual bool Wants(Method method) const = 0;
  virtual void Record(const CallRecord& record) const noexcept = 0;
  // One that could not even be told, for want of memory.
  virtual void NoteLost() const noexcept = 0;
};

// The call's answer is made: it is told, if it is to be. REQUIRES: what was parsed is still there.
void RecordCall(const CallRecorder& recorder, const DaxCluster& cluster, DaxCall& call,
                std::string_view claimed_key_id) noexcept;

}  // namespace armature::dax
