// Mutex, MutexLock, Condition: the standard library's, in a form that clang can check.
//
// A member says which mutex guards it (ARMATURE_GUARDED_BY), a function which one its caller holds
// (ARMATURE_WITH_LOCK), and every build with clang (asan, tsan, fuzz, lint) refuses an access without it. g++ sees
// plain standard types. A predicate of a wait is a function of its own to the analysis and says what it needs:
// `changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return is_done_; })`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#ifdef __clang__
#define ARMATURE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define ARMATURE_THREAD_ATTRIBUTE(attribute)
#endif

// Of a member: read and written with the mutex held only; of a pointer: what it points to.
#define ARMATURE_GUARDED_BY(mutex) ARMATURE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define ARMATURE_POINTEE_GUARDED_BY(mutex) ARMATURE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
// Of a function: the caller holds the mutex; the caller must not hold it.
#define ARMATURE_WITH_LOCK(...) ARMATURE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ARMATURE_WITHOUT_LOCK(...) ARMATURE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Of a function that the analysis cannot follow; a comment beside it says why it is right.
#define ARMATURE_UNCHECKED_LOCKS ARMATURE_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace armature {

class ARMATURE_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() ARMATURE_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  bool try_lock() ARMATURE_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex until it goes; may let go of it, and take it again, in between.
class ARMATURE_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ARMATURE_THREAD_ATTRIBUTE(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ARMATURE_THREAD_ATTRIBUTE(acquire_capability()) { lock_.lock(); }
  void unlock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { lock_.unlock(); }

 private:
  friend class Condition;
  friend class StoppableCondition;
  std::unique_lock<std::mutex> lock_;
};

// Lets go of a mutex that the caller holds, and takes it again at the end.
class ARMATURE_THREAD_ATTRIBUTE(scoped_lockable) MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) ARMATURE_THREAD_ATTRIBUTE(release_capability(mutex)) : mutex_(mutex) {
    mutex.unlock();
  }
  // "Released" is, to the analysis, what the constructor did: the mutex is held again.
  ~MutexUnlock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) ARMATURE_UNCHECKED_LOCKS { mutex_.lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex& mutex_;
};

// std::condition_variable for MutexLocks.
class Condition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  template <class Predicate>
  void wait(MutexLock& lock, Predicate is_enough) {
    condition_.wait(lock.lock_, std::move(is_enough));
  }
  template <class TimePoint>
  std::cv_status wait_until(MutexLock& lock, const TimePoint& until) {
    return condition_.wait_until(lock.lock_, until);
  }
  template <class TimePoint, class Predicate>
  bool wait_until(MutexLock& lock, const TimePoint& until, Predicate is_enough) {
    return condition_.wait_until(lock.lock_, until, std::move(is_enough));
  }
  template <class Duration>
  std::cv_status wait_for(MutexLock& lock, const Duration& duration) {
    return condition_.wait_for(lock.lock_, duration);
  }
  template <class Duration, class Predicate>
  bool wait_for(MutexLock& lock, const Duration& duration, Predicate is_enough) {
    return condition_.wait_for(lock.lock_, duration, std::move(is_enough));
  }

 private:
  std::condition_variable condition_;
};

// A condition whose waits end when a stop is requested, too.
class StoppableCondition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  template <class Predicate>
  bool wait(MutexLock& lock, std::stop_token stop, Predicate is_enough) {
    return condition_.wait(lock.lock_, std::move(stop), std::move(is_enough));
  }
  template <class TimePoint, class Predicate>
  bool wait_until(MutexLock& lock, std::stop_token stop, const TimePoint& until, Predicate is_enough) {
    return condition_.wait_until(lock.lock_, std::move(stop), until, std::move(is_enough));
  }
  template <class Duration, class Predicate>
  bool wait_for(MutexLock& lock, std::stop_token stop, const Duration& duration, Predicate is_enough) {
    return condition_.wait_for(lock.lock_, std::move(stop), duration, std::move(is_enough));
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace armature
