// What a command tells of itself: made into --help, the man page and the completions of shells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace paddock::cli {

using Words = std::vector<std::string>;

// What a shell offers for a word.
enum class Offers : std::uint8_t {
    kNothing,
    kPath,           // in the workspace
    kDirectory,      // in the workspace
    kHostFile,       // of the person's own, outside of any workspace
    kHostDirectory,  // the same
};

struct Option {
    Words names{};                // "-i", "--ignore-case"
    std::string unit{};           // of its value: "DIR"; empty: it takes none
    Words choices{};              // values to offer; empty: nothing is known of them
    std::string help{};           // no full stop
    std::string default_value{};  // the value it has when it is not given; empty: none to speak of
    Offers offers = Offers::kNothing;
};

// A word that is not an option.
struct Operand {
    std::string name;  // "FILE"
    Offers offers = Offers::kNothing;
    bool required = true;
    bool many = false;  // the last one: one or more of it
    Words choices{};    // offered; others may be accepted too
};

struct Manual {
    std::string name;
    std::string summary;        // one line
    std::string description{};  // sentences; may be empty
    std::vector<Operand> operands{};
    bool takes_command = false;  // the first operand and all words after it are another's command
    Words examples{};            // whole commands
    std::string tool{};          // that it calls; empty: none, or any
    std::string no = "it was refused or failed";  // what exit code 1 means
    std::string exits{};  // all of them, where 0, 1 and 2 do not mean what they usually do
};

// "grep PATTERN [PATH]"
std::string usage_of(const Manual& manual);

// The whole of --help.
std::string help_text(const Manual& manual, const std::vector<Option>& options);

// The text broken at spaces into lines of at most `width` columns, each ended by a line feed.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace paddock::cli
