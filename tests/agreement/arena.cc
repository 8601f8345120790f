#include "agreement/arena.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace paddock::agreement {
namespace {

constexpr uid_t kSomebody = 4242;

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void write_text(const std::string& path, const std::string& text) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    check(file.valid(), path);
    check(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), path);
}

std::string read_text(int directory, const std::string& name) {
    const UniqueFd file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    check(file.valid(), name);
    std::string text(4096, '\0');
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    check(got >= 0, name);
    text.resize(static_cast<std::size_t>(got));
    return text;
}

std::string read_link(int directory, const std::string& name) {
    std::string text(4096, '\0');
    const ssize_t got = ::readlinkat(directory, name.c_str(), text.data(), text.size());
    check(got >= 0, name);
    text.resize(static_cast<std::size_t>(got));
    return text;
}

UniqueFd open_directory(int parent, const std::string& name) {
    UniqueFd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    check(fd.valid(), name);
    return fd;
}

std::vector<std::string> names_in(int directory) {
    DIR* stream = ::fdopendir(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    check(stream != nullptr, "a directory cannot be listed");
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

struct stat look_at(int directory, const std::string& name) {
    struct stat raw;
    check(::fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) == 0, name);
    return raw;
}

// Lets us read a file, or enter and change a directory, whatever its mode.
void unlock(int directory, const std::string& name, const struct stat& raw) {
    const mode_t needed = S_ISDIR(raw.st_mode) ? 0700 : 0400;
    if ((raw.st_mode & needed) == needed) return;
    check(::fchmodat(directory, name.c_str(), 0700, 0) == 0, name);
}

void remove_below(int directory) {
    for (const std::string& name : names_in(directory)) {
        const struct stat raw = look_at(directory, name);
        if (S_ISDIR(raw.st_mode)) {
            unlock(directory, name, raw);
            remove_below(open_directory(directory, name).get());
        }
        check(::unlinkat(directory, name.c_str(), S_ISDIR(raw.st_mode) ? AT_REMOVEDIR : 0) == 0,
              name);
    }
}

// One line for each name below `directory`. `except` is not entered.
void record(int directory, const std::string& path, bool times, const std::string& except,
            std::string& out) {
    for (const std::string& name : names_in(directory)) {
        const struct stat raw = look_at(directory, name);
        const std::string own = path + "/" + name;
        out += own + " " + std::to_string(raw.st_mode);
        const bool entered = S_ISDIR(raw.st_mode) && name != except;
        if (times && name != except) {
            out += " " + std::to_string(raw.st_mtim.tv_sec) + "." +
                   std::to_string(raw.st_mtim.tv_nsec);
        }
        if (S_ISLNK(raw.st_mode)) out += " -> " + read_link(directory, name);
        if (S_ISREG(raw.st_mode)) {
            unlock(directory, name, raw);
            out += (times ? "" : " x" + std::to_string(raw.st_nlink)) + " = " +
                   read_text(directory, name);
        }
        out += "\n";
        if (!entered) continue;
        unlock(directory, name, raw);
        record(open_directory(directory, name).get(), own, times, except, out);
    }
}

std::string content_of(const std::string& directory, bool times, const std::string& except) {
    std::string out;
    record(open_directory(AT_FDCWD, directory).get(), "", times, except, out);
    return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
        at += to.size();
    }
    return text;
}

const char* decoy_of(FileType type) {
    switch (type) {
        case FileType::kDirectory: return "/out";
        case FileType::kSocket: return "/out/s";
        case FileType::kFifo: return "/out/p";
        default: return "/out/f";
    }
}

void make_outside(const Ground& ground) {
    const std::string& place = ground.place;
    for (const char* name : {"", "/out", "/out/d", "/ROOTx"}) {
        check(::mkdir((place + name).c_str(), 0755) == 0, place + name);
    }
    for (const char* name : {"/out/f", "/out/d/g", "/out/shared", "/ROOTx/f"}) {
        write_text(place + name, std::string("outside ") + name);
    }
    check(::mknod((place + "/out/s").c_str(), S_IFSOCK | 0644, 0) == 0, "socket");
    check(::mkfifo((place + "/out/p").c_str(), 0644) == 0, "FIFO");
    check(::symlink("ROOT", ground.alias().c_str()) == 0, ground.alias());
}

}  // namespace

