#include "server/failure_log.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/log.h"

namespace armature::server {

void LogFailure(const char* what, const Status& status) {
  static std::mutex mutex;
  static std::map<std::string_view, std::string> reasons;
  std::lock_guard lock(mutex);
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
