#include "journal/rewind.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fs/rel_path.h"
#include "journal/place.h"
#include "sys/files.h"

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

namespace {

// How long a change may take after its record.
constexpr std::chrono::nanoseconds kChangeTime = std::chrono::milliseconds(200);

// Of a step that takes no record back.
constexpr std::uint64_t kNoPosition = UINT64_MAX;

constexpr std::string_view kObjects = "objects";

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// What git stores below "objects": objects, packs, and what it remembers about them. Not where else
// it looks for objects.
bool is_stored(std::string_view below) {
    const std::string_view top = below.substr(0, below.find('/'));
    if (top == "info") return !below.ends_with("alternates");
    return top == "pack" || top.starts_with("tmp_") || top.starts_with("incoming-") ||
           (top.size() == 2 && is_hex(top[0]) && is_hex(top[1]));
}

// Git writes a file under such a name before it gives it the one that it is read by.
bool is_temporary(std::string_view below) {
    for (; !below.empty(); below = fs::parent_of(below)) {
        const std::string_view name = fs::leaf_of(below);
        const bool is_new =
            name.starts_with("tmp_") || name.starts_with(".tmp-") || name.starts_with("incoming-");
        if (is_new || name.ends_with(".lock")) return true;
    }
    return false;
}

}  // namespace

Rewinder::Rewinder(int workspace, const Timeline& timeline, const SealOn& seal_on)
    : timeline_(timeline),
      model_(workspace),
      is_sealed_(seal_on ? seal_on(model_) : IsSealed()),
      original_(workspace) {}

// What cannot be looked at is taken for what it should be: when the step is performed, an earlier
// one has opened its directory.
bool Rewinder::is(const ModelNode* node, const Object& object) const {
    if (node == nullptr || node->presence == Presence::kAbsent) return false;
    if (node->presence == Presence::kUnknown) return true;
    return timeline_.canonical(node->object) == timeline_.canonical(object);
}

void Rewinder::complain(const std::string& path, Why why) {
    conflicts_.emplace(path, Conflict{why, path});
}

void Rewinder::complain_unless_made(const Object& object, const std::string& path, Why why) {
    unless_made_.emplace(timeline_.canonical(object), Conflict{why, path});
}

std::vector<Conflict> Rewinder::conflicts() const {
    std::map<std::string, Conflict> all = conflicts_;
    for (const auto& [object, conflict] : unless_made_) all.emplace(conflict.path, conflict);
    std::vector<Conflict> sorted;
    for (auto& [path, conflict] : all) sorted.push_back(std::move(conflict));
    return sorted;
}

void Rewinder::touch(const std::string& path) {
    if (compares_) model_.mark(path);
}

void Rewinder::change(const std::function<void(TreeModel&)>& act) {
    act(model_);
    if (!compares_) act(original_);
}

// Before the model is changed: the step is judged in the tree that it will find.
void Rewinder::add(Step step) {
    step.position = position_;
    const std::uint64_t unseen = model_.unseen();
    const bool is_refused = is_sealed_ && is_sealed_(step);
    if (is_refused && model_.unseen() != unseen) {
        if (!first_unjudged_) first_unjudged_ = steps_.size();
    } else if (is_refused) {
        // By the name that it would get.
        const bool is_named_once = step.other.empty() || is_journal_path(step.other);
        complain(is_named_once ? step.path : step.other, Why::kSealed);
    }
    steps_.push_back(std::move(step));
}

// The name that it has on the disk, which may not be the one it had then.
std::string Rewinder::name_now(const ModelNode& node, const std::string& path) {
    return node.on_disk && !is_journal_path(*node.on_disk) ? *node.on_disk : path;
}

// The content is about to be lost. It must be what the last call has left.
void Rewinder::check_content(const Entry& entry, const std::string& path, const ModelNode& node) {
    if (node.presence != Presence::kPresent || node.type != FileType::kRegular) return;
    const Object object = timeline_.canonical(entry.object);
    if (foreign_.contains(object)) complain(name_now(node, path), Why::kChangedSince);
    if (!checked_.insert(object).second) return;
    const KnownState* known = timeline_.state_of(object);
    // Killed before the end of the call: what came after its last record may be the owner's.
    const bool is_changed =
        known == nullptr ? node.changed > timeline_.last_time_of(object) + kChangeTime.count()
                         : known->size != node.size || known->changed != node.changed;
    if (is_changed) complain(name_now(node, path), Why::kChangedSince);
}

