// The values of all settings while they are gathered: what the sources say, not yet what it means
// together.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <paddock/config.h>

#include "policy/toolchains.h"

namespace paddock::config {

struct Draft {
    WorkspaceOptions workspace{};
    ShellOptions shell{};
    ServeSettings serve{};

    std::string root{};                // empty: not said
    std::string outside_reason{};      // permit::Unconfined
    std::string every_mount_reason{};  // permit::EveryMount
    std::vector<std::string> ignore{};
    std::vector<std::string> secrets{};  // "NAME=env:VARIABLE", "NAME=file:PATH"
    bool bash = true;
    std::string network = "none";  // or "host", "listed", or hosts and presets with commas
    std::vector<std::string> toolchains = policy::toolchain_names();
    bool fresh_home = false;
};

// One setting, declared once: decoding of the file, variables, flags, `paddock config show`, the
// file that `paddock init` writes and docs/configuration.md are made of it.
enum class Kind : std::uint8_t {
    kSwitch,
    kNumber,
    kBytes,  // a number, or a text such as "2G"
    kText,
    kFile,    // a path of the host; in the file "~/" is the home, and relative is to the file
    kChoice,  // one of a few words
    kTexts,
    kTable,  // names with texts; everywhere but in TOML "NAME=value"
};

using Value = std::variant<bool, std::uint64_t, std::string, std::vector<std::string>>;

struct Setting {
    std::string key;  // "bash.network": table and name
    Kind kind = Kind::kText;
    std::string help;                      // no full stop
    std::string off_help{};                // of the flag of a switch that is on by default
    std::string unit{};                    // of a text: "REASON", "DIR"
    std::vector<std::string> variables{};  // of the environment, ours first
    std::vector<std::string> flags{};      // for one that is on by default it switches off
    std::vector<std::string> choices{};
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::string example{};   // in TOML, where the default says little
    bool is_secret = false;  // values of the table are never shown
    bool weakens = false;    // another value than the default gives up a protection

    std::function<Value(const Draft&)> read{};
    // What is wrong with the value, or nothing: then the draft has it.
    std::function<std::string(Value, Draft&)> apply{};

    Value default_value() const { return read(Draft{}); }
    bool switches_off() const;  // its flag does
};

// All of them, those of one table together.
std::span<const Setting> all_settings();
const Setting* find_setting(std::string_view key);  // nullptr: there is none

// The items of a bash.network that is a list; an empty one among them if a comma has nothing on a
// side of it.
std::vector<std::string> network_hosts(std::string_view text);

// Those of a table each, for all_settings().
std::vector<Setting> workspace_settings();
std::vector<Setting> path_settings();
std::vector<Setting> guard_settings();  // secrets, limits
std::vector<Setting> bash_settings();
std::vector<Setting> serve_settings();

// Makes the reading and applying halves of a setting from the place of its value in the draft.
template <class T>
using Field = T& (*)(Draft&);

// const_cast: a field is found in the same way whether it will be changed or not.
template <class T>
const T& look(Field<T> field, const Draft& draft) {
    return field(const_cast<Draft&>(draft));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// A value that is taken as it is: a switch, a text, a list.
template <class T>
Setting plain(Setting setting, Field<T> field) {
    setting.read = [field](const Draft& draft) -> Value { return look(field, draft); };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        field(draft) = std::get<T>(std::move(value));
        return {};
    };
    return setting;
}

// Every item is looked at by `wrong`, which says what is the matter or nothing.
inline Setting checked(Setting setting, Field<std::vector<std::string>> field,
                       std::string (*wrong)(const std::string& item)) {
    setting = plain(std::move(setting), field);
    setting.apply = [field, wrong](Value value, Draft& draft) -> std::string {
        auto items = std::get<std::vector<std::string>>(std::move(value));
        for (const std::string& item : items) {
            if (std::string problem = wrong(item); !problem.empty()) return problem;
        }
        field(draft) = std::move(items);
        return {};
    };
    return setting;
}

template <class T>
Setting number(Setting setting, Field<T> field) {
    setting.most = std::min<std::uint64_t>(setting.most, std::numeric_limits<T>::max());
    setting.read = [field](const Draft& draft) -> Value {
        return std::uint64_t{look(field, draft)};
    };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        field(draft) = static_cast<T>(std::get<std::uint64_t>(value));  // the range was checked
        return {};
    };
    return setting;
}

// 0 is none.
template <class T>
Setting limit(Setting setting, Field<std::optional<T>> field) {
    setting.most = std::min<std::uint64_t>(setting.most, std::numeric_limits<T>::max());
    setting.read = [field](const Draft& draft) -> Value {
        return std::uint64_t{look(field, draft).value_or(0)};
    };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        const std::uint64_t most = std::get<std::uint64_t>(value);
        field(draft) = most == 0 ? std::nullopt : std::optional<T>(static_cast<T>(most));
        return {};
    };
    return setting;
}

template <class T>
Setting choice(Setting setting, Field<T> field,
               std::vector<std::pair<std::string, std::type_identity_t<T>>> words) {
    setting.kind = Kind::kChoice;
    for (const auto& [word, meaning] : words) setting.choices.push_back(word);
    setting.read = [field, words](const Draft& draft) -> Value {
        for (const auto& [word, meaning] : words) {
            if (meaning == look(field, draft)) return word;
        }
        return std::string();
    };
    setting.apply = [field, words](Value value, Draft& draft) -> std::string {
        for (const auto& [word, meaning] : words) {
            if (word == std::get<std::string>(value)) field(draft) = meaning;
        }
        return {};
    };
    return setting;
}

// Why a protection is given up. A bare "yes" is no reason: whoever comes later wants to know, and
// a variable that is set by habit must not open the workspace.
Setting reason(Setting setting, Field<std::string> field);

}  // namespace paddock::config
