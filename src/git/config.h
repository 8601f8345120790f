// The text of a git configuration file, read as git reads it (checked against git itself).
//
// Includes are settings like any other here ("include.path"); nothing is opened. What git would
// refuse is refused, and so is a NUL byte.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/outcome.h"

namespace paddock::git {

struct GitSetting {
    std::string key;                   // "remote.Origin.url": section and name in lower case
    std::optional<std::string> value;  // none: the name alone, which means true
    std::size_t begin = 0;             // where it stands in the text, with its line ends
    std::size_t end = 0;
    // What git since 2.45 reads, where that is another: a tab in a value that is not quoted was a
    // blank before, and stays a tab since.
    std::optional<std::string> verbatim{};

    // What it says, wherever it stands.
    bool same_as(const GitSetting& other) const {
        return key == other.key && value == other.value && verbatim == other.verbatim;
    }

    // The value names a file whose settings are read here, on some condition or on none.
    bool is_include() const {
        return key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"));
    }
};

// For lookups: a hostile config has a hundred thousand settings. Those indexed must outlive it.
class SettingSet {
public:
    explicit SettingSet(const std::vector<GitSetting>& settings) {
        for (const GitSetting& setting : settings) {
            said_.emplace(setting.key, setting.value, setting.verbatim);
        }
    }

    bool holds(const GitSetting& wanted) const {
        return said_.contains({wanted.key, wanted.value, wanted.verbatim});
    }

private:
    using Text = std::optional<std::string_view>;
    std::set<std::tuple<std::string_view, Text, Text>> said_;
};

// In order. Errors: invalid_argument (git refuses it too), too_large (limits::kGitConfigBytesMax,
// limits::kGitSettingsMax).
Outcome<std::vector<GitSetting>> parse_git_config(std::string_view text);

// A text that git reads as these settings.
std::string print_git_config(const std::vector<GitSetting>& settings);

}  // namespace paddock::git
