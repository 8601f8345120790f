#include "testing/journaled_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "journal/place.h"
#include "sys/files.h"

namespace paddock::testing {
namespace {

// Readable for as long as it lives, whatever its mode says.
class Readable {
public:
    Readable(const std::string& path, const struct stat& raw) : path_(path), mode_(raw.st_mode) {
        if (::access(path_.c_str(), R_OK | X_OK) == 0 || S_ISLNK(mode_)) return;
        closed_ = ::access(path_.c_str(), R_OK) != 0 || S_ISDIR(mode_);
        if (closed_) ::chmod(path_.c_str(), 0700);
    }
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;
    ~Readable() {
        if (closed_) ::chmod(path_.c_str(), mode_ & 07777);
    }

private:
    std::string path_;
    mode_t mode_;
    bool closed_ = false;
};

std::string content_of(const std::string& path, const struct stat& raw) {
    if (S_ISLNK(raw.st_mode)) {
        std::string target(4096, '\0');
        const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
        target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return target;
    }
    if (!S_ISREG(raw.st_mode)) return {};
    const Readable readable(path, raw);
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class Photographer {
public:
    explicit Photographer(std::string root) : root_(std::move(root)) {}

    void visit(const std::string& relative) {
        const std::string path = relative.empty() ? root_ : root_ + '/' + relative;
        struct stat raw;
        if (::lstat(path.c_str(), &raw) != 0) return;
        std::ostringstream text;
        text << std::oct << raw.st_mode << ' ' << content_of(path, raw);
        if (!relative.empty()) taken[relative] = text.str();
        if (!S_ISDIR(raw.st_mode)) {
            // A name that the journal has does not count.
            const auto [first, is_first] = first_names_.emplace(raw.st_ino, relative);
            if (!is_first) taken[relative] += " = " + first->second;
            return;
        }
        const Readable readable(path, raw);
        for (const std::string& name : names_in(path)) {
            const std::string below = relative.empty() ? name : relative + '/' + name;
            if (!journal::is_journal_path(below)) visit(below);
        }
    }

    Snapshot taken;

private:
    static std::vector<std::string> names_in(const std::string& path) {
        std::map<std::string, int> sorted;
        const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
        while (directory != nullptr) {
            const dirent* entry = ::readdir(directory.get());
            if (entry == nullptr) break;
            const std::string name = entry->d_name;
            if (name != "." && name != "..") sorted[name] = 0;
        }
        std::vector<std::string> names;
        for (const auto& each : sorted) names.push_back(each.first);
        return names;
    }

    std::string root_;
    std::map<ino_t, std::string> first_names_;
};

// A name, with its directory held.
struct Held {
    UniqueFd directory;
    std::string leaf;
    journal::Name name;

    Held(int workspace, const std::string& path) {
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == path.npos ? "" : path.substr(0, slash);
        leaf = slash == path.npos ? path : path.substr(slash + 1);
        // Not through a link: the path would not be canonical.
        if (auto opened = journal::open_directory(workspace, parent))
            directory = std::move(*opened);
        name = {directory.get(), leaf.c_str(), path};
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    int fd() const { return directory.get(); }
    const char* c_leaf() const { return leaf.c_str(); }
    Outcome<sys::Node> node() const { return sys::node_at(fd(), c_leaf()); }
};

}  // namespace

Snapshot snapshot_of(const std::string& workspace) {
    Photographer photographer(workspace);
    photographer.visit({});
    return std::move(photographer.taken);
}

std::string difference(const Snapshot& expected, const Snapshot& actual) {
    std::string text;
    for (const auto& [path, what] : expected) {
        const auto found = actual.find(path);
        if (found == actual.end()) {
            text += "missing: " + path + ": " + what + '\n';
        } else if (found->second != what) {
            text += "differs: " + path + ": " + found->second + ", not " + what + '\n';
        }
    }
    for (const auto& [path, what] : actual) {
        if (!expected.contains(path)) text += "too much: " + path + ": " + what + '\n';
    }
    return text;
}

JournaledTree::JournaledTree(std::string workspace, const journal::SessionInfo& info)
    : path_(std::move(workspace)),
      workspace_(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      journal_(journal::Journal::open(workspace_.get(), info).value()) {}

bool JournaledTree::make(const std::string& path, FileType type,
                         const std::function<int(int, const char*)>& act) {
    const journal::Turn turn(journal_);
    const Held held(workspace(), path);
    if (held.fd() < 0 || held.node()) return false;
    auto intent = journal_.will_make(call, held.name, type);
    if (!intent) return false;
    between();
    if (act(held.fd(), held.c_leaf()) != 0) {
        intent->failed();
        return false;
    }
    between();
    intent->made(held.node().value().stat);
    return true;
}

bool JournaledTree::make_file(const std::string& path, std::string_view content) {
    return make(path, FileType::kRegular, [&](int directory, const char* leaf) {
        constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
        const UniqueFd file(::openat(directory, leaf, kNew, 0644));
        if (!file.valid()) return -1;
        return ::write(file.get(), content.data(), content.size()) < 0 ? -1 : 0;
    });
}

bool JournaledTree::make_directory(const std::string& path) {
    return make(path, FileType::kDirectory,
                [](int directory, const char* leaf) { return ::mkdirat(directory, leaf, 0755); });
}

bool JournaledTree::make_symlink(const std::string& path, const std::string& target) {
    return make(path, FileType::kSymlink, [&](int directory, const char* leaf) {
        return ::symlinkat(target.c_str(), directory, leaf);
    });
}

bool JournaledTree::make_fifo(const std::string& path) {
    return make(path, FileType::kFifo,
                [](int directory, const char* leaf) { return ::mkfifoat(directory, leaf, 0600); });
}

bool JournaledTree::write(const std::string& path, std::string_view content) {
    const journal::Turn turn(journal_);
    const Held held(workspace(), path);
    const UniqueFd file(::openat(held.fd(), held.c_leaf(), O_RDWR | O_NOFOLLOW | O_NONBLOCK));
    if (!file.valid()) return false;
    const Stat stat = sys::node(file.get()).value().stat;
    if (stat.type != FileType::kRegular) return false;
    if (!journal_.will_write(call, held.name, file.get(), stat)) return false;
    between();
    const bool done =
        ::ftruncate(file.get(), 0) == 0 && ::write(file.get(), content.data(), content.size()) >= 0;
    between();
    return done;
}

bool JournaledTree::rename(const std::string& from, const std::string& to) {
    const journal::Turn turn(journal_);
    const Held source(workspace(), from);
    const Held target(workspace(), to);
    const auto node = source.node();
    if (!node || target.fd() < 0) return false;
    const auto victim = target.node();
    if (victim && victim->stat.identity == node->stat.identity) return false;
    auto intent = journal_.will_rename(call, source.name, target.name, node->stat,
                                       victim ? &victim->stat : nullptr);
    if (!intent) return false;
    between();
    const auto done = sys::renameat2(source.fd(), source.c_leaf(), target.fd(), target.c_leaf(),
                                     sys::Rename::kReplace);
    if (!done) intent->failed();
    between();
    return done.has_value();
}

bool JournaledTree::exchange(const std::string& one, const std::string& other) {
    const journal::Turn turn(journal_);
    const Held first(workspace(), one);
    const Held second(workspace(), other);
    if (!first.node() || !second.node()) return false;
    auto intent = journal_.will_exchange(call, first.name, second.name);
    if (!intent) return false;
    between();
    const auto done = sys::renameat2(first.fd(), first.c_leaf(), second.fd(), second.c_leaf(),
                                     sys::Rename::kExchange);
    if (!done) intent->failed();
    between();
    return done.has_value();
}

bool JournaledTree::link(const std::string& from, const std::string& to) {
    const journal::Turn turn(journal_);
    const Held source(workspace(), from);
    const Held target(workspace(), to);
    if (!source.node() || target.fd() < 0 || target.node()) return false;
    auto intent = journal_.will_link(call, source.name, target.name);
    if (!intent) return false;
    between();
    const auto done = sys::linkat(source.fd(), source.c_leaf(), target.fd(), target.c_leaf());
    if (!done) intent->failed();
    between();
    return done.has_value();
}

bool JournaledTree::chmod(const std::string& path, std::uint32_t mode) {
    const journal::Turn turn(journal_);
    const Held held(workspace(), path);
    const auto node = held.node();
    if (!node || node->stat.type == FileType::kSymlink) return false;
    if (!journal_.will_chmod(call, held.name, node->stat)) return false;
    between();
    const bool done = ::fchmodat(held.fd(), held.c_leaf(), mode, 0) == 0;
    between();
    return done;
}

bool JournaledTree::remove(const std::string& path) {
    const journal::Turn turn(journal_);
    const Held held(workspace(), path);
    const auto node = held.node();
    if (!node) return false;
    between();
    const auto done = journal_.remove(call, held.name, node->stat);
    between();
    return done.has_value();
}

bool JournaledTree::remove_tree(const std::string& path) {
    const journal::Turn turn(journal_);
    const Held held(workspace(), path);
    const auto node = held.node();
    if (!node) return false;
    const auto done = journal_.remove_tree(call, held.name, node->stat);
    between();
    return done.has_value();
}

bool JournaledTree::replace(const std::string& path, std::string_view content) {
    return make_file(path + ".new", content) && rename(path + ".new", path);
}

}  // namespace paddock::testing
