// The factories of all workloads, for the registry; each is defined in the file of its family.
#pragma once

#include <memory>

#include "cli/bench/workload.h"

namespace armature::cli::bench {

std::unique_ptr<Workload> MakePut(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeLoad(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeStreamPut(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeStreamLoad(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeStreamRead(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeLoadExpired(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeLoadCounters(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeGet(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeGetConsistent(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeUpdateCounter(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeConditionalPut(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeMixedA(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeMixedB(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeMixedC(const Options& options, const Share& share);
std::unique_ptr<Workload> MakePutTagged(const Options& options, const Share& share);
std::unique_ptr<Workload> MakePutGlobalIndex(const Options& options, const Share& share);
std::unique_ptr<Workload> MakePutGlobalIndexMove(const Options& options, const Share& share);
std::unique_ptr<Workload> MakePutLocalIndex(const Options& options, const Share& share);
std::unique_ptr<Workload> MakePutLocalIndexMove(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeLoadOrdered(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeQuery10(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeQuery100(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeQuery100Reverse(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeBatchWrite25(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeBatchGet100(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeTransact4(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeScan(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeScanAll(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeFixed(const Options& options, const Share& share);
std::unique_ptr<Workload> MakeGetDenied(const Options& options, const Share& share);

}  // namespace armature::cli::bench
