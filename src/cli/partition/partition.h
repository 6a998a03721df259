// RunPartition: the command `armature partition`, which lists and splits the partitions of a table.
//
// One request to a running server. Returns the exit code: 0, 1 if the server refused or did not answer, 2 for a bad
// command line. Called by the program's main.
#pragma once

namespace armature::cli {

int RunPartition(int argc, char** argv);

}  // namespace armature::cli
