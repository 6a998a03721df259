#include "server/dax/dax_house.h"

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

DaxHouse::DaxHouse(storage::Engine& engine, const Clock& clock, int64_t delay_millis)
    : records_(engine),
      book_(records_, clock, delay_millis),
      keeper_(book_, host_),
      keeping_(kKeepingInterval, [this] { Keep(); }) {
  book_.OnChange([this] { keeping_.RunSoon(); });
}

Status DaxHouse::Load() { return RunBlocking(book_.Load()); }

void DaxHouse::Keep() {
  bool is_something_left = true;
  try {
    is_something_left = keeper_.Step();
  } catch (const std::bad_alloc&) {  // there will be memory again
    LogFailure("DAX clusters", Status::NoSpace("out of memory"));
  }
  if (is_something_left) keeping_.RunSoon(kKeepingPause);
}

void DaxHouse::Start() {
  Keep();
  keeping_.Start();
}

void DaxHouse::Stop() {
  keeping_.Stop();
  keeper_.Stop();
}

}  // namespace armature::server
