#include "journal/undo.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "fs/rel_path.h"
#include "journal/journal.h"
#include "journal/place.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/process.h"

namespace paddock::journal {
namespace {

bool is_directory_move(const Record& record) {
    return record.verb == Verb::kRename && record.type == FileType::kDirectory;
}

// Which entries are meant, and by which names they are known now.
class Selection {
public:
    Selection(const Timeline& timeline, std::size_t session, const UndoTarget& target)
        : timeline_(timeline), session_(session), target_(target) {
        if (!target_.files.empty()) find_objects();
    }

    bool contains(const Entry& entry) const {
        if (!is_of_target(entry)) return false;
        return target_.files.empty() || is_of_files(entry);
    }

    // A directory was moved later, and stays where it is. What was taken back and the move
    // that did it are nothing together.
    void pass(const Entry& entry) {
        if (entry.in_effect) {
            // The last step of an undo that was killed: what it takes back is still to be undone.
            const bool is_unfinished =
                entry.takes_back && timeline_.entries()[*entry.takes_back].in_effect;
            const bool is_move = is_directory_move(*entry.record) && !entry.has_failed;
            if (is_move && !is_unfinished) moves_.push_back(&entry);
            return;
        }
        std::erase_if(moves_, [&](const Entry* move) {
            return move->takes_back && &timeline_.entries()[*move->takes_back] == &entry;
        });
    }
    std::string name_now(std::string_view path) const {
        std::string name(path);
        for (auto move = moves_.rbegin(); move != moves_.rend(); ++move) {
            const Record& record = *(*move)->record;
            if (is_within(name, record.path)) name.replace(0, record.path.size(), record.other);
        }
        return name;
    }

private:
    bool is_of_target(const Entry& entry) const {
        return entry.session == session_ && entry.in_effect &&
               (!target_.call || entry.record->call == *target_.call);
    }
    bool is_named(std::string_view path) const {
        return std::any_of(target_.files.begin(), target_.files.end(), [&](const auto& file) {
            return is_within(path, file) || is_within(name_now(path), file);
        });
    }
    bool is_directory_of_named(const Entry& entry) const {
        return entry.record->keeping == Keeping::kEmptyDir &&
               std::any_of(target_.files.begin(), target_.files.end(),
                           [&](const auto& file) { return is_within(file, entry.record->path); });
    }
    bool is_of_files(const Entry& entry) const {
        const Record& record = *entry.record;
        if (record.verb == Verb::kReverts) return false;
        if (is_named(record.path) || (!record.other.empty() && is_named(record.other))) return true;
        return objects_.contains(timeline_.canonical(entry.object)) || is_directory_of_named(entry);
    }
    // A file that has one of the names once is followed through all of them.
    void find_objects() {
        std::set<Object> found;
        const auto& entries = timeline_.entries();
        for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
            if (!is_of_target(*entry) || !is_of_files(*entry)) {
                pass(*entry);
            } else if (!is_directory_of_named(*entry)) {
                found.insert(timeline_.canonical(entry->object));
            }
        }
        moves_.clear();
        objects_ = std::move(found);
    }

    const Timeline& timeline_;
    std::size_t session_;
    const UndoTarget& target_;
    std::set<Object> objects_;
    std::vector<const Entry*> moves_;  // newest first
};

// Newest first.
std::vector<const Entry*> selected_entries(const Timeline& timeline, Selection selection) {
    std::vector<const Entry*> selected;
    const auto& entries = timeline.entries();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (selection.contains(*entry)) {
            selected.push_back(&*entry);
        } else {
            selection.pass(*entry);
        }
    }
    return selected;
}

std::string call_text(const Timeline& timeline, const Entry& entry) {
    return timeline.sessions()[entry.session].id + '/' + std::to_string(entry.record->call);
}

// Later changes that stay.
class LaterChanges {
public:
    explicit LaterChanges(const Timeline& timeline) : timeline_(timeline) {}