void Rewinder::take_back_make(const Entry& entry, const std::string& path) {
    unless_made_.erase(timeline_.canonical(entry.object));
    if (is_lost(entry.object)) return add({});
    const ModelNode* node = model_.find(path);
    if (node == nullptr || node->presence == Presence::kAbsent) return add({});
    if (!is(node, entry.object)) {
        if (may_be_lost(entry.object)) return add({});
        return complain(path, Why::kReplacedSince);
    }
    check_content(entry, path, *node);
    if (node->type == FileType::kDirectory) {
        remove_stayed(path);
        // One that cannot be read is taken for empty: an earlier step has opened it by then.
        const auto left = model_.names_in(path, 1);
        if (left && !left->empty()) {
            return complain(fs::joined(name_now(*node, path), left->front()), Why::kNotEmpty);
        }
    }
    touch(path);
    add({.what = Step::What::kRemove, .path = path, .object = entry.object});
    change([&](TreeModel& model) { model.remove(path); });
}

void Rewinder::take_back_link(const Entry& entry, const std::string& other) {
    const ModelNode* node = model_.find(other);
    if (is_lost(entry.object) || node == nullptr || node->presence == Presence::kAbsent) {
        return add({});
    }
    if (!is(node, entry.object)) {
        if (may_be_lost(entry.object)) return add({});
        return complain(other, Why::kReplacedSince);
    }
    touch(other);
    add({.what = Step::What::kRemove, .path = other, .object = entry.object});
    change([&](TreeModel& model) { model.remove(other); });
}

// The target must be free.
void Rewinder::move_to(const Object& object, const std::string& from, const std::string& to) {
    const ModelNode* target = model_.find(to);
    if (target == nullptr) {
        // Its session is no more, and so is the place that it was taken from: any other will do.
        if (is_journal_path(to)) {
            touch(from);
            add({.what = Step::What::kRemove, .path = from, .object = object});
            return change([&](TreeModel& model) { model.remove(from); });
        }
        return complain(to, Why::kNoDirectory);
    }
    if (target->presence == Presence::kPresent) return complain(to, Why::kReplacedSince);
    touch(from);
    touch(to);
    add({.what = Step::What::kMove, .path = from, .other = to, .object = object});
    change([&](TreeModel& model) { model.move(from, to); });
}

void Rewinder::take_back_rename(const Entry& entry, const std::string& path,
                                const std::string& other) {
    if (is_lost(entry.object)) return add({});
    const ModelNode* node = model_.find(other);
    if (!is(node, entry.object)) {
        if (is(model_.find(path), entry.object) || may_be_lost(entry.object)) return add({});
        const bool is_gone = node == nullptr || node->presence == Presence::kAbsent;
        add({});
        return is_gone ? complain_unless_made(entry.object, other, Why::kRemovedSince)
                       : complain(other, Why::kReplacedSince);
    }
    move_to(entry.object, other, path);
}

void Rewinder::take_back_exchange(const Entry& entry, const std::string& path,
                                  const std::string& other) {
    const Object& first = entry.object;  // was at path
    const Object& second = entry.record->second;
    if (is_lost(first) && is_lost(second)) return add({});
    const ModelNode* here = model_.find(path);
    const ModelNode* there = model_.find(other);
    if (is(here, first) && is(there, second) && here->presence == Presence::kPresent) {
        return add({});
    }
    const bool has_first = is(there, first);
    const bool has_second = is(here, second);
    const bool lost_first = is_lost(first) || (!has_first && may_be_lost(first));
    const bool lost_second = is_lost(second) || (!has_second && may_be_lost(second));
    if (lost_first && lost_second) return add({});
    if (lost_second && has_first) return move_to(first, other, path);
    if (lost_first && has_second) return move_to(second, path, other);
    if (!is(here, second)) return complain(path, Why::kReplacedSince);
    if (!is(there, first)) return complain(other, Why::kReplacedSince);
    touch(path);
    touch(other);
    add({.what = Step::What::kExchange,
         .path = path,
         .other = other,
         .object = second,
         .second = first});
    change([&](TreeModel& model) { model.exchange(path, other); });
}

