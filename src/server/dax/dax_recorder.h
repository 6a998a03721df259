// DaxRecorder: what the audit log has of DAX's clients.
//
// A line for each call of a client that was denied, by a policy or for its signature, and for others if data events are
// asked for. It has the request as DynamoDB's own events have it: keys of items as hashes, values not at all; of keys
// whose table the node does not know (yet), nothing. Thread-safe, never waits.
#pragma once

#include <string>

#include "audit/audit.h"
#include "dax/node/parts/call_record.h"

namespace armature::server {

class DaxRecorder final : public dax::CallRecorder {
 public:
  // It must outlive the recorder.
  explicit DaxRecorder(const audit::Audit& audit) : audit_(audit) {}

  bool Wants(dax::Method method) const override;
  void Record(const dax::CallRecord& record) const noexcept override;
  void NoteLost() const noexcept override { audit_.NoteLost(); }

 private:
  void RecordAll(const dax::CallRecord& record) const;
  // JSON; empty: nothing can be told.
  std::string ParametersOf(const dax::CallRecord& record) const;
  std::string DataParametersOf(const dax::CallRecord& record) const;

  const audit::Audit& audit_;
};

}  // namespace armature::server
