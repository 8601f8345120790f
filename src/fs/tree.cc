#include "fs/tree.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include <paddock/limits.h>

#include "fs/procfs.h"
#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::fs {
namespace {

// Deepest level of a recursive removal, which asks nothing of the entries: deeper than a walk, for
// what a call may move into the journal lies deeper there, and is to be pruned. A level takes 200
// bytes of memory.
constexpr std::size_t kRemovedTreeDepthMax = 1'048'576;

bool is_for_user_space(int error) {
    return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

// Copies from where both files stand.
class Copier {
public:
    Copier(int from, int to, const std::stop_token& cancel)
        : from_(from), to_(to), cancel_(cancel) {}

    // How much there was, at most `size`.
    Outcome<std::uint64_t> stretch(std::uint64_t size) {
        std::uint64_t done = 0;
        while (done < size) {
            if (cancel_.stop_requested()) return refuse(Code::kCancelled);
            PADDOCK_ASSIGN(moved, move(size - done));
            if (moved == 0) break;
            done += moved;
        }
        return done;
    }

private:
    Outcome<std::size_t> move(std::uint64_t size) {
        constexpr std::uint64_t kChunk = std::uint64_t{16} << 20;  // one call is not interrupted
        if (in_kernel_) {
            auto copied = sys::copy_range(from_, to_, std::min(size, kChunk));
            if (copied || !is_for_user_space(copied.error().os_error)) return copied;
            in_kernel_ = false;
        }
        const std::size_t part = std::min<std::uint64_t>(size, buffer_.size());
        PADDOCK_ASSIGN(got, sys::read(from_, buffer_.data(), part));
        PADDOCK_TRY(sys::write_all(to_, {buffer_.data(), got}));
        return got;
    }

    int from_;
    int to_;
    const std::stop_token& cancel_;
    bool in_kernel_ = true;
    std::array<char, 65536> buffer_;
};

}  // namespace

Done copy_content(int from, std::uint64_t size, int to, const std::stop_token& cancel) {
    Copier copier(from, to, cancel);
    std::uint64_t end = 0;
    while (end < size) {
        PADDOCK_ASSIGN(data, sys::next_data(from, end));
        if (!data || data->begin >= size) break;
        end = std::min(data->end, size);
        PADDOCK_TRY(sys::seek(from, data->begin));
        PADDOCK_TRY(sys::seek(to, data->begin));
        PADDOCK_ASSIGN(copied, copier.stretch(end - data->begin));
        // It is shorter than it was, or than it says.
        if (copied < end - data->begin) return sys::truncate(to, data->begin + copied);
    }
    PADDOCK_ASSIGN(now, sys::fstat(from));
    return sys::truncate(to, std::min(size, now.size));
}

namespace {

constexpr int kReadable = O_RDONLY;
constexpr Mode kOwners = 0700;  // what it takes to empty a directory

bool is_gone(const Failure& failure) { return failure.os_error == ENOENT; }

// A removed directory that is still open reads as ENOENT: it has no entries.
Outcome<const sys::DirEntry*> next_entry(sys::DirReader& reader, int directory) {
    auto entry = reader.next(directory);
    if (!entry && is_gone(entry.error())) return nullptr;
    return entry;
}

// Back to where reading stopped. A removed directory cannot be positioned, and reads as empty.
Done read_on(int directory, std::int64_t position) {
    auto positioned = sys::seek_entry(directory, position);
    if (positioned) return positioned;
    const auto stat = sys::fstat(directory);
    return stat && stat->links == 0 ? Done() : positioned;
}

// Under Landlock the kernel goes up from a directory to the root of the workspace each time it is
// opened to be read. So one that has been read to its end is not opened again on the way back.
class TreeWalk {
public:
    TreeWalk(const RootState& state, int start, const sys::Node& start_node, std::string prefix,
             const WalkVisitor& visitor)
        : state_(state),
          chain_(state, start, start_node, kReadable),
          path_(std::move(prefix)),
          visitor_(visitor) {
        if (!path_.empty()) path_ += '/';
    }

    Done run();

private:
    struct Frame {
        bool is_last;              // the parent has nothing behind it
        std::int64_t resume;       // where to read on in the parent
        std::size_t parent_bytes;  // of path_
    };

    WalkAction visit(std::string_view name, FileType type, const Failure* failure);
    Outcome<WalkAction> enter(std::string_view name, std::int64_t resume);
    Done leave();

