#include "journal/rewind.h"

#include <utility>

#include "fs/rel_path.h"

namespace paddock::journal {
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

void Rewinder::take_back_write(const Entry& entry, const std::string& path) {
    if (is_lost(entry.object)) return add({});
    ModelNode* node = model_.find(path);
    if (!is(node, entry.object)) {
        add({});
        if (may_be_lost(entry.object)) return;
        const bool is_gone = node == nullptr || node->presence == Presence::kAbsent;
        return complain_unless_made(entry.object, path,
                                    is_gone ? Why::kRemovedSince : Why::kReplacedSince);
    }
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
    if (is_lost(entry.object)) return add({});
    ModelNode* node = model_.find(path);
    if (!is(node, entry.object)) {
        add({});
        if (may_be_lost(entry.object)) return;
        const bool is_gone = node == nullptr || node->presence == Presence::kAbsent;
        return complain_unless_made(entry.object, path,
                                    is_gone ? Why::kRemovedSince : Why::kReplacedSince);
    }
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

// What git has written among the objects. What was removed there comes back if it is missing; what
// else was done to objects by hand is taken back.
bool Rewinder::stays_for_others(const Entry& entry, const std::string& path,
                                const std::string& other) {
    if (!stores_) return false;
    const auto is_written = [&] {
        return is_temporary_object(path) && stores_->is_needed(model_, path);
    };
    const auto is_there = [&] {
        const ModelNode* node = model_.find(path);
        return node != nullptr && node->presence == Presence::kPresent;
    };
    switch (entry.record->verb) {
        case Verb::kMake: return stores_->is_needed(model_, path);
        case Verb::kLink: return stores_->is_needed(model_, other);
        case Verb::kRename: return is_written() && stores_->is_needed(model_, other);
        case Verb::kWrite:
        case Verb::kChmod: return is_written();
        case Verb::kRemove:
        case Verb::kReplace:
            return is_written() || (is_there() && stores_->is_needed(model_, path));
        default: return false;
    }
}

void Rewinder::take_back(const Entry& entry, const std::string& path, const std::string& other) {
    position_ = entry.record->position;
    if (stays_for_others(entry, path, other)) return add({});
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
