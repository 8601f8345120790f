// What a tool is, said once: its name, its arguments, its manners. Decoding, JSON Schema, help,
// completions and the reference manual are all made from this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <paddock/error.h>

#include "json/value.h"
#include "tools/answer.h"

namespace paddock::tools {

class Arguments;
class Session;

enum class Type : std::uint8_t { kText, kInteger, kFlag, kTexts, kObjects };

struct Argument {
    std::string_view name;
    Type type = Type::kText;
    std::string_view help;
    bool required = false;
    json::Value usual{};  // the default; null: there is none
    std::vector<std::string_view> aliases{};
    // The range of an integer, or the number of items of a list.
    std::optional<std::int64_t> smallest{};
    std::optional<std::int64_t> largest{};
    std::vector<std::string_view> choices{};  // of a text
    std::vector<Argument> members{};          // of kObjects
};

// Hints for clients, in MCP's words.
struct Manners {
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
    Manners manners;
    std::vector<Argument> arguments;
    // Names that models know from tools of other makers and that change nothing here.
    std::vector<std::string_view> passed_over{};
    std::vector<Code> errors{};  // besides those that every tool may answer with
    std::string_view example{};  // the arguments of a typical call, in JSON
    Attempt<Answer> (*run)(Session& session, const Arguments& arguments,
                           const CallOptions& options) = nullptr;

    bool changes_files() const noexcept { return !manners.read_only; }
};

// Any tool may answer with these: of the call itself, of a path, of the system below.
std::span<const Code> common_errors();

}  // namespace paddock::tools
