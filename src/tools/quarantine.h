// Takes things out of a workspace. What is taken is kept as a copy in a directory of the operator's
// outside: without any permission to run, links as files that tell their target, nothing under a
// name that a program would obey. Only so much of it in a session (limits::kQuarantine...).
//
//   QUARANTINE/<session>/<number>/origin         where it was
//   QUARANTINE/<session>/<number>/<name>.kept    what it was, a file or a directory
//
// Nothing passes a link. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "base/outcome.h"

namespace paddock::tools {

class Quarantine {
public:
    // `workspace` passes no link. Without `where` nothing is kept.
    Quarantine(Root workspace, std::optional<Root> where);

    // Copies what is at `path`. Its name below the quarantine, or empty if it is not kept: there is
    // none, it is too large, it cannot be read, or there is nothing.
    std::string keep(const std::string& path);

    // Removes the name and all below. Directories that do not let it are made to.
    Status remove(const std::string& path) const;

private:
    Done make_session();
    Done copy(const std::string& from, const std::string& to);
    Done copy_tree(const std::string& from, const std::string& to);
    Done copy_one(const std::string& from, const std::string& to, FileType type);

    const Root workspace_;
    const std::optional<Root> where_;
    std::string session_{};  // its directory, once it is there
    std::uint64_t number_ = 0;
    std::uint64_t bytes_left_ = limits::kQuarantineBytesMax;
    std::uint64_t names_left_ = limits::kQuarantineNamesMax;
};

}  // namespace paddock::tools
