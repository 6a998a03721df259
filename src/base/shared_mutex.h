// SharedMutex, ReadLock, WriteLock: what many may read together and one may change alone, in a form that clang can
// check (see base/mutex.h).
//
// A waiting writer is served before new readers: glibc's default, and so std::shared_mutex, lets a steady stream of
// readers starve a writer for ever, and here reads come without a pause. Not recursive, not even for readers.
//
// To clang a call of a container's method only reads it, whatever the method does: it finds a missing lock, and an
// assignment under a ReadLock, but not an insertion under one.
#pragma once

#include <pthread.h>

#include "base/mutex.h"

// Of a function: the caller holds the mutex, as a reader at least.
#define ARMATURE_WITH_READ_LOCK(...) ARMATURE_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
// Of a function that gives out a mutex: which one it is.
#define ARMATURE_RETURNS_MUTEX(mutex) ARMATURE_THREAD_ATTRIBUTE(lock_returned(mutex))

namespace armature {

class ARMATURE_THREAD_ATTRIBUTE(capability("mutex")) SharedMutex {
 public:
  SharedMutex() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() ARMATURE_THREAD_ATTRIBUTE(acquire_capability()) { pthread_rwlock_wrlock(&lock_); }
  void unlock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { pthread_rwlock_unlock(&lock_); }
  void lock_shared() ARMATURE_THREAD_ATTRIBUTE(acquire_shared_capability()) { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() ARMATURE_THREAD_ATTRIBUTE(release_shared_capability()) { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

// Holds a mutex together with other readers until it goes.
class ARMATURE_THREAD_ATTRIBUTE(scoped_lockable) ReadLock {
 public:
  explicit ReadLock(SharedMutex& mutex) ARMATURE_THREAD_ATTRIBUTE(acquire_shared_capability(mutex)) : mutex_(mutex) {
    mutex.lock_shared();
  }
  ~ReadLock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Holds a mutex alone until it goes.
class ARMATURE_THREAD_ATTRIBUTE(scoped_lockable) WriteLock {
 public:
  explicit WriteLock(SharedMutex& mutex) ARMATURE_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex.lock();
  }
  ~WriteLock() ARMATURE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace armature
