#include "cli/tool_commands.h"

#include <deque>
#include <limits>
#include <map>

#include "cli/input.h"
#include "json/write.h"
#include "tools/registry.h"

namespace paddock::cli {
namespace {

constexpr char kExitCodes[] =
    "\nExit code: 0 done, 1 refused or failed, 2 the call makes no sense.\n";

Manual manual(std::string name, std::string summary, std::string usage, std::string examples) {
    usage = name + " " + usage + " [--root DIR] [options]";
    return {std::move(name), std::move(summary), std::move(usage), examples + kExitCodes};
}

std::string option_name(std::string_view argument) {
    if (argument.starts_with('-')) return std::string(argument);
    std::string name = "--" + std::string(argument);
    for (char& c : name) c = c == '_' ? '-' : c;
    return name;
}

// The places that the options of one call are parsed into, and their way to JSON.
class ToolOptions {
public:
    ToolOptions(const ToolCommand& command, const tools::Declaration& tool, Parser& parser)
        : parser_(parser) {
        for (const tools::Argument& argument : tool.arguments) {
            bool is_positional = argument.name == command.from_input;
            for (const std::string_view name : command.positional) {
                is_positional = is_positional || name == argument.name;
            }
            if (!is_positional) declare(argument);
        }
    }

    void put_into(json::Object& object) const {
        for (const Slot& slot : slots_) {
            if (!parser_.was_given(slot.option)) continue;
            switch (slot.argument->type) {
                case tools::Type::kText: object[slot.argument->name] = slot.text; break;
                case tools::Type::kInteger: object[slot.argument->name] = slot.number; break;
                case tools::Type::kFlag: object[slot.argument->name] = slot.flag; break;
                case tools::Type::kTexts: {
                    json::Array items;
                    for (const std::string& text : slot.texts) items.emplace_back(text);
                    object[slot.argument->name] = std::move(items);
                    break;
                }
                case tools::Type::kObjects: break;
            }
        }
    }

private:
    struct Slot {
        const tools::Argument* argument;
        std::string option;
        std::string text{};
        std::int64_t number = 0;
        bool flag = false;
        Words texts{};
    };

    void declare(const tools::Argument& argument) {
        Slot& slot = slots_.emplace_back(Slot{&argument, option_name(argument.name)});
        const std::string help(argument.help);
        switch (argument.type) {
            case tools::Type::kText: parser_.text(slot.option, slot.text, "TEXT", help); break;
            case tools::Type::kFlag: parser_.flag(slot.option, slot.flag, help); break;
            case tools::Type::kTexts: parser_.texts(slot.option, slot.texts, "TEXT", help); break;
            case tools::Type::kInteger:
                if (const std::int64_t* usual = argument.usual.as_integer()) slot.number = *usual;
                parser_.integer(
                    slot.option, slot.number,
                    argument.smallest.value_or(std::numeric_limits<std::int64_t>::min()),
                    argument.largest.value_or(std::numeric_limits<std::int64_t>::max()), help);
                break;
            case tools::Type::kObjects: slots_.pop_back(); break;
        }
    }

