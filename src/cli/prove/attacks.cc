#include "cli/prove/attacks.h"

namespace paddock::cli::prove {

using std::string_view_literals::operator""sv;

// Each row: id, title, tree; the control's check; the call, its path, what paddock must answer.
const std::vector<PathAttack>& path_attacks() {
    using enum Check;
    using enum Call;
    constexpr std::nullopt_t kNoHarm = std::nullopt;
    // clang-format off
    static const std::vector<PathAttack> kRows{
        // Paths that are written to get out, or to be read differently by the check and the kernel.
        {"LEX-03", "read: down one level, up two", {"sub/"},
         kNoDots, kRead, "sub/../../outside/secret", Code::kPathEscape},
        {"ABS-01", "read: an absolute path", {},
         kNothing, kRead, "@/outside/secret", Code::kPathEscape},
        {"PRE-01", "read: a sibling named like the root", {},
         kPrefix, kRead, "@/ws-evil/secret", Code::kPathEscape},
        {"NM-01", "read: a NUL byte ends the name early", {"keys=@"},
         kDenylist, kRead, "keys\0.txt"sv, Code::kInvalidPath},

        // Links that lead out.
        {"SYM-03", "read: a link to a file outside", {"link->../outside/secret"},
         kLexical, kRead, "link", Code::kPathEscape},
        {"SYM-07", "read: a file behind a directory link", {"dir->../outside"},
         kNoLink, kRead, "dir/secret", Code::kPathEscape},
        {"WR-02", "write: through a dangling link", {"new->../outside/planted"},
         kRealPath, kWrite, "new", Code::kPathEscape},
        {"SYM-24", "remove_all: a link with a slash behind it", {"link->../outside/tree"},
         kNoLink, kRemoveAll, "link/", Code::kPathEscape},
        {"WK-08", "search: a tree with a link to outside", {"src/main=x", "src/lib->../../outside"},
         kRealPath, kSearch, "src", kNoHarm},

        // A FIFO, a mount, a second name of an outside file, a program that runs as its owner.
        {"SP-01", "read: a FIFO nobody writes to", {"pipe|"},
         kRealPath, kRead, "pipe", Code::kNotRegularFile},
        {"MNT-05", "read: a bind mount of the outside", {"mnt/"},
         kRealPath, kRead, "mnt/secret", Code::kMountCrossing, "mnt"},
        {"HL-02", "write: a hard link to outside", {"alias&../outside/secret"},
         kRealPath, kWrite, "alias", kNoHarm},
        {"WR-10", "write: a setuid program keeps its bit", {"tool=old", "tool%4755"},
         kRealPath, kReplace, "tool", kNoHarm},

        // Names that change between check and use.
        {"RACE-01", "read: dir swapped with a link", {"d/secret=inside", "x->../outside"},
         kRealPath, kRead, "d/secret", kNoHarm, {}, Race{"d", "x"}},
        {"RACE-04", "write: file swapped with a link", {"f=inside", "x->../outside/secret"},
         kRealPath, kWrite, "f", kNoHarm, {}, Race{"f", "x"}},
        {"RACE-21", "remove_all: dir swapped with a link",
         {"t/d/leaf=inside", "t/x->../../outside/tree"},
         kRealPath, kRemoveAll, "t", kNoHarm, {}, Race{"t/d", "t/x"}},
    };
    // clang-format on
    return kRows;
}

// Each row: id, title, script; the file that it must not plant; the layer that paddock needs.
const std::vector<CommandAttack>& command_attacks() {
    // clang-format off
    static const std::vector<CommandAttack> kRows{
        {"read-sibling", "read: a file beside the workspace", "cat ../outside/secret"},
        {"read-env-file", "read: .env in the workspace", "cat .env", {}, Layer::kMountNamespace},
        {"write-sibling", "write: a file beside the workspace", "echo x > ../outside/planted"},
        {"git-hook", "write: .git/hooks/pre-commit",
         "echo evil > .git/hooks/pre-commit", ".git/hooks/pre-commit"},
        {"git-config", "write: core.fsmonitor in .git/config",
         "printf '[core]\\nfsmonitor = evil\\n' >> .git/config", ".git/config"},
        {"git-new", "create: a repository with a hook",
         "mkdir -p new/.git/hooks new/.git/objects new/.git/refs; "
         "echo 'ref: refs/heads/m' > new/.git/HEAD; echo evil > new/.git/hooks/post-checkout",
         "new/.git/hooks/post-checkout", Layer::kGate},
        {"read-by-process", "read: through the root of a host process",
         "cat \"/proc/$HOST/root$OUT/secret\""},
        {"signal", "kill: a process of the host",
         "kill -9 $HOST && while ! grep -q ') Z ' /proc/$HOST/stat; do :; done"},
        // The process holds the FIFO until somebody writes a line to it.
        {"daemon", "leave: a process behind",
         "exec 3<>held; setsid head -n 1 <&3 >/dev/null 2>&1 &"},
        {"tcp", "connect: a service on the host's loopback",
         "exec 3<>/dev/tcp/127.0.0.1/$PORT && cat <&3"},
        {"environment", "ask: a variable of the caller", "echo \"$PADDOCK_PROVE_DECOY\""},
        {"user-namespace-mount", "mount: the outside, in a new namespace",
         "mkdir m; unshare -Urm sh -c \"mount --bind '$OUT' m && cat m/secret\""},
    };
    // clang-format on
    return kRows;
}

}  // namespace paddock::cli::prove
