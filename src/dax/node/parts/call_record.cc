#include "dax/node/parts/call_record.h"

namespace armature::dax {

void RecordCall(const CallRecorder& recorder, const DaxCluster& cluster, DaxCall& call,
                std::string_view claimed_key_id) noexcept {
  try {
    if (call.request.method == Method{}) return;  // it asked for nothing that could be understood
    const bool is_wanted = recorder.Wants(call.request.method);
    CallRecord record{.cluster = cluster, .call = call, .claimed_key_id = claimed_key_id, .error = {}};
    if (!is_wanted && IsSuccess(call.reply)) return;
    record.error = ReadError(call.reply, call.arena);
    record.is_denied = record.error && (!call.caller || record.error->name == "AccessDeniedException");
    if (is_wanted || record.is_denied) recorder.Record(record);
  } catch (...) { recorder.NoteLost(); }
}

}  // namespace armature::dax
