// Every call passes here, whatever the tool: limits, decoding, the tool itself, the secrets filter,
// the audit trail.
#include "tools/call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <vector>

#include <paddock/limits.h>
#include <paddock/tools.h>

#include "base/display.h"
#include "base/utf8.h"
#include "json/parse.h"
#include "json/write.h"
#include "text/names.h"
#include "tools/declaration.h"
#include "tools/print.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

using Clock = std::chrono::steady_clock;

Error unknown_tool(std::string_view name, const WorkspaceOptions& options) {
    std::vector<std::string> names;
    for (const Declaration* tool : all_tools()) {
        if (is_listed(*tool, options)) names.emplace_back(tool->name);
    }
    std::string text = "There is no tool '" + displayable(name.substr(0, 100)) + "' here.";
    const std::string near = text::nearest_word(name.substr(0, 100), names);
    if (!near.empty()) text += " Did you mean '" + near + "'?";
    text += " The tools are";
    for (const std::string& each : names) text += (&each == &names.front() ? " " : ", ") + each;
    text += ".";
    return tool_error(Code::kNotAvailable, std::move(text));
}

Error too_many(const policy::Refusal& refusal) {
    std::string text = "Too many calls. ";
    text += refusal.retry_after
                ? "Try again in " + std::to_string(refusal.retry_after->count()) + " ms."
                : "Wait until another call has ended.";
    return tool_error(refusal.failure.code, std::move(text));
}

// What a caller gave: text that is to be parsed, or what another parser has made of it.
struct Given {
    std::string_view text;
    const json::Value* value = nullptr;
};

// The tool that a caller asked for; nullptr: there is none of that name.
struct Asked {
    std::string_view name;
    const Declaration* tool = nullptr;
};

// What a call is about, for the journal.
std::string subject_of(const Session& session, const Arguments& arguments) {
    for (const std::string_view name : {"path", "source"}) {
        if (!arguments.has(name)) continue;
        std::string text = arguments.text(name);
        session.redact(text);
        return text;
    }
    return {};
}

// In the journal of each root that it changes.
class RecordedCall {
public:
    RecordedCall(Session& session, std::string_view tool, const std::string& subject) {
        for (SessionRoot* root : session.roots()) {
            calls_.push_back(std::make_unique<Recorder::Call>(root->recorder, tool, subject));
        }
    }
    RecordedCall(const RecordedCall&) = delete;
    RecordedCall& operator=(const RecordedCall&) = delete;
    ~RecordedCall() {
        while (!calls_.empty()) calls_.pop_back();  // the last first
    }

private:
    std::vector<std::unique_ptr<Recorder::Call>> calls_;
};

Result<Answer> run_decoded(Session& session, const Declaration& tool, const json::Value& value,
                           const CallOptions& options) {
    const auto decoded = decode(tool, value);
    if (!decoded) return decoded.error();
    const RecordedCall call(session, tool.name, subject_of(session, *decoded));
    return tool.run(session, *decoded, options);
}

Result<Answer> run(Session& session, const Asked& asked, const Given& given,
                   const CallOptions& options, Clock::time_point start) {
    const auto ticket = session.meter().begin_call(start);
    if (!ticket) return too_many(ticket.error());
    const Declaration* tool = asked.tool;
    if (tool == nullptr || !is_listed(*tool, session.options())) {
        return unknown_tool(asked.name, session.options());
    }
    if (given.value != nullptr) return run_decoded(session, *tool, *given.value, options);
    const json::Parsed parsed = json::parse(given.text.empty() ? "{}" : given.text);
    if (!parsed.problem.empty()) {
        return tool_error(Code::kInvalidArgument,
                          std::string(tool->name) +
                              ": the arguments are not valid JSON: " + parsed.problem +
                              ". Give an object such as " + std::string(tool->example) + ".");
    }
    return run_decoded(session, *tool, parsed.value, options);
}

Answer as_answer(const Error& problem) {
    Answer answer;
    answer.error = problem.code;
    answer.blocks.push_back(
        {BlockKind::kText,
         std::string(code_name(problem.code)) + ": " + explanation_for_model(problem),
         {}});
    return answer;
}

void repair(std::string& text) {
    if (is_utf8(text)) return;
    std::string repaired;
    append_repaired(repaired, text);
    text = std::move(repaired);
}

// Valid UTF-8, without secrets; returns how many there were.
std::size_t clean(const Session& session, std::string& text) {
    repair(text);
    return session.redact(text);
}

using Strings = std::vector<std::string*>;

// All strings of a result: whoever adds a member adds a name here, else this does not compile.
// What a command can choose comes first, one after the other, as it would be printed.
Strings strings_of(CommandResult& result) {
    auto& [id, running, exit_code, signal, duration, ended_by, changes, denials, more] = result;
    Strings targets;
    Strings others{&id, &ended_by};
    if (changes) {
        auto& [made, changed, removed, not_kept, files, more_files] = *changes;
        for (FileChange& file : files) targets.insert(targets.end(), {&file.path, &file.from});
    }
    for (CommandDenial& denial : denials) {
        auto& [operation, target, reason, layer, setting, option, needed] = denial;
        targets.push_back(&target);
        others.insert(others.end(), {&operation, &reason, &layer, &setting, &option});
    }
    targets.insert(targets.end(), others.begin(), others.end());
    return targets;
}

