// RunEncryption: the command `armature encryption`, which makes master keys and replaces that of a data directory.
//
// Works on a directory that no server has open. Returns the exit code: 0, 1 if it could not be done, 2 for a bad
// command line. Called by the program's main.
#pragma once

namespace armature::cli {

int RunEncryption(int argc, char** argv);

}  // namespace armature::cli
