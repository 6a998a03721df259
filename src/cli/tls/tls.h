// RunTls: the command `armature tls`, which makes certificates for HTTPS.
//
// Speaks to no server. Returns the exit code: 0, 1 if the files could not be written, 2 for a bad command line. Called
// by the program's main.
#pragma once

namespace armature::cli {

int RunTls(int argc, char** argv);

}  // namespace armature::cli
