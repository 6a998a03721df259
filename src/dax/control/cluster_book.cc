#include "dax/control/cluster_book.h"

#include <utility>

#include "base/log.h"
#include "base/text/visible_text.h"
#include "dax/control/state_codec.h"

namespace armature::dax::control {

using model::ApiResult;

namespace {

template <class T>
void PutNamed(ByName<T>& all, T part) {
  const std::string name = part.name;
  all[name] = std::make_shared<const T>(std::move(part));
}

}  // namespace

void Draft::Put(Cluster cluster) { PutNamed(state_.clusters, std::move(cluster)); }
void Draft::Put(ParameterGroup group) { PutNamed(state_.parameter_groups, std::move(group)); }
void Draft::Put(SubnetGroup group) { PutNamed(state_.subnet_groups, std::move(group)); }

void Draft::Tell(SourceType type, std::string_view name, std::string message) {
  auto& events = state_.events;
  while (!events.empty() &&
         (events.size() >= kMostEvents || events.begin()->second->at_millis < now_millis_ - kEventsKeptMillis))
    events.erase(events.begin());
  const uint64_t number = events.empty() ? 1 : events.rbegin()->first + 1;
  events[number] = std::make_shared<const Event>(Event{now_millis_, type, std::string(name), std::move(message)});
}

Task<Status> ClusterBook::Load() {
  const auto records = co_await store_.ReadAll();
  if (!records) co_return records.error();
  std::map<Place, PlaceState> places;
  for (const auto& [key, record] : *records) {
    const auto place = PlaceOfKey(key);
    Status status = Status::Corruption("its key is damaged");
    if (place) {
      const auto state = places.find(*place);
      PlaceState& of = state != places.end() ? state->second : places.emplace(*place, NewPlace(*place)).first->second;
      status = DecodeRecord(key, record, of);
    }
    if (status.ok()) continue;
    LogError("the record {} of DAX cannot be read and is set aside: {}", VisibleText(key), status.message());
    set_aside_.insert(key);
  }
  MutexLock lock(mutex_);
  for (auto& [place, state] : places) places_[place] = std::make_shared<const PlaceState>(std::move(state));
  co_return Status::Ok();
}

std::shared_ptr<const PlaceState> ClusterBook::Current(const Place& place) const {
  {
    MutexLock lock(mutex_);
    if (const auto found = places_.find(place); found != places_.end()) return found->second;
  }
  return std::make_shared<const PlaceState>(NewPlace(place));
}

std::vector<Place> ClusterBook::Places() const {
  std::vector<Place> all;
  MutexLock lock(mutex_);
  for (const auto& [place, state] : places_) all.push_back(place);
  return all;
}

Task<ApiResult<void>> ClusterBook::Change(Place place, Edit edit) {
  const auto guard = co_await change_lock_.Lock();
  const auto before = Current(place);
  Draft draft(place, *before, clock_.NowMillis(), delay_millis_);
  ARMATURE_CO_CHECK_OK(edit(draft));
  auto after = std::make_shared<const PlaceState>(std::move(draft).Finish());
  const ClusterStore::Changes changes = ChangesBetween(place, *before, *after);
  if (changes.empty()) co_return ApiResult<void>();
  for (const auto& [key, record] : changes)
    if (set_aside_.contains(key)) co_return model::FromStatus(Status::Corruption("a record of DAX was set aside"));
  {
    MutexLock lock(mutex_);
    places_.try_emplace(place, before);  // what is stored is in use from then on, memory or not
  }
  const Status status = co_await store_.Write(changes);
  if (!status.ok()) co_return model::FromStatus(status);
  {
    MutexLock lock(mutex_);
    places_.find(place)->second.swap(after);
  }
  if (tell_) tell_();
  co_return ApiResult<void>();
}

}  // namespace armature::dax::control
