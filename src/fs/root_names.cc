// Root: what changes names. Nothing here follows a link in the last place.
#include <paddock/root.h>

#include <fcntl.h>

#include <cerrno>

#include "fs/replace.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "fs/tree.h"
#include "sys/files.h"

namespace paddock {
namespace {

using fs::Place;
using fs::RelPath;
using fs::RootState;

sys::Rename rename_way(RenameMode mode) {
    return mode == RenameMode::kNoReplace  ? sys::Rename::kNoReplace
           : mode == RenameMode::kExchange ? sys::Rename::kExchange
                                           : sys::Rename::kReplace;
}

// Does this text, read from the root, climb above it? Of any length, unlike parse_path.
bool climbs_out(std::string_view way) {
    std::size_t depth = 0;
    for (auto name = fs::take_component(way); !name.empty(); name = fs::take_component(way)) {
        if (name == "..") {
            if (depth == 0) return true;
            --depth;
        } else if (name != ".") {
            ++depth;
        }
    }
    return false;
}

// The target as the link would be resolved, relative to the directory that will hold it: as text,
// because what is missing now may be made later, and by the links that are there now.
Done check_link_target(const RootState& state, const RelPath& link, std::string_view target) {
    if (target.empty()) return refuse(Code::kInvalidArgument, "the link's target is empty");
    if (target.size() >= limits::kPathBytesMax || target.find('\0') != std::string_view::npos) {
        return refuse(Code::kInvalidPath, "the link's target is not a valid path");
    }
    const Failure outside = refuse(Code::kPathEscape, "the link's target is outside the workspace");
    RelPath way;
    if (target.front() == '/') {
        const auto below = fs::strip_root(target, state.rules);
        if (!below) return outside;
        way.text = *below;
    } else {
        RelPath parent;
        parent.text = link.parent();
        PADDOCK_ASSIGN(end, fs::walk_settled(state, parent, state.symlinks));
        way.text = end.path() + '/' + std::string(target);
    }
    if (climbs_out(way.text)) return outside;
    const auto led = fs::walk_settled(state, way, Symlinks::kInside);
    if (led) return {};
    if (led.error().code == Code::kPathEscape) return outside;
    return fs::says_where(led.error()) ? Done() : led.error();
}

}  // namespace

Status Root::remove(std::string_view path, const std::optional<Stat>& expected) const {
    return fs::report("remove", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        return fs::retried([&]() -> Done {
            PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
            std::optional<fs::DirectoryLock> lock;
            if (expected) {
                PADDOCK_ASSIGN(held, fs::lock_expected(place, *expected));
                lock.emplace(std::move(held));
            }
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

Status Root::remove_all(std::string_view path, const std::stop_token& cancel) const {
    return fs::report("remove", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        auto place = fs::locate_name(*state_, at);
        if (!place && place.error().code == Code::kNotFound) return {};
        if (!place) return place.error();
        return fs::remove_tree(*state_, *place, fs::Locked::kStay, cancel);
    });
}

Status Root::rename(std::string_view from, std::string_view to, RenameMode mode,
                    const std::optional<Stat>& replaces) const {
    const auto locate = [&](std::string_view path) {
        return fs::report("rename", *state_, path, [&](const RelPath& at) -> Outcome<Place> {
            if (!may_create()) return refuse(Code::kReadOnly);
            return fs::locate_name(*state_, at);
        });
    };
    auto source = locate(from);
    if (!source) return source.error();
    if (!source->node) return as_error(refuse(Code::kNotFound, {}, ENOENT), "rename", from);
    auto target = locate(to);
    if (!target) return target.error();
    const bool wants_directory = to.ends_with('/');
    if (wants_directory && source->node->stat.type != FileType::kDirectory) {
        return as_error(refuse(Code::kNotADirectory, {}, ENOTDIR), "rename", from);
    }
    const auto done = [&]() -> Done {
        std::optional<fs::DirectoryLock> lock;
        if (replaces) {
            PADDOCK_ASSIGN(held, fs::lock_expected(*target, *replaces));
            lock.emplace(std::move(held));
        }
        return sys::renameat2(source->directory, source->c_name(), target->directory,
                              target->c_name(), rename_way(mode));
    }();
    if (!done) return as_error(done.error(), "rename", from);
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
    if (!source->node) return as_error(refuse(Code::kNotFound, {}, ENOENT), "link", existing);
    auto target = locate(created);
    if (!target) return target.error();
    if (created.ends_with('/')) {
        return as_error(refuse(Code::kNotADirectory, {}, ENOTDIR), "link", existing);
    }
    const auto done =
        sys::linkat(source->directory, source->c_name(), target->directory, target->c_name());
    if (!done) return as_error(done.error(), "link", created);
    return {};
}

Status Root::symlink(std::string_view target, std::string_view created) const {
    return fs::report("symlink", *state_, created, [&](const RelPath& at) -> Done {
        if (!may_create()) return refuse(Code::kReadOnly);
        PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
        if (at.must_be_directory) return refuse(Code::kNotADirectory, {}, ENOTDIR);
        PADDOCK_TRY(check_link_target(*state_, at, target));
        return sys::symlinkat(std::string(target).c_str(), place.directory, place.c_name());
    });
}

}  // namespace paddock