std::string joined_lines(const Strings& strings) {
    std::string lines;
    for (const std::string* each : strings) lines += *each + "\n";
    return lines;
}

// False: they are no longer as many lines as strings.
bool split_lines(std::string_view lines, const Strings& strings) {
    const auto count = std::count(lines.begin(), lines.end(), '\n');
    if (static_cast<std::size_t>(count) != strings.size()) return false;
    for (std::string* each : strings) {
        const std::size_t end = lines.find('\n');
        *each = lines.substr(0, end);
        lines.remove_prefix(end + 1);
    }
    return true;
}

// The filter sees all strings together, since a secret may be divided among several. One that was
// takes line ends with it: then nothing of the command's making leaves.
void clean(const Session& session, CommandResult& result) {
    const Strings strings = strings_of(result);
    std::string lines = joined_lines(strings);
    (void)clean(session, lines);
    if (split_lines(lines, strings)) return;
    for (std::string* each : strings) (void)clean(session, *each);
    result.more_denials = true;
    result.denials.clear();
    if (!result.changes) return;
    result.changes->more += result.changes->files.size();
    result.changes->files.clear();
}

void repair(Lines& lines) {
    if (is_utf8(lines.text)) return;
    std::string repaired;
    for (Line& line : lines.rows) {
        const std::size_t begin = repaired.size();
        append_repaired(repaired, lines.text_of(line));
        line.begin = begin;
        line.size = repaired.size() - begin;
    }
    lines.text = std::move(repaired);
}

void repair(Found& found) {
    // FileLines were decoded.
    if (auto* matches = std::get_if<Matches>(&found)) {
        for (MatchedFile& file : matches->files) {
            repair(file.path);
            repair(file.lines);
        }
    }
    if (auto* paths = std::get_if<FoundPaths>(&found)) {
        for (std::string& path : paths->paths) repair(path);
    }
    if (auto* directory = std::get_if<ListedDirectory>(&found)) {
        repair(directory->path);
        for (ListedEntry& entry : directory->entries) {
            repair(entry.name);
            repair(entry.target);
        }
    }
    if (auto* info = std::get_if<FileInfo>(&found)) {
        for (NamedValue& each : info->values) {
            if (auto* text = std::get_if<std::string>(&each.value)) repair(*text);
        }
    }
}

// Text leaves as valid UTF-8 and without secrets.
void clean(const Session& session, Answer& answer) {
    auto& [blocks, error, secrets, is_deferred, command, found, nothing, notes] = answer;
    for (Block& block : blocks) {
        if (block.kind == BlockKind::kText) secrets += clean(session, block.data);
    }
    // Not counted: the blocks say the same.
    if (command) clean(session, *command);
    if (!std::holds_alternative<std::monostate>(found)) print_found(session, answer);
}

void tell_audit(const Session& session, AuditEvent event, const Given& given,
                Clock::time_point start) {
    if (!session.options().audit) return;
    event.duration = Clock::now() - start;
    const std::string written = given.value == nullptr ? "" : json::to_text(*given.value);
    const std::string_view arguments = given.value == nullptr ? given.text : written;
    const std::size_t shown = cut_utf8(arguments, limits::kAuditBytesMax).size();
    const std::string redacted =
        session.redact_part(arguments.substr(0, shown + session.secret_margin()), 0, shown);
    std::string tool(event.tool);
    session.redact(tool);
    event.tool = tool;
    event.arguments = redacted;
    session.options().audit(event);
}

// No exception of a tool ends whoever calls it. Memory that is not there for one call is there for
// the next.
Answer answered(Session& session, const Asked& asked, const Given& given,
                const CallOptions& options, Clock::time_point start) {
    try {
        Result<Answer> attempt = run(session, asked, given, options, start);
        Answer answer = attempt ? std::move(*attempt) : as_answer(attempt.error());
        clean(session, answer);
        return answer;
    } catch (const std::bad_alloc&) {
        return as_answer(
            tool_error(Code::kLimitReached,
                       "Not enough memory to complete this. Check for partial changes, "
                       "then ask for less at once."));
    } catch (...) {
        return as_answer(tool_error(Code::kInternal,
                                    "Internal error. Check for partial changes before you retry."));
    }
}

Answer answer_to(const Workspace& workspace, const Asked& asked, const Given& given,
                 const CallOptions& options) {
    Session& session = Session::of(workspace);
    const auto start = Clock::now();
    Answer answer = answered(session, asked, given, options, start);
    if (answer.is_deferred) return answer;
    AuditEvent event;
    event.tool = asked.name;
    event.secrets = answer.secrets;
    event.error = answer.error;
    for (const Block& block : answer.blocks) event.bytes_out += block.data.size();
    tell_audit(session, event, given, start);
    return answer;
}

