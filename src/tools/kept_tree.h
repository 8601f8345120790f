// A file, a link or a directory with all below as it was once, to tell what has changed since, and
// to put it back.
//
// A file is as it was if its identity, size and time of change are (which no unprivileged process
// can set back), or else its permissions and its content. Directories count by what they hold.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <paddock/root.h>

namespace paddock::tools {

class KeptTree {
public:
    // Nothing was there.
    explicit KeptTree(std::string path = {}) : path_(std::move(path)) {}

    // Looks at what is at `path`; `root` passes no link. Content is kept too, as long as
    // `bytes_left`, which is counted down, allows; 0: only what it was like.
    static KeptTree of(const Root& root, const std::string& path, std::size_t& bytes_left);

    // Files, links and other objects at or below that are new or are not as they were, in order of
    // path, each as it was seen; and paths of those that are gone.
    struct Difference {
        std::map<std::string, Stat> changed;
        std::vector<std::string> missing;
    };
    // Nothing of a directory that `spares` names, whatever path leads there by now.
    using Spares = std::function<bool(const Stat&)>;
    Difference difference(const Root& root, const Spares& spares);

    // Puts back one path of a Difference; what stands there must have been removed. False if its
    // content was not kept or cannot be written.
    bool restore(const Root& root, const std::string& path) const;

    // Everything, after all of it has gone. False if nothing could be put back.
    bool restore_all(const Root& root) const;

    // The same, at another place.
    void move_to(const std::string& path);

private:
    struct Leaf {
        Stat stat;
        bool kept = false;
        std::string content{};  // or the target of a link
    };

    static bool is_as_it_was(const Root& root, const std::string& path, const Stat& now,
                             Leaf& before);

    std::string path_;
    std::map<std::string, Leaf> leaves_;
    std::map<std::string, Mode> directories_;
};

}  // namespace paddock::tools
