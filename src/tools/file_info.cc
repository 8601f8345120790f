#include <chrono>
#include <ctime>

#include "tools/arguments.h"
#include "tools/path_argument.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

std::string utc(std::chrono::nanoseconds since_epoch) {
    const std::time_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    std::tm parts{};
    if (::gmtime_r(&seconds, &parts) == nullptr) return "unknown";
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return std::string(text, length);
}

std::string octal(std::uint32_t mode) {
    std::string digits(4, '0');
    for (std::size_t i = 0; i < digits.size(); ++i) {
        digits[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7U));
    }
    return digits;
}

Attempt<Answer> run_file_info(Session& session, const Arguments& arguments,
                              const CallOptions& options) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::string& path = arguments.text("path");
    const auto name = files.name(path);
    if (!name) return name.error();
    const auto stat = files.stat_name(*name);
    // To look for near names takes time.
    if (!stat && stat.error().code == Code::kNotFound && options.only_quick) return deferred();
    if (!stat && stat.error().code == Code::kNotFound) return files.missing(path);
    if (!stat) return stat.error();
    std::string text = "path: " + files.shown(*name) + "\n";
    text += "type: " + std::string(file_type_name(stat->type)) + "\n";
    if (stat->type == FileType::kSymlink) {
        const auto target = files.link_target(*name);
        if (!target) return target.error();
        text += "target: " + *target + "\n";
    }
    if (stat->type == FileType::kRegular) text += "size: " + std::to_string(stat->size) + "\n";
    if (stat->type == FileType::kRegular && stat->links > 1) {
        text += "hard links: " + std::to_string(stat->links) + "\n";
    }
    text += "mode: " + octal(stat->mode) + "\n";
    text += "modified: " + utc(stat->modified);
    return text_answer(std::move(text));
}

}  // namespace

const Declaration& file_info() {
    static const Declaration kTool{
        .name = "file_info",
        .title = "File information",
        .summary = "Type, size, permissions and time of modification of one path.",
        .description = "Of a symbolic link: its own data and its target.",
        .manners = {.read_only = true, .idempotent = true, .pace = Pace::kQuick},
        .arguments = {path_argument("What to look at")},
        .example = R"({"path": "src/main.c"})",
        .run = run_file_info};
    return kTool;
}

}  // namespace paddock::tools
