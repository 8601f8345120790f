// What a command costs in the sandbox of a session that runs already, and what a session costs with
// its first command; both also while this process, whose copy the warden is, holds 500 MB.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "harness.h"
#include "roots.h"
#include "sandbox/warden.h"
#include "spawn_floor.h"

namespace {

using paddock::Rung;
using paddock::bench::Contender;
using paddock::bench::Group;
using paddock::bench::repeat;
using paddock::sandbox::Command;
using paddock::sandbox::read_exit;
using paddock::sandbox::Warden;
using paddock::sandbox::WardenSpec;

constexpr const char* kFloor = "C: posix_spawn";
constexpr const char* kBwrap = "bubblewrap";

bool spawn_plainly() {
    static char name[] = "true";
    static char* arguments[] = {name, nullptr};
    return floor_spawn("/usr/bin/true", arguments) == 0;
}

// The same kind of view and the same namespaces; no Landlock, no seccomp, no limits.
bool run_bubblewrap(const std::string& workspace) {
    std::vector<std::string> words = {"bwrap",
                                      "--unshare-all",
                                      "--die-with-parent",
                                      "--new-session",
                                      "--cap-drop",
                                      "ALL",
                                      "--ro-bind",
                                      "/usr",
                                      "/usr",
                                      "--symlink",
                                      "usr/bin",
                                      "/bin",
                                      "--symlink",
                                      "usr/lib",
                                      "/lib",
                                      "--symlink",
                                      "usr/lib64",
                                      "/lib64",
                                      "--ro-bind-try",
                                      "/etc/ld.so.cache",
                                      "/etc/ld.so.cache",
                                      "--ro-bind-try",
                                      "/etc/ssl",
                                      "/etc/ssl",
                                      "--ro-bind-try",
                                      "/etc/alternatives",
                                      "/etc/alternatives",
                                      "--proc",
                                      "/proc",
                                      "--dev",
                                      "/dev",
                                      "--tmpfs",
                                      "/tmp",
                                      "--tmpfs",
                                      "/home/agent",
                                      "--bind",
                                      workspace,
                                      workspace,
                                      "--chdir",
                                      workspace,
                                      "/usr/bin/true"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return floor_spawn("/usr/bin/bwrap", arguments.data()) == 0;
}

bool run_in(Warden& warden) {
    static const Command kCommand{.arguments = {"/usr/bin/true"},
                                  .environment = {"PATH=/usr/bin:/bin"}};
    const auto process = warden.spawn(kCommand);
    if (!process) return false;
    const auto record = read_exit(process->status.get());
    return record && *record && (*record)->exit_code == 0;
}

bool run_session(const WardenSpec& spec) {
    auto warden = Warden::start(spec);
    return warden && run_in(*warden);
}

paddock::bench::Measure in_sandbox(const std::shared_ptr<Warden>& warden) {
    return repeat([warden] { return run_in(*warden); });
}

std::shared_ptr<Warden> started(const WardenSpec& spec) {
    auto warden = Warden::start(spec);
    if (warden) return std::make_shared<Warden>(std::move(*warden));
    std::printf("no sandbox: %s\n", warden.error().message().c_str());
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = paddock::bench::read_arguments(argc, argv, 200);
    const paddock::bench::Scratch scratch(settings);
    const paddock::UniqueFd workspace(
        ::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    WardenSpec spec;
    spec.workspace = workspace.get();
    spec.workspace_path = scratch.path();
    spec.options.required = {paddock::Layer::kMountNamespace};
    WardenSpec low = spec;
    low.options.required = {};
    low.ceiling.namespaces = false;

    const auto warden = started(spec);
    if (warden == nullptr) return paddock::bench::kSkipped;
    std::vector<Group> groups = {
        {"a command in a running sandbox",
         {{kFloor, repeat(spawn_plainly)}, {"paddock", in_sandbox(warden), kFloor, 1.5}}},
        {"a sandbox and one command",
         {{kBwrap, repeat([&] { return run_bubblewrap(scratch.path()); })},
          {"paddock", repeat([&] { return run_session(spec); }), kBwrap, 0.8}}}};
    if (::geteuid() != 0) {
        groups[0].contenders.push_back(
            {"paddock, low rung", in_sandbox(started(low)), kFloor, 1.5});
    }
    if (::access("/usr/bin/bwrap", X_OK) != 0) groups.pop_back();
    const int status = paddock::bench::compare(groups, settings);

    const std::vector<char> held(std::size_t{500} << 20, 'x');
    for (Group& group : groups) group.title += ", 500 MB held";
    groups[0].contenders = {{kFloor, repeat(spawn_plainly)},
                            {"paddock", in_sandbox(started(spec)), kFloor, 1.5}};
    return std::max(status, paddock::bench::compare(groups, settings));
}
