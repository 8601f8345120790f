#include "search/tree_snapshot.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include <paddock/limits.h>

#include "fs/dir_chain.h"
#include "fs/entry.h"
#include "fs/resolver.h"
#include "fs/retried.h"
#include "sys/dir.h"
#include "sys/stat.h"
#include "sys/uapi.h"

namespace paddock::search {
namespace {

using Index = std::uint32_t;
constexpr Index kRootIndex = 0;

// Local file systems that set the time of change of a directory whenever its entries change.
constexpr long kFaithful[] = {
    sys::uapi::kExtSuperMagic,   sys::uapi::kXfsSuperMagic,     sys::uapi::kBtrfsSuperMagic,
    sys::uapi::kTmpfsSuperMagic, sys::uapi::kOverlaySuperMagic, sys::uapi::kF2fsSuperMagic,
    sys::uapi::kZfsSuperMagic,
};

bool keeps_times(const fs::RootState& state) {
    if (state.every_mount || !state.mounts.empty()) return false;
    const auto system = sys::file_system(state.fd.get());
    return system && std::find(std::begin(kFaithful), std::end(kFaithful), system->type) !=
                         std::end(kFaithful);
}

// This says something about us, not about the directory.
bool is_ours(const Failure& failure) {
    return failure.os_error == EMFILE || failure.os_error == ENFILE || failure.os_error == ENOMEM;
}

bool is_gone(const Failure& failure) {
    return failure.code == Code::kRace || failure.code == Code::kNotFound ||
           failure.code == Code::kNotADirectory;
}

}  // namespace

// Directories lie in one vector and name each other by index: a tree of any depth is built, walked
// and dropped without recursion.
class TreeSnapshot::Impl {
public:
    Impl(Root root, EntryChooser choose) : root_(std::move(root)), choose_(std::move(choose)) {}

    Done look(Time now, Interruption* interruption);
    void each_notable(const DirectoryVisitor& visit) const;
    Unreadable unreadable() const;
    std::string path_of(const Stat& directory) const;
    std::size_t directories() const noexcept { return all_.size() - free_.size(); }
    std::size_t listed() const noexcept { return listed_; }
    const std::vector<Left>& left() const noexcept { return left_; }
    const std::optional<std::string>& cut() const noexcept { return cut_; }

private:
    struct Directory {
        std::string name;
        Index parent = kRootIndex;
        Identity identity{};
        std::chrono::nanoseconds changed{};
        std::chrono::nanoseconds created{};
        bool settled = false;  // an equal time of change means equal entries
        bool in_use = false;
        std::vector<Index> below{};  // in order of name
        std::vector<NotableEntry> notable{};
    };
    struct Frame {
        Index directory = kRootIndex;
        std::size_t next = 0;        // of `below`
        std::size_t path_bytes = 0;  // without it
    };
    struct Listed {
        std::vector<std::string> below;
        std::vector<NotableEntry> notable;
        bool complete = true;
    };

    Done walk(fs::DirChain& chain, Interruption* interruption);
    Done visit(fs::DirChain& chain, Index index);
    Done leave(fs::DirChain& chain);
    Done fail(Index index, const Failure& failure);
    Outcome<Listed> read(int fd);
    Done take(Index index, Listed listed, const Stat& stat);
    bool is_current(Index index, const Stat& stat) const;
    Outcome<Index> add(std::string name, Index parent);
    void discard(std::vector<Index> directories);  // with all below
    std::string path_to(Index index) const;
    Stat stat_of(Index index) const;  // as far as it is kept

    const Root root_;
    const EntryChooser choose_;
    std::vector<Directory> all_;
    std::vector<Index> free_;
    std::map<Index, Failure> unreadable_;
    std::size_t listed_ = 0;
    std::vector<Left> left_;
    std::optional<std::string> cut_;

