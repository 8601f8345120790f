#include "tools/command_text.h"

#include <csignal>

#include "sys/process.h"

namespace paddock::tools {
namespace {

std::string seconds(Job::Clock::duration duration) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(duration) / 100;
    const auto count = tenths.count();
    return std::to_string(count / 10) + "." + std::to_string(count % 10) + " s";
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MB"; }

std::string why(EndedBy cause, const CommandLimits& limits) {
    switch (cause) {
        case EndedBy::kItself: return {};
        case EndedBy::kTimeout: return "its time was up (timeout_ms)";
        case EndedBy::kCancel: return "the call was cancelled";
        case EndedBy::kRequest: return "bash_kill";
        case EndedBy::kOutput:
            return "it printed more than " + bytes_text(limits::kCommandOutputBytesMax) +
                   " (limit: output)";
        case EndedBy::kProcesses:
            return "there were " + std::to_string(limits.processes) +
                   " processes (limit: processes)";
        case EndedBy::kDisk: return "it filled the disk of the workspace (limit: disk)";
        case EndedBy::kSession: return "the session of commands ended, and everything in it";
    }
    return {};
}

// Of a limit that the kernel keeps by itself, which the command then met.
std::string met_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits) {
    constexpr int kShellAddsToSignal = 128;
    const bool too_large = exit.signal == SIGXFSZ ||
                           (exit.signal == 0 && exit.exit_code == kShellAddsToSignal + SIGXFSZ);
    if (too_large) {
        return "a file grew beyond " + bytes_text(limits.file_bytes) + " (limit: file size)";
    }
    const bool failed = exit.signal != 0 || exit.exit_code != 0;
    if (exit.memory_kills > 0) return "the memory was used up (limit: memory)";
    // Nine tenths: the last request is the one that was refused.
    if (failed && exit.peak_memory_kb > (limits.memory_bytes >> 10U) / 10 * 9) {
        return "a process came near " + bytes_text(limits.memory_bytes) + " (limit: memory)";
    }
    if (exit.processes_refused > 0) return "no more processes could be made (limit: processes)";
    return {};
}

std::string status_text(const sandbox::ExitRecord& exit) {
    if (exit.signal != 0) return "signal " + sys::signal_name(exit.signal);
    return "exit code " + std::to_string(exit.exit_code);
}

}  // namespace

std::string ending_text(const Job::State& state, const CommandLimits& limits) {
    const std::string time = seconds(state.duration);
    if (state.running) return "running for " + time;
    if (state.ended_by != EndedBy::kItself || !state.exit) {
        return "ended after " + time + ": " + why(state.ended_by, limits);
    }
    const std::string limit = met_limit(*state.exit, limits);
    return status_text(*state.exit) + " after " + time + (limit.empty() ? "" : "; " + limit);
}

std::string remarks_text(const Remarks& remarks) {
    std::string text;
    for (const std::string& line : remarks.lines) text += "\n[" + line + "]";
    return text;
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
