// Root: what changes names. Nothing here follows a link in the last place.
#include <paddock/root.h>

#include <fcntl.h>

#include <cerrno>

#include "fs/path_walk.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "fs/root_ops.h"
#include "fs/tree.h"
#include "sys/name.h"

namespace paddock {
namespace {

using fs::Place;
using fs::RelPath;
using fs::RootState;

unsigned rename_flags(RenameMode mode) {
    constexpr unsigned kNoReplace = 1;
    constexpr unsigned kExchange = 2;
    return mode == RenameMode::kNoReplace  ? kNoReplace
           : mode == RenameMode::kExchange ? kExchange
                                           : 0;
}

// The target as the link would be resolved: relative to the directory that will hold it.
Done check_link_target(const RootState& state, const RelPath& link, std::string_view target) {
    if (target.empty()) return refuse(Code::kInvalidArgument, "the link's target is empty");
    if (target.size() >= limits::kPathBytesMax || target.find('\0') != std::string_view::npos) {
        return refuse(Code::kInvalidPath, "the link's target is not a usable path");
    }
    fs::PathRules rules = state.rules;
    rules.absolute = AbsolutePaths::kInside;
    rules.dotdot = DotDot::kNormalize;
    std::string way(target);
    if (target.front() != '/') {
        RelPath parent;
        parent.text = link.parent();
        PADDOCK_ASSIGN(end, fs::walk_path(state, parent, O_PATH, state.symlinks));
        way = end.path() + '/' + way;
        way.erase(0, way.find_first_not_of('/'));
    }
    const auto parsed = fs::parse_path(way, rules);
    if (parsed || parsed.error().code == Code::kInvalidPath) return {};
    return refuse(Code::kPathEscape, "the link's target leads outside the workspace");
}

}  // namespace

namespace fs {

Done check_changeable(const Stat& stat) {
    if (stat.type == FileType::kRegular && stat.links > 1) {
        return refuse(Code::kPermissionDenied,
                      "has several hard links and is never changed in place");
    }
    return {};
}

Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path) {
    if (path.is_root()) return refuse(Code::kInvalidArgument, "is the workspace itself");
    PADDOCK_ASSIGN(pinned, open_object(state, path, O_PATH));
    PADDOCK_ASSIGN(stat, sys::fstat(pinned.get()));
    if (stat.type != FileType::kRegular && stat.type != FileType::kDirectory) {
        return refuse(Code::kNotRegularFile);
    }
    if (stat.identity == state.node.stat.identity) {
        return refuse(Code::kInvalidArgument, "is the workspace itself");
    }
    PADDOCK_TRY(check_changeable(stat));
    return std::move(pinned);
}

}  // namespace fs

Status Root::remove(std::string_view path) const {
    return fs::report("remove", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        return fs::retried([&]() -> Done {
            PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
            if (!place.node) return refuse(Code::kNotFound, {}, ENOENT);
            const bool is_directory = place.node->stat.type == FileType::kDirectory;
            const auto done =
                sys::unlinkat(place.directory, place.c_name(),
                              is_directory ? sys::Unlink::kDirectory : sys::Unlink::kFile);
            const int error = done ? 0 : done.error().os_error;
            if (error == EISDIR || error == ENOTDIR) return refuse(Code::kRace, {}, error);
            return done;
        });
    });
}

Status Root::remove_all(std::string_view path) const {
    return fs::report("remove", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        auto place = fs::locate_name(*state_, at);
        if (!place && place.error().code == Code::kNotFound) return {};
        if (!place) return place.error();
        return fs::remove_tree(*state_, *place);
    });
}

Status Root::rename(std::string_view from, std::string_view to, RenameMode mode) const {
    const auto locate = [&](std::string_view path) {
        return fs::report("rename", *state_, path, [&](const RelPath& at) -> Outcome<Place> {
            if (!may_create()) return refuse(Code::kReadOnly);
            return fs::locate_name(*state_, at);
        });
    };
    auto source = locate(from);
    if (!source) return source.error();
    if (!source->node) return fs::as_error(refuse(Code::kNotFound, {}, ENOENT), "rename", from);
    auto target = locate(to);
    if (!target) return target.error();
    const bool wants_directory = to.ends_with('/');
    if (wants_directory && source->node->stat.type != FileType::kDirectory) {
        return fs::as_error(refuse(Code::kNotADirectory, {}, ENOTDIR), "rename", from);
    }
    const auto done = sys::renameat2(source->directory, source->c_name(), target->directory,
                                     target->c_name(), rename_flags(mode));
    if (!done) return fs::as_error(done.error(), "rename", from);
    return {};
}

Status Root::hard_link(std::string_view existing, std::string_view created) const {
    const auto locate = [&](std::string_view path) {
        return fs::report("link", *state_, path, [&](const RelPath& at) -> Outcome<Place> {
            if (!may_create()) return refuse(Code::kReadOnly);
            return fs::locate_name(*state_, at);
        });
    };
    auto source = locate(existing);
    if (!source) return source.error();
    if (!source->node) return fs::as_error(refuse(Code::kNotFound, {}, ENOENT), "link", existing);
    auto target = locate(created);
    if (!target) return target.error();
    const auto done =
        sys::linkat(source->directory, source->c_name(), target->directory, target->c_name());
    if (!done) return fs::as_error(done.error(), "link", created);
    return {};
}

Status Root::symlink(std::string_view target, std::string_view created) const {
    return fs::report("symlink", *state_, created, [&](const RelPath& at) -> Done {
        if (!may_create()) return refuse(Code::kReadOnly);
        PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
        PADDOCK_TRY(check_link_target(*state_, at, target));
        return sys::symlinkat(std::string(target).c_str(), place.directory, place.c_name());
    });
}

}  // namespace paddock