// What was removed, or replaced.
void Rewinder::bring_back(const Entry& entry, const std::string& path) {
    const Record& record = *entry.record;
    const ModelNode* node = model_.find(path);
    if (is(node, entry.object) && node->presence == Presence::kPresent) {
        const bool is_half_made = record.keeping == Keeping::kEmptyDir && node->mode != record.mode;
        if (!is_half_made) return add({});
        checked_modes_.insert(timeline_.canonical(entry.object));
        return take_back_chmod(entry, path);
    }
    if (record.keeping == Keeping::kOwn) {
        lost_.insert(timeline_.canonical(entry.object));
        return add({});
    }
    if (record.keeping == Keeping::kNone) {
        lost_.insert(timeline_.canonical(entry.object));
        add({});
        return complain_unless_made(entry.object, path, Why::kNotKept);
    }
    if (node == nullptr) return complain(path, Why::kNoDirectory);
    if (node->presence == Presence::kPresent) return complain(path, Why::kReplacedSince);

    const std::string kept = timeline_.kept_path(entry);
    if (record.keeping != Keeping::kEmptyDir) {
        const ModelNode* content = model_.find(kept);
        if (content == nullptr || content->presence != Presence::kPresent) {
            return complain(path, Why::kNotKept);
        }
        if (record.keeping == Keeping::kInode) {
            if (!is(content, entry.object)) return complain(path, Why::kNotKept);
            return move_to(entry.object, kept, path);
        }
    }
    touch(path);
    ModelNode made;
    made.presence = Presence::kPresent;
    made.object = entry.object;
    made.type = record.type;
    made.mode = record.mode;
    const bool is_directory = record.keeping == Keeping::kEmptyDir;
    if (!is_directory) made.on_disk = kept;
    checked_.insert(timeline_.canonical(entry.object));
    checked_modes_.insert(timeline_.canonical(entry.object));
    add({.what = is_directory ? Step::What::kMakeDirectory : Step::What::kMakeCopy,
         .path = path,
         .other = is_directory ? std::string() : kept,
         .object = entry.object,
         .mode = record.mode});
    change([&](TreeModel& model) { model.put(path, made); });
}

// What was changed in place, if it still has this name. Otherwise there is nothing to do, or the
// owner has removed or replaced it.
ModelNode* Rewinder::changed_node(const Entry& entry, const std::string& path) {
    ModelNode* const node = is_lost(entry.object) ? nullptr : model_.find(path);
    if (node != nullptr && is(node, entry.object)) return node;
    add({});
    if (is_lost(entry.object) || may_be_lost(entry.object)) return nullptr;
    const bool is_gone = node == nullptr || node->presence == Presence::kAbsent;
    complain_unless_made(entry.object, path, is_gone ? Why::kRemovedSince : Why::kReplacedSince);
    return nullptr;
}

void Rewinder::take_back_write(const Entry& entry, const std::string& path) {
    ModelNode* const node = changed_node(entry, path);
    if (node == nullptr) return;
    check_content(entry, path, *node);
    const std::string kept = timeline_.kept_path(entry);
    const ModelNode* copy = model_.find(kept);
    const bool is_kept = entry.record->keeping == Keeping::kCopy && copy != nullptr &&
                         copy->presence == Presence::kPresent;
    if (!is_kept) {
        add({});
        return complain_unless_made(entry.object, path, Why::kNotKept);
    }
    touch(path);
    add({.what = Step::What::kPutBack, .path = path, .other = kept, .object = entry.object});
    change([&](TreeModel& model) { model.find(path)->on_disk = kept; });
}

