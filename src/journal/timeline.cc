#include "journal/timeline.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "sys/files.h"

namespace paddock::journal {
namespace {

using std::chrono::nanoseconds;

// File systems stamp with a clock that is some milliseconds behind.
constexpr nanoseconds kClockLag = std::chrono::milliseconds(12);
// How long a make may take after it was announced.
constexpr nanoseconds kMakeTime = std::chrono::seconds(5);

bool is_change(Verb verb) {
    switch (verb) {
        case Verb::kMake:
        case Verb::kLink:
        case Verb::kRename:
        case Verb::kExchange:
        case Verb::kReplace:
        case Verb::kWrite:
        case Verb::kChmod:
        case Verb::kRemove: return true;
        default: return false;
    }
}

bool has_two_names(Verb verb) {
    return verb == Verb::kLink || verb == Verb::kRename || verb == Verb::kExchange;
}

bool is_normal(std::string_view path) {
    if (path.empty() || path.front() == '/' || path.back() == '/') return false;
    if (path.find('\0') != path.npos) return false;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find('/'));
        if (name.empty() || name == "." || name == "..") return false;
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return true;
}

bool is_kept_name(std::string_view name) {
    return name.size() >= 2 && name[0] >= 'a' && name[0] <= 'z' &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// In the journal only "ID/kept/a1".
bool may_be_changed(std::string_view path, std::string_view journal) {
    if (!is_normal(path) || is_within(journal, path)) return false;
    if (!is_journal_path(path)) return true;
    const std::string_view kept = fs::parent_of(path);
    const std::string_view session = fs::parent_of(kept);
    return is_kept_name(fs::leaf_of(path)) && fs::leaf_of(kept) == "kept" &&
           is_session_id(fs::leaf_of(session)) && fs::parent_of(session) == journal;
}

// By all of the id, or by what follows the last dash.
bool is_called(std::string_view id, std::string_view name) {
    return id == name || id.substr(id.rfind('-') + 1) == name;
}

struct Position {
    std::size_t session = 0;
    std::uint64_t bytes = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
};

// A record of any session. The clock may be set back: within one log the order of lines counts.
struct Event {
    std::int64_t time = 0;
    std::size_t session = 0;
    const Record* record = nullptr;
};

}  // namespace

class Timeline::Reader {
public:
    Reader(Timeline& made, int workspace, const IsSameIndex& is_same_index)
        : made_(made), workspace_(workspace), is_same_index_(is_same_index) {}

    Done read_logs(int journal, std::string_view needed);
    void resolve_makes();
    void make_entries();
    void mark_taken_back();
    void look_at_indexes();

private:
    // As the last call left it.
    struct GitIndex {
        Object object;
        std::string kept;  // its content, relative to the workspace
    };

    bool is_good(const Record& record) const;
    void add(const Event& event);
    void note_same(const Entry& entry);
    void note_state(const Record& record, std::size_t session);
    bool is_rewritten(std::string_view path, const Object& object, const std::string& content);
    void compare_and_forget(Entry& entry);
    std::optional<Object> perhaps_made(std::size_t session, const Record& make) const;
    std::optional<std::size_t> entry_at(std::string_view session, std::uint64_t position) const;

