// Questions about this process.
#pragma once

#include <span>
#include <string>

#include "base/outcome.h"

namespace paddock::sys {

// Is a seccomp filter installed?
bool has_seccomp_filter();

// Runs `ask` in a short-lived child that shares nothing but descriptors, and says whether it
// returned true. False if the child was killed; a failure if there could be none. `ask` may only
// make system calls. Sends no SIGCHLD.
Outcome<bool> ask_in_child(bool (*ask)(int argument), int argument);

// "SIGKILL".
std::string signal_name(int number);

// The user whose permissions count.
unsigned effective_user() noexcept;
unsigned effective_group() noexcept;

// Where the arguments of this process are shown from; nothing if the kernel does not say.
std::span<char> shown_arguments() noexcept;

// Others see this name instead of the program and its arguments, for a copy of a process: never
// call it where the arguments are still used. What cannot be written stays.
void show_as(const char* name, std::span<char> arguments) noexcept;

}  // namespace paddock::sys
