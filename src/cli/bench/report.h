// Prints what a run measured, for a person or as one JSON object. Pure: returns the text.
#pragma once

#include <string>

#include "cli/bench/driver.h"
#include "cli/bench/options.h"

namespace armature::cli::bench {

std::string TextReport(const Options& options, const LoadResult& result);
std::string JsonReport(const Options& options, const LoadResult& result);

}  // namespace armature::cli::bench
