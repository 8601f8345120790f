#include "tools/command_text.h"

#include <utility>

#include "sys/process.h"
#include "tools/met_limit.h"

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
    return mentioned_limit(job.output().end(kLastWordsBytes));
}

std::string_view why(EndedBy cause) {
    switch (cause) {
        case EndedBy::kCancel: return "the call was cancelled";
        case EndedBy::kRequest: return "bash_kill";
        case EndedBy::kSession: return "the session of commands ended, and everything in it";
        default: return {};
    }
}

std::string status_text(const sandbox::ExitRecord& exit) {
    if (exit.signal != 0) return "signal " + sys::signal_name(exit.signal);
    return "exit code " + std::to_string(exit.exit_code);
}

}  // namespace

Answer command_answer(std::string printed, std::string said) {
    Answer answer;
    if (!printed.empty() && !printed.ends_with('\n')) printed += '\n';
    if (!printed.empty()) answer.blocks.push_back({BlockKind::kText, std::move(printed), {}});
    answer.blocks.push_back({BlockKind::kText, std::move(said), {}});
    return answer;
}

std::string ending_text(const Job& job, const CommandLimits& limits) {
    const Job::State state = job.state();
    const std::string time = seconds(state.duration);
    if (state.running) return "running for " + time;
    const auto limit = limit_met_by(job, state, limits);
    if (state.ended_by == EndedBy::kItself && state.exit) {
        return status_text(*state.exit) + " after " + time + (limit ? "; " + limit->named() : "");
    }
    const auto code = ending_code(state.ended_by);
    return (code ? std::string(code_name(*code)) + ": " : "") + "ended after " + time + ", " +
           (limit ? limit->named() : std::string(why(state.ended_by)));
}

std::string remarks_text(const Remarks& remarks) {
    std::string text;
    for (const std::string& line : remarks.lines) text += "\n[" + line + "]";
    return text;
}

std::string denials_text(Job& job, const Shell& shell, const CommandLimits& limits) {
    const Job::State state = job.state();
    if (state.running) return {};
    sandbox::DenialLog log = job.denials();
    // How it ended is told already; here is what the operator can set.
    const auto limit = limit_met_by(job, state, limits);
    if (limit && limit->setting != MetLimit::kNothing) log.add(limit->denial());
    std::string text = log.text(shell.wall_layers());
    if (text.empty()) return {};
    text.pop_back();  // the last line feed
    return "\n[" + text + "]";
}

std::optional<Code> ending_code(EndedBy cause) {
    switch (cause) {
        case EndedBy::kItself:
        case EndedBy::kRequest: return std::nullopt;
        case EndedBy::kTimeout: return Code::kTimeout;
        case EndedBy::kCancel: return Code::kCancelled;
        case EndedBy::kOutput:
        case EndedBy::kProcesses:
        case EndedBy::kQuota:
        case EndedBy::kDiskReserve:
        case EndedBy::kUnattended: return Code::kLimitReached;
        case EndedBy::kSession: return Code::kSandboxUnavailable;
    }
    return std::nullopt;
}

}  // namespace paddock::tools