    // During a look.
    std::chrono::nanoseconds began_{};
    bool faithful_ = false;
    std::string path_;  // of the present directory, ended by '/' unless empty
    std::vector<Frame> frames_;
};

Done TreeSnapshot::Impl::look(Time now, Interruption* interruption) {
    listed_ = 0;
    left_.clear();
    cut_.reset();
    began_ = now.time_since_epoch();
    path_.clear();
    frames_.clear();
    const fs::RootState& state = fs::state_of(root_);
    faithful_ = keeps_times(state);
    PADDOCK_ASSIGN(start, fs::open_listing(state, {}));
    PADDOCK_ASSIGN(node, sys::node(start.get()));
    if (all_.empty()) all_.emplace_back().in_use = true;
    const Done done = [&]() -> Done {
        if (!is_current(kRootIndex, node.stat)) {
            PADDOCK_ASSIGN(listed, read(start.get()));
            PADDOCK_TRY(take(kRootIndex, std::move(listed), node.stat));
        }
        fs::DirChain chain(state, start.get(), node, O_PATH);
        frames_.push_back({});
        return walk(chain, interruption);
    }();
    const bool goes_on = interruption != nullptr && interruption->requested();
    if (!done && !goes_on) {
        all_.clear();
        free_.clear();
        unreadable_.clear();
        cut_.reset();
    }
    return done;
}

Done TreeSnapshot::Impl::walk(fs::DirChain& chain, Interruption* interruption) {
    while (!frames_.empty()) {
        if (interruption != nullptr && interruption->requested()) return kUnfinishedLook;
        Frame& frame = frames_.back();
        const auto& below = all_[frame.directory].below;
        if (frame.next == below.size()) {
            PADDOCK_TRY(leave(chain));
        } else {
            PADDOCK_TRY(visit(chain, below[frame.next++]));
        }
    }
    return {};
}

// Goes up, past every directory that was moved away meanwhile: those are listed again the next
// time.
Done TreeSnapshot::Impl::leave(fs::DirChain& chain) {
    for (;;) {
        path_.resize(frames_.back().path_bytes);
        frames_.pop_back();
        if (frames_.empty()) return {};
        const auto left = chain.pop();
        if (left) return {};
        if (!is_gone(left.error())) return left.error();
        all_[frames_.back().directory].settled = false;
    }
}

bool TreeSnapshot::Impl::is_current(Index index, const Stat& stat) const {
    const Directory& known = all_[index];
    return known.settled && known.identity == stat.identity && known.changed == stat.changed;
}

Done TreeSnapshot::Impl::visit(fs::DirChain& chain, Index index) {
    const fs::RootState& state = fs::state_of(root_);
    const std::string name = all_[index].name;
    if (all_[index].settled && all_[index].below.empty()) {
        const auto node = sys::node_at(chain.top(), name.c_str());
        if (node && is_current(index, node->stat)) return {};
        all_[index].settled = false;
    }
    const int flags = all_[index].settled ? O_PATH : O_RDONLY;
    auto child = fs::open_child(state, chain.top(), name.c_str(), flags);
    if (child && flags == O_PATH && !is_current(index, child->node.stat)) {
        all_[index].settled = false;
        child = fs::open_child(state, chain.top(), name.c_str(), O_RDONLY);
    }
    if (child && chain.depth() + 1 >= limits::kTreeDepthMax)
        child = refuse(Code::kLimitReached, "lies too deep");
    if (!child) return fail(index, child.error());
    const std::size_t path_bytes = path_.size();
    path_.append(name).append("/");
    if (!all_[index].settled) {
        auto listed = read(child->fd.get());
        if (!listed) {
            path_.resize(path_bytes);
            return fail(index, listed.error());
        }
        PADDOCK_TRY(take(index, std::move(*listed), child->node.stat));
    }
    if (all_[index].below.empty()) {
        path_.resize(path_bytes);
        return {};
    }
    chain.push(name, std::move(child->fd), child->node);
    frames_.push_back({index, 0, path_bytes});
    return {};
}

// What cannot be opened or read is left out of the snapshot, and tried again the next time.
Done TreeSnapshot::Impl::fail(Index index, const Failure& failure) {
    if (is_ours(failure)) return failure;
    Directory& directory = all_[index];
    directory.settled = false;
    directory.identity = {};
    directory.notable.clear();
    if (is_gone(failure)) {
        all_[directory.parent].settled = false;
    } else if (failure.code != Code::kMountCrossing) {
        unreadable_.insert_or_assign(index, failure);
    }
    discard(std::exchange(directory.below, {}));
    return {};
}

Outcome<TreeSnapshot::Impl::Listed> TreeSnapshot::Impl::read(int fd) {
    Listed listed;
    std::size_t room = limits::kSnapshotNotableMax;
    std::size_t room_for_harmless = limits::kSnapshotNotableMax;
    const auto reader = std::make_unique<sys::DirReader>();
    const std::size_t path_bytes = path_.size();
    for (;;) {
        auto entry = reader->next(fd);
        // A removed directory that is still open reads as ENOENT: it has no entries.
        if (!entry && entry.error().os_error == ENOENT) return listed;
        if (!entry) return entry.error();
        if (*entry == nullptr) break;
        const std::string_view name = (*entry)->name;
        const FileType type = fs::type_of_entry(fd, **entry);
        path_ += name;
        const EntryInterest interest = choose_(fd, path_, name, type);
        path_.resize(path_bytes);
        std::size_t& left = interest.harmless ? room_for_harmless : room;
        if (interest.note && left == 0) {
            listed.complete = false;
        } else if (interest.note) {
            --left;
            listed.notable.push_back({std::string(name), type});
        }
        if (interest.enter && type == FileType::kDirectory) listed.below.emplace_back(name);
    }
    // Names alone are no use: without the permission to search nobody can look at what bears them.
    if (!listed.notable.empty()) {
        const auto looked = sys::node_at(fd, listed.notable.front().name.c_str());
        if (!looked && looked.error().os_error == EACCES) return looked.error();
    }
    return listed;
}

Done TreeSnapshot::Impl::take(Index index, Listed listed, const Stat& stat) {
    ++listed_;
    std::sort(listed.below.begin(), listed.below.end());
    std::sort(listed.notable.begin(), listed.notable.end(),
              [](const NotableEntry& a, const NotableEntry& b) { return a.name < b.name; });
    const std::vector<Index> before = std::exchange(all_[index].below, {});
    std::vector<Index> below;
    std::vector<Index> vanished;
    auto old = before.begin();
    for (std::string& name : listed.below) {
        while (old != before.end() && all_[*old].name < name) vanished.push_back(*old++);
        if (old != before.end() && all_[*old].name == name) {
            below.push_back(*old++);
        } else {
            PADDOCK_ASSIGN(added, add(std::move(name), index));
            below.push_back(added);
        }
    }
    vanished.insert(vanished.end(), old, before.end());
    for (const Index left : vanished) left_.push_back({path_to(left), stat_of(left)});
    discard(std::move(vanished));
    Directory& directory = all_[index];
    directory.below = std::move(below);
    directory.notable = std::move(listed.notable);
    directory.identity = stat.identity;
    directory.changed = stat.changed;
    directory.created = stat.created;
    directory.settled =
        faithful_ && listed.complete && stat.changed + limits::kSnapshotSettleTime < began_;
    unreadable_.erase(index);
    if (!listed.complete && !cut_) cut_ = path_to(index);
    return {};
}

Outcome<Index> TreeSnapshot::Impl::add(std::string name, Index parent) {
    if (free_.empty()) {
        if (all_.size() == limits::kSnapshotDirectoriesMax) {
            return refuse(Code::kLimitReached, "has too many directories to be looked through");
        }
        free_.push_back(static_cast<Index>(all_.size()));
        all_.emplace_back();
    }
    const Index index = free_.back();
    free_.pop_back();
    all_[index] = {};
    all_[index].name = std::move(name);
    all_[index].parent = parent;
    all_[index].in_use = true;
    return index;
}

void TreeSnapshot::Impl::discard(std::vector<Index> directories) {
    while (!directories.empty()) {
        const Index index = directories.back();
        directories.pop_back();
        const auto& below = all_[index].below;
        directories.insert(directories.end(), below.begin(), below.end());
        all_[index] = {};
        unreadable_.erase(index);
        free_.push_back(index);
    }
}

Stat TreeSnapshot::Impl::stat_of(Index index) const {
    Stat stat;
    stat.type = FileType::kDirectory;
    stat.identity = all_[index].identity;
    stat.changed = all_[index].changed;
    stat.created = all_[index].created;
    return stat;
}

std::string TreeSnapshot::Impl::path_to(Index index) const {
    std::vector<Index> way;
    for (; index != kRootIndex; index = all_[index].parent) way.push_back(index);
    std::string path;
    for (auto i = way.rbegin(); i != way.rend(); ++i) {
        if (!path.empty()) path += '/';
        path += all_[*i].name;
    }
    return path;
}

void TreeSnapshot::Impl::each_notable(const DirectoryVisitor& visit) const {
    for (Index i = 0; i < all_.size(); ++i) {
        if (all_[i].in_use && !all_[i].notable.empty()) visit(path_to(i), all_[i].notable);
    }
}

TreeSnapshot::Unreadable TreeSnapshot::Impl::unreadable() const {
    Unreadable directories;
    for (const auto& [index, failure] : unreadable_) directories.emplace(path_to(index), failure);
    return directories;
}

std::string TreeSnapshot::Impl::path_of(const Stat& directory) const {
    for (Index i = 1; i < all_.size(); ++i) {
        if (all_[i].in_use && is_same_object(stat_of(i), directory)) return path_to(i);
    }
    return {};
}

TreeSnapshot::TreeSnapshot(Root root, EntryChooser choose)
    : impl_(std::make_unique<Impl>(std::move(root), std::move(choose))) {}
TreeSnapshot::TreeSnapshot(TreeSnapshot&&) noexcept = default;
TreeSnapshot::~TreeSnapshot() = default;

Done TreeSnapshot::look(Time now, Interruption* interruption) {
    return impl_->look(now, interruption);
}
void TreeSnapshot::each_notable(const DirectoryVisitor& visit) const { impl_->each_notable(visit); }
TreeSnapshot::Unreadable TreeSnapshot::unreadable() const { return impl_->unreadable(); }
std::string TreeSnapshot::path_of(const Stat& directory) const { return impl_->path_of(directory); }
std::size_t TreeSnapshot::directories() const noexcept { return impl_->directories(); }
std::size_t TreeSnapshot::listed() const noexcept { return impl_->listed(); }
const std::vector<TreeSnapshot::Left>& TreeSnapshot::left() const noexcept { return impl_->left(); }
const std::optional<std::string>& TreeSnapshot::cut() const noexcept { return impl_->cut(); }

}  // namespace paddock::search
