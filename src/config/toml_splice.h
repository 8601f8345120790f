// Changes one table of a TOML text and keeps every other byte: for files that belong to others.
//
// The result is parsed again and compared with the old text: a text that is written in a way that
// is not understood here is refused, never damaged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace paddock::config {

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