Arena::Arena(const std::string& base) : grounds_{{base + "/one"}, {base + "/two"}} {
    ::umask(022);
    for (const Ground& ground : grounds_) make_outside(ground);
    const std::string probe = base + "/probe";
    check(::mkdir(probe.c_str(), 0000) == 0, probe);
    struct stat raw;
    modes_bind_ = ::lstat((probe + "/x").c_str(), &raw) != 0 && errno == EACCES;
    owners_change_ = ::chown(probe.c_str(), kSomebody, kSomebody) == 0;
    check(::rmdir(probe.c_str()) == 0, probe);
}

Arena::~Arena() {
    try {
        clear();
        for (const Ground& ground : grounds_) {
            remove_below(open_directory(AT_FDCWD, ground.place).get());
            ::rmdir(ground.place.c_str());
        }
    } catch (const std::runtime_error&) {
        // What is left lies in the directory that was lent to us.
    }
}

void Arena::build(Plan& plan) {
    clear();
    for (const Ground& ground : grounds_) {
        build_one(plan.root, ground.root(), ground, &ground == &grounds_[0]);
    }
}

void Arena::clear() {
    for (auto mount = mounts_.rbegin(); mount != mounts_.rend(); ++mount) {
        const std::string name = "/proc/self/fd/" + std::to_string(mount->get());
        check(::umount2(name.c_str(), MNT_DETACH) == 0, "umount");
    }
    mounts_.clear();
    for (const Ground& ground : grounds_) {
        struct stat raw;
        if (::lstat(ground.root().c_str(), &raw) != 0) continue;
        remove_below(open_directory(AT_FDCWD, ground.root()).get());
        check(::rmdir(ground.root().c_str()) == 0, ground.root());
    }
}

void Arena::mount_at(const Node& node, const std::string& path, const Ground& ground) {
    if (node.mounted == Mounted::kTmpfs) {
        check(::mount("tmpfs", path.c_str(), "tmpfs", 0, "mode=0755") == 0, "tmpfs at " + path);
    } else {
        const std::string source = ground.place + decoy_of(node.type);
        check(::mount(source.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0,
              "bind at " + path);
    }
    mounts_.emplace_back(::open(path.c_str(), O_PATH | O_CLOEXEC));
    check(mounts_.back().valid(), path);
}

void Arena::build_one(Node& node, const std::string& path, const Ground& ground, bool fill) {
    const bool is_outside = node.mounted == Mounted::kOutside;
    switch (node.type) {
        case FileType::kDirectory: check(::mkdir(path.c_str(), 0755) == 0, path); break;
        case FileType::kRegular:
            if (node.shared) {
                check(::link((ground.place + "/out/shared").c_str(), path.c_str()) == 0, path);
            } else {
                write_text(path, replaced(path, ground.place, ""));
            }
            break;
        case FileType::kSymlink: {
            const std::string text = fill ? node.text : for_second(node.text);
            check(::symlink(text.c_str(), path.c_str()) == 0, path);
            if (node.planted) {
                check(::lchown(path.c_str(), kSomebody, kSomebody) == 0, path);
            }
            break;
        }
        default: {
            const mode_t kind = node.type == FileType::kFifo ? S_IFIFO : S_IFSOCK;
            check(::mknod(path.c_str(), kind | node.mode, 0) == 0, path);
        }
    }
    const bool has_mode = node.type == FileType::kRegular && !node.shared;
    if (has_mode) check(::chmod(path.c_str(), node.mode) == 0, path);
    if (node.mounted != Mounted::kNo) mount_at(node, path, ground);
    for (auto& [name, child] : node.children) {
        if (!is_outside) build_one(child, path + "/" + name, ground, fill);
    }
    struct stat raw;
    check(::lstat(path.c_str(), &raw) == 0, path);
    if (fill) node.identity = {raw.st_dev, raw.st_ino};
    // Last: it may shut ourselves out.
    if (node.type == FileType::kDirectory && node.mounted == Mounted::kNo) {
        check(::chmod(path.c_str(), node.mode) == 0, path);
    }
}

std::string Arena::for_second(const std::string& text) const {
    return replaced(text, first().place, second().place);
}

std::string Arena::first_content() const { return content_of(first().root(), false, ""); }

std::string Arena::second_content() const {
    return replaced(content_of(second().root(), false, ""), second().place, first().place);
}

std::string Arena::outside() const {
    return content_of(first().place, true, "ROOT") + content_of(second().place, true, "ROOT");
}

}  // namespace paddock::agreement
