// RunShell: the command `armature shell`, a prompt for PartiQL.
//
// Reads its command line, then statements from -e, -f, a script on the standard input or a person at a terminal.
// Returns the exit code: 0, 1 after an error in a script, 2 for a bad command line. Called by the program's main.
#pragma once

namespace armature::cli {

int RunShell(int argc, char** argv);

}  // namespace armature::cli
