// RunAudit: the command `armature audit`, which makes the hash that a key of an item has in an audit log.
//
// Reads the log's hash.key and speaks to no server. Returns the exit code: 0, 1 if there is no such file, 2 for a bad
// command line. Called by the program's main.
#pragma once

namespace armature::cli {

int RunAudit(int argc, char** argv);

}  // namespace armature::cli