    Parser& parser_;
    std::deque<Slot> slots_;  // addresses stay
};

void common_options(Parser& parser, ToolRequest& request) {
    parser.text("--root", request.root, "DIR", "The workspace");
    parser.flag("--read-only", request.read_only, "Change nothing");
    parser.flag("--json", request.json, "Print one JSON document");
}

Request parse_call(const ToolCommand& command, const Words& words) {
    ToolRequest request;
    Parser parser(command.manual);
    common_options(parser, request);
    if (auto ending = parser.parse(words)) return *ending;
    const Words& given = parser.paths();
    if (given.empty() || given.size() > 2) {
        return complaint("'call' takes a TOOL and its arguments as JSON", command.manual.name);
    }
    request.tool = given[0];
    request.arguments = given.size() == 2 ? given[1] : "{}";
    if (request.arguments != "-") return request;
    auto input = read_input("-");
    if (!input) return Ending{kUsageError, input.error()};
    request.arguments = std::move(*input);
    return request;
}

}  // namespace

Request parse_tool_command(const ToolCommand& command, const Words& words) {
    if (command.tool.empty()) return parse_call(command, words);
    const tools::Declaration& tool = *tools::find_tool(command.tool, false);
    ToolRequest request;
    request.tool = command.tool;
    Parser parser(command.manual);
    const ToolOptions options(command, tool, parser);
    common_options(parser, request);
    if (auto ending = parser.parse(words)) return *ending;
    const Words& given = parser.paths();
    if (given.size() < command.required) {
        return complaint("an argument is missing", command.manual.name);
    }
    if (given.size() > command.positional.size()) {
        return complaint("there are too many arguments", command.manual.name);
    }
    json::Object object;
    options.put_into(object);
    for (std::size_t i = 0; i < given.size(); ++i) object[command.positional[i]] = given[i];
    if (!command.from_input.empty()) {
        auto input = read_input(command.last_is_file && !given.empty() ? given.back() : "-");
        if (!input) return Ending{kUsageError, input.error()};
        object[command.from_input] = std::move(*input);
    }
    request.arguments = json::to_text(object);
    return request;
}

const std::vector<ToolCommand>& tool_commands() {
    static const std::vector<ToolCommand> all{
        {manual("cat", "Read a file.", "FILE", "  paddock cat src/main.c --offset -20\n"),
         "read_file",
         {"path"},
         1},
        {manual("ls", "List a directory.", "[DIRECTORY]", "  paddock ls --depth 3 --sizes\n"),
         "list_directory",
         {"path"},
         0},
        {manual("grep", "Search in files.", "PATTERN [PATH]",
                "  paddock grep 'open(at|2)' src --output-mode content -C 2\n"
                "  paddock grep -- -1\n"),
         "grep",
         {"pattern", "path"},
         1},
        {manual("glob", "Find files by name.", "PATTERN [DIRECTORY]",
                "  paddock glob '**/*.{cc,h}'\n"),
         "glob",
         {"pattern", "path"},
         1},
        {manual("write", "Write standard input to a file.", "FILE",
                "  echo hello | paddock write notes.txt\n"),
         "write_file",
         {"path"},
         1,
         "content"},
        {manual("edit", "Replace exact text in a file.", "FILE",
                "  paddock edit a.txt --old-string red --new-string green --dry-run\n"),
         "edit_file",
         {"path"},
         1},
        {manual("patch", "Apply a patch from a file or from standard input.", "[FILE]",
                "  git diff | paddock patch --dry-run\n"),
         "patch",
         {"patch"},
         0,
         "patch",
         true},
        {manual("mv", "Move or rename.", "SOURCE DESTINATION", "  paddock mv a.txt b/c.txt\n"),
         "move_path",
         {"source", "destination"},
         2},
        {manual("cp", "Copy a file or directory.", "SOURCE DESTINATION",
                "  paddock cp template new\n"),
         "copy_path",
         {"source", "destination"},
         2},
        {manual("rm", "Remove a file, link or directory.", "PATH",
                "  paddock rm --recursive build\n"),
         "remove_path",
         {"path"},
         1},
        {manual("mkdir", "Make a directory.", "DIRECTORY", "  paddock mkdir a/b/c\n"),
         "make_directory",
         {"path"},
         1},
        {manual("info", "Say what a path is.", "PATH", "  paddock info link\n"),
         "file_info",
         {"path"},
         1},
        {manual("call", "Call a tool as an agent does, with JSON.", "TOOL [JSON|-]",
                "  paddock call read_file '{\"path\": \"src/main.c\", \"limit\": 20}'\n"
                "  paddock call workspace_info\n"),
         ""},
    };
    return all;
}

}  // namespace paddock::cli
