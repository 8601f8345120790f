#include "tools/met_limit.h"

#include <array>
#include <csignal>

#include <paddock/limits.h>

namespace paddock::tools {
namespace {

constexpr std::string_view kProcessesSetting = "bash.limits.processes";
constexpr std::string_view kMemorySetting = "bash.limits.memory_bytes";
constexpr std::string_view kScratchSetting = "bash.limits.scratch_bytes";
constexpr std::string_view kDiskReserveSetting = "bash.limits.disk_reserve_bytes";
constexpr std::string_view kHomeSetting = "bash.limits.home_bytes";
constexpr std::string_view kQuotaSetting = "limits.bytes_on_disk";

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MB"; }

// What programs print when the kernel refuses them more.
struct Mention {
    std::string_view words;
    std::string_view name;
    std::string_view setting;
};
constexpr std::array<Mention, 3> kMentions{{
    {"Too many open files", "open files", "bash.limits.open_files"},
    {"No space left on device", "scratch", kScratchSetting},
    {"fork: Resource temporarily unavailable", "processes", kProcessesSetting},
}};

}  // namespace

std::string MetLimit::named() const {
    const std::string told = text + " (limit: " + std::string(name) + ")";
    return remedy.empty() ? told : told + "; " + std::string(remedy);
}

sandbox::Denial MetLimit::denial() const {
    const auto key = setting == kNothing ? name : setting.substr(setting.rfind('.') + 1);
    return {sandbox::Wall::kLimit, sandbox::Deed::kExceed,
            std::string(key),      text,
            layer_name(layer),     setting};
}

std::optional<MetLimit> ending_limit(EndedBy cause, const CommandLimits& limits) {
    switch (cause) {
        case EndedBy::kTimeout:
            return MetLimit{.name = "timeout_ms",
                            .text = "its time was up",
                            .remedy =
                                "give a larger timeout_ms (milliseconds), or run_in_background if "
                                "it may go on for long"};
        case EndedBy::kProcesses:
            return MetLimit{"processes",
                            "there were " + std::to_string(limits.processes) + " processes",
                            kProcessesSetting};
        case EndedBy::kMemory:
            return MetLimit{"memory",
                            "more than " + bytes_text(limits.memory_bytes) + " of memory were used",
                            kMemorySetting};
        case EndedBy::kQuota: return MetLimit{"disk", "it filled the workspace", kQuotaSetting};
        case EndedBy::kHome:
            return MetLimit{.name = "home",
                            .text = "it filled the home of commands, which may take " +
                                    bytes_text(limits.home_bytes),
                            .setting = kHomeSetting,
                            .remedy = "remove caches there; the operator can run `paddock clean`"};
        case EndedBy::kDiskReserve:
            return MetLimit{"disk",
                            "it left less than " + bytes_text(limits.disk_reserve_bytes) +
                                " of the workspace's disk",
                            kDiskReserveSetting};
        case EndedBy::kUnattended:
            return MetLimit{"threads", "the host had no thread left to look after it"};
        default: return std::nullopt;
    }
}

MetLimit exceeded_quota() {
    return {.name = "disk",
            .text = "the workspace is beyond its quota",
            .setting = kQuotaSetting,
            .remedy = "remove something: until then commands can write no file"};
}

std::optional<MetLimit> kernel_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits) {
    constexpr int kShellAddsToSignal = 128;
    const bool too_large = exit.signal == SIGXFSZ ||
                           (exit.signal == 0 && exit.exit_code == kShellAddsToSignal + SIGXFSZ);
    if (too_large) {
        return MetLimit{"file size", "a file grew beyond " + bytes_text(limits.file_bytes),
                        "bash.limits.file_bytes"};
    }
    if (exit.memory_kills > 0) {
        return MetLimit{"memory", "the memory was used up", kMemorySetting, Layer::kCgroup};
    }
    if (exit.processes_refused > 0) {
        return MetLimit{"processes", "no more processes could be made", kProcessesSetting,
                        Layer::kCgroup};
    }
    return std::nullopt;
}

std::optional<MetLimit> mentioned_limit(std::string_view last_words, const CommandLimits& limits) {
    for (const Mention& mention : kMentions) {
        if (last_words.find(mention.words) == last_words.npos) continue;
        const std::string why =
            "it printed '" + std::string(mention.words) + "', perhaps because of this limit";
        const bool is_memory =
            mention.setting == kScratchSetting && limits.memory_bytes < limits.scratch_bytes;
        return is_memory ? MetLimit{"memory", why, kMemorySetting}
                         : MetLimit{mention.name, why, mention.setting};
    }
    return std::nullopt;
}

}  // namespace paddock::tools
