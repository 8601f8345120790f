// The tree that the judge looks at: the disk, beneath a root. Undo shows it the tree that a step
// will find instead (cli/undo_command.cc).
//
// Paths are canonical and relative to the root; "." and "" are the root. No link is passed: what
// lies beyond one is path_escape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "sys/files.h"

namespace paddock::git {

class TreeView {
public:
    // `root` passes no link. Every function that looks at a tree takes a root for one.
    TreeView(const Root& root) : root_(root) {}  // NOLINT(google-explicit-constructor)
    TreeView(const TreeView&) = delete;
    TreeView& operator=(const TreeView&) = delete;
    virtual ~TreeView() = default;

    // How paths are read; and the disk.
    const Root& root() const noexcept { return root_; }

    virtual Result<Stat> lstat(std::string_view path) const { return root_.lstat(path); }
    virtual Result<LinkTarget> readlink(std::string_view path) const {
        return root_.readlink(path);
    }
    virtual Result<Listing> list(std::string_view path) const { return root_.list(path); }
    virtual Result<std::string> read_file(std::string_view path, std::uint64_t bytes_max) const {
        return root_.read_file(path, bytes_max);
    }
    // Can what it says still change, because somebody has it open for writing?
    virtual bool is_being_written(std::string_view path) const {
        const auto file = root_.open_file(path);
        return file && sys::is_open_for_writing(file->fd()).value_or(false);
    }
    virtual Status walk(std::string_view path, const WalkVisitor& visitor) const {
        return root_.walk(path, visitor);
    }

private:
    const Root root_;
};

}  // namespace paddock::git
