#include "tools/command_text.h"

#include <csignal>
#include <utility>

#include "sys/process.h"

namespace paddock::tools {
namespace {

std::string seconds(Job::Clock::duration duration) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(duration) / 100;
    const auto count = tenths.count();
    return std::to_string(count / 10) + "." + std::to_string(count % 10) + " s";
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MB"; }

// A limit that a command met: its name here and as a setting, and what happened.
struct MetLimit {
    std::string_view name;
    std::string_view setting;  // below bash.limits; empty: there is none
    std::string text;
    Layer layer = Layer::kLimits;

    std::string named() const { return text + " (limit: " + std::string(name) + ")"; }
    sandbox::Denial denial() const {
        return {sandbox::Wall::kLimit, sandbox::Deed::kExceed, std::string(setting), text,
                layer_name(layer)};
    }
};

// One that ended it.
std::optional<MetLimit> ending_limit(EndedBy cause, const CommandLimits& limits) {
    switch (cause) {
        case EndedBy::kOutput:
            return MetLimit{"output", "",
                            "it printed more than " + bytes_text(limits::kCommandOutputBytesMax)};
        case EndedBy::kProcesses:
            return MetLimit{"processes", "processes",
                            "there were " + std::to_string(limits.processes) + " processes"};
        case EndedBy::kDisk: return MetLimit{"disk", "", "it filled the disk of the workspace"};
        default: return std::nullopt;
    }
}

// One that the kernel keeps by itself.
std::optional<MetLimit> met_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits) {
    constexpr int kShellAddsToSignal = 128;
    const bool too_large = exit.signal == SIGXFSZ ||
                           (exit.signal == 0 && exit.exit_code == kShellAddsToSignal + SIGXFSZ);
    if (too_large) {
        return MetLimit{"file size", "file_bytes",
                        "a file grew beyond " + bytes_text(limits.file_bytes)};
    }
    const bool failed = exit.signal != 0 || exit.exit_code != 0;
    if (exit.memory_kills > 0) {
        return MetLimit{"memory", "memory_bytes", "the memory was used up", Layer::kCgroup};
    }
    // Nine tenths: the last request is the one that was refused.
    if (failed && exit.peak_memory_kb > (limits.memory_bytes >> 10U) / 10 * 9) {
        return MetLimit{"memory", "memory_bytes",
                        "a process came near " + bytes_text(limits.memory_bytes)};
    }
    if (exit.processes_refused > 0) {
        return MetLimit{"processes", "processes", "no more processes could be made",
                        Layer::kCgroup};
    }
    return std::nullopt;
}

std::string why(EndedBy cause, const CommandLimits& limits) {
    if (const auto limit = ending_limit(cause, limits)) return limit->named();
    switch (cause) {
        case EndedBy::kTimeout: return "its time was up (timeout_ms)";
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

std::string ending_text(const Job::State& state, const CommandLimits& limits) {
    const std::string time = seconds(state.duration);
    if (state.running) return "running for " + time;
    if (state.ended_by != EndedBy::kItself || !state.exit) {
        return "ended after " + time + ": " + why(state.ended_by, limits);
    }
    const auto limit = met_limit(*state.exit, limits);
    return status_text(*state.exit) + " after " + time + (limit ? "; " + limit->named() : "");
}

std::string remarks_text(const Remarks& remarks) {
    std::string text;
    for (const std::string& line : remarks.lines) text += "\n[" + line + "]";
    return text;
}

std::optional<sandbox::Denial> denied_by_limit(const sandbox::ExitRecord& exit,
                                               const CommandLimits& limits) {
    const auto met = met_limit(exit, limits);
    if (!met) return std::nullopt;
    return met->denial();
}

std::string denials_text(Job& job, const Shell& shell, const CommandLimits& limits) {
    const Job::State state = job.state();
    if (state.running) return {};
    sandbox::DenialLog log = job.denials();
    auto limit = ending_limit(state.ended_by, limits);
    if (!limit && state.ended_by == EndedBy::kItself && state.exit) {
        limit = met_limit(*state.exit, limits);
    }
    if (limit && !limit->setting.empty()) log.add(limit->denial());
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
        case EndedBy::kDisk: return Code::kLimitReached;
        case EndedBy::kSession: return Code::kSandboxUnavailable;
    }
    return std::nullopt;
}

}  // namespace paddock::tools