void Rewinder::take_back_chmod(const Entry& entry, const std::string& path) {
    ModelNode* const node = changed_node(entry, path);
    if (node == nullptr) return;
    const Object object = timeline_.canonical(entry.object);
    const KnownState* known = timeline_.state_of(object);
    const bool is_first = checked_modes_.insert(object).second;
    if (known != nullptr && is_first && node->presence == Presence::kPresent &&
        known->mode != node->mode) {
        return complain(name_now(*node, path), Why::kChangedSince);
    }
    if (node->presence == Presence::kPresent && node->mode == entry.record->mode) return add({});
    touch(path);
    add({.what = Step::What::kChmod,
         .path = path,
         .object = entry.object,
         .mode = entry.record->mode});
    change([&](TreeModel& model) { model.find(path)->mode = entry.record->mode; });
}

// Git writes no object twice. Whoever merges a branch that a session has committed or fetched has
// the session's objects in his own history, and nobody misses an object that stays. So whatever
// sessions made in a store stays, in a repository that stays. What was there before comes back.
void Rewinder::keep_objects(const std::vector<const Entry*>& selected) {
    keeps_objects_ = true;
    const Entry* newer = nullptr;
    for (const Entry* entry : selected) {
        const Record& record = *entry->record;
        const bool is_kept = record.keeping == Keeping::kInode || record.keeping == Keeping::kCopy;
        if (newer != nullptr && record.verb == Verb::kReplace && !entry->has_failed && is_kept) {
            const Record& next = *newer->record;
            const auto name = next.verb == Verb::kMake ? next.path : next.other;
            if (newer->session == entry->session && name == record.path) {
                replacements_.insert(newer);
            }
        }
        // A redo brings back whole repositories: nobody needs them yet.
        const bool is_redone =
            record.verb == Verb::kRemove && timeline_.sessions()[entry->session].is_undo();
        if (record.type == FileType::kDirectory && (record.verb == Verb::kMake || is_redone)) {
            passing_.insert(timeline_.canonical(entry->object));
        }
        newer = entry;
    }
}

// The store that the path lies in, if it is one of a repository that stays.
std::optional<std::string_view> Rewinder::store_of(std::string_view path) {
    const auto is_there = [&](std::string_view directory, std::string_view name) {
        const ModelNode* node = model_.find(fs::joined(directory, name));
        return node != nullptr && node->presence != Presence::kAbsent;
    };
    for (std::string_view store = fs::parent_of(path); !store.empty();
         store = fs::parent_of(store)) {
        const std::string_view repository = fs::parent_of(store);
        if (fs::leaf_of(store) != kObjects || !is_stored(path.substr(store.size() + 1))) continue;
        const bool is_repository = fs::leaf_of(repository) == ".git" ||
                                   (is_there(repository, "refs") && is_there(repository, "HEAD"));
        if (!is_repository) continue;
        const ModelNode* node = model_.find(store);
        if (node == nullptr || passing_.contains(timeline_.canonical(node->object))) continue;
        return store;
    }
    return std::nullopt;
}

// The one that is in effect, if there is one; nullptr: no session made it. An undo only remakes.
const Entry* Rewinder::make_of(const Object& object) {
    if (!made_) {
        made_.emplace();
        for (const Entry& entry : timeline_.entries()) {
            const bool is_undo = timeline_.sessions()[entry.session].is_undo();
            if (entry.record->verb != Verb::kMake || is_undo) continue;
            const Entry*& known = (*made_)[timeline_.canonical(entry.object)];
            if (known == nullptr || !known->in_effect) known = &entry;
        }
    }
    const auto found = made_->find(timeline_.canonical(object));
    return found == made_->end() ? nullptr : found->second;
}

// An earlier undo left objects in a store that goes now. They take back no record.
void Rewinder::remove_stayed(const std::string& directory) {
    if (!keeps_objects_) return;
    std::string_view store = directory;
    while (!store.empty() && fs::leaf_of(store) != kObjects) store = fs::parent_of(store);
    const ModelNode* top = model_.find(store);
    const bool goes = top != nullptr && passing_.contains(timeline_.canonical(top->object));
    if (store.empty() || !goes) return;
    std::vector<std::string> all{directory};  // each directory before what is in it
    for (std::size_t i = 0; i < all.size(); ++i) {
        const ModelNode* node = model_.find(all[i]);
        if (node == nullptr) return;
        if (i > 0) {
            const Entry* make = make_of(node->object);
            if (make == nullptr || make->in_effect) return;
        }
        if (node->type != FileType::kDirectory) continue;
        const auto names = model_.names_in(all[i], SIZE_MAX);
        if (!names) return;
        const std::string above = all[i];
        for (const std::string& name : *names) all.push_back(fs::joined(above, name));
    }
    const std::uint64_t position = std::exchange(position_, kNoPosition);
    for (std::size_t i = all.size() - 1; i > 0; --i) {
        touch(all[i]);
        add({.what = Step::What::kRemove, .path = all[i], .object = model_.find(all[i])->object});
        change([&](TreeModel& model) { model.remove(all[i]); });
    }
    position_ = position;
}

