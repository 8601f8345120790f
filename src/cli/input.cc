#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/outcome.h"
#include "cli/terminal.h"
#include "fs/readable.h"
#include "sys/open.h"
#include "sys/process.h"
#include "sys/stat.h"

namespace paddock::cli {
namespace {

using Text = tl::expected<std::string, std::string>;

constexpr Mode kOpenToOthers = 0026;

tl::unexpected<std::string> unreadable(const Failure& failure, const std::string& path) {
    return tl::unexpected(as_error(failure, "read", path).message());
}

Text read_from(int fd, const std::string& path) {
    auto content = fs::read_content(fd, 0, limits::kReadFileBytesMax);
    if (!content) return unreadable(content.error(), path);
    return std::move(*content);
}

Text read_stdin() {
    if (is_terminal(STDIN_FILENO)) complain("reading from the terminal; Ctrl-D ends the text");
    return read_from(STDIN_FILENO, "-");
}

// Why not to use a file with a secret; empty if it is all right.
std::string distrust(const Stat& stat, const std::string& path) {
    if (stat.type != FileType::kRegular) return {};
    const std::string name = "'" + displayable(path) + "'";
    if (stat.uid != 0 && stat.uid != sys::effective_user()) {
        return name + " belongs to another user; copy it to a file of your own";
    }
    if ((stat.mode & kOpenToOthers) == 0) return {};
    return name + " can be read or written by others; run 'chmod 600 " + displayable(path) + "'";
}

}  // namespace

tl::expected<std::string, std::string> read_input(const std::string& path) {
    if (path == "-") return read_stdin();
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    if (!file) return unreadable(file.error(), path);
    return read_from(file->get(), path);
}

tl::expected<std::string, std::string> read_secret_input(const std::string& path) {
    if (path == "-") return read_stdin();
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    if (!file) return unreadable(file.error(), path);
    const auto stat = sys::fstat(file->get());
    if (!stat) return unreadable(stat.error(), path);
    if (std::string why = distrust(*stat, path); !why.empty()) return tl::unexpected(why);
    return read_from(file->get(), path);
}

}  // namespace paddock::cli
