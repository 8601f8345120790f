#include "cli/doctor_shell.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "journal/journal.h"
#include "policy/path_rules.h"
#include "sandbox/warden.h"

namespace paddock::cli {
namespace {

constexpr std::array<const char*, kLayers> kEffects{
    "rights that the host does not know",
    "nothing but the workspace and the system's programs exists",
    "other processes do not exist, and none outlives the session",
    "a loopback of its own, and no other network",
    "no shared memory or queues of the host",
    "a host name of its own",
    "the host's control groups are not seen",
    "files outside cannot be opened",
    "system calls that serve attacks are refused",
    "open files and sizes of files of each process, and processes of the user, are bounded",
    "the kernel bounds memory and processes of all commands together",
    "each change of the workspace is judged before it is made, and can be undone",
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
    if (!held.valid()) return {{}, "no session could be tried: no temporary directory can be made"};
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

}  // namespace paddock::cli
