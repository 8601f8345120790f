#include "cli/doctor_report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/display.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "journal/journal.h"
#include "policy/path_rules.h"
#include "policy/toolchains.h"
#include "sandbox/warden.h"
#include "sys/files.h"

namespace paddock::cli {
namespace {

constexpr std::array<const char*, kLayers> kEffects{
    "commands have no privileges on the host",
    "commands see only the workspace and the system's programs",
    "commands see only their own processes, and none outlives the session",
    "commands have their own loopback, and no other network",
    "commands cannot use the host's shared memory or queues",
    "commands have their own host name",
    "commands cannot see the host's control groups",
    "commands cannot open files outside",
    "dangerous system calls are refused",
    "open files and file sizes are limited per process, and processes per user",
    "the kernel limits the memory and processes of all commands together",
    "each change of the workspace is checked before it is made, and can be undone",
};

// Root runs commands as the owner of the workspace where it has nobody else.
constexpr uid_t kSomebody = 65534;

class EmptyDirectory {
public:
    EmptyDirectory() {
        std::error_code none;
        path_ = std::filesystem::temp_directory_path(none).string() + "/paddock-doctor-XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr) path_.clear();
        if (!path_.empty() && ::geteuid() == 0) (void)!::chown(path_.c_str(), kSomebody, kSomebody);
    }
    ~EmptyDirectory() {
        std::error_code none;
        if (!path_.empty()) std::filesystem::remove_all(path_, none);
    }
    EmptyDirectory(const EmptyDirectory&) = delete;
    EmptyDirectory& operator=(const EmptyDirectory&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

ShellFinding examine_shell() {
    const EmptyDirectory directory;
    const UniqueFd held(::open(directory.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!held.valid()) return {{}, "could not try a session: no temporary directory can be made"};
    std::error_code none;
    sandbox::WardenSpec spec;
    spec.workspace = held.get();
    spec.workspace_path = std::filesystem::canonical(directory.path(), none).string();
    const auto rules = policy::PathRules::compile({}, {});
    auto journal = journal::Journal::open(held.get(), {.client = "doctor"});
    if (rules && journal) spec.gate = sandbox::GateSpec{&*rules, &*journal};
    const auto warden = sandbox::Warden::start(spec);
    if (!warden) return {{}, warden.error().explanation()};
    return {warden->report(), {}};
}

std::vector<Finding> layers_of(const ShellReport& report) {
    std::vector<Finding> layers;
    for (const Layer layer : report.requested) {
        Finding finding;
        finding.name = layer_name(layer);
        finding.without = kEffects[static_cast<std::size_t>(layer)];
        const auto missing =
            std::find_if(report.missing.begin(), report.missing.end(),
                         [layer](const MissingLayer& each) { return each.layer == layer; });
        if (missing == report.missing.end()) {
            finding.state = State::kOn;
            finding.detail = finding.without;
        } else {
            finding.detail = missing->reason;
            finding.remedy = missing->remedy;
        }
        layers.push_back(std::move(finding));
    }
    return layers;
}

WorldFinding examine_world() {
    WorldFinding world;
    const auto made = configuration({}, StateDirectory::kLeave);
    std::vector<std::string> names = policy::toolchain_names();
    std::string workspace = ".";
    std::vector<std::string> visible;
    const auto see = [&visible](const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            if (auto real = sys::real_path(path.c_str())) visible.push_back(std::move(*real));
        }
    };
    if (made) {
        workspace = made->workspace.root;
        see(made->workspace.also);
        see(made->workspace.see);
        if (const auto& shell = made->workspace.shell) {
            names = shell->toolchains;
            world.homes = shell->homes.value_or("");
            see(shell->read_only_directories);
        }
    }
    const auto environment = host_environment();
    world.toolchains =
        sandbox::find_toolchains({.environment = environment,
                                  .workspace = sys::real_path(workspace.c_str()).value_or("/"),
                                  .visible = visible,
                                  .names = names});
    return world;
}

namespace {

Tone tone_of(State state) {
    switch (state) {
        case State::kOn: return Tone::kGood;
        case State::kPartial: return Tone::kDoubtful;
        case State::kMissing: break;
    }
    return Tone::kBad;
}

bool lacks_a_need(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.state == State::kMissing && is_needed(finding);
    });
}

std::string advice(const Finding& finding, const Paint& paint) {
    std::string text = "\n" + paint(Tone::kStrong, finding.name) + "\n";
    text += "  without it  " + finding.without + "\n";
    if (!finding.remedy.empty()) text += "  to do       " + finding.remedy + "\n";
    return text;
}

std::string table_of(const std::vector<Finding>& findings, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    rows.reserve(findings.size());
    for (const Finding& finding : findings) {
        rows.push_back({{std::string(state_name(finding.state)), tone_of(finding.state)},
                        {finding.name},
                        {finding.detail}});
    }
    return table(rows, paint);
}

std::string shell_text(const ShellFinding& shell, const Paint& paint) {
    if (!shell.report)
        return paint(Tone::kBad, "commands are refused") + "  " + shell.refusal + "\n";
    const std::vector<Finding> layers = layers_of(*shell.report);
    std::string text = paint(Tone::kStrong, "commands") + "  in a sandbox of the " +
                       std::string(level_name(shell.report->level)) + " level\n" +
                       table_of(layers, paint);
    std::string_view last;
    for (const Finding& layer : layers) {
        if (layer.state == State::kOn || layer.remedy == last) continue;
        last = layer.remedy;
        text += "\n" + paint(Tone::kStrong, layer.name) + "\n  to do       " + layer.remedy + "\n";
    }
    return text;
}

std::string world_text(const WorldFinding& world, const Paint& paint) {
    const sandbox::Toolchains& toolchains = world.toolchains;
    std::string text =
        "\n" + paint(Tone::kStrong, "toolchains") + "  that commands can read, but not change\n";
    std::vector<std::vector<Cell>> rows;
    for (const sandbox::FoundToolchain& found : toolchains.found) {
        rows.push_back({{std::string(found.name), Tone::kGood},
                        {displayable(found.directory)},
                        {displayable(found.reason) + "; " + std::to_string(found.shown.size()) +
                         (found.shown.size() == 1 ? " part" : " parts")}});
    }
    for (const sandbox::RefusedPath& refused : toolchains.refused) {
        rows.push_back(
            {{"refused", Tone::kBad}, {displayable(refused.path)}, {std::string(refused.reason)}});
    }
    text += rows.empty() ? "none on PATH\n" : table(rows, paint);
    text += "\n" + paint(Tone::kStrong, "home") + "  of commands " +
            (world.homes.empty() ? "ends with the session"
                                 : "lasts, one for each workspace in " + displayable(world.homes)) +
            "\n";
    return text;
}

std::string as_text(const std::vector<Finding>& findings, const ShellFinding& shell,
                    const WorldFinding& world, const Paint& paint) {
    std::string advices;
    for (const Finding& finding : findings) {
        if (finding.state != State::kOn) advices += advice(finding, paint);
    }
    return table_of(findings, paint) + advices + "\n" + shell_text(shell, paint) +
           world_text(world, paint) +
           (lacks_a_need(findings) ? "\npaddock cannot protect a workspace on this host.\n"
                                   : "\npaddock can protect a workspace on this host.\n");
}

}  // namespace

bool is_needed(const Finding& finding) noexcept {
    return finding.name == "mount_ids" || finding.name == "landlock";
}

int run(const DoctorRequest& request) {
    const std::vector<Finding> findings = examine_host();
    const ShellFinding shell = examine_shell();
    const WorldFinding world = examine_world();
    if (!print(request.output.json ? as_json(findings, shell, world)
                                   : as_text(findings, shell, world,
                                             Paint(STDOUT_FILENO, request.output.colours)))) {
        return kUsageError;
    }
    return lacks_a_need(findings) ? 1 : 0;
}

}  // namespace paddock::cli
