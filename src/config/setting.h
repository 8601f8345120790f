// One setting, declared once: decoding of the file, variables, flags, `paddock config show`, the
// file that `paddock init` writes and docs/configuration.md are made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/draft.h"

namespace paddock::config {

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

    Value usual() const { return read(Draft{}); }
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

}  // namespace paddock::config
