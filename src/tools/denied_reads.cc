#include "tools/denied_reads.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>

#include "base/text.h"
#include "fs/procfs.h"
#include "fs/rel_path.h"
#include "policy/host_rules.h"
#include "text/names.h"

namespace paddock::tools {
namespace {

// "Permission denied" of C, Python and shells, "permission denied" of Go, "EACCES" of Node.
bool complains(std::string_view text) {
    return text.find("ermission denied") != text.npos || text.find("EACCES") != text.npos;
}

// What stands around a name: quotes, and the punctuation of messages.
bool is_around_name(char c) {
    constexpr std::string_view kAround = " \t\r'\"`()[]{}<>,;:=|";
    return kAround.find(c) != kAround.npos;
}
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Without the quotes of other languages, which are no ASCII.
std::string_view trimmed(std::string_view word) {
    while (!word.empty() && !is_ascii(word.front())) word.remove_prefix(1);
    while (!word.empty() && !is_ascii(word.back())) word.remove_suffix(1);
    return word;
}

using Names = std::set<std::string_view>;

void add_names(std::string_view line, Names& names) {
    while (!line.empty() && names.size() < kComplaintNamesMax) {
        const auto* const end = std::find_if(line.begin(), line.end(), is_around_name);
        const auto size = static_cast<std::size_t>(end - line.begin());
        const std::string_view name = trimmed(line.substr(0, size));
        if (!name.empty() && name.size() <= limits::kPathBytesMax) names.insert(name);
        line.remove_prefix(std::min(size + 1, line.size()));
    }
}

Names names_in_complaints(std::string_view printed) {
    Names names;
    if (!complains(printed)) return names;
    while (!printed.empty()) {
        const std::string_view line = printed.substr(0, printed.find('\n'));
        if (complains(line)) add_names(line, names);
        printed.remove_prefix(std::min(line.size() + 1, printed.size()));
    }
    return names;
}

// With the directory before it unless it is absolute; without "." and "..", by its text alone.
std::string absolute(std::string_view name, std::string_view directory) {
    std::string whole = name.starts_with('/') ? "" : std::string(directory);
    while (!name.empty()) {
        const std::string_view component = fs::take_component(name);
        if (component == "..") whole.resize(std::min(whole.rfind('/'), whole.size()));
        if (!component.empty() && component != "." && component != "..") {
            whole.append("/").append(component);
        }
    }
    return whole;
}

bool ends_with_path(std::string_view path, std::string_view end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

// The part of a relative name that the path ends with: of "./home/.ssh/id" for "my/home/.ssh" it is
// "home/.ssh". Empty: there is none.
std::string_view common_part(std::string_view name, std::string_view path) {
    while (name.starts_with("./") || name.starts_with("../")) {
        name.remove_prefix(name.find('/') + 1);
    }
    for (std::size_t end = 0; end != name.npos;) {
        end = name.find('/', end + 1);
        const std::string_view part = name.substr(0, end);
        if (!part.empty() && ends_with_path(path, part)) return part;
    }
    return {};
}

// Letter for letter in a shell and in a rule.
bool is_plain(std::string_view path) {
    constexpr std::string_view kPlain = "/._-+@%";
    return std::all_of(path.begin(), path.end(), [kPlain](char c) {
        return is_letter(c) || is_digit(c) || kPlain.find(c) != kPlain.npos;
    });
}

// Does the path lie there, below a directory `root`? Also what is below it.
bool is_at(std::string_view absolute, std::string_view root, std::string_view path) {
    return absolute.size() > root.size() && is_within(absolute, root) &&
           is_within(absolute.substr(root.size() + 1), path);
}

// As it was printed, and where that may be.
struct Name {
    std::string_view text;
    std::vector<std::string> places;  // absolute
};

std::vector<Name> placed(const Names& names, const std::array<std::string, 2>& directories,
                         std::string_view workspace) {
    std::vector<Name> all;
    for (const std::string_view text : names) {
        Name name{text, {}};
        for (const std::string& each : directories) {
            name.places.push_back(absolute(text, absolute(each, workspace)));
        }
        all.push_back(std::move(name));
    }
    return all;
}

std::set<std::string_view> components_of(const Names& names) {
    std::set<std::string_view> components;
    for (std::string_view rest : names) {
        while (!rest.empty()) components.insert(fs::take_component(rest));
    }
    return components;
}

struct PlaceInText {
    std::string path;    // absolute
    std::string prefix;  // of paths that are shown
    std::vector<HiddenFiles::Ruled> files;
};

class Finder {
public:
    Finder(const ReadsToFind& command, const Names& names) : command_(command) {
        for (const SessionRoot* root : command.roots) {
            auto path = fs::host_path_of(root->opened.workspace.fd());
            if (!path) return;
            if (places_.empty()) names_ = placed(names, command.directories, *path);
            places_.push_back({std::move(*path), root->opened.prefix, {}});
            places_.back().files = candidates(*root, places_.back().path, components_of(names));
        }
    }

    std::vector<sandbox::Denial> denials() const {
        std::vector<sandbox::Denial> all;
        for (const Name& name : names_) {
            auto some = at_place(name);
            // The command may have been elsewhere.
            if (some.empty() && !name.text.starts_with('/')) some = called(name.text);
            std::move(some.begin(), some.end(), std::back_inserter(all));
        }
        return all;
    }

private:
    // Those at a place that is named, and of those that are only called so some.
    std::vector<HiddenFiles::Ruled> candidates(const SessionRoot& root, std::string_view at,
                                               const std::set<std::string_view>& components) const {
        std::size_t left = kComplaintNamesMax;
        return root.hidden.covered_by_rule([&](std::string_view path) {
            if (!components.contains(fs::leaf_of(path))) return false;
            const bool is_named = std::any_of(names_.begin(), names_.end(), [&](const Name& name) {
                return is_named_by(name, at, path);
            });
            return is_named || (left > 0 && left-- > 0);
        });
    }

    static bool is_named_by(const Name& name, std::string_view root, std::string_view path) {
        return std::any_of(name.places.begin(), name.places.end(),
                           [&](const std::string& place) { return is_at(place, root, path); });
    }

    std::vector<sandbox::Denial> at_place(const Name& name) const {
        std::vector<sandbox::Denial> denials;
        for (const PlaceInText& place : places_) {
            for (const HiddenFiles::Ruled& file : place.files) {
                if (!is_named_by(name, place.path, file.path)) continue;
                denials.push_back(denial_of(place, file));
            }
        }
        return denials;
    }

    std::vector<sandbox::Denial> called(std::string_view name) const {
        std::vector<sandbox::Denial> denials;
        for (const PlaceInText& place : places_) {
            for (const HiddenFiles::Ruled& file : place.files) {
                const std::string_view part = common_part(name, file.path);
                if (part.empty()) continue;
                // Which of several it was is not known; what all are called is.
                if (!denials.empty()) return {denial_of(part, "**/" + std::string(part), file)};
                denials.push_back(denial_of(place, file));
            }
        }
        return denials;
    }

    sandbox::Denial denial_of(const PlaceInText& place, const HiddenFiles::Ruled& file) const {
        const std::string shown = place.prefix.empty() ? file.path : place.prefix + "/" + file.path;
        return denial_of(shown, "/" + file.path, file);
    }

    sandbox::Denial denial_of(std::string_view target, const std::string& pattern,
                              const HiddenFiles::Ruled& file) const {
        const bool has_option = command_.can_add_rule && !file.has_more_names && is_plain(target);
        return {.wall = sandbox::Wall::kRule,
                .operation = sandbox::DeniedOperation::kRead,
                .target = text::quote_in_sentence(target),
                .why = "hidden from commands: " + sandbox::protected_by(file.rule),
                .layer = layer_name(Layer::kMountNamespace),
                .setting = {},
                .option = has_option ? "--rule 'allow " + pattern + "'" : ""};
    }

    const ReadsToFind& command_;
    std::vector<Name> names_;
    std::vector<PlaceInText> places_;  // the workspace first
};

}  // namespace

std::vector<sandbox::Denial> refused_reads(const ReadsToFind& command) {
    const Names names = names_in_complaints(command.printed);
    if (names.empty()) return {};
    return Finder(command, names).denials();
}

namespace {

// What programs print before the host.
constexpr std::array<std::string_view, 8> kBeforeHost{
    "getaddrinfo EAI_AGAIN ",           // Node, npm
    "getaddrinfo ENOTFOUND ",           // Node
    "Could not resolve host: ",         // curl, git, cargo
    "Could not resolve hostname ",      // ssh
    "unable to resolve host address ",  // wget
    "Failed to resolve ",               // Python's urllib3
    "Temporary failure resolving ",     // apt
    "dial tcp: lookup ",                // Go
};

// What some print without naming the host.
constexpr std::array<std::string_view, 3> kWithoutHost{"Temporary failure in name resolution",
                                                       "Name or service not known",
                                                       "failed to lookup address information"};

constexpr std::string_view kWhy =
    "is out of reach: commands have no network, and allowed hosts need a network namespace (see "
    "`paddock doctor`)";

bool is_of_host(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_'; }

// Behind quotes of any language, which are no ASCII.
std::string_view host_at(std::string_view text) {
    constexpr std::size_t kQuoteBytesMax = 3;
    const auto* begin = std::find_if(text.begin(), text.end(), is_of_host);
    if (begin - text.begin() > static_cast<std::ptrdiff_t>(kQuoteBytesMax)) return {};
    const auto* const end = std::find_if_not(begin, text.end(), is_of_host);
    std::string_view host(begin, static_cast<std::size_t>(end - begin));
    while (host.ends_with('.')) host.remove_suffix(1);
    return host;
}

bool is_of_this_machine(std::string_view name) {
    return name == "localhost" || name.ends_with(".localhost");
}

sandbox::Denial denial_of(std::string target, std::string option) {
    return {.wall = sandbox::Wall::kNetwork,
            .operation = sandbox::DeniedOperation::kResolve,
            .target = std::move(target),
            .why = std::string(kWhy),
            .option = std::move(option)};
}

void add_hosts(std::string_view printed, std::string_view before,
               std::vector<sandbox::Denial>& denials) {
    const policy::HostRules nothing_allowed;
    for (;;) {
        const std::size_t found = printed.find(before);
        if (found == printed.npos) return;
        printed.remove_prefix(found + before.size());
        const auto host = policy::parse_host(host_at(printed));
        if (!host || is_of_this_machine(host->text)) continue;
        denials.push_back(denial_of(host->text, nothing_allowed.option_to_allow({*host, 0})));
    }
}

}  // namespace

std::vector<sandbox::Denial> refused_look_ups(std::string_view printed) {
    std::vector<sandbox::Denial> denials;
    for (const std::string_view before : kBeforeHost) add_hosts(printed, before, denials);
    const bool is_nameless =
        denials.empty() &&
        std::any_of(kWithoutHost.begin(), kWithoutHost.end(),
                    [&](std::string_view words) { return printed.find(words) != printed.npos; });
    if (is_nameless) denials.push_back(denial_of("any host", {}));
    return denials;
}

}  // namespace paddock::tools
