#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <paddock/limits.h>

#include "base/display.h"
#include "fs/readable.h"
#include "sys/open.h"

namespace paddock::cli {

tl::expected<std::string, std::string> read_input(const std::string& path) {
    const auto unreadable = [&] {
        return tl::unexpected("cannot read '" + displayable(path) + "'");
    };
    UniqueFd own;
    if (path != "-") {
        auto opened = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
        if (!opened) return unreadable();
        own = std::move(*opened);
    }
    const int fd = path == "-" ? STDIN_FILENO : own.get();
    auto content = fs::read_content(fd, 0, limits::kReadFileBytesMax);
    if (!content) return unreadable();
    return std::move(*content);
}

}  // namespace paddock::cli
