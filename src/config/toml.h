// A TOML document as the leaves of its tree, each with the place where it stands.
//
// Bounded in size and depth before the parser sees it: toml++ 3.3.0 recurses on the depth of a
// dotted key. Never throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace paddock::config {

// From 1 on; columns are characters.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
};

// What no setting takes: "a date", "a list that contains anything but strings".
struct Unfit {
    std::string_view what;
    friend bool operator==(const Unfit&, const Unfit&) = default;
};

using TomlValue = std::variant<Unfit, bool, std::int64_t, std::string, std::vector<std::string>>;

struct Leaf {
    std::vector<std::string> path;  // "workspace", "root"
    Place key;
    Place value;
    Place end;  // behind the value
    TomlValue content;
};

struct TableHead {
    std::vector<std::string> path;
    Place place;
};

struct TomlDocument {
    std::vector<Leaf> leaves;  // in the order of the text
    std::vector<TableHead> tables;
    std::optional<Place> wrong;  // set: it is no TOML, and `problem` says why
    std::string problem;
};

TomlDocument parse_toml(std::string_view text);

// "workspace.root"
std::string dotted(const std::vector<std::string>& path);

// A string as TOML writes it.
std::string toml_string(std::string_view text);

// Changes one table of a TOML text and keeps every other byte: for files that belong to others.
//
// The result is parsed again and compared with the old text: a text that is written in a way that
// is not understood here is refused, never damaged.
// The new text, or what is the matter with the old one.
using Spliced = tl::expected<std::string, std::string>;

struct TomlEntry {
    std::string name;
    std::string value;  // as TOML writes it
};

// Sets these names of a table and leaves its others; a new table comes at the end of the text.
Spliced set_entries(std::string_view text, const std::vector<std::string>& table,
                    const std::vector<TomlEntry>& entries);

// Removes a table and those below it. The same text if there is none.
Spliced remove_table(std::string_view text, const std::vector<std::string>& table);

}  // namespace paddock::config
