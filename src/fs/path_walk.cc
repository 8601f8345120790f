#include "fs/path_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "sys/name.h"
#include "sys/open.h"
#include "sys/process.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

constexpr std::string_view kTooManySteps = "takes too many steps to resolve";

struct Opened {
    UniqueFd fd;
    sys::Node node;
};

// A link that the kernel would resolve by itself instead of by its text.
Outcome<bool> is_magic(int link, const sys::Node& parent) {
    PADDOCK_ASSIGN(file_system, sys::file_system(link));
    if ((file_system.flags & sys::uapi::kStNoSymFollow) != 0) return Failure::from_errno(ELOOP);
    if (file_system.type == sys::uapi::kAppArmorFsMagic) return true;
    constexpr std::uint64_t kProcRootInode = 1;  // "self" and its like there are ordinary links
    return file_system.type == sys::uapi::kProcSuperMagic &&
           parent.stat.identity.inode != kProcRootInode;
}

// The kernel's fs.protected_symlinks: at the end of a path, in a sticky, world-writable directory,
// only links of one's own or of the directory's owner are followed.
bool is_planted(const Stat& link, const Stat& directory) {
    constexpr unsigned kShared = S_ISVTX | S_IWOTH;
    return (directory.mode & kShared) == kShared && link.uid != sys::effective_user() &&
           link.uid != directory.uid;
}

class PathWalk {
public:
    PathWalk(const RootState& state, const RelPath& path, int flags, Symlinks symlinks)
        : state_(state),
          flags_(flags),
          symlinks_(symlinks),
          chain_(state, state.fd.get(), state.node, O_PATH),
          text_(path.text),
          pending_(text_),
          written_(text_.size()),
          must_be_directory_(path.must_be_directory) {}

    Outcome<WalkEnd> run();

private:
    // Each takes one component; a WalkEnd ends the walk.
    Outcome<std::optional<WalkEnd>> take(std::string_view name);
    Outcome<std::optional<WalkEnd>> absent(std::string_view name);
    Outcome<WalkEnd> end_at_top();

    Outcome<Opened> open_name(std::string_view name, bool last);
    Failure refused_at(const Failure& failure) const;
    Done follow(const Opened& link);
    WalkEnd end(std::string_view name, Opened object);

    bool nothing_follows() const {
        return pending_.find_first_not_of('/') == std::string_view::npos;
    }
    bool needs_directory() const { return must_be_directory_ || !pending_.empty(); }

    const RootState& state_;
    const int flags_;
    const Symlinks symlinks_;
    DirChain chain_;
    std::string text_;          // the path, or the newest link's text with what came after the link
    std::string_view pending_;  // the end of text_ that is still to be walked
    std::size_t written_;       // how many bytes at the end of text_ the caller wrote
    bool must_be_directory_;
    int links_ = 0;
    int steps_ = 0;
    std::string name_;  // the present component, ended by NUL for the kernel
};

Outcome<WalkEnd> PathWalk::run() {
    for (auto name = take_component(pending_); !name.empty(); name = take_component(pending_)) {
        if (++steps_ > limits::kResolveStepsMax) {
            return refuse(Code::kLimitReached, kTooManySteps, ELOOP);
        }
        // Only a link's text has dots; as in the kernel, they need search permission.
        if (name == "." || name == "..") PADDOCK_TRY(sys::openat(chain_.top(), ".", O_PATH));
        if (name == ".") continue;
        if (name == "..") {
            if (chain_.depth() == 0) return refuse(Code::kPathEscape);
            PADDOCK_TRY(chain_.pop());
            continue;
        }
        PADDOCK_ASSIGN(arrived, take(name));
        if (arrived) return std::move(*arrived);
    }
    return end_at_top();
}

