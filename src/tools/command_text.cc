#include "tools/command_text.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/display.h"
#include "sys/process.h"
#include "tools/job.h"

namespace paddock::tools {
namespace {

std::string seconds(Job::Clock::duration duration) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(duration) / 100;
    const auto count = tenths.count();
    return std::to_string(count / 10) + "." + std::to_string(count % 10) + " s";
}

// How much of what a failed command printed is looked at for the reason.
constexpr std::size_t kLastWordsBytes = 2000;

std::optional<MetLimit> limit_met_by(const Job& job, const Job::State& state,
                                     const CommandLimits& limits) {
    if (state.ended_by != EndedBy::kItself || !state.exit) {
        return ending_limit(state.ended_by, limits);
    }
    if (auto limit = kernel_limit(*state.exit, limits)) return limit;
    if (state.exceeds_quota) return exceeded_quota();
    if (state.exit->signal == 0 && state.exit->exit_code == 0) return std::nullopt;
    return mentioned_limit(job.output().end(kLastWordsBytes), limits);
}

// The code of a command that was not let finish.
std::optional<Code> ending_code(EndedBy cause) {
    switch (cause) {
        case EndedBy::kItself:
        case EndedBy::kRequest: return std::nullopt;
        case EndedBy::kTimeout: return Code::kTimeout;
        case EndedBy::kCancel: return Code::kCancelled;
        case EndedBy::kProcesses:
        case EndedBy::kMemory:
        case EndedBy::kQuota:
        case EndedBy::kHome:
        case EndedBy::kDiskReserve:
        case EndedBy::kUnattended: return Code::kLimitReached;
        case EndedBy::kSession: return Code::kSandboxUnavailable;
    }
    return std::nullopt;
}

struct Cause {
    std::string_view name;
    std::string_view text;
};

// Of an end that neither the command nor a limit is the cause of.
Cause cause_of(EndedBy ended_by) {
    switch (ended_by) {
        case EndedBy::kCancel: return {"cancelled", "the call was cancelled"};
        case EndedBy::kRequest: return {"bash_kill", "bash_kill"};
        case EndedBy::kSession: return {"session", "the session ended, with everything in it"};
        default: return {};
    }
}

std::string status_text(const sandbox::ExitRecord& exit) {
    if (exit.signal != 0) return "signal " + sys::signal_name(exit.signal);
    return "exit code " + std::to_string(exit.exit_code);
}

std::string ending_text(const Job::State& state, const std::optional<MetLimit>& limit) {
    const std::string time = seconds(state.duration);
    if (state.running) return "running for " + time;
    if (state.ended_by == EndedBy::kItself && state.exit) {
        return status_text(*state.exit) + " after " + time + (limit ? "; " + limit->named() : "");
    }
    const auto code = ending_code(state.ended_by);
    return (code ? std::string(code_name(*code)) + ": " : "") + "ended after " + time + ", " +
           (limit ? limit->named() : std::string(cause_of(state.ended_by).text));
}

std::string ended_by(EndedBy cause, const std::optional<MetLimit>& limit) {
    if (cause == EndedBy::kItself) return {};
    if (cause == EndedBy::kTimeout) return "timeout";
    return std::string(limit ? limit->name : cause_of(cause).name);
}

FileChange::What public_form(journal::NameChange::What what) {
    switch (what) {
        case journal::NameChange::What::kMade: return FileChange::What::kMade;
        case journal::NameChange::What::kChanged: return FileChange::What::kChanged;
        case journal::NameChange::What::kMoved: return FileChange::What::kMoved;
        case journal::NameChange::What::kRemoved: return FileChange::What::kRemoved;
    }
    return FileChange::What::kChanged;
}

FileChanges changes_of(const sandbox::ExitRecord& exit) {
    const journal::Changes& counts = exit.changes;
    FileChanges changes{counts.made, counts.changed, counts.removed, counts.not_kept};
    for (const journal::NameChange& name : exit.names) {
        changes.files.push_back(
            {public_form(name.what), displayable(name.path), displayable(name.from)});
    }
    changes.more = counts.names() - std::min<std::uint64_t>(counts.names(), exit.names.size());
    return changes;
}

void add_exit(CommandResult& result, const sandbox::ExitRecord& exit, const Shell& shell) {
    if (exit.signal != 0) {
        result.signal = exit.signal;
    } else {
        result.exit_code = exit.exit_code;
    }
    if (shell.is_gated()) result.changes = changes_of(exit);
}

void add_denials(CommandResult& result, Job& job, const Shell& shell,
                 const std::optional<MetLimit>& limit) {
    sandbox::DenialLog log = job.denials();
    // The text already says how the command ended. This adds the setting behind the limit.
    if (limit && limit->setting != MetLimit::kNothing) log.add(limit->denial());
    const std::string printed = job.output().excerpt(limits::kCommandShownBytes, job.id());
    for (sandbox::Denial& read : shell.refused_reads(job, printed)) {
        // A refused change prints the same words, and the gate has reported it already.
        if (!log.has_target(read.target)) log.add(std::move(read));
    }
    for (sandbox::Denial& look_up : shell.refused_look_ups(printed)) log.add(std::move(look_up));
    result.denials = log.explained(shell.wall_layers(), result.exit_code == 0);
    result.more_denials = log.more();
}

}  // namespace

Answer command_answer(std::string printed, std::string said) {
    Answer answer;
    if (!printed.empty() && !printed.ends_with('\n')) printed += '\n';
    if (!printed.empty()) answer.blocks.push_back({BlockKind::kText, std::move(printed), {}});
    answer.blocks.push_back({BlockKind::kText, std::move(said), {}});
    return answer;
}

CommandReport report_on(Job& job, const Shell& shell, const CommandLimits& limits) {
    const Job::State state = job.state();
    std::optional<MetLimit> limit;
    if (!state.running) limit = limit_met_by(job, state, limits);
    CommandReport report{
        .result = {.id = job.id(),
                   .running = state.running,
                   .duration =
                       std::chrono::duration_cast<std::chrono::milliseconds>(state.duration)},
        .ending = ending_text(state, limit),
        .output_open = state.output_open};
    if (state.running) return report;
    report.result.ended_by = ended_by(state.ended_by, limit);
    report.error = ending_code(state.ended_by);
    if (state.exit) add_exit(report.result, *state.exit, shell);
    add_denials(report.result, job, shell, limit);
    return report;
}

std::string remarks_text(const Remarks& remarks) {
    std::string text;
    for (const std::string& line : remarks.lines) text += "\n[" + line + "]";
    return text;
}

std::string consequences_text(const CommandResult& result) {
    std::string text;
    std::string denials = sandbox::denials_text(result.denials, result.more_denials);
    if (!denials.empty()) {
        denials.pop_back();  // the last line feed
        text += "\n[" + denials + "]";
    }
    const std::string changes = changes_text(result.changes.value_or(FileChanges()));
    if (!changes.empty()) text += "\n" + changes;
    return text;
}

}  // namespace paddock::tools
