#include "tools/kept_tree.h"

#include <functional>
#include <set>
#include <type_traits>
#include <utility>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "fs/resolver.h"
#include "sys/name.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

bool spares_none(const Stat&) { return false; }

// Everything at or below `path` that still is there, parents first. The path may lead to another
// directory with every look at it, so the one that is open is asked.
void each_object(const Root& root, const std::string& path, const KeptTree::Spares& spares,
                 const std::function<void(const std::string&, const Stat&)>& visit) {
    const auto top = root.lstat(path);
    if (!top || spares(*top)) return;
    visit(path, *top);
    if (top->type != FileType::kDirectory) return;
    (void)root.walk(path, [&](const WalkEntry& entry) {
        if (entry.failure != nullptr) return WalkAction::kContinue;
        const auto above = sys::node(entry.directory);
        if (!above || spares(above->stat)) return WalkAction::kStop;
        const auto node = sys::node_at(entry.directory, std::string(entry.name).c_str());
        if (!node) return WalkAction::kContinue;
        if (spares(node->stat)) return WalkAction::kSkip;
        visit(std::string(entry.path), node->stat);
        return WalkAction::kContinue;
    });
}

// The owner's link may lead outside, where Root::symlink makes none.
Done put_link(const Root& root, const std::string& path, const std::string& target) {
    const fs::RootState& state = fs::state_of(root);
    PADDOCK_ASSIGN(at, fs::parse_path(path, state.rules));
    PADDOCK_ASSIGN(place, fs::locate_name(state, at));
    return sys::symlinkat(target.c_str(), place.directory, place.c_name());
}

}  // namespace

KeptTree KeptTree::of(const Root& root, const std::string& path, std::size_t& bytes_left) {
    KeptTree tree(path);
    each_object(root, path, spares_none, [&](const std::string& at, const Stat& stat) {
        if (stat.type == FileType::kDirectory) {
            tree.directories_.emplace(at, stat.mode & 0777U);
            return;
        }
        Leaf leaf{stat};
        if (stat.type == FileType::kSymlink) {
            auto target = root.readlink(at);
            leaf.kept = target.has_value();
            if (target) leaf.content = std::move(target->text);
        } else if (stat.type == FileType::kRegular && stat.size <= bytes_left && bytes_left > 0) {
            auto content = root.read_file(at, bytes_left);
            leaf.kept = content.has_value();
            if (content) leaf.content = std::move(*content);
            bytes_left -= leaf.content.size();
        }
        tree.leaves_.emplace(at, std::move(leaf));
    });
    return tree;
}

bool KeptTree::is_as_it_was(const Root& root, const std::string& path, const Stat& now,
                            Leaf& before) {
    const Stat& then = before.stat;
    if (then.type != now.type || then.mode != now.mode || then.size != now.size) return false;
    if (then.identity == now.identity && then.changed == now.changed) return true;
    if (!before.kept) return false;
    if (now.type == FileType::kSymlink) {
        const auto target = root.readlink(path);
        if (!target || target->text != before.content) return false;
    } else {
        const auto content = root.read_file(path, now.size);
        if (!content || *content != before.content) return false;
    }
    before.stat = now;
    return true;
}

KeptTree::Difference KeptTree::difference(const Root& root, const Spares& spares) {
    Difference difference;
    std::set<std::string> seen;
    each_object(root, path_, spares, [&](const std::string& path, const Stat& stat) {
        const auto known = leaves_.find(path);
        const bool was_there = known != leaves_.end();
        if (was_there) seen.insert(path);
        if (stat.type == FileType::kDirectory && !was_there) return;
        if (!was_there || !is_as_it_was(root, path, stat, known->second)) {
            difference.changed.emplace(path, stat);
        }
    });
    for (const auto& [path, leaf] : leaves_) {
        if (!seen.contains(path)) difference.missing.push_back(path);
    }
    return difference;
}

bool KeptTree::restore(const Root& root, const std::string& path) const {
    const auto found = leaves_.find(path);
    if (found == leaves_.end() || !found->second.kept) return false;
    const Leaf& leaf = found->second;
    for (const auto& [directory, mode] : directories_) {
        if (path.starts_with(directory + "/")) (void)root.mkdir(directory, mode);
    }
    if (leaf.stat.type == FileType::kSymlink) {
        return put_link(root, path, leaf.content).has_value();
    }
    WriteOptions options;
    options.must_create = true;
    options.mode = leaf.stat.mode & 0777U;
    return root.write_file(path, leaf.content, options).has_value();
}

bool KeptTree::restore_all(const Root& root) const {
    bool restored = false;
    for (const auto& [path, leaf] : leaves_) restored = restore(root, path) || restored;
    return restored;
}

void KeptTree::move_to(const std::string& path) {
    const auto moved = [&](auto& map) {
        std::remove_reference_t<decltype(map)> there;
        for (auto& [at, value] : map)
            there.emplace(path + at.substr(path_.size()), std::move(value));
        map = std::move(there);
    };
    moved(leaves_);
    moved(directories_);
    path_ = path;
}

}  // namespace paddock::tools