    void add(const Entry& entry) {
        if (!entry.in_effect || entry.record->verb == Verb::kReverts) return;
        by_path_.emplace(entry.record->path, &entry);
        if (!entry.record->other.empty()) by_path_.emplace(entry.record->other, &entry);
        // What an undo changes belongs to entries that are no longer in effect.
        if (timeline_.sessions()[entry.session].is_undo()) return;
        const Object object = timeline_.canonical(entry.object);
        if (entry.record->verb == Verb::kWrite) written_.emplace(object, &entry);
        if (entry.record->verb == Verb::kChmod) mode_changed_.emplace(object, &entry);
    }
    // To the content or the mode that taking back the entry would lose.
    const Entry* lost_with(const Entry& entry) const {
        const Object object = timeline_.canonical(entry.object);
        const Verb verb = entry.record->verb;
        const bool is_file = verb == Verb::kMake && entry.record->type == FileType::kRegular;
        if (verb == Verb::kWrite || is_file) {
            if (const auto found = written_.find(object); found != written_.end()) {
                return found->second;
            }
        }
        if (verb == Verb::kChmod || is_file) {
            if (const auto found = mode_changed_.find(object); found != mode_changed_.end()) {
                return found->second;
            }
        }
        return nullptr;
    }
    const Entry* at(std::string_view path) const {
        const auto found = by_path_.find(path);
        return found == by_path_.end() ? nullptr : found->second;
    }

private:
    const Timeline& timeline_;
    std::map<Object, const Entry*> written_;
    std::map<Object, const Entry*> mode_changed_;
    std::map<std::string_view, const Entry*> by_path_;
};

// Calls of a live session that have changed something and not come to their end.
std::set<CallId> running_calls(const SessionLog& session) {
    std::set<CallId> running;
    if (!session.live) return running;
    for (const Record& record : session.log->records()) {
        if (record.verb == Verb::kDone) {
            running.erase(record.call);
        } else if (record.verb != Verb::kState && record.verb != Verb::kCall) {
            running.insert(record.call);
        }
    }
    return running;
}

// From names before and after to what a person would call it.
std::vector<PlannedChange> changes_of(const std::map<std::string, Version>& versions) {
    using Planned = PlannedChange::What;
    std::vector<PlannedChange> changes;
    std::map<Object, const std::string*> gone;
    for (const auto& [path, version] : versions) {
        if (version.before.presence == Presence::kAbsent) continue;
        const bool stays = version.after.presence != Presence::kAbsent &&
                           version.after.object == version.before.object;
        if (!stays) gone.emplace(version.before.object, &path);
    }
    std::set<std::string> moved;
    for (const auto& [path, version] : versions) {
        const ModelNode& before = version.before;
        const ModelNode& after = version.after;
        if (before.is_like(after) || after.presence == Presence::kAbsent) continue;
        PlannedChange change{Planned::kPutBack, path, {}, after.type, after.mode};
        const bool is_other = before.presence == Presence::kAbsent || before.object != after.object;
        const auto source = gone.find(after.object);
        if (is_other && source != gone.end() && moved.insert(*source->second).second) {
            change.what = Planned::kMove;
            change.from = *source->second;
        } else if (before.presence == Presence::kAbsent) {
            change.what = Planned::kRestore;
        } else if (!is_other && before.on_disk == after.on_disk) {
            change.what = Planned::kChmod;
        }
        changes.push_back(std::move(change));
    }
    std::vector<PlannedChange> removals;
    for (const auto& [path, version] : versions) {
        const bool is_removed = version.before.presence != Presence::kAbsent &&
                                version.after.presence == Presence::kAbsent;
        if (!is_removed || moved.contains(path)) continue;
        removals.push_back({Planned::kRemove, path, {}, version.before.type, version.before.mode});
    }
    changes.insert(changes.begin(), removals.begin(), removals.end());
    return changes;
}

bool is_same_step(const Step& a, const Step& b) {
    return a.what == b.what && a.path == b.path && a.other == b.other && a.object == b.object &&
           a.second == b.second && a.mode == b.mode && a.position == b.position;
}

std::optional<CallId> parse_call(std::string_view text) {
    CallId call = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), call);
    if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
    return call;
}

bool has_call(const SessionLog& session, CallId call) {
    const auto& records = session.log->records();
    return std::any_of(records.begin(), records.end(),
                       [&](const Record& record) { return record.call == call; });
}

constexpr std::size_t kShortIdSize = 4;

}  // namespace

std::string UndoTarget::text() const {
    return call ? session + '/' + std::to_string(*call) : session;
}

