// Rekeying: what follows when a master key was replaced: files that older data keys open are written anew, and the keys
// that no file needs any more are dropped.
//
// Owns a thread. Tables are written anew once for each new data key, and after a start that finds some left; logs and
// the manifest follow by themselves, at the latest with the next start, and so do the keys. A file that is being made
// has a key before anybody can see it: none is dropped that was the newest a short time ago. What fails is told once
// and tried again. Does nothing while there is one data key. Used by the house.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/metrics.h"
#include "storage/encryption/keyring.h"
#include "storage/engine.h"
#include "workers/periodic.h"

namespace armature::server {

class Rekeying {
 public:
  // The keyring is as it was when the engine was opened.
  Rekeying(storage::Keyring& keyring, storage::Engine& engine, Metrics& metrics);

  // Takes up a new master key that came with this start, then goes on in the background.
  void Start();
  // Takes up one that has come since, if the source has one.
  Result<std::optional<storage::Keyring::Renewal>> Reload();
  // REQUIRES: the engine is closed, which ends what is under way.
  void Stop() { thread_.Stop(); }

 private:
  using Clock = std::chrono::steady_clock;
  void Step();
  void DropKeys();

  storage::Keyring& keyring_;
  storage::Engine& engine_;
  // The thread's own.
  uint32_t settled_;           // files are made under this data key or later ones
  uint32_t seen_;              // the newest at the last step
  Clock::time_point seen_at_;  // since when it is that
  uint32_t written_for_ = 0;   // the data key that tables were last written anew under

  const std::shared_ptr<std::atomic<uint64_t>> older_files_ = std::make_shared<std::atomic<uint64_t>>(0);
  workers::Periodic thread_;
};

// For the log.
std::string DescribeRenewal(const storage::Keyring::Renewal& renewal);

}  // namespace armature::server
