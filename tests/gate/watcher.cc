#include "gate/watcher.h"

#include <dirent.h>
#include <fnmatch.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace gate {
namespace {

bool is_evil(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return false;
    if (!S_ISREG(status.st_mode)) return true;
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return text.find("evil") != std::string::npos;
}

bool fits(const std::vector<std::string>& patterns, const std::string& path) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
    });
}

std::string joined(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + "/" + name;
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

Watcher::Watcher(std::string top, std::vector<std::string> sealed, std::vector<std::string> names)
    : top_(std::move(top)),
      sealed_(std::move(sealed)),
      names_(std::move(names)),
      fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    (void)!::pipe(stop_.data());
    add("");
    thread_ = std::thread([this] { run(); });
}

Watcher::~Watcher() {
    end();
    for (const int fd : {fd_, stop_[0], stop_[1]}) ::close(fd);
}

std::set<std::string> Watcher::end() {
    if (thread_.joinable()) {
        (void)!::write(stop_[1], "x", 1);
        thread_.join();
    }
    return seen_;
}

void Watcher::add(const std::string& directory) {
    for (std::deque<std::string> found{directory}; !found.empty(); found.pop_front()) {
        add_one(std::string(found.front()), found);
    }
}

void Watcher::add_one(const std::string& directory, std::deque<std::string>& found) {
    const std::string path = top_ + "/" + directory;
    const int watch = ::inotify_add_watch(
        fd_, path.c_str(), IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY | IN_ONLYDIR);
    if (watch < 0) {
        if (errno == ENOSPC) blind_ = "raise fs.inotify.max_user_watches";
        return;
    }
    directories_[watch] = directory;
    DIR* stream = ::opendir(path.c_str());
    if (stream == nullptr) return;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string name = entry->d_name;
        if (name == "." || name == ".." || name == "paddock" || name == ".paddock") continue;
        const std::string inner = joined(directory, name);
        look(inner);
        const bool is_store = inner.find("/objects/") != std::string::npos;
        if (entry->d_type == DT_DIR && !is_store) found.push_back(inner);
    }
    ::closedir(stream);
}

void Watcher::look(const std::string& path) {
    const bool is_sample = path.ends_with(".sample");
    if (fits(sealed_, path) && !is_sample && is_evil(top_ + "/" + path)) seen_.insert(path);
}

void Watcher::run() {
    std::array<pollfd, 2> polled{{{fd_, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    do {
        ::poll(polled.data(), polled.size(), -1);
        while (take()) {
        }
    } while (polled[1].revents == 0);
}

bool Watcher::take() {
    alignas(inotify_event) std::array<char, 65536> block;
    const ssize_t size = ::read(fd_, block.data(), block.size());
    if (size <= 0) return false;
    for (ssize_t at = 0; at < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(block.data() + at);
        at += static_cast<ssize_t>(sizeof *event + event->len);
        if ((event->mask & IN_Q_OVERFLOW) != 0) blind_ = "raise fs.inotify.max_queued_events";
        if (event->len == 0) continue;
        ++events_;
        const std::string path = joined(directories_[event->wd], event->name);
        if ((event->mask & (IN_CREATE | IN_MOVED_TO)) != 0 && fits(names_, path)) {
            seen_.insert(path);
        }
        look(path);
        if ((event->mask & IN_ISDIR) != 0) add(path);
    }
    return true;
}

}  // namespace gate
