// A workspace whose changes go through a journal, as tools and commands make them, and what the
// workspace looks like.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "journal/journal.h"

namespace paddock::testing {

// Path -> type, mode, content or target, and the first of its names for what has several. The
// journal is left out, and so are times.
using Snapshot = std::map<std::string, std::string>;
Snapshot snapshot_of(const std::string& workspace);

// What differs, one line each; empty if nothing does.
std::string difference(const Snapshot& expected, const Snapshot& actual);

class JournaledTree {
public:
    // `workspace`: its absolute path. Opens the journal.
    explicit JournaledTree(std::string workspace, const journal::SessionInfo& info = {});

    journal::Journal& journal() { return journal_; }
    int workspace() const { return workspace_.get(); }
    journal::CallId call = 0;  // that the changes below belong to

    // Called with each change announced and not made, and again when it was made: it may end the
    // process.
    std::function<void()> between = [] {};

    // One change each, under its own turn. False if the system refuses it.
    bool make_file(const std::string& path, std::string_view content);
    bool make_directory(const std::string& path);
    bool make_symlink(const std::string& path, const std::string& target);
    bool make_fifo(const std::string& path);
    bool write(const std::string& path, std::string_view content);  // in place
    bool rename(const std::string& from, const std::string& to);    // over what is there
    bool exchange(const std::string& one, const std::string& other);
    bool link(const std::string& from, const std::string& to);
    bool chmod(const std::string& path, std::uint32_t mode);
    bool remove(const std::string& path);  // a file, a link or an empty directory
    bool remove_tree(const std::string& path);
    bool replace(const std::string& path, std::string_view content);  // by way of another file

private:
    bool make(const std::string& path, FileType type, const std::function<int(int, const char*)>&);

    std::string path_;
    UniqueFd workspace_;
    journal::Journal journal_;
};

}  // namespace paddock::testing
