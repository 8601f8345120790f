#include "cli/tool_commands.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <optional>

#include <paddock/tools.h>

#include "base/display.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/input.h"
#include "cli/parser.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "cli/workspace_options.h"
#include "json/parse.h"
#include "json/write.h"
#include "search/find.h"
#include "sys/process.h"
#include "text/encoding.h"
#include "text/names.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"

namespace paddock::cli {
namespace {

const tools::Declaration& declaration_of(std::string_view tool) { return *tools::find_tool(tool); }

std::string option_name(std::string_view argument) {
    if (argument.starts_with('-')) return std::string(argument);
    std::string name = "--" + std::string(argument);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

// An argument, and the place that its option is parsed into.
struct Slot {
    const tools::Argument* argument;
    std::string option;
    std::string text{};
    std::int64_t number = 0;
    bool flag = false;
    Words texts{};

    bool is_text() const {
        return is_utf8(text) && std::all_of(texts.begin(), texts.end(), is_utf8);
    }

    json::Value value() const {
        switch (argument->type) {
            case tools::Type::kText: return text;
            case tools::Type::kInteger: return number;
            case tools::Type::kFlag: return flag;
            case tools::Type::kTexts: return json::Array(texts.begin(), texts.end());
            case tools::Type::kObjects: break;
        }
        return {};
    }
};

class ToolParser final : public CommandParser {
public:
    explicit ToolParser(const ToolCommand& command)
        : command_(command), tool_(declaration_of(command.tool)) {}

    void declare(Parser& parser) override {
        for (const Preset& preset : command_.presets) {
            parser.flag(preset.option, presets_.emplace_back(false));
        }
        for (const tools::Argument& argument : tool_.arguments) {
            if (is_offered(argument)) declare(parser, argument);
        }
        if (!command_.detail.names.empty()) parser.flag(command_.detail, request_.detailed);
        if (!command_.habit.names.empty()) parser.flag(command_.habit, habit_);
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        json::Object object = command_.fixed;
        for (std::size_t i = 0; i < presets_.size(); ++i) {
            const Preset& preset = command_.presets[i];
            if (presets_[i]) object[preset.argument] = preset.value;
        }
        for (const Slot& slot : slots_) {
            if (!parser.was_given(slot.option)) continue;
            if (!slot.is_text()) return not_text(slot.option, parser);
            object[slot.argument->name] = slot.value();
        }
        for (const std::string_view name : command_.needed) {
            if (object.find(name) == nullptr) return lacking(name, parser);
        }
        if (auto problem = take_input(parser.operands(), object)) return *problem;
        if (auto problem = take_operands(parser, object)) return *problem;
        request_.settings = options_.take(parser);
        request_.tool = tool_.name;
        request_.declared = &tool_;
        request_.for_people = true;
        return std::move(request_);
    }

private:
    bool is_offered(const tools::Argument& argument) const {
        const auto& operands = command_.positional;
        return argument.type != tools::Type::kObjects && argument.name != command_.from_input &&
               command_.fixed.find(argument.name) == nullptr &&
               std::find(operands.begin(), operands.end(), argument.name) == operands.end();
    }

    void declare(Parser& parser, const tools::Argument& argument) {
        Option option{.names = {option_name(argument.name)}, .unit = "TEXT"};
        option.help = for_people(argument.help, tool_);
        for (const Spelling& spelling : command_.spellings) {
            if (spelling.argument != argument.name) continue;
            option.names = spelling.names;
            option.unit = spelling.unit;
            option.choices = spelling.choices;
        }
        Slot& slot = slots_.emplace_back(Slot{&argument, option.names.front()});
        switch (argument.type) {
            case tools::Type::kText: parser.text(option, slot.text); break;
            case tools::Type::kTexts: parser.texts(option, slot.texts); break;
            case tools::Type::kInteger:
                if (const auto* usual = argument.default_value.as_integer()) {
                    option.default_value = std::to_string(*usual);
                }
                parser.integer(option, slot.number, argument.smallest, argument.largest);
                break;
            case tools::Type::kFlag:
                option.unit.clear();
                parser.flag(option, slot.flag);
                break;
            case tools::Type::kObjects: break;
        }
    }

    ExitMessage lacking(std::string_view argument, const Parser& parser) const {
        for (const Slot& slot : slots_) {
            if (slot.argument->name == argument) {
                return complaint("no " + slot.option + " was given", parser.manual().name);
            }
        }
        return {};
    }

    std::optional<ExitMessage> take_input(Words& operands, json::Object& object) const {
        if (command_.from_input.empty()) return std::nullopt;
        const bool from_file = command_.last_is_file && !operands.empty();
        auto input = read_input(from_file ? operands.back() : "-");
        if (!input) return ExitMessage{kUsageError, input.error()};
        if (!command_.input_is_bytes && !is_utf8(*input))
            return ExitMessage{kUsageError, "the input is not text in UTF-8"};
        object[command_.from_input] = std::move(*input);
        if (from_file) operands.pop_back();
        return std::nullopt;
    }

    // What is more than the arguments is further calls with another last one.
    std::optional<ExitMessage> take_operands(Parser& parser, json::Object& object) {
        const auto& names = command_.positional;
        const Words& operands = parser.operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const std::size_t place = std::min(i, names.size() - 1);
            const Operand& operand = parser.manual().operands[place];
            std::string word = operands[i];
            if (!is_utf8(word)) {
                // JSON has no bytes; a name has a quoted form instead.
                if (operand.offers == Offers::kNothing) return not_text(operand.name, parser);
                word = text::quote_if_needed(word);
            }
            object[names[place]] = std::move(word);
            if (i + 1 >= names.size()) request_.arguments.emplace_back(object);
        }
        if (request_.arguments.empty()) request_.arguments.emplace_back(object);
        return std::nullopt;
    }

    static ExitMessage not_text(const std::string& what, const Parser& parser) {
        return complaint(what + " is not text in UTF-8", parser.manual().name);
    }

    const ToolCommand& command_;
    const tools::Declaration& tool_;
    SettingOptions options_;
    ToolRequest request_;
    std::deque<Slot> slots_;    // addresses stay
    std::deque<bool> presets_;  // the same
    bool habit_ = false;        // changes nothing
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Not an apostrophe, as in "the workspace's rule".
bool is_quote(std::string_view text, std::size_t at) {
    const bool in_word =
        at > 0 && is_letter(text[at - 1]) && at + 1 < text.size() && is_letter(text[at + 1]);
    return text[at] == '\'' && !in_word;
}

}  // namespace

std::unique_ptr<CommandParser> tool_parser(const ToolCommand& command) {
    return std::make_unique<ToolParser>(command);
}

std::string for_people(std::string_view text, const tools::Declaration& tool, Quoted quoted) {
    const auto& arguments = tool.arguments;
    const auto is_argument = [&](std::string_view word) {
        return std::any_of(arguments.begin(), arguments.end(),
                           [&](const tools::Argument& each) { return each.name == word; });
    };
    constexpr std::string_view kSet = "=true";
    std::string out;
    bool in_name = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        while (at < text.size() && is_letter(text[at])) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        const std::string_view rest = text.substr(at);
        const bool in_quotes =
            quoted == Quoted::kArguments && out.ends_with('\'') && rest.starts_with('\'');
        const bool is_meant = in_quotes || rest.starts_with('=') || word.find('_') != word.npos;
        if (!is_argument(word) || !is_meant || in_name) {
            in_name ^= word.empty() && quoted == Quoted::kFiles && is_quote(text, at);
            out += word.empty() ? text.substr(at++, 1) : word;
            continue;
        }
        if (in_quotes) out.pop_back();
        out += option_name(word);
        if (rest.starts_with(kSet)) {
            at += kSet.size();
        } else if (in_quotes) {
            ++at;
        } else if (rest.starts_with('=')) {
            ++at;
            out += ' ';
        }
    }
    return out;
}

namespace {

constexpr char kNoReadNeeded[] =
    " An agent must read a file in its session before it changes the file. You need not: each "
    "command is its own session.";

Operand path(const char* name) { return {.name = name, .offers = Offers::kPath}; }
Operand directory(const char* name) { return {.name = name, .offers = Offers::kDirectory}; }
Operand optional(Operand operand) {
    operand.required = false;
    return operand;
}
Operand many(Operand operand) {
    operand.many = true;
    return operand;
}

Words file_types() {
    Words names;
    for (const search::FileKind& kind : search::file_kinds()) names.emplace_back(kind.name);
    return names;
}

// The commands stay where they are: forms refer to them.
Command command(Manual manual, ToolCommand tool) {
    if (manual.description.empty()) {
        const tools::Declaration& declared = declaration_of(tool.tool);
        manual.description = for_people(declared.description, declared);
        manual.description += tool.remark;
    }
    manual.tool = tool.tool;
    const auto kept = std::make_shared<const ToolCommand>(std::move(tool));
    return {std::move(manual), [kept] { return tool_parser(*kept); }};
}

std::vector<Command> looking() {
    return {
        command({.name = "cat",
                 .summary = "Show text files.",
                 .description =
                     "Files are shown as an agent sees them: secrets are replaced, long lines are "
                     "cut, and UTF-16 and Latin-1 are decoded. Of a long file, the first 2000 "
                     "lines or 50 kB are shown. Lines are numbered on a terminal.",
                 .operands = {many(path("FILE"))},
                 .examples = {"paddock cat src/main.c", "paddock cat --offset -20 server.log"}},
                {.tool = "read_file",
                 .positional = {"path"},
                 .fixed = {{"line_numbers", true}},
                 .detail = {.names = {"-n", "--line-numbers"},
                            .help = "Number the lines in a pipe too"}}),
        command({.name = "ls",
                 .summary = "List directories.",
                 .operands = {optional(many(directory("DIRECTORY")))},
                 .examples = {"paddock ls --depth 3", "paddock ls --ignore '*.o' src"}},
                {.tool = "list_directory",
                 .positional = {"path"},
                 .fixed = {{"sizes", true}},
                 .spellings = {{"ignore", {"--ignore"}, "GLOB"}},
                 .detail = {.names = {"-s", "-l", "--sizes"},
                            .help = "Show the sizes of files in a pipe too"},
                 .habit = {.names = {"-1", "-a", "-A", "--all"},
                           .help = "Accepted for compatibility; hidden files and one name per line "
                                   "are the default"}}),
        command({.name = "grep",
                 .summary = "Search in files.",
                 .operands = {{.name = "PATTERN"}, optional(path("PATH"))},
                 .examples = {"paddock grep 'open(at|2)' src -C2", "paddock grep -il todo",
                              "paddock grep -F -t cpp 'a[i]'", "paddock grep -- -1"},
                 .no = "nothing was found, or the search was refused"},
                {.tool = "grep",
                 .positional = {"pattern", "path"},
                 .fixed = {{"output_mode", "content"}},
                 .spellings = {{"-i", {"-i", "--ignore-case"}},
                               {"-w", {"-w", "--words"}},
                               {"-A", {"-A", "--after"}},
                               {"-B", {"-B", "--before"}},
                               {"-C", {"-C", "--context"}},
                               {"literal", {"-F", "--literal"}},
                               {"multiline", {"-U", "--multiline"}},
                               {"glob", {"-g", "--glob"}, "GLOB"},
                               {"type", {"-t", "--type"}, "TYPE", file_types()}},
                 .presets = {{{.names = {"-l", "--files"}, .help = "Show only the names of files"},
                              "output_mode",
                              "files_with_matches"},
                             {{.names = {"-c", "--count"},
                               .help = "Show the number of matching lines of each file"},
                              "output_mode",
                              "count"}},
                 .remark = " In a pipe all results are shown, unless --head-limit is given.",
                 .habit = {.names = {"-E", "-H", "-n", "-r"},
                           .help = "Accepted for compatibility; extended patterns, file names, "
                                   "line numbers and recursion are the default"}}),
        command({.name = "glob",
                 .summary = "Find files by name, newest first.",
                 .operands = {{.name = "PATTERN"}, optional(directory("DIRECTORY"))},
                 .examples = {"paddock glob '**/*.{cc,h}'", "paddock glob Makefile src"},
                 .no = "nothing was found, or the search was refused"},
                {.tool = "glob",
                 .positional = {"pattern", "path"},
                 .remark = " In a pipe all results are shown, unless --limit is given."}),
        command({.name = "info",
                 .summary = "Show the type, size and permissions of a path.",
                 .operands = {many(path("PATH"))},
                 .examples = {"paddock info link"}},
                {.tool = "file_info", .positional = {"path"}}),
    };
}

std::vector<Command> changing() {
    return {
        command(
            {.name = "write",
             .summary = "Write standard input to a file.",
             .description =
                 std::string("Takes text in UTF-8. Missing directories are made. An existing file "
                             "is replaced as a whole or not at all, and keeps its permissions.") +
                 kNoReadNeeded,
             .operands = {path("FILE")},
             .examples = {"echo hello | paddock write notes.txt"}},
            {.tool = "write_file", .positional = {"path"}, .from_input = "content"}),
        command({.name = "edit",
                 .summary = "Replace exact text in a file.",
                 .description =
                     std::string(
                         "The text must occur exactly once; otherwise nothing is written and the "
                         "closest text is shown. Line endings and all other bytes are kept.") +
                     kNoReadNeeded,
                 .operands = {path("FILE")},
                 .examples = {"paddock edit a.txt --old red --new green --dry-run",
                              "paddock edit a.txt --old red --new green --replace-all"}},
                {.tool = "edit_file",
                 .positional = {"path"},
                 .spellings = {{"old_string", {"--old", "--old-string"}},
                               {"new_string", {"--new", "--new-string"}},
                               {"dry_run", {"-n", "--dry-run"}}},
                 .needed = {"old_string", "new_string"}}),
        command({.name = "patch",
                 .summary = "Apply a patch from a file or from standard input.",
                 .description =
                     std::string("The patch is applied completely or not at all. Takes a unified "
                                 "diff, a git diff (also creating, deleting, renaming, copying, "
                                 "changing modes), or the form between '*** Begin Patch' and '*** "
                                 "End Patch'. A hunk with a wrong line number is applied only if "
                                 "it fits in exactly one place, and the output says so.") +
                     kNoReadNeeded,
                 .operands = {{.name = "FILE", .offers = Offers::kHostFile, .required = false}},
                 .examples = {"git diff | paddock patch --root ../other --dry-run",
                              "paddock patch fix.diff"}},
                {.tool = "patch",
                 .positional = {},
                 .from_input = "patch",
                 .input_is_bytes = true,
                 .last_is_file = true,
                 .spellings = {{"dry_run", {"-n", "--dry-run"}}}}),
        command({.name = "mv",
                 .summary = "Move or rename a file or directory.",
                 .operands = {path("SOURCE"), path("DESTINATION")},
                 .examples = {"paddock mv a.txt b/c.txt"}},
                {.tool = "move_path",
                 .positional = {"source", "destination"},
                 .spellings = {{"overwrite", {"-f", "--overwrite"}}}}),
        command({.name = "cp",
                 .summary = "Copy a file, or a directory with everything in it.",
                 .operands = {path("SOURCE"), path("DESTINATION")},
                 .examples = {"paddock cp template new"}},
                {.tool = "copy_path",
                 .positional = {"source", "destination"},
                 .spellings = {{"overwrite", {"-f", "--overwrite"}}},
                 .habit = {.names = {"-r", "-R", "--recursive"},
                           .help = "Accepted for compatibility; directories are always copied with "
                                   "everything in them"}}),
        command({.name = "rm",
                 .summary = "Remove files, links or directories.",
                 .operands = {many(path("PATH"))},
                 .examples = {"paddock rm a.txt b.txt", "paddock rm -r build"}},
                {.tool = "remove_path",
                 .positional = {"path"},
                 .spellings = {{"recursive", {"-r", "-R", "--recursive"}}},
                 .habit = {.names = {"-f", "--force"},
                           .help = "Accepted for compatibility; paddock never asks, and a missing "
                                   "path is still an error"}}),
        command({.name = "mkdir",
                 .summary = "Make directories, and missing directories above them.",
                 .operands = {many(directory("DIRECTORY"))},
                 .examples = {"paddock mkdir a/b/c"}},
                {.tool = "make_directory",
                 .positional = {"path"},
                 .habit = {.names = {"-p", "--parents"},
                           .help = "Accepted for compatibility; missing parents are always made, "
                                   "and an existing directory is no error"}}),
    };
}

class CallParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(parser, {"workspace.", "paths.", "secrets.", "bash."});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        const Words& given = parser.operands();
        request_.settings = options_.take(parser);
        request_.tool = given[0];
        request_.declared = tools::find_tool(request_.tool);
        request_.text = given.size() == 2 ? given[1] : "{}";
        if (*request_.text != "-") return std::move(request_);
        auto input = read_input("-");
        if (!input) return ExitMessage{kUsageError, input.error()};
        request_.text = std::move(*input);
        return std::move(request_);
    }

private:
    SettingOptions options_;
    ToolRequest request_;
};

class ToolListParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(parser, {"workspace.read_only", "workspace.tools", "bash.enabled"});
        parser.output(request_.output);
    }
    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        return request_;
    }

private:
    SettingOptions options_;
    ToolListRequest request_;
};

std::vector<Command> by_name() {
    Operand tool{.name = "TOOL"};
    for (const tools::Declaration* each : tools::all_tools()) tool.choices.emplace_back(each->name);
    const Manual call{
        .name = "call",
        .summary = "Call a tool as an agent does, with JSON.",
        .description =
            "Prints the result that the agent's model would read. The arguments are a JSON object; "
            "'-' reads it from standard input. Each call is its own session: an existing file can "
            "be changed without reading it first.",
        .operands = {tool, {.name = "JSON", .required = false}},
        .examples = {"paddock call read_file '{\"path\": \"src/main.c\", \"limit\": 20}'",
                     "paddock call workspace_info"},
        .exits =
            "0 done, 1 it was refused or failed, 2 wrong usage, or the call could not be made. "
            "bash: that of the command, or 128 plus the number of the signal that ended it."};
    const Manual tools{.name = "tools",
                       .summary = "List the tools that an agent gets.",
                       .description = "With --json also their descriptions and JSON schemas.",
                       .examples = {"paddock tools", "paddock tools --read-only --json"}};
    return {{call, [] { return std::make_unique<CallParser>(); }},
            {tools, [] { return std::make_unique<ToolListParser>(); }}};
}

}  // namespace

