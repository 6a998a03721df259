// `armature bench`: named workloads against any DynamoDB endpoint.
//
// The command's entry point; argv[0] is "armature bench". Returns the exit code: 0 if every answer was right, 1 if
// any was wrong or the server could not be used, CLI11's or 2 for a bad command line. Called by the program's main.
#pragma once

namespace armature::cli {

int RunBench(int argc, char** argv);

}  // namespace armature::cli
