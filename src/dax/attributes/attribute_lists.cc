#include "dax/attributes/attribute_lists.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "base/random.h"
#include "dax/codec/primitives/utf8.h"

namespace armature::dax {

namespace {

constexpr auto kFirstPause = std::chrono::milliseconds(50);
constexpr auto kLongestPause = std::chrono::seconds(2);

// What a list takes in memory, about.
size_t BytesOf(std::span<const std::string_view> names) {
  size_t bytes = names.size() * sizeof(std::string);
  for (const std::string_view name : names) bytes += name.size();
  return bytes;
}

std::vector<std::string_view> Views(const AttributeNames& names) { return {names.begin(), names.end()}; }

}  // namespace

AttributeLists::AttributeLists(AttributeListStore* store, AttributeListLimits limits)
    : store_(store),
      limits_(limits),
      table_(limits.most_lists, SystemRandom().NextU64()),
      given_(kEmptyAttributeList),
      durable_(kEmptyAttributeList) {
  if (store_) writer_ = std::thread([this] { Write(); });
}

AttributeLists::~AttributeLists() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  if (writer_.joinable()) writer_.join();
}

Status AttributeLists::Load() {
  if (!store_) return Status::Ok();
  auto loaded = store_->Load();
  if (!loaded) return loaded.error();
  const MutexLock lock(mutex_);
  if (loaded->size() > limits_.most_lists)
    return Status::InvalidArgument(fmt::format("there are {} lists of attribute names, and no more than {} are allowed",
                                               loaded->size(), limits_.most_lists));
  for (AttributeList& stored : *loaded) {
    const auto list = std::make_shared<const AttributeList>(std::move(stored));
    const auto views = Views(list->names);
    total_bytes_ += BytesOf(views);
    given_ = table_.Add(list, table_.Hash(list->account, views));
  }
  durable_ = given_.load();
  return Status::Ok();
}

Result<uint64_t> AttributeLists::Intern(std::string_view account, std::span<const std::string_view> names) {
  if (names.empty()) return kEmptyAttributeList;
  const uint64_t hash = table_.Hash(account, names);
  if (const uint64_t id = table_.Find(account, names, hash)) return id;
  return Add(account, names, hash);
}

Status AttributeLists::CheckNew(std::span<const std::string_view> names, size_t bytes) const {
  if (bytes > limits_.most_list_bytes)
    return Status::InvalidArgument("the names of the attributes are longer than an item may be");
  std::unordered_set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (!IsWellFormedUtf8(name)) return Status::InvalidArgument("the name of an attribute is not UTF-8");
    if (!seen.insert(name).second)
      return Status::InvalidArgument("the name of an attribute is twice in a list of attribute names");
  }
  if (table_.is_full() || total_bytes_ + bytes > limits_.most_total_bytes)
    return Status::NoSpace(
        fmt::format("there are {} lists of attribute names, which is as many as there may be", table_.size()));
  return Status::Ok();
}

Result<uint64_t> AttributeLists::Add(std::string_view account, std::span<const std::string_view> names, uint64_t hash) {
  const MutexLock lock(mutex_);
  if (const uint64_t id = table_.Find(account, names, hash)) return id;  // somebody was quicker
  const size_t bytes = BytesOf(names);
  if (Status status = CheckNew(names, bytes); !status.ok()) return status;
  const Essential whole;  // an id that is given stands for what is stored
  auto list = std::make_shared<const AttributeList>(
      AttributeList{std::string(account), AttributeNames(names.begin(), names.end())});
  total_bytes_ += bytes;
  const uint64_t id = kFirstAttributeList + table_.size();
  // Before the list can be found: whoever finds it sees that it is not durable yet.
  given_.store(id, std::memory_order_release);
  if (store_) pending_.push_back(list);
  else durable_.store(id, std::memory_order_release);
  table_.Add(std::move(list), hash);
  changed_.notify_all();
  return id;
}

std::shared_ptr<const AttributeNames> AttributeLists::Find(std::string_view account, uint64_t id) const {
  static const AttributeNames kNoNames;
  const AttributeNames* const names = id == kEmptyAttributeList ? &kNoNames : table_.Find(account, id);
  return {std::shared_ptr<const void>(), names};
}

Task<Status> AttributeLists::Settled() {
  if (is_settled()) co_return Status::Ok();
  Waiter waiter;
  {
    const MutexLock lock(mutex_);
    if (is_settled()) co_return Status::Ok();
    if (!last_failure_.ok()) co_return last_failure_;
    waiter.id = given_;
    waiter.number = ++last_waiter_;
    waiters_.push_back(&waiter);
  }
  co_await waiter.done;
  co_return waiter.status;
}

void AttributeLists::Write() {
  auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(kFirstPause);
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return is_stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    WriteBatch();
    if (last_failure_.ok()) {
      pause = kFirstPause;
      continue;
    }
    if (is_stopping_) return;
    changed_.wait_for(lock, pause, [this]() ARMATURE_WITH_LOCK(mutex_) { return is_stopping_; });
    pause = std::min<std::chrono::milliseconds>(2 * pause, kLongestPause);
  }
}

void AttributeLists::WriteBatch() {
  const auto batch = pending_;
  const uint64_t last = durable_ + batch.size();
  Status status;
  std::vector<Waiter*> finished;
  {
    const MutexUnlock unlock(mutex_);
    status = store_->Append(batch);
  }
  if (status.ok()) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    durable_.store(last, std::memory_order_release);
  } else if (last_failure_.ok()) {
    LogWarn("lists of attribute names cannot be stored, which is tried again: {}", status.ToString());
  }
  last_failure_ = status;
  finished = Finished(status);
  if (finished.empty()) return;
  const uint64_t told = finished.back()->number;
  {
    const MutexUnlock unlock(mutex_);
    for (Waiter* const waiter : finished) waiter->done.Finish();
  }
  last_told_ = told;
  changed_.notify_all();
}

void AttributeLists::AwaitQuiet() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this, last = last_waiter_]() ARMATURE_WITH_LOCK(mutex_) { return last_told_ >= last; });
}

std::vector<AttributeLists::Waiter*> AttributeLists::Finished(const Status& status) {
  std::vector<Waiter*> finished;
  std::erase_if(waiters_, [&](Waiter* waiter) {
    const bool is_over = !status.ok() || waiter->id <= durable_;
    if (is_over) {
      waiter->status = status;
      finished.push_back(waiter);
    }
    return is_over;
  });
  return finished;
}

}  // namespace armature::dax
