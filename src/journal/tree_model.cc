#include "journal/tree_model.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fs/rel_path.h"
#include "journal/place.h"
#include "sys/dir.h"
#include "sys/open.h"

namespace paddock::journal {

struct TreeModel::Branch {
    ModelNode node;
    std::map<std::string, std::unique_ptr<Branch>, std::less<>> children = {};
    std::optional<std::string> first_name = std::nullopt;  // when marking began
    bool is_marked = false;
};

TreeModel::TreeModel(int workspace) : workspace_(workspace), root_(std::make_unique<Branch>()) {
    root_->node.presence = Presence::kPresent;
    root_->node.type = FileType::kDirectory;
    root_->node.on_disk = std::string();
    if (const auto node = sys::node(workspace)) mount_ = node->mount;
}

TreeModel::~TreeModel() { forget(); }

// Renames make trees of any depth: not by recursion.
void TreeModel::forget() {
    opened_.reset();
    std::vector<std::unique_ptr<Branch>> rest;
    for (auto& [name, child] : root_->children) rest.push_back(std::move(child));
    root_->children.clear();
    while (!rest.empty()) {
        const std::unique_ptr<Branch> each = std::move(rest.back());
        rest.pop_back();
        for (auto& [name, child] : each->children) rest.push_back(std::move(child));
    }
}

std::unique_ptr<TreeModel::Branch> TreeModel::look_up(const ModelNode& directory,
                                                      const std::string& name) {
    auto made = std::make_unique<Branch>();
    if (directory.presence == Presence::kUnknown) {
        made->node.presence = Presence::kUnknown;
        return made;
    }
    if (!directory.on_disk) return made;
    if (!opened_.valid() || opened_path_ != *directory.on_disk) {
        auto opened = open_directory(workspace_, *directory.on_disk);
        if (!opened) {
            const bool is_closed = opened.error().os_error == EACCES;
            made->node.presence = is_closed ? Presence::kUnknown : Presence::kAbsent;
            return made;
        }
        opened_ = std::move(*opened);
        opened_path_ = *directory.on_disk;
    }
    const auto found = sys::node_at(opened_.get(), name.c_str());
    if (!found) {
        if (found.error().os_error == EACCES) made->node.presence = Presence::kUnknown;
        return made;
    }
    ModelNode& node = made->node;
    node.presence = Presence::kPresent;
    node.type = found->stat.type;
    node.mode = found->stat.mode;
    node.size = found->stat.size;
    node.changed = found->stat.changed.count();
    node.on_disk = fs::joined(*directory.on_disk, name);
    // What lies on another mount is not an object of the journal.
    if (found->mount == mount_) node.object = object_of(found->stat);
    return made;
}

TreeModel::Branch* TreeModel::branch(std::string_view path) {
    constexpr std::uint32_t kSearched = 0100;
    Branch* at = root_.get();
    bool is_closed = false;
    while (!path.empty()) {
        const bool is_present = at->node.presence == Presence::kPresent;
        const bool may_have_children = at->node.presence == Presence::kUnknown ||
                                       (is_present && at->node.type == FileType::kDirectory);
        if (!may_have_children) return nullptr;
        is_closed =
            is_closed || (is_present && at != root_.get() && (at->node.mode & kSearched) == 0);
        const std::string name(path.substr(0, path.find('/')));
        path.remove_prefix(std::min(name.size() + 1, path.size()));
        auto& child = at->children[name];
        if (child == nullptr) {
            child = look_up(at->node, name);
            if (at->first_name) child->first_name = fs::joined(*at->first_name, name);
        }
        at = child.get();
    }
    if (at->node.presence == Presence::kUnknown && !is_closed) ++unseen_;
    return at;
}

ModelNode* TreeModel::find(std::string_view path) {
    Branch* found = branch(path);
    return found == nullptr ? nullptr : &found->node;
}

std::unique_ptr<TreeModel::Branch>& TreeModel::slot(std::string_view path) {
    PADDOCK_CHECK(branch(path) != nullptr);
    Branch* parent = branch(fs::parent_of(path));
    return parent->children[std::string(fs::leaf_of(path))];
}

void TreeModel::move(std::string_view from, std::string_view to) {
    auto moved = std::exchange(slot(from), std::make_unique<Branch>());
    // The target may have been inside of what moves: then the disk says so, not we.
    if (branch(to) != nullptr) slot(to) = std::move(moved);
}

void TreeModel::exchange(std::string_view one, std::string_view other) {
    auto moved = std::exchange(slot(one), std::make_unique<Branch>());
    std::swap(moved, slot(other));
    slot(one) = std::move(moved);
}

void TreeModel::put(std::string_view path, ModelNode node) { slot(path)->node = std::move(node); }

void TreeModel::remove(std::string_view path) { slot(path) = std::make_unique<Branch>(); }

void TreeModel::begin_marking() {
    std::vector<std::pair<Branch*, std::string>> rest;
    rest.emplace_back(root_.get(), std::string());
    while (!rest.empty()) {
        auto [each, name] = std::move(rest.back());
        rest.pop_back();
        for (auto& [leaf, child] : each->children) {
            rest.emplace_back(child.get(), fs::joined(name, leaf));
        }
        each->first_name = std::move(name);
    }
}

void TreeModel::mark(std::string_view path) {
    Branch* found = branch(path);
    if (found == nullptr) return;
    found->is_marked = true;
    if (found->first_name) first_names_.insert(*found->first_name);
}

std::set<std::string> TreeModel::marked_names() const {
    std::set<std::string> names = first_names_;
    std::vector<std::pair<const Branch*, std::string>> rest;
    rest.emplace_back(root_.get(), std::string());
    while (!rest.empty()) {
        auto [each, name] = std::move(rest.back());
        rest.pop_back();
        for (const auto& [leaf, child] : each->children) {
            rest.emplace_back(child.get(), fs::joined(name, leaf));
        }
        if (each->is_marked) names.insert(std::move(name));
    }
    return names;
}

Outcome<std::vector<std::string>> TreeModel::names_in(std::string_view directory,
                                                      std::size_t most) {
    const Branch* at = branch(directory);
    if (at == nullptr) return Failure::from_errno(ENOENT);
    std::set<std::string> names;
    for (const auto& [name, child] : at->children) {
        if (child->node.presence == Presence::kPresent) names.insert(name);
    }
    if (at->node.on_disk) {
        constexpr int kRead = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
        PADDOCK_ASSIGN(pinned, open_directory(workspace_, *at->node.on_disk));
        auto found = sys::openat(pinned.get(), ".", kRead);
        constexpr std::uint32_t kListed = 0500;
        const bool is_open = at == root_.get() || (at->node.mode & kListed) == kListed;
        if (!found && found.error().os_error == EACCES && is_open) ++unseen_;
        PADDOCK_ASSIGN(opened, std::move(found));
        sys::DirReader reader;
        while (names.size() < most) {
            PADDOCK_ASSIGN(entry, reader.next(opened.get()));
            if (entry == nullptr) break;
            // What cannot be searched can be read all the same.
            const auto known = at->children.find(std::string_view(entry->name));
            const bool is_listed =
                known == at->children.end() || known->second->node.presence == Presence::kUnknown;
            if (is_listed) names.insert(entry->name);
        }
    }
    std::vector<std::string> sorted(names.begin(), names.end());
    sorted.resize(std::min(sorted.size(), most));
    return sorted;
}

}  // namespace paddock::journal
