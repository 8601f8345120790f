#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/display.h"
#include "cli/host_environment.h"

namespace paddock::cli {
namespace {

std::string_view escape_of(Tone tone) {
    switch (tone) {
        case Tone::kGood: return "\x1b[32m";
        case Tone::kBad: return "\x1b[1;31m";
        case Tone::kDoubtful: return "\x1b[33m";
        case Tone::kQuiet: return "\x1b[2m";
        case Tone::kStrong: return "\x1b[1m";
        case Tone::kPath: return "\x1b[35m";
        case Tone::kDirectory: return "\x1b[1;34m";
        case Tone::kLink: return "\x1b[36m";
        case Tone::kPlain: break;
    }
    return {};
}

// Columns on the screen: bytes that begin a UTF-8 character.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

bool is_terminal(int fd) noexcept { return ::isatty(fd) == 1; }

Paint::Paint(int fd, Colours colours)
    : colours_(colours == Colours::kAlways ||
               (colours == Colours::kAuto && is_terminal(fd) && host_variable("NO_COLOR").empty() &&
                host_variable("TERM") != "dumb")) {}

std::string Paint::operator()(Tone tone, std::string_view text) const {
    const std::string_view escape = escape_of(tone);
    if (!colours_ || escape.empty() || text.empty()) return std::string(text);
    return std::string(escape).append(text).append("\x1b[0m");
}

std::string table(const std::vector<std::vector<Cell>>& rows, const Paint& paint,
                  std::vector<std::size_t> widths) {
    constexpr std::size_t kAlignedMax = 60;  // one very long cell does not stretch all rows
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::size_t own = width(row[i].text);
            if (own <= kAlignedMax) widths[i] = std::max(widths[i], own);
        }
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += paint(row[i].tone, row[i].text);
            const std::size_t own = width(row[i].text);
            if (i + 1 < row.size()) text.append(std::max(widths[i], own) - own + 2, ' ');
        }
        text += '\n';
    }
    return text;
}

bool print(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return true;
    complain("cannot write the output: " + std::generic_category().message(errno));
    return false;
}

void complain(std::string_view text) {
    const std::string line =
        "paddock: " + (is_terminal(STDERR_FILENO) ? displayable_lines(text) : std::string(text));
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    if (!line.ends_with('\n')) static_cast<void>(std::fputc('\n', stderr));
}

}  // namespace paddock::cli