bool has_network(const WorkspaceOptions& options) {
    return options.shell && (options.shell->host_network || !options.shell->network_allow.empty());
}

}  // namespace

// The filter sees the text that is printed of the rows, so that it finds what several of them hold
// together. What it replaces there it replaces in the rows.
void print_found(const Session& session, Answer& answer) {
    repair(answer.found);
    repair(answer.nothing);
    repair(answer.notes);
    std::string text;
    for (std::size_t i = 0; i < section_count(answer); ++i) {
        Section section;
        print(answer, i, section);
        std::string part = section.take();
        std::vector<secrets::Replacements> passes;
        if (const std::size_t count = session.redact(part, &passes); count > 0) {
            answer.secrets += count;
            Section rows(Section::Fields::kKeep);
            print(answer, i, rows);
            rows.redact_fields(passes, part);
        }
        if (i == 0) {
            text = std::move(part);
            continue;
        }
        if (!text.ends_with('\n')) text += '\n';
        text += part;
    }
    drop_empty_rows(answer.found);
    answer.blocks.insert(answer.blocks.begin(), {BlockKind::kText, std::move(text), {}});
}

std::string Answer::text() const {
    std::string joined;
    for (const Block& block : blocks) {
        if (block.kind != BlockKind::kText) continue;
        if (!joined.empty() && !joined.ends_with('\n')) joined += '\n';
        joined += block.data;
    }
    return joined;
}

Answer call(const Workspace& workspace, std::string_view name, std::string_view arguments,
            const CallOptions& options) {
    return answer_to(workspace, {name, find_tool(name)}, {.text = arguments}, options);
}

Answer call_parsed(const Workspace& workspace, const Declaration& tool,
                   const json::Value& arguments, const CallOptions& options) {
    return answer_to(workspace, {tool.name, &tool}, {.text = {}, .value = &arguments}, options);
}

std::vector<ToolInfo> list(const Workspace& workspace) {
    const WorkspaceOptions& options = Session::of(workspace).options();
    std::vector<ToolInfo> listed;
    for (const Declaration* tool : all_tools()) {
        if (!is_listed(*tool, options)) continue;
        listed.push_back({std::string(tool->name), std::string(tool->title),
                          std::string(tool->summary) + "\n\n" + std::string(tool->description),
                          json::to_text(input_schema(*tool)), tool->traits.read_only,
                          tool->traits.destructive, tool->traits.idempotent,
                          tool->traits.uses_network && has_network(options), tool->traits.pace});
    }
    return listed;
}

namespace {

constexpr std::string_view kCore = "core";
constexpr std::string_view kFull = "full";

// Reading, changing, finding and running: the rest can be had from bash, or by several calls.
bool is_core(const Declaration& tool) {
    static constexpr std::array<std::string_view, 11> kTools{
        "read_file",      "write_file", "edit_file",   "patch",      "glob",     "grep",
        "list_directory", "bash",       "bash_output", "bash_input", "bash_kill"};
    return std::find(kTools.begin(), kTools.end(), tool.name) != kTools.end();
}

bool is_wanted(const Declaration& tool, const std::vector<std::string>& wanted) noexcept {
    if (wanted.empty()) return true;
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return name == tool.name || name == kFull || (name == kCore && is_core(tool));
    });
}

}  // namespace

std::span<const Declaration* const> all_tools() {
    static const std::array kAll{&read_file(), &read_files(),    &write_file(),  &edit_file(),
                                 &patch(),     &glob(),          &grep(),        &list_directory(),
                                 &bash(),      &bash_output(),   &bash_input(),  &bash_kill(),
                                 &move_path(), &copy_path(),     &remove_path(), &make_directory(),
                                 &file_info(), &workspace_info()};
    return kAll;
}

std::span<const Code> common_errors() {
    static constexpr std::array kAll{
        Code::kInvalidArgument, Code::kInvalidPath,   Code::kPathEscape,    Code::kAbsolutePath,
        Code::kMountCrossing,   Code::kNotFound,      Code::kNotADirectory, Code::kPermissionDenied,
        Code::kDeniedByRule,    Code::kReadOnly,      Code::kLimitReached,  Code::kRace,
        Code::kRateLimited,     Code::kQuotaExceeded, Code::kNotAvailable,  Code::kIoError,
        Code::kInternal};
    return kAll;
}

const Declaration* find_tool(std::string_view name) {
    for (const Declaration* tool : all_tools()) {
        if (tool->name == name) return tool;
    }
    return nullptr;
}

std::vector<std::string> listable_names() {
    std::vector<std::string> names{std::string(kCore), std::string(kFull)};
    for (const Declaration* tool : all_tools()) names.emplace_back(tool->name);
    return names;
}

bool is_listed(const Declaration& tool, const WorkspaceOptions& options) noexcept {
    if (!is_wanted(tool, options.tools)) return false;
    if (tool.traits.needs_shell) return options.shell && !options.read_only;
    return !options.read_only || !tool.changes_files();
}

}  // namespace paddock::tools
