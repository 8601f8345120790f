#include "sandbox/toolchains.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "base/text.h"
#include "policy/toolchains.h"
#include "sys/files.h"
#include "sys/kernel_text.h"
#include "sys/process.h"

namespace paddock::sandbox {
namespace {

using policy::Toolchain;

// Enough for dozens of versions. Each is a mount, or a rule of Landlock, and two descriptors while
// a session starts, of the 1024 that most processes may have.
constexpr std::size_t kShownMax = 256;
constexpr std::size_t kNamesMax = 4096;  // read of one directory
constexpr std::size_t kSearchedMax = 256;

constexpr std::array<std::string_view, 6> kSystemPath{
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

constexpr std::string_view kIsLink = "is a link or behind a link; show its target with --see";
constexpr std::string_view kLeadsOut = "is a link that leads out of the toolchain";
constexpr std::string_view kHoldsOthers = "holds the data of many programs";
constexpr std::string_view kForeign = "belongs to another user";
constexpr std::string_view kUnknown =
    "is on PATH, but its programs belong to no known toolchain; show it with --see";
constexpr std::string_view kTooMany = "and further parts are left out because there are too many";

bool is_system(std::string_view path) {
    const auto all = system_directories();
    return std::any_of(all.begin(), all.end(), [path](auto at) { return is_within(path, at); });
}

bool is_strictly_within(std::string_view path, std::string_view directory) {
    return path != directory && is_within(path, directory);
}

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

std::vector<std::string> names_in(const HeldPath& directory) {
    std::vector<std::string> names;
    const auto open = sys::openat(directory.object.get(), ".", O_RDONLY | O_DIRECTORY);
    if (!open) return names;
    const auto reader = std::make_unique<sys::DirReader>();
    while (names.size() < kNamesMax) {
        const auto entry = reader->next(open->get());
        if (!entry || *entry == nullptr) break;
        names.emplace_back((*entry)->name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

// A directory of the table that exists.
struct Candidate {
    const Toolchain* toolchain = nullptr;
    HeldPath directory;
    std::string reason = {};  // empty: not in use
};

class Finder {
public:
    explicit Finder(const ToolchainQuery& query) : query_(query) {}

    Toolchains run() && {
        find_home();
        if (!home_.empty()) {
            find_shared();
            find_candidates();
        }
        read_search_path();
        bring_along();
        for (const Candidate& each : candidates_) {
            if (!each.reason.empty()) show(each);
        }
        for (const auto& [link, target] : links_) {
            const bool is_free = !is_in_workspace(link) && !is_shown(link);
            if (is_free && (is_shown(target) || holds_shown(target))) {
                found_.links.push_back({link, target});
            }
        }
        link_home();
        name_unknown();
        make_search_path();
        return std::move(found_);
    }

private:
    struct Entry {
        std::string spelled;
        std::string real;  // empty: it does not exist
    };

    std::string variable(std::string_view name) const {
        for (const std::string& each : query_.environment) {
            if (each.size() > name.size() && each[name.size()] == '=' && each.starts_with(name)) {
                return each.substr(name.size() + 1);
            }
        }
        return {};
    }

    void find_home() {
        spelled_home_ = without_slashes(variable("HOME"));
        if (!spelled_home_.starts_with('/')) return;
        auto real = sys::real_path(spelled_home_.c_str());
        if (real && *real != "/") home_ = std::move(*real);
    }

    // Below the home by its real name, or one of the places that the table names as a whole.
    std::string expected_place(std::string_view place) const {
        if (!place.starts_with('/')) return home_ + '/' + std::string(place);
        if (is_strictly_within(place, spelled_home_)) {
            return home_ + std::string(place.substr(spelled_home_.size()));
        }
        return std::string(place);
    }

    static bool has_marker(const Toolchain& toolchain, const HeldPath& directory) {
        return std::any_of(toolchain.markers.begin(), toolchain.markers.end(),
                           [&](std::string_view name) {
                               return hold_in(directory, std::string(name)).has_value();
                           });
    }

    // By their real names, too: any of them may be a link.
    void find_shared() {
        for (const policy::SharedDirectory& each : policy::shared_directories()) {
            for (const std::string& path :
                 {variable(each.variable), home_ + '/' + std::string(each.usual)}) {
                if (!path.starts_with('/')) continue;
                shared_.push_back(without_slashes(path));
                if (auto real = sys::real_path(path.c_str())) shared_.push_back(std::move(*real));
            }
        }
    }

    bool is_shared(const std::string& directory) const {
        return std::any_of(shared_.begin(), shared_.end(),
                           [&](const std::string& each) { return is_within(each, directory); });
    }

    void consider(const Toolchain& toolchain, const std::string& expected, bool is_of_table) {
        auto held = hold(expected);
        if (!held || !held->is_directory()) {
            auto real = sys::real_path(expected.c_str());
            if (real && *real != expected) linked_.push_back({expected, std::move(*real)});
            return;
        }
        if (is_shared(expected)) return refuse(expected, kHoldsOthers);
        const bool is_told = is_of_table && !toolchain.shares_places;
        if (!is_told && !has_marker(toolchain, *held)) return;
        const bool is_known =
            std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& each) {
                return each.toolchain == &toolchain && each.directory.path == expected;
            });
        if (!is_known) candidates_.push_back({&toolchain, std::move(*held)});
    }

    void find_candidates() {
        for (const Toolchain& each : policy::all_toolchains()) {
            const bool is_wanted = std::find(query_.names.begin(), query_.names.end(), each.name) !=
                                   query_.names.end();
            if (!is_wanted) continue;
            const std::string named = without_slashes(variable(each.variable));
            if (!each.variable.empty() && named.starts_with('/')) {
                const std::string place = expected_place(named);
                const bool is_listed =
                    std::find(each.places.begin(), each.places.end(), place) != each.places.end();
                if (is_listed || is_strictly_within(place, home_)) {
                    consider(each, place, is_listed);
                }
            }
            for (const std::string_view place : each.places) {
                const std::string expected = expected_place(place);
                if (!place.ends_with("/*")) {
                    consider(each, expected, true);
                    continue;
                }
                const auto above = hold(expected.substr(0, expected.size() - 2));
                if (!above) continue;
                for (const std::string& name : names_in(*above)) {
                    consider(each, above->path + '/' + name, true);
                }
            }
        }
    }

    void read_search_path() {
        for (const std::string& text : sys::split(variable("PATH"), ':')) {
            if (!text.starts_with('/') || search_path_.size() == kSearchedMax) continue;
            const std::string spelled = without_slashes(text);
            auto real = sys::real_path(spelled.c_str());
            if (!real) {
                search_path_.push_back({spelled, {}});
                continue;
            }
            if (is_within(*real, home_) || !is_system(*real)) use(spelled, *real);
            search_path_.push_back({spelled, std::move(*real)});
        }
    }

    // A directory on PATH outside of the system's.
    void use(const std::string& spelled, const std::string& real) {
        bool is_loose = true;
        for (Candidate& each : candidates_) {
            if (!is_within(real, each.directory.path)) continue;
            is_loose = false;
            if (each.reason.empty()) each.reason = spelled + " is on PATH";
        }
        for (const Entry& link : linked_) {
            if (is_within(real, link.real) && is_within(spelled, link.spelled)) {
                refuse(link.spelled, kIsLink);
                is_loose = false;
            }
        }
        if (is_loose) look_into(spelled, real);
    }

    // A directory of programs that belongs to no toolchain: of it the links to toolchains are
    // shown, and in the home the programs of toolchains themselves.
    void look_into(const std::string& spelled, const std::string& path) {
        const auto directory = hold(path);
        if (!directory || !directory->is_directory()) return;
        const bool is_in_home = !home_.empty() && is_strictly_within(path, home_);
        bool holds_others = false;
        for (const std::string& name : names_in(*directory)) {
            auto entry = hold_in(*directory, name);
            if (!entry) continue;
            const FileType type = entry->stat.type;
            bool is_known = false;
            if (is_in_home && type == FileType::kSymlink) {
                is_known = look_at_link(spelled, name, entry->path);
            } else if (is_in_home && type == FileType::kRegular) {
                is_known = look_at_program(spelled, name, *entry);
            }
            holds_others = holds_others || (!is_known && is_program(*entry));
            if (holds_others && !is_in_home) break;
        }
        if (holds_others) unknown_.push_back({spelled, path});
    }

    static bool is_program(const HeldPath& entry) {
        constexpr unsigned kExecutable = 0111;
        if (entry.stat.type != FileType::kSymlink) {
            return entry.stat.type == FileType::kRegular && (entry.stat.mode & kExecutable) != 0;
        }
        const auto target = sys::stat_path(entry.path.c_str());
        return target && target->type == FileType::kRegular && (target->mode & kExecutable) != 0;
    }

    bool look_at_program(const std::string& spelled, const std::string& name, HeldPath& entry) {
        const auto has_it = [&name](const Candidate& each) {
            const auto programs = each.toolchain->programs;
            return std::find(programs.begin(), programs.end(), name) != programs.end();
        };
        const auto found = std::find_if(candidates_.begin(), candidates_.end(), has_it);
        if (found == candidates_.end()) return false;
        found->reason = spelled + '/' + name + " is on PATH";
        show_one(std::move(entry));
        return true;
    }

    bool look_at_link(const std::string& spelled, const std::string& name,
                      const std::string& path) {
        const auto target = sys::real_path(path.c_str());
        if (!target) return false;
        const std::string reason = spelled + '/' + name + " leads there";
        bool is_known = false;
        for (Candidate& each : candidates_) {
            if (!is_within(*target, each.directory.path)) continue;
            if (each.reason.empty()) each.reason = reason;
            links_.emplace(path, *target);
            is_known = true;
        }
        return is_known;
    }

    // Commands do not find what the user finds there, or find another program of that name.
    void name_unknown() {
        for (const Entry& each : unknown_) {
            const bool is_seen = is_shown(each.real) || is_seen_anyway(each.real);
            if (!is_seen) refuse(each.spelled, kUnknown);
        }
    }

    void bring_along() {
        for (Candidate& each : candidates_) {
            const std::string_view other = each.toolchain->brought_by;
            if (other.empty() || !each.reason.empty()) continue;
            for (const Candidate& brings : candidates_) {
                if (brings.toolchain->name == other && !brings.reason.empty()) {
                    each.reason = std::string(other) + " needs it";
                }
            }
        }
    }

    void show(const Candidate& candidate) {
        const Toolchain& toolchain = *candidate.toolchain;
        const std::string& directory = candidate.directory.path;
        if (!is_trusted(candidate.directory.stat)) return refuse(directory, kForeign);
        const std::size_t before = found_.paths.size();
        top_ = directory;
        for (const std::string_view pattern : toolchain.shown) {
            expand(candidate.directory, pattern);
        }
        if (!toolchain.versions.empty()) {
            auto file = hold(home_ + '/' + std::string(toolchain.versions));
            if (file && file->stat.type == FileType::kRegular) show_one(std::move(*file));
        }
        if (!toolchain.told.empty()) {
            found_.variables.push_back(std::string(toolchain.told) + '=' + directory);
        }
        for (const std::string_view name : toolchain.passed) {
            const std::string value = variable(name);
            const auto real = sys::real_path(value.c_str());
            if (real && (is_shown(*real) || holds_shown(*real))) {
                found_.variables.push_back(std::string(name) + '=' + value);
            }
        }
        FoundToolchain found{toolchain.name, directory, candidate.reason, {}, {}};
        for (const std::string_view pattern : toolchain.shown) {
            const std::string_view fixed = pattern.substr(0, pattern.find_first_of("*<"));
            found.tops.push_back(without_slashes(directory + '/' + std::string(fixed)));
        }
        for (std::size_t i = before; i < found_.paths.size(); ++i) {
            found.shown.push_back(found_.paths[i].path);
        }
        found_.found.push_back(std::move(found));
    }

    // `at` is a directory of the toolchain, and none of its parents is shown as a whole.
    void expand(const HeldPath& at, std::string_view pattern) {
        const std::string_view name = pattern.substr(0, pattern.find('/'));
        const std::string_view rest =
            name.size() == pattern.size() ? std::string_view() : pattern.substr(name.size() + 1);
        if (name == "*") {
            for (const std::string& each : names_in(at)) {
                if (!each.starts_with('.')) step(at, each, rest);
            }
        } else if (name == "<prefix>") {
            for (const std::string& each : names_in(at)) {
                if (policy::is_shown_in_prefix(each)) step(at, each, {});
            }
        } else {
            step(at, std::string(name), rest);
        }
    }

    void step(const HeldPath& at, const std::string& name, std::string_view rest) {
        if (auto part = hold_in(at, name)) take(std::move(*part), rest);
    }

    void take(HeldPath part, std::string_view rest) {
        if (part.stat.type == FileType::kSymlink) return step_over_link(part.path);
        if (!is_trusted(part.stat)) return refuse(part.path, kForeign);
        if (!rest.empty()) {
            if (part.is_directory()) expand(part, rest);
        } else if (part.is_directory() || part.stat.type == FileType::kRegular) {
            show_one(std::move(part));
        }
    }

    // Where it leads is shown by its own name, or not at all.
    void step_over_link(const std::string& path) {
        const auto target = sys::real_path(path.c_str());
        if (!target) return;
        if (!is_strictly_within(*target, top_)) return refuse(path, kLeadsOut);
        links_.emplace(path, *target);
    }

    void show_one(HeldPath part) {
        const std::string& path = part.path;
        if (is_in_workspace(path) || holds_workspace(path)) return;
        for (const std::string& visible : query_.visible) {
            if (is_within(path, visible) || is_within(visible, path)) return;
        }
        if (is_shown(path)) return;
        if (!is_trusted(part.stat)) return refuse(path, kForeign);
        if (found_.paths.size() == kShownMax) return refuse(path, kTooMany);
        found_.paths.push_back(std::move(part));
    }

    void refuse(const std::string& path, std::string_view reason) {
        if (reason == kTooMany && is_full_) return;
        is_full_ = is_full_ || reason == kTooMany;
        const bool is_known =
            std::any_of(found_.refused.begin(), found_.refused.end(),
                        [&](const RefusedPath& each) { return each.path == path; });
        if (!is_known) found_.refused.push_back({path, reason});
    }

    bool is_in_workspace(std::string_view path) const {
        return !query_.workspace.empty() && is_within(path, query_.workspace);
    }
    bool holds_workspace(std::string_view path) const {
        return !query_.workspace.empty() && is_within(query_.workspace, path);
    }

    static bool is_trusted(const Stat& stat) {
        return stat.uid == 0 || stat.uid == sys::effective_user();
    }

    bool is_shown(std::string_view path) const {
        return std::any_of(found_.paths.begin(), found_.paths.end(),
                           [path](const HeldPath& at) { return is_within(path, at.path); });
    }
    bool holds_shown(std::string_view path) const {
        return std::any_of(found_.paths.begin(), found_.paths.end(),
                           [path](const HeldPath& at) { return is_within(at.path, path); }) ||
               std::any_of(found_.links.begin(), found_.links.end(),
                           [path](const ShownLink& at) { return is_within(at.path, path); });
    }

    // Scripts of toolchains name the home as the user does.
    void link_home() {
        if (spelled_home_ == home_ || found_.paths.empty()) return;
        const bool is_free = !holds_workspace(spelled_home_) && !is_system(spelled_home_) &&
                             !is_within(home_, spelled_home_);
        if (is_free) found_.links.push_back({spelled_home_, home_});
    }

    bool is_seen_anyway(const std::string& path) const {
        const auto& visible = query_.visible;
        return is_in_workspace(path) ||
               std::any_of(visible.begin(), visible.end(),
                           [&](const std::string& at) { return is_within(path, at); });
    }

    bool is_visible(const Entry& entry) const {
        return is_seen_anyway(entry.real) || is_shown(entry.real) || holds_shown(entry.real);
    }

    void make_search_path() {
        std::set<std::string, std::less<>> added;
        const auto add = [&](std::string_view path) {
            if (!added.emplace(path).second) return;
            if (!found_.search_path.empty()) found_.search_path += ':';
            found_.search_path += path;
        };
        for (const Entry& entry : search_path_) {
            if (is_system(entry.spelled) && is_system(entry.real)) {
                add(entry.spelled);
            } else if (!entry.real.empty() && (is_system(entry.real) || is_visible(entry))) {
                add(entry.real);
            }
            if (spelled_home_.starts_with('/') && is_strictly_within(entry.spelled, spelled_home_))
                add('~' + entry.spelled.substr(spelled_home_.size()));
        }
        for (const std::string_view path : kSystemPath) add(path);
    }

    const ToolchainQuery& query_;
    std::string home_;  // by its real name; empty: there is none
    std::string spelled_home_;
    std::string top_;  // of the toolchain at hand
    std::vector<Candidate> candidates_;
    std::vector<std::string> shared_;
    std::vector<Entry> linked_;   // that are none for being links
    std::vector<Entry> unknown_;  // directories on PATH with programs of no toolchain
    std::vector<Entry> search_path_;
    std::map<std::string, std::string> links_;  // and where they lead
    Toolchains found_;
    bool is_full_ = false;
};

}  // namespace

Toolchains find_toolchains(const ToolchainQuery& query) { return Finder(query).run(); }

}  // namespace paddock::sandbox
