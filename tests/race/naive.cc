#include "race/naive.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <paddock/unique_fd.h>

namespace paddock::testing::naive {
namespace {

std::optional<mode_t> mode_of(const std::string& path) {
    struct stat found;
    if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
    return found.st_mode;
}

bool is_below(const std::string& workspace, const char* path) {
    char real[PATH_MAX];
    return ::realpath(path, real) != nullptr && std::string_view(real).starts_with(workspace);
}

std::vector<std::string> entries(const std::string& path) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
    if (directory == nullptr) return names;
    while (const dirent* entry = ::readdir(directory.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

}  // namespace

bool looks_inside(const std::string& workspace, const std::string& path) {
    return is_below(workspace, path.c_str()) ||
           (::access(path.c_str(), F_OK) != 0 &&
            is_below(workspace, path.substr(0, path.rfind('/')).c_str()));
}

std::optional<std::string> read(const std::string& workspace, const std::string& path) {
    if (!looks_inside(workspace, path)) return std::nullopt;
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 256> buffer;
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) return std::nullopt;
    return std::string(buffer.data(), static_cast<std::size_t>(size));
}

bool write(const std::string& workspace, const std::string& path, std::string_view content) {
    if (!looks_inside(workspace, path)) return false;
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    return ::write(file.get(), content.data(), content.size()) >= 0;
}

bool create(const std::string& workspace, const std::string& path) {
    if (!looks_inside(workspace, path)) return false;
    return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)).valid();
}

bool make_directories(const std::string& workspace, const std::string& path) {
    for (std::size_t end = path.find('/', workspace.size() + 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (!looks_inside(workspace, part)) return false;
        (void)::mkdir(part.c_str(), 0755);
        if (end == std::string::npos) return true;
    }
}

bool rename(const std::string& workspace, const std::string& from, const std::string& to) {
    return looks_inside(workspace, from) && looks_inside(workspace, to) &&
           std::rename(from.c_str(), to.c_str()) == 0;
}

bool chmod(const std::string& path, mode_t mode) {
    const auto found = mode_of(path);
    return found && !S_ISLNK(*found) && ::chmod(path.c_str(), mode) == 0;
}

bool touch(const std::string& path) {
    const auto found = mode_of(path);
    return found && !S_ISLNK(*found) && ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0;
}

void remove_all(const std::string& path) {
    const auto found = mode_of(path);
    if (found && S_ISDIR(*found)) {
        for (const std::string& name : entries(path)) remove_all(path + '/' + name);
    }
    (void)std::remove(path.c_str());
}

void walk(const std::string& path, const std::function<void(const std::string& path)>& visit) {
    for (const std::string& name : entries(path)) {
        const std::string child = path + '/' + name;
        visit(child);
        const auto found = mode_of(child);
        if (found && S_ISDIR(*found)) walk(child, visit);
    }
}

bool is_link(const std::string& path) {
    const auto found = mode_of(path);
    return found && S_ISLNK(*found);
}

}  // namespace paddock::testing::naive