    const RootState& state_;
    DirChain chain_;
    std::string path_;  // of the present directory, ended by '/' unless empty
    const WalkVisitor& visitor_;
    std::vector<Frame> frames_;
    sys::DirReader reader_;
    bool is_read_ = false;  // the present directory, to its end; it may not be held then
};

WalkAction TreeWalk::visit(std::string_view name, FileType type, const Failure* failure) {
    const std::size_t directory_bytes = path_.size();
    path_ += name;
    const WalkAction action =
        visitor_({path_, name, type, chain_.depth() + 1, chain_.top(), failure});
    path_.resize(directory_bytes);
    return action;
}

Outcome<WalkAction> TreeWalk::enter(std::string_view name, std::int64_t resume) {
    const std::string own_name(name);
    auto child = open_child(state_, chain_.top(), own_name.c_str(), kReadable);
    if (child && chain_.depth() + 1 >= limits::kTreeDepthMax) {
        child = refuse(Code::kLimitReached, "is nested too deep");
    }
    if (!child) {
        if (is_gone(child.error())) return WalkAction::kContinue;
        return visit(own_name, FileType::kDirectory, &child.error());
    }
    const auto behind = next_entry(reader_, chain_.top());
    frames_.push_back({behind && *behind == nullptr, resume, path_.size()});
    path_ += own_name;
    path_ += '/';
    chain_.push(own_name, std::move(child->fd), child->node);
    reader_.reset();
    return WalkAction::kContinue;
}

Done TreeWalk::leave() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    path_.resize(frame.parent_bytes);
    reader_.reset();
    chain_.drop();
    is_read_ = frame.is_last;
    if (is_read_) return {};
    PADDOCK_TRY(chain_.hold_top());
    return read_on(chain_.top(), frame.resume);
}

Done TreeWalk::run() {
    for (;;) {
        auto entry = is_read_ ? nullptr : next_entry(reader_, chain_.top());
        if (!entry && frames_.empty()) return entry.error();
        if (!entry || *entry == nullptr) {
            if (frames_.empty()) return {};
            const std::string name(path_, frames_.back().parent_bytes,
                                   path_.size() - frames_.back().parent_bytes - 1);
            PADDOCK_TRY(leave());
            if (entry) continue;
            PADDOCK_TRY(chain_.hold_top());
            if (visit(name, FileType::kDirectory, &entry.error()) == WalkAction::kStop) return {};
            continue;
        }
        const sys::DirEntry found = **entry;
        const FileType type = type_of_entry(chain_.top(), found);
        if (type == FileType::kUnknown) continue;
        WalkAction action = visit(found.name, type, nullptr);
        if (action == WalkAction::kContinue && type == FileType::kDirectory) {
            PADDOCK_ASSIGN(after, enter(found.name, found.next));
            action = after;
        }
        if (action == WalkAction::kStop) return {};
    }
}

enum class Removed : bool { kYes, kNotEmpty };

// Removes one name whatever it is, a link never followed; the kind may change under our hands.
Outcome<Removed> remove_one(int directory, const char* name, FileType type) {
    auto what = type == FileType::kDirectory ? sys::Unlink::kDirectory : sys::Unlink::kFile;
    for (int i = 0; i < kOperationRetriesMax; ++i) {
        const auto done = sys::unlinkat(directory, name, what);
        if (done || is_gone(done.error())) return Removed::kYes;
        const int error = done.error().os_error;
        if (error == ENOTEMPTY || error == EEXIST) return Removed::kNotEmpty;
        if (error == EBUSY) return refuse(Code::kMountCrossing, {}, EBUSY);
        if (error == EISDIR) {
            what = sys::Unlink::kDirectory;
        } else if (error == ENOTDIR) {
            what = sys::Unlink::kFile;
        } else {
            return done.error();
        }
    }
    return refuse(Code::kRace);
}

// Depth first. Entries are removed while the directory is read, which may skip some; so a directory
// that turns out not to be empty is read again, up to kRemovePassesMax times.
class TreeRemoval {
public:
    TreeRemoval(const RootState& state, int directory, Locked locked, const std::stop_token& cancel)
        : state_(state),
          locked_(locked),
          cancel_(cancel),
          chain_(state, directory, {}, kReadable) {}

    Done remove(std::string_view name, FileType type);

private:
    struct Frame {
        std::int64_t resume = 0;  // where to read on in this directory
        int passes = 1;
    };

