// Which files a git repository holds already, byte by byte: whoever can read its objects can read
// them there ("git show"), so hiding such a file hides nothing.
//
// The index, which any command can write, is only asked which object to look at. The file is held
// if its bytes are those of the object, whatever the index or the object's name say: an object with
// these bytes can only have been made by someone who knew them. Filters and line ending conversion
// are not applied, so a file that git would convert counts as changed.
//
// Not protected: the answer is that of the moment; a file that is changed later needs another look.
// Objects that commands cannot read must be refused by the root. A command that guesses the whole
// content of a file can have the guess confirmed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <paddock/root.h>

#include "git/objects.h"

namespace paddock::git {

// Answers about many files, each repository read once. Short-lived: what changes in a repository
// after the first question about it may not be seen. One thread at a time.
class TrackedFiles {
public:
    // `root` must pass no link (Root::linkless).
    explicit TrackedFiles(const Root& root);
    ~TrackedFiles();
    TrackedFiles(const TrackedFiles&) = delete;
    TrackedFiles& operator=(const TrackedFiles&) = delete;

    // A regular file, unchanged since it was last added to the repository that it belongs to: the
    // nearest directory above, up to the root, with a ".git". That is a directory, or a file that
    // leads to one inside the root. False in any doubt: what is damaged or cannot be read, SHA-256,
    // links, a file over kObjectBytesMax, and all that comes after too much had to be read.
    bool holds(std::string_view path);

private:
    struct Repository;

    // That a directory belongs to; null if there is none, or none that can be used.
    std::shared_ptr<Repository> repository_of(std::string_view directory);
    std::shared_ptr<Repository> open(const std::string& top, FileType dot_git);

    Root root_;
    WorkBudget budget_;
    std::map<std::string, std::shared_ptr<Repository>, std::less<>> repositories_{};  // as asked
};

inline bool is_tracked_unchanged(const Root& root, std::string_view path) {
    return TrackedFiles(root).holds(path);
}

// Which existing files are secrets of the owner's: those that bear such a name, that the session
// did not make, and that nobody can read from the repository anyway.
//
// A file that was free once stays so if the session writes to it: a command that changes a tracked
// ".env.test" goes on working with it. If somebody else does, it is asked of again.
//
// Threads: any.
class Secrets {
public:
    // Did this session write to it?
    using IsWritten = std::function<bool(const Stat& stat)>;

    // `root` passes no link.
    Secrets(Root root, IsWritten is_written)
        : root_(std::move(root)), is_written_(std::move(is_written)) {}

    // Of an object whose name the default rules deny, and that the session did not make.
    bool is_secret(const std::string& path, const Stat& stat);

private:
    using Clock = std::chrono::steady_clock;

    struct Version {
        std::chrono::nanoseconds changed{};
        std::uint64_t size = 0;
        bool operator==(const Version&) const = default;
    };

    const Root root_;
    const IsWritten is_written_;
    std::mutex mutex_;
    std::unique_ptr<TrackedFiles> tracked_;  // for a moment: files are often asked of together
    Clock::time_point tracked_since_{};
    std::map<std::pair<std::uint64_t, std::int64_t>, Version> free_{};  // by inode and birth
};

}  // namespace paddock::git
