// Reference programs for differential tests, run by the shell with a bare environment.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace paddock::testing {

// Exit status of `command`, started in `directory`; -1 if a signal ended it.
inline int run_shell(const std::string& directory, const std::string& command) {
    const std::string whole = "cd '" + directory +
                              "' && exec env -i PATH=\"$PATH\" HOME=. GIT_CONFIG_NOSYSTEM=1 "
                              "sh -c '" +
                              command + "'";
    const int status = std::system(whole.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline bool has_program(const std::string& name) {
    return run_shell("/", "command -v " + name + " >/dev/null") == 0;
}

}  // namespace paddock::testing