    Timeline& made_;
    int workspace_;
    const IsSameIndex& is_same_index_;
    std::map<std::string, GitIndex, std::less<>> indexes_;  // by path
    std::vector<Event> events_;
    std::map<const Record*, Object> makes_;  // that were made
    std::map<std::string, std::size_t, std::less<>> session_by_id_;
    std::map<Position, std::size_t> entry_by_position_;
    std::map<Object, std::size_t> moved_directories_;   // last, by which entry
    std::map<const Record*, const Record*> reverting_;  // a change of an undo -> its kReverts
    std::vector<const Record*> failed_;                 // sorted
    std::vector<const Record*> unfinished_;             // kReverts that may have done half
};

// Newest first, until it is too much and the one that is needed was read.
Done Timeline::Reader::read_logs(int journal, std::string_view needed) {
    PADDOCK_ASSIGN(ids, list_sessions(journal));
    bool is_needed =
        std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return is_called(id, needed); });
    std::uint64_t bytes = 0;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
        auto session = open_session(journal, *id);
        if (!session) continue;  // half made, or of another workspace
        // The last line may have been written when there was room for it.
        auto text = read_own_file(session->directory.get(), "log",
                                  limits::kJournalWholeLogBytesMax + (std::uint64_t{1} << 20));
        if (!text) {
            if (text.error().os_error == ENOENT) continue;
            return text.error();
        }
        bytes += text->size();
        if (bytes > kJournalReadBytesMax && !made_.sessions_.empty() && !is_needed) {
            made_.is_cut_ = true;
            break;
        }
        is_needed = is_needed && !is_called(*id, needed);
        made_.sessions_.push_back({*id, std::move(session->note), session->live,
                                   std::make_unique<Log>(std::move(*text))});
    }
    // Ids tell seconds only.
    std::sort(made_.sessions_.begin(), made_.sessions_.end(),
              [](const SessionLog& a, const SessionLog& b) {
                  return std::pair(a.note.started, a.id) < std::pair(b.note.started, b.id);
              });
    for (std::size_t i = 0; i < made_.sessions_.size(); ++i) {
        session_by_id_[made_.sessions_[i].id] = i;
    }
    return {};
}

// The process was killed before it could note what it made: what an undo has removed for it, or
// something that was born just then.
std::optional<Object> Timeline::Reader::perhaps_made(std::size_t session,
                                                     const Record& make) const {
    for (const auto& [change, reverts] : reverting_) {
        const bool is_undo_of_it = reverts->size == make.position &&
                                   reverts->path == made_.sessions_[session].id &&
                                   change->verb == Verb::kRemove;
        if (is_undo_of_it) return change->object;
    }
    const auto directory = open_directory(workspace_, fs::parent_of(make.path));
    if (!directory) return std::nullopt;
    const auto node = sys::node_at(directory->get(), std::string(fs::leaf_of(make.path)).c_str());
    if (!node || node->stat.type != make.type) return std::nullopt;
    const nanoseconds announced(make.time);
    const nanoseconds born =
        node->stat.created.count() != 0 ? node->stat.created : node->stat.changed;
    if (born < announced - kClockLag || born > announced + kMakeTime) return std::nullopt;
    const Object object = object_of(node->stat);
    const bool is_older = std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
        return event.record->object == object && event.record->time < make.time;
    });
    if (is_older) return std::nullopt;
    return object;
}

bool Timeline::Reader::is_good(const Record& record) const {
    if (record.verb == Verb::kReverts) return !record.path.empty();
    if (!is_change(record.verb) || !may_be_changed(record.path, made_.journal_path_)) return false;
    if (!record.kept.empty() && !is_kept_name(record.kept)) return false;
    return !has_two_names(record.verb) || may_be_changed(record.other, made_.journal_path_);
}

void Timeline::Reader::resolve_makes() {
    struct Writer {
        const Record* open_make = nullptr;
        const Record* last = nullptr;
        const Record* replace = nullptr;  // that came just before it
        const Record* reverts = nullptr;
    };
    std::vector<std::pair<std::size_t, const Record*>> open_makes;
    for (std::size_t i = 0; i < made_.sessions_.size(); ++i) {
        std::map<char, Writer> writers;
        std::int64_t time = std::numeric_limits<std::int64_t>::min();
        for (const Record& record : made_.sessions_[i].log->records()) {
            time = std::max(time, record.time);
            events_.push_back({time, i, &record});
            Writer& writer = writers[record.writer];
            if (record.verb == Verb::kMade) {
                if (writer.open_make != nullptr) makes_[writer.open_make] = record.object;
                writer.open_make = nullptr;
            } else if (record.verb == Verb::kFailed) {
                if (writer.last != nullptr) failed_.push_back(writer.last);
                if (writer.replace != nullptr) failed_.push_back(writer.replace);
                writer.replace = nullptr;
                writer.open_make = writer.last = nullptr;
            } else if (record.verb == Verb::kReverts) {
                writer.reverts = record.path.empty() ? nullptr : &record;
                writer.open_make = writer.last = nullptr;
            } else if (is_change(record.verb)) {
                writer.open_make = record.verb == Verb::kMake ? &record : nullptr;
                const bool is_after_replace =
                    writer.last != nullptr && writer.last->verb == Verb::kReplace;
                writer.replace = is_after_replace ? writer.last : nullptr;
                writer.last = &record;
                if (writer.reverts != nullptr) reverting_[&record] = writer.reverts;
            }
        }
        made_.sessions_[i].last_time = time;
        for (const auto& [letter, writer] : writers) {
            if (writer.open_make != nullptr && is_good(*writer.open_make)) {
                open_makes.push_back({i, writer.open_make});
            }
            // No other came after it: the undo was killed, or failed there.
            if (writer.reverts != nullptr) unfinished_.push_back(writer.reverts);
        }
    }
    for (const auto& [session, make] : open_makes) {
        if (const auto object = perhaps_made(session, *make)) makes_[make] = *object;
    }
    std::sort(failed_.begin(), failed_.end());
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
}