Outcome<UndoTarget> parse_target(const Timeline& timeline, std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view head = text.substr(0, slash);
    const auto lone =
        slash == text.npos && head.size() != kShortIdSize ? parse_call(head) : std::nullopt;
    UndoTarget target;
    std::size_t index = 0;
    if (lone) {
        const auto& sessions = timeline.sessions();
        const auto last = std::find_if(sessions.rbegin(), sessions.rend(), [](const auto& each) {
            return !each.is_undo() && !each.log->records().empty();
        });
        if (last == sessions.rend()) return refuse(Code::kNotFound, "there is no session yet");
        index = static_cast<std::size_t>(sessions.rend() - last) - 1;
        target.call = *lone;
    } else {
        PADDOCK_ASSIGN(found, timeline.find_session(head));
        index = found;
        if (slash != text.npos) {
            target.call = parse_call(text.substr(slash + 1));
            if (!target.call) return refuse(Code::kInvalidArgument, "a call must be a number");
        }
    }
    target.session = timeline.sessions()[index].id;
    if (target.call && !has_call(timeline.sessions()[index], *target.call)) {
        return refuse(Code::kNotFound, "the session has no such call");
    }
    return target;
}

std::optional<UndoTarget> last_target(int workspace, const Timeline& timeline, Direction direction,
                                      const std::vector<std::string>& files) {
    std::set<std::size_t> in_effect;
    for (const Entry& entry : timeline.entries()) {
        if (entry.in_effect) in_effect.insert(entry.session);
    }
    const auto& sessions = timeline.sessions();
    // A redo is an undo of an undo: it takes part in neither.
    const auto is_redo = [&](const SessionLog& session) {
        const auto of =
            timeline.find_session(session.note.undone.substr(0, session.note.undone.find('/')));
        return of && sessions[*of].is_undo();
    };
    for (auto index = in_effect.rbegin(); index != in_effect.rend(); ++index) {
        const SessionLog& session = sessions[*index];
        const bool fits = direction == Direction::kUndo ? !session.is_undo()
                                                        : session.is_undo() && !is_redo(session);
        if (!fits) continue;
        UndoTarget target{.session = session.id, .files = files};
        const auto plan = plan_undo(workspace, timeline, target);
        if (plan && !plan->is_empty()) return target;
    }
    return std::nullopt;
}

Outcome<UndoPlan> plan_undo(int workspace, const Timeline& timeline, const UndoTarget& target,
                            const SealOn& seal_on) {
    PADDOCK_ASSIGN(index, timeline.find_session(target.session));
    const SessionLog& session = timeline.sessions()[index];
    const std::set<CallId> running = running_calls(session);
    Selection selection(timeline, index, target);
    LaterChanges later(timeline);
    Rewinder rewinder(workspace, timeline, seal_on);
    rewinder.keep_objects(selected_entries(timeline, selection));
    rewinder.begin_comparing();
    UndoPlan plan{.target = target};
    std::map<std::string, Conflict> conflicts;

    const auto& entries = timeline.entries();
    bool is_next_selected = false;  // the change that a kReverts announces
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const Record& record = *entry->record;
        bool is_selected = selection.contains(*entry);
        if (record.verb == Verb::kReverts && !target.files.empty()) {
            is_selected = is_next_selected && entry->in_effect;
        }
        if (entry->session == index) is_next_selected = is_selected;
        if (!is_selected) {
            selection.pass(*entry);
            later.add(*entry);
            rewinder.pass(*entry);
            continue;
        }
        const std::string path = selection.name_now(record.path);
        if (running.contains(record.call)) {
            conflicts.emplace(path,
                              Conflict{Conflict::Why::kRunning, path, call_text(timeline, *entry)});
        }
        if (const Entry* other = later.lost_with(*entry)) {
            conflicts.emplace(
                path, Conflict{Conflict::Why::kChangedSince, path, call_text(timeline, *other)});
        }
        rewinder.take_back(*entry, path, selection.name_now(record.other));
    }
    for (Conflict& conflict : rewinder.conflicts()) {
        if (const Entry* other = later.at(conflict.path)) {
            conflict.by = call_text(timeline, *other);
        }
        conflicts.emplace(conflict.path, conflict);
    }
    plan.changes = changes_of(rewinder.compared());
    plan.steps = std::move(rewinder.steps());
    plan.first_unjudged = rewinder.first_unjudged();
    plan.seal_on = seal_on;
    for (auto& [path, conflict] : conflicts) plan.conflicts.push_back(std::move(conflict));
    return plan;
}

