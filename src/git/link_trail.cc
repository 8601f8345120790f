#include "git/link_trail.h"

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::git {
namespace {

// Names on the way, those in the texts of links included: more is nobody's configuration.
constexpr int kStepsMax = 512;

// Where to begin and how to go on from there; false if the way leads outside.
bool begin(const TreeView& tree, std::string_view way, std::string& at, std::string& pending) {
    if (way.starts_with('/')) {
        const auto below = fs::strip_root(way, fs::state_of(tree.root()).rules);
        if (!below) return false;
        way = *below;
        at.clear();
    }
    pending = std::string(way) + pending;
    return true;
}

}  // namespace

bool is_not_there(const Failure& failure) {
    return failure.code == Code::kNotFound || failure.code == Code::kNotADirectory;
}

LinkTrail follow_links(const TreeView& tree, std::string_view path) {
    LinkTrail trail;
    std::string at;  // as far as it goes, without a link
    std::string pending;
    std::size_t there = std::string::npos;  // so much of `at`, where the name after it is missing
    if (!begin(tree, path, at, pending)) return trail;
    for (int steps = 0; steps < kStepsMax; ++steps) {
        std::string_view rest = pending;
        const std::string name(fs::take_component(rest));
        pending = std::string(rest);
        if (name.empty()) {
            trail.end = at;
            return trail;
        }
        if (name == ".") continue;
        if (name == "..") {
            if (at.empty()) return trail;
            at = std::string(fs::parent_of(at));
            if (at.size() <= there) there = std::string::npos;
            continue;
        }
        const std::size_t above = at.size();
        at = fs::joined(at, name);
        if (there != std::string::npos) continue;
        const auto stat = tree.lstat(at);
        if (!stat && !is_not_there(stat.error())) {
            trail.unread = at;
            return trail;
        }
        if (!stat) there = above;
        if (!stat || stat->type != FileType::kSymlink) continue;
        if (trail.links.size() == limits::kSymlinksMax) return trail;
        const auto link = tree.readlink(at);
        if (!link) {
            trail.unread = at;
            return trail;
        }
        trail.links.push_back(at);
        at = std::string(fs::parent_of(at));
        if (!begin(tree, link->text, at, pending)) return trail;
    }
    trail.unread = std::string(path);
    return trail;
}

}  // namespace paddock::git