std::optional<std::size_t> Timeline::Reader::entry_at(std::string_view session,
                                                      std::uint64_t position) const {
    const auto index = session_by_id_.find(session);
    if (index == session_by_id_.end()) return std::nullopt;
    const auto found = entry_by_position_.find({index->second, position});
    if (found == entry_by_position_.end()) return std::nullopt;
    return found->second;
}

// An undo brought back something by making it anew.
void Timeline::Reader::note_same(const Entry& entry) {
    if (!entry.takes_back) return;
    const Entry& old = made_.entries_[*entry.takes_back];
    if (old.record->verb != Verb::kRemove && old.record->verb != Verb::kReplace) return;
    const Object root = made_.canonical(old.object);
    if (root != entry.object) made_.same_as_[entry.object] = root;
}

void Timeline::Reader::note_state(const Record& record, std::size_t session) {
    const Object object = made_.canonical(record.object);
    made_.states_[object] = {record.mode, record.size, record.changed};
    if (is_kept_name(record.kept) && may_be_changed(record.path, made_.journal_path_)) {
        indexes_[std::string(record.path)] = {object, made_.kept_path({&record, session})};
    }
    const auto moved = moved_directories_.find(object);
    if (moved == moved_directories_.end()) return;
    Entry& entry = made_.entries_[moved->second];
    entry.has_failed = entry.record->path == record.path;
}

// By somebody else, without another meaning: then it stands for what the last call left.
bool Timeline::Reader::is_rewritten(std::string_view path, const Object& object,
                                    const std::string& content) {
    const auto index = indexes_.find(path);
    if (!is_same_index_ || index == indexes_.end()) return false;
    const Object& left = index->second.object;
    if (made_.canonical(object) == left || !is_same_index_(content, index->second.kept))
        return false;
    made_.same_as_[object] = left;
    return true;
}

// As they are on the disk.
void Timeline::Reader::look_at_indexes() {
    for (const auto& [path, index] : indexes_) {
        const auto directory = open_directory(workspace_, fs::parent_of(path));
        if (!directory) continue;
        const auto node = sys::node_at(directory->get(), std::string(fs::leaf_of(path)).c_str());
        if (!node || node->stat.type != FileType::kRegular) continue;
        if (!is_rewritten(path, object_of(node->stat), path)) continue;
        made_.states_[index.object] = {node->stat.mode, node->stat.size,
                                       node->stat.changed.count()};
    }
}

void Timeline::Reader::compare_and_forget(Entry& entry) {
    const Record& record = *entry.record;
    const auto known = made_.states_.find(made_.canonical(entry.object));
    if (known != made_.states_.end()) {
        entry.was_changed_before =
            record.type == FileType::kRegular && record.changed != 0 &&
            (known->second.size != record.size || known->second.changed != record.changed);
        made_.states_.erase(known);
    }
    made_.touched_by_[made_.canonical(entry.object)] = entry.session;
    if (record.verb != Verb::kExchange) return;
    made_.touched_by_[made_.canonical(record.second)] = entry.session;
    made_.states_.erase(made_.canonical(record.second));
    moved_directories_.erase(made_.canonical(record.object));
    moved_directories_.erase(made_.canonical(record.second));
}

