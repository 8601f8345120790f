#include <sys/stat.h>

#include "cli/prove/command_attack.h"

namespace paddock::cli::prove {
namespace {

bool is_there(const Ground& ground, std::string_view name) {
    struct stat stat;
    return ::lstat(ground.ws(name).c_str(), &stat) == 0;
}

std::string_view is_killed(const Ground&, const HostDecoys& host) {
    return host.victim_lives() ? "" : "a process of the host was killed";
}

std::string_view has_left(const Ground&, const HostDecoys& host) {
    return host.end_left_behind() ? "a process was left behind" : "";
}

template <const char* kName>
std::string_view has_planted(const Ground& ground, const HostDecoys&) {
    return is_there(ground, kName) ? "what was planted will be run" : "";
}

std::string_view has_set_id(const Ground& ground, const HostDecoys&) {
    struct stat stat;
    const bool set =
        ::lstat(ground.ws("tool").c_str(), &stat) == 0 && (stat.st_mode & S_ISUID) != 0;
    return set ? "a set-user-id program was left" : "";
}

constexpr char kHook[] = ".git/hooks/pre-commit";
constexpr char kTasks[] = ".vscode/tasks.json";
constexpr char kNewHook[] = "new/.git/hooks/post-checkout";

}  // namespace

std::vector<CommandAttack> command_gallery() {
    return {
        {"read-sibling", "read: a file beside the workspace", "cat ../outside/secret"},
        {"read-by-link", "read: through a link to outside", "ln -s \"$OUT\" l; cat l/secret"},
        {"read-by-proc-root", "read: through /proc/self/root",
         "cat \"/proc/self/root$OUT/secret\""},
        {"read-env-file", "read: .env in the workspace", "cat .env", nullptr, false},
        {"write-sibling", "write: a file beside the workspace", "echo x > ../outside/planted"},
        {"unlink", "remove: a file outside", "rm -f \"$OUT/secret\""},
        {"rename-in", "rename: a file from outside", "mv \"$OUT/tree/leaf\" leaf"},
        {"set-id", "chmod: a set-user-id program", "cp /bin/true tool; chmod u+s tool", has_set_id},
        {"git-hook", "write: .git/hooks/pre-commit", "echo evil > .git/hooks/pre-commit",
         has_planted<kHook>},
        {"git-replaced", "rename: .git, and a new one with a hook",
         "mv .git old; cp -r old .git; echo evil > .git/hooks/pre-commit", has_planted<kHook>, true,
         true},
        {"git-new", "create: a repository with a hook",
         "mkdir -p new/.git/hooks new/.git/objects new/.git/refs; echo 'ref: refs/heads/m' > "
         "new/.git/HEAD; echo evil > new/.git/hooks/post-checkout",
         has_planted<kNewHook>, true, true},
        {"vscode", "create: .vscode/tasks.json", "mkdir .vscode; echo evil > .vscode/tasks.json",
         has_planted<kTasks>, true, true},
        {"read-environment", "ask: the environment of a host process",
         "tr '\\0' '\\n' < /proc/$VICTIM/environ"},
        {"read-by-process", "read: through the root of a host process",
         "cat \"/proc/$VICTIM/root$OUT/secret\""},
        {"signal", "kill: a process of the host",
         "kill -9 $VICTIM && while ! grep -q ') Z ' /proc/$VICTIM/stat; do :; done", is_killed},
        {"daemon", "leave: a process behind",
         "setsid bash -c 'exec -a \"$0\" sleep 100000' $MARK >/dev/null 2>&1 & while ! grep -q "
         "^$MARK /proc/$!/cmdline; do kill -0 $! || break; done",
         has_left},
        {"tcp", "connect: a service on the host's loopback",
         "exec 3<>/dev/tcp/127.0.0.1/$PORT && cat <&3"},
        {"environment", "ask: a variable of the caller", "echo \"$PADDOCK_PROVE_DECOY\""},
        {"inherited-file", "read: a descriptor of the caller", "cat <&$DESCRIPTOR"},
        {"user-namespace-mount", "mount: the outside, in a new namespace",
         "mkdir m; unshare -Urm sh -c \"mount --bind '$OUT' m && cat m/secret\""},
    };
}

}  // namespace paddock::cli::prove
