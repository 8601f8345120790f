#include "agreement/observe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace paddock::agreement {
namespace {

constexpr int kTries = 100;    // of a call that others' renames may disturb
constexpr int kLinkTries = 4;  // of a path that is said to pass too many links

template <class Call>
auto settled(Call call) -> decltype(call()) {
    auto result = call();
    for (int i = 1; i < kTries && !result && result.error().can_retry(); ++i) result = call();
    return result;
}

bool lies_below(int fd, const std::string& root_path) {
    std::array<char, 8192> buffer;
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t size = ::readlink(link.c_str(), buffer.data(), buffer.size());
    if (size < 0) return false;
    const std::string_view host(buffer.data(), static_cast<std::size_t>(size));
    return host == root_path || host.starts_with(root_path + "/");
}

std::string opened(const Handle& handle, const std::string& root_path) {
    return lies_below(handle.fd(), root_path) ? found(handle.stat().identity) : "OUTSIDE";
}

std::string described(const Resolution& resolution) {
    const std::string_view type =
        resolution.exists ? file_type_name(resolution.type) : std::string_view("missing");
    return "ok " + std::string(type) + " " + resolution.path;
}

std::string from_errno(int error) { return refused(Failure::from_errno(error).code); }

// A final slash has the plain OS demand a directory too.
std::string os_text(const Names& path) {
    if (path.names.empty()) return ".";
    return path.text() + (path.must_be_directory ? "/" : "");
}

std::string os_stat(const std::string& text, int root, int flags) {
    struct stat raw;
    if (::fstatat(root, text.c_str(), &raw, flags) != 0) return from_errno(errno);
    return found({raw.st_dev, raw.st_ino});
}

std::string os_open(const std::string& text, int root) {
    const UniqueFd fd(::openat(root, text.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) return from_errno(errno);
    struct stat raw;
    if (::fstat(fd.get(), &raw) != 0) return from_errno(errno);
    if (S_ISDIR(raw.st_mode)) return refused(Code::kIsADirectory);
    if (!S_ISREG(raw.st_mode)) return refused(Code::kNotRegularFile);
    return found({raw.st_dev, raw.st_ino});
}

}  // namespace

std::string observed(Look look, std::string_view path, const Root& root,
                     const std::string& root_path) {
    const auto answer = [](auto call, auto spell) {
        const auto result = settled(call);
        return result ? spell(*result) : refused(result.error().code);
    };
    const auto by_identity = [](const Stat& stat) { return found(stat.identity); };
    switch (look) {
        case Look::kStat: return answer([&] { return root.stat(path); }, by_identity);
        case Look::kLstat: return answer([&] { return root.lstat(path); }, by_identity);
        case Look::kOpenFile:
            return answer([&] { return root.open_file(path); },
                          [&](const Handle& file) { return opened(file, root_path); });
        case Look::kOpenDirectory:
            return answer([&] { return root.open_directory(path); },
                          [&](const Handle& directory) {
                              return opened(directory, root_path) + " " +
                                     answer([&] { return root.canonical_path(directory); },
                                            [](const std::string& name) { return name; });
                          });
        case Look::kResolve: return answer([&] { return root.resolve(path); }, described);
        case Look::kReadlink:
            return answer([&] { return root.readlink(path); },
                          [](const LinkTarget& link) {
                              return "ok " + link.text + (link.escapes ? " leads out" : "");
                          });
    }
    return {};
}

std::string plain_os(Look look, const Names& path, int root) {
    const std::string text = os_text(path);
    const auto ask = [&] {
        if (look == Look::kOpenFile) return os_open(text, root);
        return os_stat(text, root, look == Look::kLstat ? AT_SYMLINK_NOFOLLOW : 0);
    };
    // A lookup that the kernel has to begin anew goes on counting the links of its first try.
    std::string answer = ask();
    for (int i = 1; i < kLinkTries && answer == refused(Code::kLimitReached); ++i) answer = ask();
    return answer;
}

bool plain_os_leaves(const Names& path, int root, const std::string& root_path) {
    const UniqueFd fd(::openat(root, os_text(path).c_str(), O_PATH | O_CLOEXEC));
    return fd.valid() && !lies_below(fd.get(), root_path);
}

}  // namespace paddock::agreement