Outcome<UndoResult> perform_undo(int workspace, const UndoPlan& plan, const std::string& client) {
    PADDOCK_ASSIGN(journal, Journal::open(workspace, {client, plan.target.text()}));
    const Turn turn(journal);
    PADDOCK_ASSIGN(timeline, Timeline::read(workspace, plan.is_same_index, plan.target.session));
    PADDOCK_ASSIGN(again, plan_undo(workspace, timeline, plan.target, plan.seal_on));
    const bool is_same_plan = again.conflicts.empty() && again.changes == plan.changes &&
                              std::equal(again.steps.begin(), again.steps.end(), plan.steps.begin(),
                                         plan.steps.end(), is_same_step);
    if (!is_same_plan) {
        return refuse(Code::kRace, "the workspace was changed in the meantime. Try again");
    }
    return perform_steps(workspace, timeline, journal, again);
}

namespace {

constexpr std::uint32_t kModeBits = 07777;

Failure changed_meanwhile() {
    return refuse(Code::kRace, "somebody else has changed it in the meantime");
}

// A name in a directory that is held.
struct HeldName {
    UniqueFd directory;
    std::string leaf;
    std::string_view path;

    Name name() const { return {directory.get(), leaf.c_str(), path}; }
    const char* c_leaf() const { return leaf.c_str(); }
};

Outcome<UniqueFd> open_content(const HeldName& kept) {
    PADDOCK_ASSIGN(node, sys::node_at(kept.directory.get(), kept.c_leaf()));
    return open_whatever_its_mode(kept.name(), node.stat, O_RDONLY);
}

class Performer {
public:
    Performer(int workspace, const Timeline& timeline, Journal& journal, CallId call)
        : workspace_(workspace), timeline_(timeline), journal_(journal), call_(call) {}

    Done perform(const Step& step);

private:
    Outcome<HeldName> hold(std::string_view path) const;
    Outcome<Stat> expect(const HeldName& held, const Object& object) const;
    Done expect_free(const HeldName& held) const;
    Done finish_new(const HeldName& held, int file, const Step& step, Intent& intent);

    Done remove(const Step& step);
    Done move(const Step& step);
    Done exchange(const Step& step);
    Done make_directory(const Step& step);
    Done make_copy(const Step& step);
    Done put_back(const Step& step);
    Done change_mode(const Step& step);

