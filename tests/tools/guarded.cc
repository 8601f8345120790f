#include "tools/guarded.h"

#include <algorithm>
#include <filesystem>

namespace paddock::testing {

std::string undone_word(tools::Undone what) {
    using tools::Undone;
    switch (what) {
        case Undone::kQuarantined: return "quarantined";
        case Undone::kRemoved: return "removed";
        case Undone::kCleaned: return "cleaned";
        case Undone::kMovedBack: return "moved-back";
        case Undone::kRestored: return "restored";
        case Undone::kMissing: return "missing";
        case Undone::kReplaced: return "replaced";
        case Undone::kMadeReadable: return "made-readable";
        case Undone::kLeft: return "left";
    }
    return "?";
}

tools::Guard& Guarded::guard() {
    if (guard_) return *guard_;
    compiled_ = policy::PathRules::compile(rules, policy::default_path_rules()).value();
    tools::GuardOptions options;
    options.kernel_holds = kernel_holds;
    options.alive = [this] { return alive; };
    options.patience = {};
    if (quarantines) {
        std::filesystem::create_directories(base() + "/KEPT");
        options.quarantine = Root::open(base() + "/KEPT").value();
    }
    return guard_.emplace(root({.symlinks = Symlinks::kReject}), *compiled_, held_,
                          std::move(options));
}

std::string Guarded::before(tools::Since since) {
    const auto found = guard().before(since);
    if (!found) return "error: " + found.error().message();
    std::string text;
    for (const auto& entry : *found) text += entry.path + " ";
    return text;
}

tools::GuardReport Guarded::report() {
    tools::GuardReport report = guard().after();
    if (report.unfinished) ADD_FAILURE() << report.unfinished->message();
    return report;
}

std::string Guarded::after() {
    std::string text;
    for (const tools::GuardRecord& record : report().records) {
        text += record.path + ":" + undone_word(record.what);
        if (!record.detail.empty()) text += "(" + record.detail + ")";
        text += " ";
    }
    return text;
}

bool Guarded::sh(const std::string& command, const std::string& directory) {
    const std::string prefix =
        "exec >/dev/null 2>&1; export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n "
        "GIT_COMMITTER_EMAIL=e; ";
    return run_shell(ws(directory), prefix + command) == 0;
}

std::string Guarded::names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(ws())) {
        const std::string path = entry.path().string().substr(ws().size() + 1);
        const bool is_noise = path.find(".git/") != path.npos && !path.ends_with("/config") &&
                              path.find("/hooks") == path.npos;
        if (!is_noise && !path.ends_with(".sample")) found.push_back(path);
    }
    std::sort(found.begin(), found.end());
    std::string text;
    for (const std::string& path : found) text += path + " ";
    return text;
}

std::optional<std::string> Guarded::kept(const tools::GuardRecord& record) const {
    if (record.kept.empty()) return std::nullopt;
    return os_read(base() + "/KEPT/" + record.kept);
}

}  // namespace paddock::testing