std::vector<Command> tool_commands() {
    std::vector<Command> all = looking();
    for (auto& more : {changing(), by_name()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

int run(const ToolListRequest& request) {
    const auto made = configuration(request.settings, StateDirectory::kLeave);
    if (!made) {
        complain(made.error().text);
        return made.error().exit_code;
    }
    json::Array documents;
    std::vector<std::vector<Cell>> rows;
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!tools::is_listed(*tool, made->workspace)) continue;
        rows.push_back({{std::string(tool->name), Tone::kStrong}, {std::string(tool->summary)}});
        documents.emplace_back(json::Object{
            {"name", tool->name},
            {"title", tool->title},
            {"description", std::string(tool->summary) + "\n\n" + std::string(tool->description)},
            {"input_schema", tools::input_schema(*tool)},
            {"changes_files", tool->changes_files()}});
    }
    const Paint paint(STDOUT_FILENO, request.output.colours);
    const std::string text =
        request.output.json ? json::to_text(json::Object{{"tools", std::move(documents)}}) + "\n"
                            : table(rows, paint);
    return print(text) ? 0 : kUsageError;
}

namespace {

json::Value block_json(const tools::Block& block) {
    if (block.kind == tools::BlockKind::kText) {
        return json::Object{{"type", "text"}, {"text", block.data}};
    }
    const char* type = block.kind == tools::BlockKind::kImage ? "image" : "audio";
    return json::Object{
        {"type", type}, {"data", text::base64(block.data)}, {"mimeType", block.mime}};
}

json::Value text_or_null(std::string text) {
    return text.empty() ? json::Value() : json::Value(std::move(text));
}

json::Value number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

std::string_view word_of(tools::FileChange::What what) {
    using What = tools::FileChange::What;
    switch (what) {
        case What::kMade: return "made";
        case What::kChanged: return "changed";
        case What::kMoved: return "moved";
        case What::kRemoved: return "removed";
    }
    return "";
}

json::Value changes_json(const std::optional<tools::FileChanges>& changes) {
    if (!changes) return {};
    json::Array files;
    for (const tools::FileChange& file : changes->files) {
        json::Object one{{"change", word_of(file.what)}, {"path", file.path}};
        if (!file.from.empty()) one["from"] = file.from;
        files.push_back(std::move(one));
    }
    return json::Object{
        {"made", number(changes->made)},       {"changed", number(changes->changed)},
        {"removed", number(changes->removed)}, {"not_kept", number(changes->not_kept)},
        {"files", std::move(files)},           {"more", number(changes->more)}};
}

json::Value denial_json(const CommandDenial& denial) {
    return json::Object{{"operation", denial.operation}, {"target", denial.target},
                        {"reason", denial.reason},       {"layer", denial.layer},
                        {"setting", denial.setting},     {"option", text_or_null(denial.option)},
                        {"needed", denial.needed}};
}

json::Value command_json(const tools::CommandResult& command) {
    json::Array denials;
    for (const CommandDenial& denial : command.denials) denials.push_back(denial_json(denial));
    const std::optional<int>& code = command.exit_code;
    const std::optional<int>& signal = command.signal;
    return json::Object{{"id", command.id},
                        {"running", command.running},
                        {"exit_code", code ? json::Value(std::int64_t{*code}) : json::Value()},
                        {"signal", signal ? json::Value(sys::signal_name(*signal)) : json::Value()},
                        {"duration_ms", std::int64_t{command.duration.count()}},
                        {"ended_by", text_or_null(command.ended_by)},
                        {"changes", changes_json(command.changes)},
                        {"denials", std::move(denials)},
                        {"more_denials", command.more_denials}};
}

// As an agent gets it, and what its text says of a command as values.
json::Object as_content(const tools::Answer& answer) {
    json::Array content;
    for (const tools::Block& block : answer.blocks) content.push_back(block_json(block));
    json::Object result{{"content", std::move(content)}};
    if (answer.command) result["command"] = command_json(*answer.command);
    return result;
}

// What an agent's model would read.
std::string as_read(const Call& call, const Look& look) {
    std::string text = call.answer.text();
    for (const tools::Block& block : call.answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        text += "[" + block.mime + ", " + std::to_string(block.data.size()) + " bytes]\n";
    }
    if (!text.ends_with('\n')) text += '\n';
    return look.line(text);
}

bool is_word(char c) { return c == '_' || is_letter(c) || is_digit(c); }

// Whether a word is at this place, all of it and not in quotes, where names of files are.
bool is_bare_word(std::string_view text, std::size_t at, std::size_t size) {
    const std::string_view before = text.substr(0, at);
    const std::string_view after = text.substr(at + size);
    if (std::count(before.begin(), before.end(), '\'') % 2 != 0) return false;
    return (before.empty() || !is_word(before.back())) && (after.empty() || !is_word(after[0]));
}

// An error with the tools in its first line named as commands, "Look into it with paddock ls.", and
// arguments as options. What follows may be of a file.
std::string as_told(std::string text, const tools::Declaration& of) {
    const std::string rest = text.substr(std::min(text.find('\n'), text.size()));
    text.resize(text.size() - rest.size());
    for (const Command& command : commands()) {
        const std::string& tool = command.manual.tool;
        if (tool.find('_') == tool.npos) continue;
        const std::string name = "paddock " + command.manual.name;
        for (std::size_t at = 0; (at = text.find(tool, at)) != text.npos;) {
            const bool is_tool = is_bare_word(text, at, tool.size());
            if (is_tool) text.replace(at, tool.size(), name);
            at += is_tool ? name.size() : tool.size();
        }
    }
    return for_people(text, of, Quoted::kFiles) + rest;
}

// What the call was about, as it was given; null: nothing, or more than one path.
json::Value path_of(const Call& call) {
    if (call.tool == nullptr) return {};
    const auto arguments = tools::decode(*call.tool, call.arguments);
    return arguments && arguments->has("path") ? json::Value(arguments->text("path"))
                                               : json::Value();
}

// Of an error. What a command printed goes before the code.
std::string without_code(const Call& call) {
    const std::string code = std::string(code_name(*call.answer.error)) + ": ";
    std::string text = call.answer.text();
    return text.starts_with(code) ? text.substr(code.size()) : text;
}

// The same members for every answer; docs/tools.md describes them. `aside` is what people would be
// told beside the result.
std::string as_json(const ToolRequest& request, const Call& call, const std::string& aside) {
    json::Object document{{"tool", request.tool}, {"path", path_of(call)}};
    document["error"] =
        call.answer.error ? json::Value(code_name(*call.answer.error)) : json::Value();
    json::Value& message = document["message"];
    json::Value result = request.for_people ? json::Value() : json::Value(as_content(call.answer));
    if (call.answer.error) {
        const std::string why = without_code(call);
        message = request.for_people ? as_told(why, *call.tool) : why;
    } else if (request.for_people) {
        result = as_data(call);
        message =
            text_or_null(result.is_null() ? call.answer.text() : for_people(aside, *call.tool));
    }
    document["result"] = std::move(result);
    return json::to_text(document) + "\n";
}

// A call that makes no sense is another thing than an answer that is no.
int refusal_code(Code code) { return code == Code::kInvalidArgument ? kUsageError : kRefused; }

// That of a command that has ended, as `paddock run` has it.
std::optional<int> exit_code(const std::optional<tools::CommandResult>& command) {
    if (!command) return std::nullopt;
    if (command->signal) return kAddedToSignal + *command->signal;
    return command->exit_code;
}

// The exit code.
int show(const ToolRequest& request, const Call& call, const Look& look) {
    const bool refused = call.answer.error.has_value();
    const Shown shown = refused || !request.for_people ? Shown() : cli::shown(call, look);
    if (request.output.json) {
        if (!print(as_json(request, call, shown.aside))) return kUsageError;
    } else if (refused) {
        complain(request.for_people ? as_told(call.answer.text(), *call.tool) : call.answer.text());
    } else {
        if (!print(request.for_people ? shown.out : as_read(call, look))) return kUsageError;
        if (!shown.aside.empty()) complain(for_people(shown.aside, *call.tool));
    }
    if (const auto code = exit_code(call.answer.command)) return *code;
    if (refused) return refusal_code(*call.answer.error);
    return shown.is_nothing ? kRefused : 0;
}

// To people a workspace that is read-only is one; an agent does not get the tools that change it.
tools::Answer refused_here() {
    tools::Answer answer =
        tools::text_answer("read_only: this would change the workspace, which is read-only here");
    answer.error = Code::kReadOnly;
    return answer;
}

// Whether the call would leave a command behind, for later calls. There are none.
bool needs_later_calls(const tools::Declaration& tool, const json::Value& arguments) {
    if (tool.name != "bash") return false;
    const auto decoded = tools::decode(tool, arguments);
    return decoded && (decoded->flag("run_in_background") || decoded->flag("terminal"));
}

tools::Answer ends_too_early() {
    tools::Answer answer = tools::text_answer(
        "invalid_argument: bash: with 'run_in_background' or 'terminal' the command would end with "
        "this call, because each call is its own session. Leave them out, or use `paddock run`.");
    answer.error = Code::kInvalidArgument;
    return answer;
}

}  // namespace

// Each command is a session of its own, and its user has seen the file.
int run(const ToolRequest& request) {
    const auto calls =
        request.text ? std::vector{json::parse(*request.text).value} : request.arguments;
    const tools::Declaration* tool = request.declared;
    auto options = workspace_options(request.settings);
    if (!options) {
        complain(options.error().text);
        return options.error().exit_code;
    }
    options->track_reads = false;
    Look look{.terminal = is_terminal(STDOUT_FILENO),
              .detailed = request.detailed,
              .titled = calls.size() > 1,
              .paint = Paint(STDOUT_FILENO, request.output.colours)};
    if (request.for_people && options->read_only && !tool->traits.read_only) {
        const tools::Answer answer = refused_here();
        return show(request, {tool, calls.front(), answer}, look);
    }
    if (tool != nullptr && needs_later_calls(*tool, calls.front())) {
        return show(request, {tool, calls.front(), ends_too_early()}, look);
    }
    // Commands need a process of their own. What lists the tools lists those that an agent gets.
    const bool lists_tools = tool == nullptr || request.tool == "workspace_info";
    if (!lists_tools && !tool->traits.needs_shell) options->shell.reset();
    options->client = request.tool;
    // One command may make a call for each of its arguments, as fast as it can; an agent's pace is
    // not theirs. All other limits hold.
    options->limits.calls_per_second.reset();
    const auto workspace = Workspace::open(std::move(*options));
    if (!workspace) {
        complain(workspace.error().message());
        return kUsageError;
    }
    std::optional<CancelOnSignal> cancel;
    if (tool != nullptr && tool->traits.needs_shell) cancel.emplace();
    int worst = 0;
    for (const json::Value& arguments : calls) {
        const tools::Answer answer = [&] {
            const Waiting waiting(STDERR_FILENO, displayable(request.tool));
            const tools::CallOptions how{.cancel = cancel ? cancel->token() : std::stop_token(),
                                         .uncut = request.for_people && !look.terminal};
            // Text is parsed there: what is wrong with it is answered as to an agent.
            return request.text ? tools::call(*workspace, request.tool, *request.text, how)
                                : tools::call_parsed(*workspace, *tool, arguments, how);
        }();
        worst = std::max(worst, show(request, {tool, arguments, answer}, look));
        if (cancel && cancel->caught() != 0) return kAddedToSignal + cancel->caught();
        look.follows = true;
    }
    return worst;
}

}  // namespace paddock::cli