    Done take_or_descend(const std::string& name, FileType type, int passes);
    Done empty();
    Done descend(const std::string& name, int passes);
    void unlock(const std::string& name) const;
    Done finish_level();

    const RootState& state_;
    const Locked locked_;
    const std::stop_token& cancel_;
    DirChain chain_;
    std::vector<Frame> frames_;  // one for each level of the chain
    sys::DirReader reader_;
};

Done TreeRemoval::take_or_descend(const std::string& name, FileType type, int passes) {
    if (cancel_.stop_requested()) return refuse(Code::kCancelled);
    PADDOCK_ASSIGN(removed, remove_one(chain_.top(), name.c_str(), type));
    if (removed == Removed::kYes) return {};
    if (passes > kRemovePassesMax) return Failure::from_errno(ENOTEMPTY);
    return descend(name, passes);
}

Done TreeRemoval::remove(std::string_view name, FileType type) {
    PADDOCK_TRY(take_or_descend(std::string(name), type, 1));
    return empty();
}

Done TreeRemoval::empty() {
    while (!frames_.empty()) {
        PADDOCK_ASSIGN(entry, next_entry(reader_, chain_.top()));
        if (entry == nullptr) {
            PADDOCK_TRY(finish_level());
            continue;
        }
        frames_.back().resume = entry->next;
        PADDOCK_TRY(take_or_descend(entry->name, entry->type, 1));
    }
    return {};
}

Done TreeRemoval::descend(const std::string& name, int passes) {
    if (chain_.depth() >= kRemovedTreeDepthMax) {
        return refuse(Code::kLimitReached, "is nested too deep");
    }
    return retried([&]() -> Done {
        if (locked_ == Locked::kAreOpened) unlock(name);
        auto child = open_child(state_, chain_.top(), name.c_str(), kReadable);
        if (!child && is_gone(child.error())) return {};
        if (!child && child.error().code == Code::kNotADirectory) {
            PADDOCK_ASSIGN(removed, remove_one(chain_.top(), name.c_str(), FileType::kUnknown));
            return removed == Removed::kNotEmpty ? refuse(Code::kRace) : Done();
        }
        if (!child) return child.error();
        chain_.push(name, std::move(child->fd), child->node);
        frames_.push_back({0, passes});
        reader_.reset();
        return {};
    });
}

// Opening it says what else is wrong.
void TreeRemoval::unlock(const std::string& name) const {
    const auto child = open_child(state_, chain_.top(), name.c_str(), O_PATH);
    if (!child) return;
    const Mode mode = child->node.stat.mode;
    if ((mode & kOwners) != kOwners) (void)chmod_pinned(child->fd.get(), mode | kOwners);
}

Done TreeRemoval::finish_level() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    PADDOCK_ASSIGN(level, chain_.pop());
    reader_.reset();
    if (!frames_.empty()) PADDOCK_TRY(read_on(chain_.top(), frames_.back().resume));
    return take_or_descend(level.name, FileType::kDirectory, frame.passes + 1);
}

bool by_name(const ListEntry& a, const ListEntry& b) { return a.name < b.name; }

}  // namespace

Done walk_tree(const RootState& state, int start, std::string prefix, const WalkVisitor& visitor) {
    PADDOCK_ASSIGN(node, sys::node(start));
    return TreeWalk(state, start, node, std::move(prefix), visitor).run();
}

Done remove_tree(const RootState& state, const Place& place, Locked locked,
                 const std::stop_token& cancel) {
    if (!place.node) return {};
    return TreeRemoval(state, place.directory, locked, cancel)
        .remove(place.name, place.node->stat.type);
}

Outcome<Listing> list_entries(int directory, std::size_t entries_max) {
    Listing listing;
    auto& kept = listing.entries;  // a heap while reading, the largest name in front
    sys::DirReader reader;
    for (;;) {
        PADDOCK_ASSIGN(entry, next_entry(reader, directory));
        if (entry == nullptr) break;
        kept.push_back({entry->name, type_of_entry(directory, *entry)});
        std::push_heap(kept.begin(), kept.end(), by_name);
        if (kept.size() <= entries_max) continue;
        std::pop_heap(kept.begin(), kept.end(), by_name);
        kept.pop_back();
        listing.truncated = true;
    }
    std::sort_heap(kept.begin(), kept.end(), by_name);
    return listing;
}

}  // namespace paddock::fs
