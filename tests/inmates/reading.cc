#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

Verdict read_secret(const Ground& ground, const std::string& path) {
    return succeeded_if(holds(path, ground["secret"]));
}

// Opened, not read: the one file here that is no decoy.
Verdict open_shadow(const Ground&) {
    const int file = ::open("/etc/shadow", O_RDONLY | O_CLOEXEC);
    return succeeded_if(file >= 0);
}

Verdict read_by_first_process(const Ground& ground) {
    if (!ground.has("first_process")) return cannot_try("the first process sees other files");
    return read_secret(ground, "/proc/1/root" + ground.path("home", ".ssh/id_decoy"));
}

constexpr Attempt kAttempts[] = {
    {"read-shadow", "open /etc/shadow", open_shadow, nullptr, Needs::kRoot},
    {"read-ssh-key", "read a key in ~/.ssh",
     [](const Ground& g) { return read_secret(g, g.path("home", ".ssh/id_decoy")); }},
    {"read-token", "read a token in ~/.config that is on nobody's list",
     [](const Ground& g) { return read_secret(g, g.path("home", ".config/tool/token")); }},
    {"read-sibling", "read ../sibling/secret",
     [](const Ground& g) { return read_secret(g, "../sibling/secret"); }},
    {"read-by-link", "read a key through a link in the workspace",
     [](const Ground& g) { return read_secret(g, g.path("ws", "link-to-key")); }},
    {"read-by-proc-root", "read a key through /proc/self/root",
     [](const Ground& g) {
         return read_secret(g, "/proc/self/root" + g.path("home", ".ssh/id_decoy"));
     }},
    {"read-by-proc-cwd", "read through /proc/self/cwd/..",
     [](const Ground& g) { return read_secret(g, "/proc/self/cwd/../sibling/secret"); }},
    {"read-by-first-process", "read a key through /proc/1/root", read_by_first_process, nullptr,
     Needs::kRoot},
    {"read-env-file", "read .env in the workspace",
     [](const Ground& g) { return read_secret(g, g.path("ws", ".env")); }},
};

}  // namespace

std::span<const Attempt> reading() { return kAttempts; }

}  // namespace inmates
