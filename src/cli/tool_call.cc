#include "cli/tool_call.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include <paddock/tools.h>

#include "base/ascii.h"
#include "base/display.h"
#include "cli/cancel_on_signal.h"
#include "cli/command.h"
#include "cli/tool_form.h"
#include "cli/view.h"
#include "cli/waiting.h"
#include "cli/workspace_options.h"
#include "json/parse.h"
#include "json/write.h"
#include "sys/process.h"
#include "text/base64.h"
#include "tools/arguments.h"
#include "tools/call.h"
#include "tools/registry.h"
#include "tools/text_answer.h"

namespace paddock::cli {
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
    std::string text = call.text;
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
std::string as_told(std::string text, const std::string& of) {
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
    const tools::Declaration* tool = tools::find_tool(call.tool);
    if (tool == nullptr) return {};
    const auto arguments = tools::decode(*tool, call.arguments);
    return arguments && arguments->has("path") ? json::Value(arguments->text("path"))
                                               : json::Value();
}

// Of an error. What a command printed goes before the code.
std::string without_code(const Call& call) {
    const std::string code = std::string(code_name(*call.answer.error)) + ": ";
    return call.text.substr(call.text.starts_with(code) ? code.size() : 0);
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
        message = request.for_people ? as_told(why, request.tool) : why;
    } else if (request.for_people) {
        result = as_data(call);
        message = text_or_null(result.is_null() ? call.text : for_people(aside, request.tool));
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
        complain(request.for_people ? as_told(call.text, request.tool) : call.text);
    } else {
        if (!print(request.for_people ? shown.out : as_read(call, look))) return kUsageError;
        if (!shown.aside.empty()) complain(for_people(shown.aside, request.tool));
    }
    if (const auto code = exit_code(call.answer.command)) return *code;
    if (refused) return refusal_code(*call.answer.error);
    return shown.is_nothing ? kRefused : 0;
}

// To people a workspace that is read-only is one; an agent does not get the tools that change it.
tools::Answer refused_here() {
    tools::Answer answer =
        tools::text_answer("read_only: the workspace is read-only here, and this would change it");
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
        "this call, which is a session of its own. Leave them out, or use `paddock run`.");
    answer.error = Code::kInvalidArgument;
    return answer;
}

}  // namespace

// Each command is a session of its own, and its user has seen the file.
int run(const ToolRequest& request) {
    const auto calls =
        request.text ? std::vector{json::parse(*request.text).value} : request.arguments;
    const tools::Declaration* tool = tools::find_tool(request.tool);
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
    if (request.for_people && options->read_only && !tool->manners.read_only) {
        const tools::Answer answer = refused_here();
        return show(request, {request.tool, calls.front(), answer}, look);
    }
    if (tool != nullptr && needs_later_calls(*tool, calls.front())) {
        return show(request, {request.tool, calls.front(), ends_too_early()}, look);
    }
    // Commands need a process of their own. What lists the tools lists those that an agent gets.
    const bool lists_tools = tool == nullptr || request.tool == "workspace_info";
    if (!lists_tools && !tool->manners.needs_shell) options->shell.reset();
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
    if (tool != nullptr && tool->manners.needs_shell) cancel.emplace();
    int worst = 0;
    for (const json::Value& arguments : calls) {
        const tools::Answer answer = [&] {
            const Waiting waiting(STDERR_FILENO, displayable(request.tool));
            const tools::CallOptions how{.cancel = cancel ? cancel->token() : std::stop_token(),
                                         .uncut = request.for_people && !look.terminal};
            // Text is parsed there: what is wrong with it is answered as to an agent.
            return request.text ? tools::call(*workspace, request.tool, *request.text, how)
                                : tools::call_parsed(*workspace, request.tool, arguments, how);
        }();
        worst = std::max(worst, show(request, {request.tool, arguments, answer}, look));
        if (cancel && cancel->caught() != 0) return kAddedToSignal + cancel->caught();
        look.follows = true;
    }
    return worst;
}

}  // namespace paddock::cli
