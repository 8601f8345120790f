// Running a program with the bare system calls, in plain C, without any confinement.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// posix_spawn with an empty environment and nothing but /dev/null to read and write, then waitpid.
// The exit status, or -1.
int floor_spawn(const char* program, char* const* arguments);

#ifdef __cplusplus
}
#endif
