// What a command costs in the sandbox of a session that runs already; what the first command costs
// with its sandbox, by `paddock run` and from C++; what the sandbox costs while a command works: a
// build, with and without telling what it is denied; and how soon npm is refused. All but the last
// once more while this process, whose copy a warden is, holds 500 MB.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <paddock/config.h>
#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "harness.h"
#include "roots.h"
#include "sandbox/view_plan.h"
#include "sandbox/warden.h"
#include "spawn_floor.h"
#include "tools/command_world.h"

namespace {

using paddock::bench::Contender;
using paddock::bench::Group;
using paddock::bench::repeat;
using paddock::sandbox::Command;
using paddock::sandbox::read_exit;
using paddock::sandbox::Warden;
using paddock::sandbox::WardenSpec;

constexpr const char* kFloor = "C: posix_spawn";
constexpr const char* kBwrap = "bubblewrap, the same view";
constexpr const char* kBwrapBare = "bubblewrap, no toolchain";
constexpr const char* kOutside = "outside";
constexpr const char* kPaddock = "paddock";

bool succeeds(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return floor_spawn(arguments[0], arguments.data()) == 0;
}

bool spawn_plainly() { return succeeds({"/usr/bin/true"}); }

// The same namespaces, /dev, /proc and private directories; no Landlock, no seccomp, no limits. Of
// the host /usr and what it needs to start a program. No home yet.
std::vector<std::string> smallest_profile(const std::string& workspace) {
    std::istringstream words(
        "/usr/bin/bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL "
        "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin "
        "--symlink usr/lib /lib --symlink usr/lib64 /lib64 "
        "--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache "
        "--proc /proc --dev /dev --tmpfs /tmp");
    std::vector<std::string> profile(std::istream_iterator<std::string>(words), {});
    profile.insert(profile.end(), {"--bind", workspace, workspace, "--chdir", workspace});
    return profile;
}

std::vector<std::string> small_profile(const std::string& workspace) {
    std::vector<std::string> profile = smallest_profile(workspace);
    profile.insert(profile.end(), {"--tmpfs", "/home/agent"});
    return profile;
}

enum class ShownToolchains : bool { kNone, kThoseOnPath };

// What `paddock run` shows of the user's world, found by the same functions.
WardenSpec with_world(const WardenSpec& spec, ShownToolchains toolchains) {
    std::vector<std::string> environment;
    for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
    WardenSpec shown{.workspace = spec.workspace, .workspace_path = spec.workspace_path};
    auto configured = paddock::config::load({.environment = environment});
    if (configured && configured->workspace.shell) shown.options = *configured->workspace.shell;
    if (toolchains == ShownToolchains::kNone) shown.options.toolchains.clear();
    [[maybe_unused]] const auto world = paddock::tools::prepare_world(shown, environment);
    shown.home = -1;  // was borrowed
    return shown;
}

// And everything else that commands of paddock see, and nothing that they do not: what is shown of
// /etc, files that paddock writes itself for want of the host's, covered parts of /proc, the home
// that lasts, toolchains.
std::vector<std::string> whole_profile(const WardenSpec& spec,
                                       ShownToolchains toolchains = ShownToolchains::kThoseOnPath) {
    namespace fs = std::filesystem;
    std::vector<std::string> profile = smallest_profile(spec.workspace_path);
    const auto add = [&](std::initializer_list<std::string> words) {
        profile.insert(profile.end(), words);
    };
    for (const auto& entry : fs::directory_iterator("/etc")) {
        const std::string path = entry.path();
        if (!paddock::sandbox::is_shown_in_etc(entry.path().filename().native())) continue;
        if (path == "/etc/ld.so.cache") continue;
        if (entry.is_symlink()) {
            add({"--symlink", fs::read_symlink(path), path});
        } else {
            add({"--ro-bind", path, path});
        }
    }
    for (const char* name : {"passwd", "group", "hostname", "hosts", "nsswitch.conf"}) {
        const std::string path = std::string("/etc/") + name;
        add({"--ro-bind-try", path, path});
    }
    for (const char* path : {"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list"}) {
        if (fs::is_directory(path)) add({"--tmpfs", path});
        if (fs::is_regular_file(path)) add({"--ro-bind", "/dev/null", path});
    }
    const WardenSpec world = with_world(spec, toolchains);
    if (world.home_path.empty()) {
        add({"--tmpfs", "/home/agent"});
    } else {
        add({"--bind", world.home_path, "/home/agent"});
    }
    for (const auto& shown : world.shown) add({"--ro-bind", shown.path, shown.path});
    for (const auto& link : world.links) add({"--symlink", link.target, link.path});
    add({"--tmpfs", "/dev/shm", "--remount-ro", "/"});
    return profile;
}

paddock::bench::Measure in_bubblewrap(std::vector<std::string> profile) {
    profile.emplace_back("/usr/bin/true");
    return repeat([profile] { return succeeds(profile); });
}

bool run_program(const std::string& program, const std::string& workspace,
                 const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{program, "run", "--root", workspace};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "/usr/bin/true"});
    return succeeds(std::move(words));
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
// many rounds. Temporary files are in memory, outside as in a sandbox.
constexpr int kUnits = 4;
constexpr const char* kBuild =
    "export TMPDIR=\"$1\"; cd \"$0\" && for u in *.c; do gcc -O1 -c $u -o $u.o || exit 1; done";

