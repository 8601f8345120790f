// Making roots, and asking where a path leads.
#include <paddock/root.h>

#include <fcntl.h>

#include "base/reason.h"
#include "fs/probe.h"
#include "fs/procfs.h"
#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "fs/root_state.h"
#include "sys/files.h"

namespace paddock {
namespace {

using fs::PathRules;
using fs::RelPath;
using fs::RootState;

void add_spelling(PathRules& rules, std::string_view absolute) {
    auto spelling = fs::spelling_of(absolute);
    if (spelling) rules.spellings.push_back(std::move(*spelling));
}

// The spellings serve to map absolute paths; no decision about containment rests on them.
void add_spellings(RootState& state, const std::string& given) {
    add_spelling(state.rules, given);
    const auto real =
        given.empty() ? fs::host_path_of(state.fd.get()) : sys::real_path(given.c_str());
    if (!real) return;
    const auto there = sys::stat_path(real->c_str());
    if (there && there->identity == state.node.stat.identity) add_spelling(state.rules, *real);
}

// Those of `outer`, each with the names of `path` after it.
void add_spellings_below(PathRules& rules, const PathRules& outer, std::string_view path) {
    for (fs::Spelling spelling : outer.spellings) {
        std::string_view rest = path;
        for (auto name = fs::take_component(rest); !name.empty(); name = fs::take_component(rest)) {
            spelling.emplace_back(name);
        }
        rules.spellings.push_back(std::move(spelling));
    }
}

Done choose_resolver(RootState& state, ResolverKind wanted) {
    if (wanted == ResolverKind::kWalk) return {};
    PADDOCK_ASSIGN(works, fs::openat2_works(state.fd.get()));
    state.kernel = works;
    if (wanted == ResolverKind::kOpenat2 && !state.kernel) {
        return refuse(Code::kNotAvailable, "openat2 is not available here");
    }
    return {};
}

Done admit_mounts(RootState& state, const std::vector<std::string>& listed) {
    for (const std::string& path : listed) {
        PADDOCK_ASSIGN(parsed, fs::parse_path(path, state.rules));
        if (parsed.is_root()) continue;
        RelPath above;
        above.text = parsed.parent();
        PADDOCK_ASSIGN(parent, fs::open_object(state, above, O_PATH | O_DIRECTORY));
        PADDOCK_ASSIGN(node, sys::node_at(parent.get(), std::string(parsed.leaf()).c_str()));
        if (!state.may_enter(node.mount)) state.mounts.push_back(node.mount);
    }
    return {};
}

Outcome<std::shared_ptr<const RootState>> make_state(UniqueFd fd, const std::string& given,
                                                     const RootOptions& options) {
    auto state = std::make_shared<RootState>();
    state->fd = std::move(fd);
    PADDOCK_ASSIGN(node, sys::node(state->fd.get()));
    if (node.stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (options.expected && *options.expected != node.stat.identity) {
        return refuse(Code::kInvalidArgument, "is not the directory that was expected");
    }
    if (options.every_mount && !is_reason(options.every_mount->reason)) {
        return refuse(Code::kInvalidArgument, "needs a reason to enter every mount");
    }
    state->node = node;
    state->rules.absolute = options.absolute;
    state->rules.dotdot = options.dotdot;
    state->symlinks = options.symlinks;
    state->hardlinks = options.hardlinks;
    state->every_mount = options.every_mount.has_value();
    state->links_protected = fs::links_are_protected();
    add_spellings(*state, given);
    PADDOCK_TRY(choose_resolver(*state, options.resolver));
    PADDOCK_TRY(admit_mounts(*state, options.mounts));
    return std::shared_ptr<const RootState>(std::move(state));
}

// "link/" and "link/." would be followed in spite of O_NOFOLLOW.
void drop_final_dots(std::string& path) {
    while (path.size() > 1 && (path.ends_with('/') || path.ends_with("/."))) path.pop_back();
}

Outcome<UniqueFd> open_directory_by_path(std::string path, bool follow_link) {
    if (path.empty() || path.find('\0') != std::string::npos) return refuse(Code::kInvalidPath);
    if (!follow_link) drop_final_dots(path);
    const int no_follow = follow_link ? 0 : O_NOFOLLOW;
    return sys::openat(AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY | no_follow);
}

}  // namespace

Root::Root(std::shared_ptr<const fs::RootState> state, Rights rights) noexcept
    : state_(std::move(state)), rights_(rights) {}

const fs::RootState& fs::state_of(const Root& root) noexcept { return *root.state_; }

Result<Root> Root::open(std::string_view directory, const RootOptions& options) {
    const std::string path(directory);
    auto fd = open_directory_by_path(path, options.follow_root_link);
    if (!fd) return as_error(fd.error(), "open root", path);
    auto state = make_state(std::move(*fd), path, options);
    if (!state) return as_error(state.error(), "open root", path);
    return Root(std::move(*state), Rights::kAll);
}

Result<Root> Root::adopt(UniqueFd directory, const RootOptions& options) {
    if (!directory.valid()) {
        return as_error(refuse(Code::kInvalidArgument), "adopt root", {});
    }
    if (const auto set = sys::set_close_on_exec(directory.get()); !set) {
        return as_error(set.error(), "adopt root", {});
    }
    auto state = make_state(std::move(directory), {}, options);
    if (!state) return as_error(state.error(), "adopt root", {});
    return Root(std::move(*state), Rights::kAll);
}

Root Root::read_only() const { return Root(state_, Rights::kReadOnly); }

Root Root::without_create() const {
    return Root(state_, may_create() ? Rights::kNoCreate : rights_);
}

Root Root::linkless() const {
    auto state = std::make_shared<RootState>(*state_);
    state->symlinks = Symlinks::kReject;
    state->rules.absolute = AbsolutePaths::kReject;
    return Root(std::move(state), rights_);
}

Result<Root> Root::sub_root(std::string_view path) const {
    auto state =
        fs::report("open sub-root", *state_, path,
                   [&](const RelPath& at) -> Outcome<std::shared_ptr<const RootState>> {
                       PADDOCK_ASSIGN(fd, fs::open_object(*state_, at, O_PATH | O_DIRECTORY));
                       auto sub = std::make_shared<RootState>(*state_);
                       PADDOCK_ASSIGN(node, sys::node(fd.get()));
                       sub->node = node;
                       sub->fd = std::move(fd);
                       sub->rules.spellings.clear();
                       add_spellings_below(sub->rules, state_->rules, at.text);
                       const auto real = fs::walk_settled(*state_, at, state_->symlinks);
                       if (real && real->node && real->node->stat.identity == node.stat.identity) {
                           add_spellings_below(sub->rules, state_->rules, real->path());
                       }
                       return std::shared_ptr<const RootState>(std::move(sub));
                   });
    if (!state) return state.error();
    return Root(std::move(*state), rights_);
}

ResolverKind Root::resolver() const noexcept {
    return state_->kernel ? ResolverKind::kOpenat2 : ResolverKind::kWalk;
}

int Root::fd() const noexcept { return state_->fd.get(); }

Result<std::string> Root::normalized(std::string_view path) const {
    return fs::report({}, *state_, path, [](const RelPath& at) -> Outcome<std::string> {
        return at.is_root() ? std::string(".") : at.text;
    });
}

Result<Resolution> Root::resolve(std::string_view path) const {
    return fs::report({}, *state_, path, [&](const RelPath& at) -> Outcome<Resolution> {
        PADDOCK_ASSIGN(end, fs::walk_settled(*state_, at, state_->symlinks));
        Resolution resolution;
        resolution.path = end.path();
        if (resolution.path.empty()) resolution.path.assign(1, '.');
        resolution.exists = end.node.has_value();
        if (end.node) resolution.type = end.node->stat.type;
        return resolution;
    });
}

Result<std::string> Root::canonical_path(const Handle& handle) const {
    const auto find = [&]() -> Outcome<std::string> {
        PADDOCK_ASSIGN(root, fs::host_path_of(state_->fd.get()));
        PADDOCK_ASSIGN(object, fs::host_path_of(handle.fd()));
        PathRules rules;
        add_spelling(rules, root);
        auto below = fs::parse_path(object, rules);
        if (!below) return refuse(Code::kNotFound, "has no name inside the workspace");
        auto found = fs::open_object(*state_, *below, O_PATH, Symlinks::kReject);
        if (!found && !fs::is_elsewhere(found.error().code)) return found.error();
        if (!found) return refuse(Code::kNotFound, "has no name inside the workspace");
        PADDOCK_ASSIGN(there, sys::fstat(found->get()));
        PADDOCK_ASSIGN(here, sys::fstat(handle.fd()));
        if (there.identity != here.identity) {
            return refuse(Code::kNotFound, "has no name inside the workspace");
        }
        if (below->is_root()) return std::string(".");
        return below->text;
    };
    auto path = find();
    if (!path) return as_error(path.error(), "the open file", {});
    return *path;
}

}  // namespace paddock
