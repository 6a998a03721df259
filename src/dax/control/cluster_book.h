// ClusterBook: the state of the control plane, durable.
//
// Owns what there is of clusters and groups in every place, and the order of changes: a change is a function on a
// Draft, one at a time; it is durable before it is shown and before Change returns, and one that fails leaves nothing.
// What is to be done about a change (nodes started and ended) is the ClusterKeeper's, who is told. A record that cannot
// be read is set aside: it is told once, kept as it is, and nothing takes its place. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/tasks/coroutine_lock.h"
#include "dax/control/cluster_state.h"
#include "dax/control/cluster_store.h"
#include "model/api_error.h"

namespace armature::dax::control {

// A place as a change makes it.
class Draft {
 public:
  Draft(const Place& place, PlaceState state, int64_t now_millis, int64_t delay_millis)
      : place_(place), state_(std::move(state)), now_millis_(now_millis), delay_millis_(delay_millis) {}

  const Place& place() const { return place_; }
  const PlaceState& state() const { return state_; }
  int64_t now_millis() const { return now_millis_; }
  // When what is begun now may go on.
  int64_t due_millis() const { return now_millis_ + delay_millis_; }

  // In the place of the one of that name.
  void Put(Cluster cluster);
  void Put(ParameterGroup group);
  void Put(SubnetGroup group);
  void RemoveCluster(std::string_view name) { state_.clusters.erase(std::string(name)); }
  void RemoveParameterGroup(std::string_view name) { state_.parameter_groups.erase(std::string(name)); }
  void RemoveSubnetGroup(std::string_view name) { state_.subnet_groups.erase(std::string(name)); }
  // The oldest events go, those older than two weeks and those beyond a thousand.
  void Tell(SourceType type, std::string_view name, std::string message);

  PlaceState Finish() && { return std::move(state_); }

 private:
  const Place& place_;
  PlaceState state_;
  const int64_t now_millis_;
  const int64_t delay_millis_;
};

inline constexpr int64_t kEventsKeptMillis = int64_t{14} * 24 * 3600 * 1000;
inline constexpr size_t kMostEvents = 1000;

class ClusterBook {
 public:
  // All must outlive the book. `delay_millis` is how long changes of clusters take at least, for tests of those who
  // wait for them.
  ClusterBook(ClusterStore& store, const Clock& clock, int64_t delay_millis = 0)
      : store_(store), clock_(clock), delay_millis_(delay_millis) {}

  // Whether nodes can speak TLS: there is a certificate. Told before anybody changes anything.
  void SetCanEncrypt(bool can_encrypt) { can_encrypt_ = can_encrypt; }
  bool can_encrypt() const { return can_encrypt_; }

  // Whether DAX may act as a role for a cluster, by their ARNs: the role says so. Told likewise; unless told it always
  // may.
  using RoleTrust = std::function<bool(std::string_view role_arn, std::string_view cluster_arn)>;
  void SetRoleTrust(RoleTrust trust) { role_trust_ = std::move(trust); }
  bool may_act_as(std::string_view role_arn, std::string_view cluster_arn) const {
    return !role_trust_ || role_trust_(role_arn, cluster_arn);
  }

  // Before anything else. On an error nothing was read.
  Task<Status> Load();

  // As it is now, kept for as long as the caller likes; never null.
  std::shared_ptr<const PlaceState> Current(const Place& place) const;
  // Those in which anything was ever changed.
  std::vector<Place> Places() const;

  using Edit = std::function<model::ApiResult<void>(Draft&)>;
  Task<model::ApiResult<void>> Change(Place place, Edit edit);

  // `tell` is called after every change, by the thread that made it. Before anybody changes anything.
  void OnChange(std::function<void()> tell) { tell_ = std::move(tell); }

  const Clock& clock() const { return clock_; }

 private:
  ClusterStore& store_;
  const Clock& clock_;
  const int64_t delay_millis_;
  bool can_encrypt_ = true;
  RoleTrust role_trust_;
  std::function<void()> tell_;
  std::set<std::string> set_aside_;  // keys; written by Load only

  CoroutineLock change_lock_;
  mutable Mutex mutex_;
  std::map<Place, std::shared_ptr<const PlaceState>> places_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::dax::control
