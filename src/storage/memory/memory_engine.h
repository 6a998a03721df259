// MemoryEngine: the engine behind `armature serve --memory`, and of most tests.
//
// Owns every key and value in one ordered, versioned map. Durable at once: there is nothing below it to
// wait for, and nothing survives the process. Many readers at a time, one writer; a commit costs its
// changes, a snapshot costs nothing but the values replaced while it lives. Thread-safe.
#pragma once

#include <memory>

#include "base/metrics.h"
#include "storage/engine.h"

namespace armature::storage {

std::unique_ptr<Engine> OpenMemoryEngine(Metrics& metrics);

// Another with the same in it. REQUIRES: `original` is one of these.
std::unique_ptr<Engine> CopyMemoryEngine(const Engine& original, Metrics& metrics);

}  // namespace armature::storage
