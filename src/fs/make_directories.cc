#include "fs/make_directories.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include <paddock/unique_fd.h>

#include "sys/files.h"

namespace paddock::fs {

Done make_private_directories(const std::string& path) {
    PADDOCK_ASSIGN(top, sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
    UniqueFd directory = std::move(top);
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        begin = end + 1;
        if (name.empty() || name == ".") continue;
        const auto made = sys::mkdirat(directory.get(), name.c_str(), 0700);
        if (!made && made.error().os_error != EEXIST) return made.error();
        PADDOCK_ASSIGN(next, sys::openat(directory.get(), name.c_str(), O_PATH | O_DIRECTORY));
        directory = std::move(next);
    }
    return {};
}

}  // namespace paddock::fs
