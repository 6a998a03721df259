// RunIam: the command `armature iam`, which makes the first principal and explains who may do what.
//
// Works on a data directory that no server has open, or on a file of principals. Returns the exit code: 0; 1 if it
// could not be done, or if `check` finds that it is denied; 2 for a bad command line, or if `check` could not find out.
// Called by the program's main.
#pragma once

namespace armature::cli {

int RunIam(int argc, char** argv);

}  // namespace armature::cli
