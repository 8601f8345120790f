// The files below a directory, in order of path, with several threads on held descriptors.
//
// Order of path: names compared byte by byte, one directory level after the other, so that a whole
// directory stands where its name does. Links are never followed; FIFOs, sockets, devices and
// mounts are passed over.
#pragma once

#include <string_view>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "search/ordered_work.h"
#include "search/walked_directory.h"

namespace paddock::search {

// Some entries of one directory, next to each other in the order.
struct Batch {
    std::shared_ptr<const WalkedDirectory> directory;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class Visitor {
public:
    Visitor() = default;
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    virtual ~Visitor() = default;

    // What to do with the entries of a batch that are to be taken; called on any thread.
    virtual std::unique_ptr<Task> visit(Batch batch) = 0;

    // How many entries are taken at once. Small: the first results come soon. Large: threads seldom
    // work in the same directory, where the kernel makes them wait for each other.
    virtual std::uint32_t batch_entries() const noexcept = 0;

    // A directory could not be opened or read; in order.
    virtual Next unreadable(std::string_view path, const Failure& failure) = 0;

    // True: nothing more is wanted; asked on any thread.
    virtual bool interrupted() const noexcept = 0;
};

// Walks below `start`, an open directory that `path` leads to. Failures on the way go to the
// visitor.
void walk_in_order(WalkShare& share, UniqueFd start, const fs::RelPath& path, Visitor& visitor,
                   unsigned threads);

}  // namespace paddock::search
