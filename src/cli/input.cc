#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "cli/terminal.h"
#include "fs/readable.h"
#include "sys/open.h"

namespace paddock::cli {

tl::expected<std::string, std::string> read_input(const std::string& path) {
    const auto unreadable = [&](const Failure& failure) {
        return tl::unexpected(as_error(failure, "read", path).message());
    };
    UniqueFd own;
    if (path != "-") {
        auto opened = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
        if (!opened) return unreadable(opened.error());
        own = std::move(*opened);
    } else if (is_terminal(STDIN_FILENO)) {
        complain("reading from the terminal; Ctrl-D ends the text");
    }
    const int fd = path == "-" ? STDIN_FILENO : own.get();
    auto content = fs::read_content(fd, 0, limits::kReadFileBytesMax);
    if (!content) return unreadable(content.error());
    return std::move(*content);
}

}  // namespace paddock::cli
