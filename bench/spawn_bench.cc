// What a command costs in the sandbox of a session that runs already, and what a session costs with
// its first command; both also while this process, whose copy the warden is, holds 500 MB. And what
// the sandbox costs while a command works: a build, with and without telling what it is denied.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
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
constexpr const char* kOutside = "outside";
constexpr const char* kUnobserved = "paddock, denials not told";

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

// Small translation units, one after the other, as a small `make` would. Few, so that there are
// many rounds.
constexpr int kUnits = 4;
constexpr const char* kBuild =
    "cd \"$0\" && for unit in *.c; do gcc -O1 -c $unit -o $unit.o || exit 1; done";

void write_units(const std::string& directory) {
    for (int i = 1; i <= kUnits; ++i) {
        std::ofstream(directory + "/unit" + std::to_string(i) + ".c")
            << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            << "int unit" << i << "(char *s) { return printf(\"%s %zu\\n\", s, strlen(s)); }\n";
    }
}

bool build_outside(const std::string& directory) {
    std::vector<std::string> words = {"sh", "-c", kBuild, directory};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return floor_spawn("/bin/sh", arguments.data()) == 0;
}

bool build_in(Warden& warden, const std::string& directory) {
    const Command command{.arguments = {"/bin/sh", "-c", kBuild, directory},
                          .environment = {"PATH=/usr/bin:/bin", "TMPDIR=" + warden.temporary()}};
    const auto process = warden.spawn(command);
    if (!process) return false;
    const auto record = read_exit(process->status.get());
    return record && *record && (*record)->exit_code == 0;
}

// Milliseconds of one call, which takes long.
template <class Call>
paddock::bench::Measure once(Call call) {
    return [measured = repeat(call)](int) -> std::optional<double> {
        const auto nanoseconds = measured(1);
        if (!nanoseconds) return std::nullopt;
        return *nanoseconds / 1e6;
    };
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

namespace {

// Each in a session of its own, which runs already.
std::optional<Group> build_group(const WardenSpec& spec) {
    if (::access("/usr/bin/gcc", X_OK) != 0) return std::nullopt;
    const std::string directory = spec.workspace_path;
    write_units(directory);
    WardenSpec unobserved = spec;
    unobserved.ceiling.listener = false;
    const auto observed_one = started(spec);
    const auto unobserved_one = started(unobserved);
    return Group{
        "a build in the sandbox",
        {{kOutside, once([=] { return build_outside(directory); })},
         {kUnobserved, once([=] { return build_in(*unobserved_one, directory); }), kOutside, 1.05},
         {"paddock", once([=] { return build_in(*observed_one, directory); }), kUnobserved, 1.05}},
        "ms",
        std::chrono::seconds(120)};
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
    const std::size_t also_while_large = groups.size();
    if (auto group = build_group(spec)) groups.push_back(std::move(*group));
    const int status = paddock::bench::compare(groups, settings);

    const std::vector<char> held(std::size_t{500} << 20, 'x');
    groups.resize(also_while_large);
    for (Group& group : groups) group.title += ", 500 MB held";
    groups[0].contenders = {{kFloor, repeat(spawn_plainly)},
                            {"paddock", in_sandbox(started(spec)), kFloor, 1.5}};
    return std::max(status, paddock::bench::compare(groups, settings));
}
