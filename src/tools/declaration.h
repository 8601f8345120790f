// What a tool is, said once: its name, its arguments, its traits. Decoding, JSON Schema, help,
// completions and the reference manual are all made from this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>

#include "json/value.h"
#include "tools/answer.h"
#include "tools/files.h"

namespace paddock::tools {

class Arguments;
class Session;

enum class Type : std::uint8_t { kText, kInteger, kFlag, kTexts, kObjects };

struct Argument {
    std::string_view name;
    Type type = Type::kText;
    std::string_view help;
    bool required = false;
    json::Value default_value{};  // the default; null: there is none
    std::vector<std::string_view> aliases{};
    // The range of an integer, or the number of items of a list.
    std::optional<std::int64_t> smallest{};
    std::optional<std::int64_t> largest{};
    std::vector<std::string_view> choices{};  // of a text
    std::vector<Argument> members{};          // of kObjects
};

// Hints for clients, in MCP's words.
struct ToolTraits {
    bool read_only = false;
    bool destructive = false;
    bool idempotent = false;
    bool uses_network = false;   // "open world" where the operator gave one
    Pace pace = Pace::kWorking;  // quick: no walk, no sync, no command
    bool needs_shell = false;    // listed only where commands can be run
};

struct Declaration {
    std::string_view name;
    std::string_view title;        // two or three words
    std::string_view summary;      // one line
    std::string_view description;  // what a model needs to use it well
    ToolTraits traits;
    std::vector<Argument> arguments;
    // Names that models know from tools of other makers and that change nothing here.
    std::vector<std::string_view> passed_over{};
    std::vector<Code> errors{};  // besides those that every tool may answer with
    std::string_view example{};  // the arguments of a typical call, in JSON
    Result<Answer> (*run)(Session& session, const Arguments& arguments,
                          const CallOptions& options) = nullptr;

    bool changes_files() const noexcept { return !traits.read_only; }
};

// Any tool may answer with these: of the call itself, of a path, of the system below.
std::span<const Code> common_errors();

// The argument that nearly every tool has, with the spellings that models know.
inline Argument path_argument(std::string_view help) {
    return {
        .name = "path",
        .help = help,
        .required = true,
        .aliases = {"file_path", "filePath", "filepath", "file", "target_file", "relative_path"}};
}

inline Argument directory_argument(std::string_view help) {
    return {.name = "path",
            .help = help,
            .default_value = ".",
            .aliases = {"dir_path", "directory", "dir", "dirPath", "file_path", "filePath",
                        "relative_path"}};
}

// A tool's arguments after decoding: every name is the declared one, every value has the declared
// type and lies in its bounds, defaults are filled in.
class Arguments {
public:
    // The first `given` values came with the call, the others are defaults.
    explicit Arguments(json::Object values, std::size_t given = 0)
        : values_(std::move(values)), given_(given) {}

    bool has(std::string_view name) const noexcept { return values_.find(name) != nullptr; }
    bool was_given(std::string_view name) const noexcept;

    // Each must be present: required, with a default, or asked for with has().
    const std::string& text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const;

    // Absent: empty.
    std::vector<std::string> texts(std::string_view name) const;
    std::vector<Arguments> objects(std::string_view name) const;

private:
    const json::Value& at(std::string_view name) const;

    json::Object values_;
    std::size_t given_;
};

// All that is wrong is told at once: unknown names with the nearest known one, values with what was
// expected and what was given. A null stands for an argument that was left out. Taken besides what
// the schema says: an integer or a flag in a string ("2", "true"), and one string as a list of one.
Result<Arguments> decode(const Declaration& tool, const json::Value& given);

// The arguments of the tools that take something from one path to another.
struct TwoPaths {
    std::string source;       // canonical but for the last name
    std::string destination;  // the same
};

std::vector<Argument> two_path_arguments();

// The source exists; it is not the workspace itself.
Result<TwoPaths> two_paths(const Files& files, const Arguments& arguments);

// The same where the two lie in different roots: one file is copied, and removed there if `moves`.
class Session;
Result<Answer> take_between(const Session& session, const Arguments& arguments, bool moves);
// Do they?
bool are_in_different_roots(const Session& session, const Arguments& arguments);

// What to say of a destination that exists.
Error occupied(const Files& files, const TwoPaths& paths);

// A declaration as JSON Schema: an object at the root, no unions, no "$schema".
json::Value input_schema(const Declaration& tool);

}  // namespace paddock::tools