void write_units(const std::string& directory) {
    for (int i = 1; i <= kUnits; ++i) {
        std::ofstream(directory + "/unit" + std::to_string(i) + ".c")
            << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            << "int unit" << i << "(char *s) { return printf(\"%s %zu\\n\", s, strlen(s)); }\n";
    }
}

bool build_outside(const std::string& directory) {
    return succeeds({"/bin/sh", "-c", kBuild, directory, "/dev/shm"});
}

bool build_in(Warden& warden, const std::string& directory) {
    const Command command{.arguments = {"/bin/sh", "-c", kBuild, directory, warden.temporary()},
                          .environment = {"PATH=/usr/bin:/bin"}};
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

Group warm_group(const WardenSpec& spec) {
    Group group{
        "a command in a running sandbox",
        {{kFloor, repeat(spawn_plainly)}, {kPaddock, in_sandbox(started(spec)), kFloor, 1.5}}};
    if (::geteuid() != 0) {
        WardenSpec low = spec;
        low.options.required = {};
        low.ceiling.namespaces = false;
        group.contenders.push_back({"paddock, low level", in_sandbox(started(low)), kFloor, 1.5});
    }
    return group;
}

Group cold_group(const WardenSpec& spec) {
    const std::string workspace = spec.workspace_path;
    const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
    const std::string program = programs / "paddock";
    const std::vector<std::string> no_toolchain{"--toolchain", "none"};
    return {"a sandbox and one command",
            {{kBwrap, in_bubblewrap(whole_profile(spec))},
             {"paddock run", repeat([=] { return run_program(program, workspace); }), kBwrap, 0.8},
             {kBwrapBare, in_bubblewrap(whole_profile(spec, ShownToolchains::kNone))},
             {"paddock run, no toolchain",
              repeat([=] { return run_program(program, workspace, no_toolchain); }), kBwrapBare},
             {"bubblewrap, a small view", in_bubblewrap(small_profile(workspace)), kBwrap}}};
}

// What a user waits for without a network. npm would wait ten seconds before a second attempt.
Group refused_group(const std::string& workspace) {
    constexpr const char* kVersion = "npm --version, outside";
    const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
    const std::string program = programs / "paddock";
    const auto in_shell = [=](const char* script) {
        return once([=] { return succeeds({"/bin/sh", "-c", script, program, workspace}); });
    };
    return {"npm install, refused",
            {{kVersion, in_shell("HOME=$1 npm --version > /dev/null")},
             {"paddock run npm install",
              in_shell("\"$0\" run --fresh-home --root \"$1\" -- npm install left-pad 2>&1 | "
                       "grep -q -e 'allow it with --net npm '"),
              kVersion, 8}},
            "ms",
            std::chrono::seconds(60)};
}

// All that an agent's call takes: the look at protected names before and after, the output, the
// answer.
Group tool_group(const std::string& workspace) {
    paddock::WorkspaceOptions options;
    options.root = workspace;
    options.limits.calls_per_second.reset();
    options.shell.emplace();
    auto opened = paddock::Workspace::open(std::move(options));
    if (!opened) return {};
    const auto shared = std::make_shared<paddock::Workspace>(std::move(*opened));
    const auto call = [shared] {
        return !paddock::tools::call(*shared, "bash", R"({"command": "true"})").error;
    };
    return {"bash -c true, as a tool",
            {{kFloor, repeat([] {
                  return succeeds({"/bin/bash", "-c", "true"});
              })},
             {"paddock: tools::call", repeat(call), kFloor}}};
}

// For programs that use the library. What they hold in memory is in the copy that becomes the
// warden: no bound.
Group session_group(const WardenSpec& spec) {
    return {"a session and one command, from C++",
            {{kFloor, repeat(spawn_plainly)},
             {kPaddock, repeat([=] { return run_session(spec); }), kFloor}}};
}

// Each in a session of its own, which runs already. Telling denials may cost 5 %.
Group build_group(const WardenSpec& spec) {
    const std::string directory = spec.workspace_path;
    WardenSpec unobserved = spec;
    unobserved.ceiling.listener = false;
    const auto build = [directory](std::shared_ptr<Warden> warden) {
        return once([=] { return build_in(*warden, directory); });
    };
    return {"a build in the sandbox",
            {{kOutside, once([=] { return build_outside(directory); })},
             {kPaddock, build(started(spec)), kOutside, 1.05},
             {"paddock, denials not told", build(started(unobserved)), kPaddock, {}, 1 / 1.05}},
            "ms",
            std::chrono::seconds(60)};
}

std::vector<Group> all_groups(const WardenSpec& spec) {
    std::vector<Group> groups = {warm_group(spec), tool_group(spec.workspace_path)};
    if (::access("/usr/bin/bwrap", X_OK) == 0) groups.push_back(cold_group(spec));
    groups.push_back(session_group(spec));
    if (::access("/usr/bin/gcc", X_OK) == 0) groups.push_back(build_group(spec));
    return groups;
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
    if (started(spec) == nullptr) return paddock::bench::kSkipped;
    write_units(scratch.path());

    std::vector<Group> groups = all_groups(spec);
    if (::access("/usr/bin/npm", X_OK) == 0) groups.push_back(refused_group(scratch.path()));
    const int status = paddock::bench::compare(groups, settings);
    const std::vector<char> held(std::size_t{500} << 20, 'x');
    std::vector<Group> again = all_groups(spec);
    for (Group& group : again) group.title += ", 500 MB held";
    return std::max(status, paddock::bench::compare(again, settings));
}
