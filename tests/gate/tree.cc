#include "gate/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace gate {
namespace {

constexpr std::size_t kTextShown = 200;
constexpr std::size_t kTextSummed = std::size_t{1} << 20;

std::vector<std::string> names_in(int directory, int& error) {
    std::vector<std::string> names;
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = own < 0 ? nullptr : ::fdopendir(own);
    error = stream == nullptr ? errno : 0;
    if (stream == nullptr) return names;
    while (const dirent* entry = ::readdir(stream)) {
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
        names.emplace_back(entry->d_name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

std::string content_of(int directory, const std::string& name, const struct stat& status) {
    const int file = ::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return error_name(errno);
    std::string text(std::min(kTextSummed, static_cast<std::size_t>(status.st_size)), '\0');
    const ssize_t size = ::read(file, text.data(), text.size());
    ::close(file);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    std::string shown = "'" + escaped(text.substr(0, kTextShown)) + "'";
    if (status.st_size > static_cast<off_t>(kTextShown)) {
        shown += " of " + std::to_string(status.st_size) + " bytes, hash " +
                 std::to_string(std::hash<std::string>()(text));
    }
    return shown;
}

std::string mode_text(mode_t mode) {
    char text[8];
    std::snprintf(text, sizeof text, "%o", static_cast<unsigned>(mode & 07777U));
    return text;
}

std::string describe_status(int directory, const std::string& name, const struct stat& status) {
    const std::string mode = mode_text(status.st_mode);
    switch (status.st_mode & S_IFMT) {
        case S_IFREG: return "file " + mode + " " + content_of(directory, name, status);
        case S_IFDIR: return "dir " + mode;
        case S_IFIFO: return "fifo " + mode;
        case S_IFSOCK: return "socket " + mode;
        case S_IFCHR: return "char " + mode;
        case S_IFLNK: {
            std::string target(4096, '\0');
            const ssize_t size =
                ::readlinkat(directory, name.c_str(), target.data(), target.size());
            target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
            return "link -> " + escaped(target.size() > 300 ? target.substr(0, 300) : target);
        }
        default: return "other " + mode;
    }
}

using Object = std::pair<dev_t, ino_t>;

// The first name of each object that has several, so that hard links are told apart from copies.
struct Walk {
    std::map<Object, std::string> first_names;
    std::string text;

    void visit(int directory, const std::string& prefix, int levels) {
        int error = 0;
        const std::vector<std::string> names = names_in(directory, error);
        if (error != 0) text += prefix + "unreadable: " + error_name(error) + "\n";
        for (const std::string& name : names) {
            const bool is_journal =
                prefix.empty() ? name == ".paddock" : prefix == ".git/" && name == "paddock";
            if (!is_journal) entry(directory, prefix, name, levels);
        }
    }

    void entry(int directory, const std::string& prefix, const std::string& name, int levels) {
        struct stat status {};
        text += prefix + escaped(name) + ": ";
        if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            text += error_name(errno) + "\n";
            return;
        }
        text += describe_status(directory, name, status);
        if (!S_ISDIR(status.st_mode) && status.st_nlink > 1) {
            const auto [known, is_first] =
                first_names.try_emplace({status.st_dev, status.st_ino}, prefix + escaped(name));
            text += " links " + std::to_string(status.st_nlink);
            if (!is_first) text += " same as " + known->second;
        }
        text += "\n";
        if (!S_ISDIR(status.st_mode)) return;
        if (levels == 0) {
            text += prefix + escaped(name) + "/...\n";
            return;
        }
        const int below =
            ::openat(directory, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0) return;
        visit(below, prefix + escaped(name) + "/", levels - 1);
        ::close(below);
    }
};

}  // namespace

std::string error_name(int error) {
    const char* name = ::strerrorname_np(error);
    return name == nullptr ? std::to_string(error) : name;
}

std::string escaped(const std::string& text) {
    std::string shown;
    for (const char c : text) {
        if (c >= ' ' && c <= '~' && c != '\\') {
            shown += c;
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(c) & 0xffU);
        shown += code;
    }
    return shown;
}

std::string describe(int directory, const std::string& name) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return error_name(errno);
    }
    std::string text = describe_status(directory, name, status);
    if (!S_ISDIR(status.st_mode) && status.st_nlink > 1) {
        text += " links " + std::to_string(status.st_nlink);
    }
    return text;
}

std::string describe_tree(int directory, int levels) {
    Walk walk;
    walk.visit(directory, "", levels);
    return walk.text;
}

Listing list(int directory) {
    Listing listing;
    for (const std::string& name : names_in(directory, listing.error)) {
        listing.names += name + '\0';
    }
    return listing;
}

void empty_tree(int directory) {
    int error = 0;
    for (const std::string& name : names_in(directory, error)) {
        if (::unlinkat(directory, name.c_str(), 0) == 0) continue;
        (void)::fchmodat(directory, name.c_str(), 0700, 0);
        const int below =
            ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0) {
            empty_tree(below);
            ::close(below);
        }
        (void)::unlinkat(directory, name.c_str(), AT_REMOVEDIR);
    }
}

}  // namespace gate
