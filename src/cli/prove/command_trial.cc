#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "cli/host_environment.h"
#include "cli/prove/command_attack.h"
#include "json/write.h"
#include "tools/session.h"
#include "tools/shell.h"

namespace paddock::cli::prove {
namespace {

Result<Workspace> open_workspace(const std::string& root) {
    WorkspaceOptions options;
    options.root = root;
    options.redact_secrets = false;  // what gets out is to be seen
    options.shell.emplace();
    options.host_environment = host_environment();
    return Workspace::open(std::move(options));
}

// Both streams, until all who hold them are gone or the script itself has ended.
std::string run_plainly(const Ground& ground, const std::string& script) {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const UniqueFd output(ends[0]);
    UniqueFd input(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return {};
    if (child == 0) {
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(input.get(), STDOUT_FILENO);
        ::dup2(input.get(), STDERR_FILENO);
        if (::chdir(ground.ws().c_str()) != 0) ::_exit(127);
        ::execlp("bash", "bash", "--noprofile", "--norc", "-c", script.c_str(), nullptr);
        ::_exit(127);
    }
    input.reset();
    std::string text;
    std::array<char, 4096> block;
    for (ssize_t got = 0; (got = ::read(output.get(), block.data(), block.size())) > 0;) {
        text.append(block.data(), static_cast<std::size_t>(got));
    }
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

struct Printed {
    std::string text;
    std::string hindrance{};
};

Printed run_in_session(const CommandAttack& attack, const Ground& ground,
                       const std::string& script) {
    const auto workspace = open_workspace(ground.ws());
    if (!workspace) return {{}, workspace.error().message()};
    const auto shell = workspace->session().shell();
    if (!shell) return {{}, shell.error().text};
    if ((*shell)->report().rung == Rung::kLow && !attack.low_rung_holds) {
        return {{}, "not promised without namespaces"};
    }
    if (attack.needs_gate && !(*shell)->is_gated()) return {{}, "not promised without the gate"};
    const json::Object arguments{{"command", script}};
    return {tools::call(*workspace, "bash", json::to_text(arguments)).text()};
}

}  // namespace

Verdict try_command(const CommandAttack& attack, Runner runner, const std::string& scratch) {
    try {
        const Ground ground(scratch + "/ground");
        ground.plant({".env=@", ".git/HEAD=ref: refs/heads/main\n", ".git/config=[core]\n",
                      ".git/hooks/", ".git/objects/", ".git/refs/heads/"});
        const HostDecoys host(ground);
        const std::string before = ground.outside();
        const std::string script = host.assignments(ground) + std::string(attack.script);
        const Printed printed = runner == Runner::kPlainBash
                                    ? Printed{run_plainly(ground, script)}
                                    : run_in_session(attack, ground, script);
        if (!printed.hindrance.empty()) return skipped(printed.hindrance);
        if (printed.text.find(kSecret) != std::string::npos) {
            return {Fate::kLeaked, {}, "outside was read"};
        }
        if (ground.outside() != before) return {Fate::kLeaked, {}, "outside was changed"};
        const std::string_view harm = attack.harm == nullptr ? "" : attack.harm(ground, host);
        if (!harm.empty()) return {Fate::kLeaked, {}, std::string(harm)};
        return {Fate::kHeld, {}, {}};
    } catch (const std::exception& error) {
        return skipped(error.what());
    }
}

std::string rung_in(const std::string& scratch, std::string& why) {
    const auto workspace = open_workspace(scratch);
    if (!workspace) return why = workspace.error().message(), std::string();
    const auto shell = workspace->session().shell();
    if (!shell) return why = shell.error().text, std::string();
    return std::string(rung_name((*shell)->report().rung));
}

}  // namespace paddock::cli::prove
