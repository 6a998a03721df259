#include "server/dax/dax_control.h"

#include <chrono>
#include <new>

#include "server/process/failure_log.h"

namespace armature::server {

namespace {

// Only a safety net: what is to be done is announced.
constexpr std::chrono::milliseconds kKeepingInterval(60'000);
// Before what had failed, or was not due, is tried again.
constexpr std::chrono::milliseconds kKeepingPause(200);

}  // namespace

DaxControl::DaxControl(storage::Engine& engine, const Clock& clock, int64_t delay_millis)
    : records_(engine), book_(records_, clock, delay_millis), keeping_(kKeepingInterval, [this] { Keep(); }) {
  book_.OnChange([this] { keeping_.RunSoon(); });
}

Status DaxControl::Load() { return RunBlocking(book_.Load()); }

void DaxControl::Keep() {
  bool is_something_left = true;
  try {
    is_something_left = keeper_->Step();
  } catch (const std::bad_alloc&) {  // there will be memory again
    LogFailure("DAX clusters", Status::NoSpace("out of memory"));
  }
  if (is_something_left) keeping_.RunSoon(kKeepingPause);
}

void DaxControl::Start(dax::control::NodeHost& host) {
  keeper_.emplace(book_, host);
  Keep();
  keeping_.Start();
}

void DaxControl::Stop() {
  keeping_.Stop();
  if (keeper_) keeper_->Stop();
}

}  // namespace armature::server