Outcome<std::optional<WalkEnd>> PathWalk::take(std::string_view name) {
    const bool last = nothing_follows();
    auto opened = open_name(name, last);
    if (!opened && opened.error().os_error == ENOENT) return absent(name);
    if (!opened) return refused_at(opened.error());
    if (!state_.may_enter(opened->node.mount)) return refuse(Code::kMountCrossing);
    const FileType type = opened->node.stat.type;
    if (type == FileType::kSymlink) {
        PADDOCK_TRY(follow(*opened));
        return std::nullopt;
    }
    if (needs_directory() && type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (last) return end(name, std::move(*opened));
    chain_.push(name, std::move(opened->fd), opened->node);
    return std::nullopt;
}

// What is wrong with the object itself does not matter if it is on a foreign mount, or is not the
// directory that it must be.
Failure PathWalk::refused_at(const Failure& failure) const {
    if (failure.code == Code::kRace) return failure;
    const auto node = sys::node_at(chain_.top(), name_.c_str());
    if (!node) return failure;
    if (!state_.may_enter(node->mount)) return refuse(Code::kMountCrossing);
    const FileType type = node->stat.type;
    const bool is_other = type != FileType::kDirectory && type != FileType::kSymlink;
    return is_other && needs_directory() ? refuse(Code::kNotADirectory) : failure;
}

// The last component is opened as asked at once: what is in a pinned directory under that name is
// inside, whichever of two racing objects it is. Only a link needs a second look. O_DIRECTORY stays
// away: there is a kernel that follows links when it comes with O_NOFOLLOW.
Outcome<Opened> PathWalk::open_name(std::string_view name, bool last) {
    name_ = name;
    const int flags = last ? flags_ : O_PATH;
    auto fd = sys::openat(chain_.top(), name_.c_str(), flags | O_NOFOLLOW);
    const bool expect_link = !fd && fd.error().os_error == ELOOP;
    if (expect_link) fd = sys::openat(chain_.top(), name_.c_str(), O_PATH | O_NOFOLLOW);
    if (!fd) return fd.error();
    PADDOCK_ASSIGN(node, sys::node(fd->get()));
    if (expect_link && node.stat.type != FileType::kSymlink) return refuse(Code::kRace);
    return Opened{std::move(*fd), node};
}

// A name may be made here if it is the very last one, or if everything missing was written by the
// caller: a link's text never has directories made for it.
Outcome<std::optional<WalkEnd>> PathWalk::absent(std::string_view name) {
    const bool from_link = pending_.size() >= written_;
    if (!nothing_follows() && from_link) return Failure::from_errno(ENOENT);
    const std::size_t start = pending_.find_first_not_of('/');
    WalkEnd end{std::move(chain_), std::string(name), {}, {}, {}};
    if (start != std::string_view::npos) end.missing = pending_.substr(start);
    end.by_link = from_link;
    end.as_directory = start == std::string_view::npos && !pending_.empty();
    return end;
}

Done PathWalk::follow(const Opened& link) {
    if (++links_ > limits::kSymlinksMax) return Failure::from_errno(ELOOP);
    if (state_.links_protected && nothing_follows() &&
        is_planted(link.node.stat, chain_.top_node().stat)) {
        return Failure::from_errno(EACCES);
    }
    if (symlinks_ == Symlinks::kReject) {
        return refuse(Code::kPathEscape, "passes a symbolic link, which is refused here");
    }
    PADDOCK_ASSIGN(magic, is_magic(link.fd.get(), chain_.top_node()));
    if (magic) return refuse(Code::kPathEscape, "passes a magic link");
    PADDOCK_ASSIGN(target, sys::readlinkat(link.fd.get(), ""));
    std::string_view way = target;
    if (way.empty()) return Failure::from_errno(ENOENT);
    if (way.front() == '/') {
        PADDOCK_ASSIGN(below, strip_root(way, state_.rules));
        way = below;
        chain_.clear();
    }
    written_ = std::min(written_, pending_.size());
    text_ = std::string(way) + std::string(pending_);
    pending_ = text_;
    return {};
}

WalkEnd PathWalk::end(std::string_view name, Opened object) {
    return WalkEnd{std::move(chain_), std::string(name), object.node, std::move(object.fd), {}};
}

// The way ended in the root or, by a link's "..", in a directory already passed.
Outcome<WalkEnd> PathWalk::end_at_top() {
    if (chain_.depth() == 0) {
        PADDOCK_ASSIGN(root, sys::openat(state_.fd.get(), ".", flags_));
        return end({}, {std::move(root), state_.node});
    }
    PADDOCK_ASSIGN(top, chain_.pop());
    PADDOCK_ASSIGN(again, open_name(top.name, true));
    const bool same =
        again.node.stat.identity == top.node.stat.identity && again.node.mount == top.node.mount;
    if (!same) return refuse(Code::kRace);
    return end(top.name, std::move(again));
}

}  // namespace

std::string WalkEnd::path() const {
    std::string joined = directories.path();
    for (const std::string_view part : {std::string_view(name), std::string_view(missing)}) {
        if (part.empty()) continue;
        if (!joined.empty()) joined += '/';
        joined += part;
    }
    return joined;
}

bool gave_up(const Failure& failure) { return failure.reason == kTooManySteps; }

bool says_where(const Failure& failure) {
    switch (failure.os_error) {
        case 0: return failure.code != Code::kRace;
        case ENOENT:
        case ENOTDIR:
        case ENAMETOOLONG:
        case ELOOP: return true;
        default: return false;
    }
}

Outcome<WalkEnd> walk_path(const RootState& state, const RelPath& path, int flags,
                           Symlinks symlinks) {
    return PathWalk(state, path, flags, symlinks).run();
}

}  // namespace paddock::fs