    int workspace_;
    const Timeline& timeline_;
    Journal& journal_;
    CallId call_;
    std::map<Object, Object> made_;  // what is brought back -> what stands for it now
};

Outcome<HeldName> Performer::hold(std::string_view path) const {
    PADDOCK_ASSIGN(directory, open_directory(workspace_, fs::parent_of(path)));
    PADDOCK_ASSIGN(node, sys::node(directory.get()));
    PADDOCK_ASSIGN(top, sys::node(workspace_));
    if (node.mount != top.mount) return refuse(Code::kMountCrossing);
    return HeldName{std::move(directory), std::string(fs::leaf_of(path)), path};
}

Outcome<Stat> Performer::expect(const HeldName& held, const Object& object) const {
    PADDOCK_ASSIGN(node, sys::node_at(held.directory.get(), held.c_leaf()));
    const Object wanted = timeline_.canonical(object);
    const Object found = object_of(node.stat);
    const auto stand_in = made_.find(wanted);
    const bool is_it = timeline_.canonical(found) == wanted ||
                       (stand_in != made_.end() && stand_in->second == found);
    if (!is_it) return changed_meanwhile();
    return node.stat;
}

Done Performer::expect_free(const HeldName& held) const {
    const auto node = sys::node_at(held.directory.get(), held.c_leaf());
    if (node) return changed_meanwhile();
    return node.error().os_error == ENOENT ? Done() : Done(node.error());
}

Done Performer::remove(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    return journal_.remove(call_, held.name(), stat);
}

Done Performer::move(const Step& step) {
    PADDOCK_ASSIGN(from, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(from, step.object));
    PADDOCK_ASSIGN(to, hold(step.other));
    PADDOCK_TRY(expect_free(to));
    PADDOCK_ASSIGN(intent, journal_.will_rename(call_, from.name(), to.name(), stat));
    Done moved =
        move_to_free_name(from.directory.get(), from.c_leaf(), to.directory.get(), to.c_leaf());
    if (!moved) intent.failed();
    return moved;
}

Done Performer::exchange(const Step& step) {
    PADDOCK_ASSIGN(one, hold(step.path));
    PADDOCK_ASSIGN(other, hold(step.other));
    PADDOCK_TRY(expect(one, step.object));
    PADDOCK_TRY(expect(other, step.second));
    PADDOCK_ASSIGN(intent, journal_.will_exchange(call_, one.name(), other.name()));
    Done done = sys::renameat2(one.directory.get(), one.c_leaf(), other.directory.get(),
                               other.c_leaf(), sys::Rename::kExchange);
    if (!done) intent.failed();
    return done;
}

// Root gives it to whoever has the directory that it is in.
Done Performer::finish_new(const HeldName& held, int file, const Step& step, Intent& intent) {
    PADDOCK_ASSIGN(node, sys::node(file));
    intent.made(node.stat);
    made_[timeline_.canonical(step.object)] = object_of(node.stat);
    if (sys::effective_user() == 0) {
        PADDOCK_ASSIGN(above, sys::fstat(held.directory.get()));
        PADDOCK_TRY(sys::fchown(file, above.uid, above.gid));
    }
    return sys::fchmod(file, step.mode & kModeBits);
}

Done Performer::make_directory(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(intent, journal_.will_make(call_, held.name(), FileType::kDirectory));
    if (Done done = sys::mkdirat(held.directory.get(), held.c_leaf(), 0700); !done) {
        intent.failed();
        return done;
    }
    constexpr int kOpen = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    PADDOCK_ASSIGN(made, sys::openat(held.directory.get(), held.c_leaf(), kOpen));
    return finish_new(held, made.get(), step, intent);
}

Done Performer::make_copy(const Step& step) {
    PADDOCK_ASSIGN(kept, hold(step.other));
    PADDOCK_ASSIGN(content, open_content(kept));
    PADDOCK_ASSIGN(stat, sys::fstat(content.get()));
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(intent, journal_.will_make(call_, held.name(), FileType::kRegular));
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    auto made = sys::openat(held.directory.get(), held.c_leaf(), kNew, 0600);
    if (!made) {
        intent.failed();
        return made.error();
    }
    PADDOCK_TRY(finish_new(held, made->get(), step, intent));
    return copy_file(content.get(), stat.size, made->get());
}

Done Performer::put_back(const Step& step) {
    PADDOCK_ASSIGN(kept, hold(step.other));
    PADDOCK_ASSIGN(content, open_content(kept));
    PADDOCK_ASSIGN(size, sys::fstat(content.get()));
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    if (stat.type != FileType::kRegular) return changed_meanwhile();
    PADDOCK_ASSIGN(file, open_whatever_its_mode(held.name(), stat, O_RDWR));
    PADDOCK_ASSIGN(opened, sys::node(file.get()));
    if (opened.stat.identity != stat.identity) return changed_meanwhile();
    PADDOCK_TRY(journal_.will_write(call_, held.name(), file.get(), stat));
    PADDOCK_TRY(sys::truncate(file.get(), 0));
    return copy_file(content.get(), size.size, file.get());
}

Done Performer::change_mode(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    if (stat.type == FileType::kSymlink) return changed_meanwhile();
    PADDOCK_TRY(journal_.will_chmod(call_, held.name(), stat));
    return sys::chmodat(held.directory.get(), held.c_leaf(), step.mode & kModeBits);
}

Done Performer::perform(const Step& step) {
    switch (step.what) {
        case Step::What::kNothing: return {};
        case Step::What::kRemove: return remove(step);
        case Step::What::kMove: return move(step);
        case Step::What::kExchange: return exchange(step);
        case Step::What::kMakeDirectory: return make_directory(step);
        case Step::What::kMakeCopy: return make_copy(step);
        case Step::What::kPutBack: return put_back(step);
        case Step::What::kChmod: return change_mode(step);
    }
    return {};
}

}  // namespace

UndoResult perform_steps(int workspace, const Timeline& timeline, Journal& journal,
                         const UndoPlan& plan) {
    UndoResult result;
    // It may bring back settings of git, which are files: others look when the turn is theirs.
    journal.increase_shared_count();
    const CallId call = journal.begin_call("undo", plan.target.text());
    Performer performer(workspace, timeline, journal, call);
    TreeModel disk(workspace);
    IsSealed is_sealed;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        if (i == plan.first_unjudged) is_sealed = plan.seal_on(disk);
        disk.forget();
        journal.begin_reverting(call, plan.target.session, step.position);
        const bool is_refused = is_sealed && is_sealed(step);
        const Done done = is_refused ? Done(refuse(Code::kDeniedByRule, "git acts on it"))
                                     : performer.perform(step);
        if (done) continue;
        result.failed_path = is_journal_path(step.path) ? step.other : step.path;
        result.failure = done.error();
        break;
    }
    // Without this the last one counts as not taken back.
    if (!result.failure) journal.begin_reverting(call, {}, 0);
    result.changes = journal.end_call(call);
    result.session = journal.session();
    return result;
}

}  // namespace paddock::journal
