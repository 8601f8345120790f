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

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

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

}  // namespace paddock::git
