#include "server/process/failure_log.h"

#include <map>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/mutex.h"

namespace armature::server {

void LogFailure(const char* what, const Status& status) {
  static Mutex mutex;
  static std::map<std::string_view, std::string> reasons ARMATURE_GUARDED_BY(mutex);
  MutexLock lock(mutex);
  if (status.ok()) {
    reasons.erase(what);
    return;
  }
  std::string reason = status.ToString();
  const auto known = reasons.find(what);
  if (known != reasons.end() && known->second == reason) return;
  LogError("{}: {}", what, reason);
  reasons[what] = std::move(reason);
}

}  // namespace armature::server