// What is not a session's own goes back to its old name only within the store. What an undo has
// brought back is no longer moved at all.
bool Rewinder::stays_under_new_name(const Entry& entry, const std::string& path,
                                    const std::string& other) {
    const bool is_redone = timeline_.sessions()[entry.session].is_undo();
    if (is_redone || make_of(entry.object) != nullptr) return true;
    if (store_of(path) != store_of(other)) {
        complain(other, Why::kSealed);
        return true;
    }
    const ModelNode* old = model_.find(path);
    return old != nullptr && old->presence == Presence::kPresent;
}

bool Rewinder::stays_as_object(const Entry& entry, const std::string& path,
                               const std::string& other) {
    const Verb verb = entry.record->verb;
    const std::string& name = verb == Verb::kLink || verb == Verb::kRename ? other : path;
    const auto store = keeps_objects_ ? store_of(name) : std::nullopt;
    if (!store) return false;
    const ModelNode* node = model_.find(name);
    const bool is_there = node != nullptr && node->presence == Presence::kPresent;
    if (is_there && replacements_.contains(&entry) && is(node, entry.object)) {
        touch(name);
        add({.what = Step::What::kRemove, .path = name, .object = entry.object});
        change([&](TreeModel& model) { model.remove(name); });
        return true;
    }
    bool stays = false;
    switch (verb) {
        case Verb::kMake: unless_made_.erase(timeline_.canonical(entry.object)); [[fallthrough]];
        case Verb::kLink: stays = true; break;
        case Verb::kRename: stays = stays_under_new_name(entry, path, other); break;
        case Verb::kWrite:
        case Verb::kChmod: stays = make_of(entry.object) != nullptr; break;
        case Verb::kRemove:
        case Verb::kReplace: {
            const std::string_view below = std::string_view(path).substr(store->size() + 1);
            stays = is_there || is_temporary(below);
            break;
        }
        default: break;
    }
    if (stays) add({});
    return stays;
}

void Rewinder::take_back(const Entry& entry, const std::string& path, const std::string& other) {
    position_ = entry.record->position;
    if (stays_as_object(entry, path, other)) return;
    switch (entry.record->verb) {
        case Verb::kMake: return take_back_make(entry, path);
        case Verb::kLink: take_back_link(entry, other); break;
        case Verb::kRename: take_back_rename(entry, path, other); break;
        case Verb::kExchange: take_back_exchange(entry, path, other); break;
        case Verb::kReplace:
        case Verb::kRemove: entry.has_failed ? add({}) : bring_back(entry, path); break;
        case Verb::kWrite: take_back_write(entry, path); break;
        case Verb::kChmod: take_back_chmod(entry, path); break;
        default: return add({});
    }
    if (entry.was_changed_before) foreign_.insert(timeline_.canonical(entry.object));
}

void Rewinder::pass(const Entry& entry) {
    if (entry.record->keeping != Keeping::kOwn || entry.has_failed) return;
    perhaps_lost_.insert(timeline_.canonical(entry.object));
}

void Rewinder::begin_comparing() {
    if (!std::exchange(compares_, true)) model_.begin_marking();
}

std::map<std::string, Version> Rewinder::compared() {
    std::map<std::string, Version> all;
    for (const std::string& path : model_.marked_names()) {
        if (is_journal_path(path)) continue;
        const ModelNode* before = original_.find(path);
        const ModelNode* after = model_.find(path);
        all.emplace(path, Version{before == nullptr ? ModelNode() : *before,
                                  after == nullptr ? ModelNode() : *after});
    }
    return all;
}

}  // namespace paddock::journal
