// An observer outside: inotify on every directory of a workspace, those that appear while it looks
// too. It notes what must never be there, however briefly.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gate {

std::vector<std::string> words_of(const std::string& text);

class Watcher {
public:
    // Patterns of paths below `top`. `sealed`: noted when they hold the word "evil", or are no
    // regular file. `names`: noted as soon as the name appears.
    Watcher(std::string top, std::vector<std::string> sealed, std::vector<std::string> names = {});
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // Reads what has happened until now, and stops. The paths that were noted.
    std::set<std::string> end();

    // After end().
    std::size_t events() const { return events_; }
    // Why it may have missed something; empty: it saw all.
    std::string blind() const { return blind_; }

private:
    void add(const std::string& directory);
    void add_one(const std::string& directory, std::deque<std::string>& found);
    void look(const std::string& path);
    void run();
    bool take();

    const std::string top_;
    const std::vector<std::string> sealed_;
    const std::vector<std::string> names_;
    int fd_;
    std::array<int, 2> stop_{};
    std::map<int, std::string> directories_;
    std::set<std::string> seen_;
    std::size_t events_ = 0;
    std::string blind_;
    std::thread thread_;
};

}  // namespace gate