void Timeline::Reader::add(const Event& event) {
    const Record& record = *event.record;
    if (record.verb == Verb::kState) return note_state(record, event.session);
    if (!is_good(record)) return;
    const bool has_failed = std::binary_search(failed_.begin(), failed_.end(), &record);
    // A failed kReplace tells how the file was before its times changed.
    if (has_failed && record.verb != Verb::kReplace) return;
    Entry entry{&record, event.session, record.object};
    entry.has_failed = has_failed;
    if (const auto reverts = reverting_.find(&record); reverts != reverting_.end()) {
        entry.takes_back = entry_at(reverts->second->path, reverts->second->size);
    }
    if (record.verb == Verb::kMake) {
        const auto made = makes_.find(&record);
        if (made == makes_.end()) return;
        entry.object = made->second;
        note_same(entry);
    }
    if (record.verb == Verb::kReplace && !record.kept.empty() &&
        is_rewritten(record.path, entry.object, made_.kept_path(entry))) {
        made_.states_.erase(made_.canonical(entry.object));
    }
    if (record.verb != Verb::kReverts) compare_and_forget(entry);
    entry_by_position_[{event.session, record.position}] = made_.entries_.size();
    if (record.verb == Verb::kRename && record.type == FileType::kDirectory) {
        moved_directories_[made_.canonical(entry.object)] = made_.entries_.size();
    }
    made_.entries_.push_back(entry);
}

void Timeline::Reader::make_entries() {
    for (const Event& event : events_) add(event);
}

// From the newest: whoever takes something back comes after it.
void Timeline::Reader::mark_taken_back() {
    for (auto entry = made_.entries_.rbegin(); entry != made_.entries_.rend(); ++entry) {
        const Record* record = entry->record;
        if (record->verb != Verb::kReverts || !entry->in_effect) continue;
        if (std::find(unfinished_.begin(), unfinished_.end(), record) != unfinished_.end())
            continue;
        if (const auto taken_back = entry_at(record->path, record->size)) {
            made_.entries_[*taken_back].in_effect = false;
        }
    }
}

Outcome<Timeline> Timeline::read(int workspace, const IsSameIndex& is_same_index,
                                 std::string_view needed) {
    Timeline made;
    const auto place = find_journal(workspace);
    if (!place && place.error().os_error == ENOENT) return made;
    if (!place) return place.error();
    made.journal_path_ = place->path;
    Reader reader(made, workspace, is_same_index);
    PADDOCK_TRY(reader.read_logs(place->directory.get(), needed));
    reader.resolve_makes();
    reader.make_entries();
    reader.mark_taken_back();
    reader.look_at_indexes();
    return made;
}

Outcome<std::size_t> Timeline::find_session(std::string_view id) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        if (sessions_[i].id == id) return i;
        if (!is_called(sessions_[i].id, id)) continue;
        if (found) {
            return refuse(Code::kInvalidArgument,
                          "several sessions end with these digits. Give the whole id");
        }
        found = i;
    }
    if (found) return *found;
    return refuse(Code::kNotFound, "there is no such session");
}

Object Timeline::canonical(const Object& object) const {
    const auto found = same_as_.find(object);
    return found == same_as_.end() ? object : found->second;
}

const KnownState* Timeline::state_of(const Object& object) const {
    const auto found = states_.find(canonical(object));
    return found == states_.end() ? nullptr : &found->second;
}

std::int64_t Timeline::last_time_of(const Object& object) const {
    const auto found = touched_by_.find(canonical(object));
    return found == touched_by_.end() ? 0 : sessions_[found->second].last_time;
}

std::string Timeline::kept_path(const Entry& entry) const {
    return journal_path_ + '/' + sessions_[entry.session].id + "/kept/" +
           std::string(entry.record->kept);
}

}  // namespace paddock::journal
