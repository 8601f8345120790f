#include "cli/tool_commands.h"

#include "cli/input.h"
#include "cli/setting_options.h"
#include "cli/tool_form.h"
#include "search/file_types.h"
#include "tools/registry.h"

namespace paddock::cli {
namespace {

constexpr char kNoReadNeeded[] =
    " An agent has to read a file in its session before it changes it; each command is a session "
    "of its own, and you need not.";

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
        manual.description = for_people(tools::find_tool(tool.tool)->description, tool.tool);
        manual.description += tool.remark;
    }
    manual.tool = tool.tool;
    const auto kept = std::make_shared<const ToolCommand>(std::move(tool));
    return {std::move(manual), [kept] { return tool_form(*kept); }};
}

std::vector<Command> looking() {
    return {
        command({.name = "cat",
                 .summary = "Show text files.",
                 .description =
                     "As an agent sees them: secrets are replaced, long lines cut, UTF-16 and "
                     "Latin-1 decoded, and of a long file the first 2000 lines or 50 kB are shown. "
                     "Lines are numbered on a terminal.",
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
                           .help = "As always: hidden files too, each name on a line"}}),
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
                 .remark = " In a pipe all that is found is shown, unless --head-limit is given.",
                 .habit = {.names = {"-E", "-H", "-n", "-r"},
                           .help = "As always: extended patterns, with names of files, with "
                                   "numbers of lines, through directories"}}),
        command({.name = "glob",
                 .summary = "Find files by name, newest first.",
                 .operands = {{.name = "PATTERN"}, optional(directory("DIRECTORY"))},
                 .examples = {"paddock glob '**/*.{cc,h}'", "paddock glob Makefile src"},
                 .no = "nothing was found, or the search was refused"},
                {.tool = "glob",
                 .positional = {"pattern", "path"},
                 .remark = " In a pipe all that is found is shown, unless --limit is given."}),
        command({.name = "info",
                 .summary = "Say what a path is.",
                 .operands = {many(path("PATH"))},
                 .examples = {"paddock info link"}},
                {.tool = "file_info", .positional = {"path"}}),
    };
}

std::vector<Command> changing() {
    return {
        command({.name = "write",
                 .summary = "Write standard input to a file.",
                 .description =
                     std::string("Takes text in UTF-8. Missing directories are made, an existing "
                                 "file is replaced at once or not at all and keeps its "
                                 "permissions.") +
                     kNoReadNeeded,
                 .operands = {path("FILE")},
                 .examples = {"echo hello | paddock write notes.txt"}},
                {.tool = "write_file", .positional = {"path"}, .from_input = "content"}),
        command({.name = "edit",
                 .summary = "Replace exact text in a file.",
                 .description = std::string("The text must occur once, or nothing is written and "
                                            "the closest text is shown. Line endings and all other "
                                            "bytes are kept.") +
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
                     std::string("All of it, or nothing. Takes a unified diff, a git diff (also "
                                 "creating, deleting, renaming, copying, changing modes), or the "
                                 "form between '*** Begin Patch' and '*** End Patch'. A hunk that "
                                 "is not where it says is applied only where it fits in one "
                                 "place, and that is told.") +
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
                 .summary = "Copy a file, or a directory with all that is in it.",
                 .operands = {path("SOURCE"), path("DESTINATION")},
                 .examples = {"paddock cp template new"}},
                {.tool = "copy_path",
                 .positional = {"source", "destination"},
                 .spellings = {{"overwrite", {"-f", "--overwrite"}}},
                 .habit = {.names = {"-r", "-R", "--recursive"},
                           .help = "As always: a directory with all that is in it"}}),
        command({.name = "rm",
                 .summary = "Remove files, links or directories.",
                 .operands = {many(path("PATH"))},
                 .examples = {"paddock rm a.txt b.txt", "paddock rm -r build"}},
                {.tool = "remove_path",
                 .positional = {"path"},
                 .spellings = {{"recursive", {"-r", "-R", "--recursive"}}},
                 .habit = {.names = {"-f", "--force"},
                           .help = "As always: without a question; what does not exist is an "
                                   "error all the same"}}),
        command({.name = "mkdir",
                 .summary = "Make directories, with those above that are missing.",
                 .operands = {many(directory("DIRECTORY"))},
                 .examples = {"paddock mkdir a/b/c"}},
                {.tool = "make_directory",
                 .positional = {"path"},
                 .habit = {.names = {"-p", "--parents"},
                           .help = "As always: with those above, and no error if it is there"}}),
    };
}

class CallForm final : public Form {
public:
    void declare(Parser& parser) override {
        options_.declare(parser, {"workspace.", "paths.", "secrets.", "bash."});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        const Words& given = parser.operands();
        request_.settings = options_.take(parser);
        request_.tool = given[0];
        request_.text = given.size() == 2 ? given[1] : "{}";
        if (*request_.text != "-") return std::move(request_);
        auto input = read_input("-");
        if (!input) return Ending{kUsageError, input.error()};
        request_.text = std::move(*input);
        return std::move(request_);
    }

private:
    SettingOptions options_;
    ToolRequest request_;
};

class ToolListForm final : public Form {
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
            "Prints the answer that the agent's model would read. The arguments are an "
            "object; '-' takes it from standard input. Each call is a session of its "
            "own: an existing file can be changed without having been read before.",
        .operands = {tool, {.name = "JSON", .required = false}},
        .examples = {"paddock call read_file '{\"path\": \"src/main.c\", \"limit\": 20}'",
                     "paddock call workspace_info"},
        .exits =
            "0 done, 1 it was refused or failed, 2 the call makes no sense or could not be "
            "made. bash: that of the command, 128 and its number after a signal."};
    const Manual tools{.name = "tools",
                       .summary = "List the tools that an agent gets.",
                       .description = "With --json also their descriptions and JSON schemas.",
                       .examples = {"paddock tools", "paddock tools --read-only --json"}};
    return {{call, [] { return std::make_unique<CallForm>(); }},
            {tools, [] { return std::make_unique<ToolListForm>(); }}};
}

}  // namespace

std::vector<Command> tool_commands() {
    std::vector<Command> all = looking();
    for (auto& more : {changing(), by_name()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace paddock::cli
