#include "journal/journal.h"

#include <fcntl.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/check.h"
#include "base/text.h"
#include "fs/rel_path.h"
#include "fs/tree.h"
#include "journal/journal_state.h"
#include "journal/place.h"
#include "journal/prune.h"
#include "journal/record.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::journal {
namespace {

constexpr std::size_t kBatchBytes = 65536;
// The end of a call finds a file by its inode. Its name would take more room than the change did,
// if its directories were renamed.
constexpr std::size_t kStateNameBytesMax = 64;

Time now() { return std::chrono::system_clock::now(); }

Record record_of(CallId call, Verb verb, std::string_view path) {
    Record record;
    record.call = call;
    record.verb = verb;
    record.path = path;
    return record;
}

Record record_of(CallId call, Verb verb, const Name& name, const Stat& stat) {
    Record record = record_of(call, verb, name.path);
    record.object = object_of(stat);
    record.type = stat.type;
    record.mode = stat.mode;
    record.size = stat.size;
    record.changed = stat.changed.count();
    return record;
}

bool is_git_index(std::string_view path) {
    if (fs::leaf_of(path) != "index") return false;
    for (path = fs::parent_of(path); !path.empty(); path = fs::parent_of(path)) {
        if (fs::leaf_of(path) == ".git") return true;
    }
    return false;
}

}  // namespace

bool is_journal_path(std::string_view path) noexcept {
    return is_within(path, ".paddock") || is_within(path, ".git/paddock");
}

// --- writing ---

void Journal::State::append_to_batch(std::string& batch, const Record& record) const {
    Record stamped = record;
    stamped.time = now().time_since_epoch().count();
    stamped.writer = writer;
    append_line(batch, stamped);
}

bool Journal::State::claim_log(std::size_t bytes, std::uint64_t bytes_max) const {
    auto& written = shared.counters().log_bytes;
    if (written.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max) return true;
    written.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

Done Journal::State::write(std::string_view lines, CallId call) {
    Done done = sys::write_all(files.log.get(), lines);
    if (done) return done;
    is_line_cut = true;
    if (!is_no_room(done.error())) return done;
    count_not_kept(call);
    return {};
}

Done Journal::State::append(const Record& record, std::uint64_t bytes_max) {
    if (is_silent) return {};
    line.clear();
    if (is_line_cut) line += '\n';
    line += pending;
    append_to_batch(line, record);
    if (!claim_log(line.size(), bytes_max)) return refuse(Code::kLimitReached, kLogIsFull, ENOSPC);
    is_line_cut = false;
    pending.clear();
    return write(line, record.call);
}

Done Journal::State::announce(const Record& record) {
    PADDOCK_CHECK(holder.load(std::memory_order_relaxed) != std::thread::id());
    if (turn_failure) return *turn_failure;
    if (!is_silent) shared.counters().changes.fetch_add(1, std::memory_order_relaxed);
    PADDOCK_TRY(append(record, changes_bytes_max));
    // What lies below has another name, or none: whoever remembers it looks again. In a new one
    // nothing lies; one that makes a repository is counted by the judge.
    const bool is_directory = record.type == FileType::kDirectory && record.verb != Verb::kMake;
    if (is_directory || record.verb == Verb::kExchange) increase_shared_count();
    return {};
}

bool Journal::State::touch(CallId call, std::string_view name, const Stat* before) {
    if (is_silent || is_journal_path(name)) return false;  // an undo takes from there
    OpenCall& open_call = calls[call];
    if (open_call.names.size() >= kJournalNamesMax) settle(call, open_call);
    return open_call.names.touch(name, before);
}

void Journal::State::settle(CallId call, OpenCall& open_call) {
    std::string batch = std::exchange(pending, {});
    const auto flush = [&] {
        if (std::exchange(is_line_cut, false)) batch.insert(0, 1, '\n');
        // Without its end, undo takes a file that changed after the last record for changed since.
        if (claim_log(batch.size(), limits::kJournalWholeLogBytesMax)) (void)write(batch, call);
        batch.clear();
    };
    const Changes found = open_call.names.settle(
        workspace.get(), open_call.settled_names, [&](std::string_view name, const Stat& stat) {
            Record record = record_of(call, Verb::kState, {.path = name}, stat);
            if (is_git_index(name)) {
                keep_index(name, record);
            } else if (name.size() > kStateNameBytesMax) {
                record.path = {};
            }
            append_to_batch(batch, record);
            if (batch.size() >= kBatchBytes) flush();
        });
    if (!batch.empty()) flush();
    open_call.settled.made += found.made;
    open_call.settled.changed += found.changed;
    open_call.settled.removed += found.removed;
}

// A session that changed nothing leaves nothing, the first one not even the journal.
void Journal::State::remove_if_unused() {
    if (is_silent || shared.counters().changes.load() != 0) return;
    if (!sys::lock_file(lock.get(), sys::FileLock::kAlone)) return;
    (void)sys::unlinkat(files.directory.get(), "kept", sys::Unlink::kDirectory);
    for (const char* name : {"log", "info"}) {
        (void)sys::unlinkat(files.directory.get(), name, sys::Unlink::kFile);
    }
    (void)sys::unlinkat(journal.get(), id.c_str(), sys::Unlink::kDirectory);
    const auto others = list_sessions(journal.get());
    if (others && others->empty()) remove_journal(workspace.get(), path, journal.get());
}

// --- opening ---

Journal::Journal(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() {
    if (state_ == nullptr) return;
    if (!state_->pending.empty()) (void)state_->write(state_->pending, 0);
    // Its copies have ended before.
    if (state_->writer == 'a') state_->remove_if_unused();
}

Outcome<Journal> Journal::open(int workspace, const SessionInfo& info) {
    // Another session may remove the journal, when it leaves it empty, just before this one has it.
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) {
        auto opened = open_once(workspace, info);
        if (opened || opened.error().os_error != ENOENT) return opened;
    }
    return Failure::from_errno(ENOENT);
}

Outcome<Journal> Journal::open_once(int workspace, const SessionInfo& info) {
    PADDOCK_ASSIGN(place, find_or_make_journal(workspace));
    PADDOCK_ASSIGN(lock, open_lock(place.directory.get()));
    PADDOCK_ASSIGN(own_workspace, sys::duplicate(workspace));
    PADDOCK_ASSIGN(shared, SharedState::make());
    // Whoever prunes holds it too, and must not see half a session.
    PADDOCK_TRY(sys::lock_file(lock.get(), sys::FileLock::kAlone));
    PADDOCK_ASSIGN(locked, sys::fstat(lock.get()));
    if (locked.links == 0) return Failure::from_errno(ENOENT);
    const SessionNote note{info.client, info.undone, now()};
    PADDOCK_ASSIGN(random, sys::random_u64());
    std::string id = make_session_id(note.started, random);
    // Two sessions of one second may get the same four digits.
    while (sys::node_at(place.directory.get(), id.c_str())) {
        id = make_session_id(note.started, ++random);
    }
    PADDOCK_ASSIGN(files, make_session(place.directory.get(), id, note));
    (void)prune_if_due(place.directory.get(), note.started);  // the next session tries again
    PADDOCK_TRY(sys::lock_file(lock.get(), sys::FileLock::kNone));

    auto state = std::make_unique<State>(std::move(shared), std::move(files));
    state->shared.counters().writers.store(1);
    state->workspace = std::move(own_workspace);
    state->journal = std::move(place.directory);
    state->lock = std::move(lock);
    state->path = place.path;
    state->id = id;
    if (!info.undone.empty()) state->changes_bytes_max = limits::kJournalWholeLogBytesMax;
    return Journal(std::move(state));
}

Outcome<Journal> Journal::silent(UniqueFd turn) {
    PADDOCK_ASSIGN(shared, SharedState::make());
    auto state = std::make_unique<State>(std::move(shared), SessionFiles());
    state->is_silent = true;
    state->lock = std::move(turn);
    return Journal(std::move(state));
}

const std::string& Journal::session() const noexcept { return state_->id; }
const std::string& Journal::path() const noexcept { return state_->path; }

void Journal::name_client(std::string_view client) {
    if (state_->is_silent) return;
    const std::lock_guard locked(*state_->guard);
    (void)add_client(state_->files.info.get(), client);  // the one before stays
}

Done Journal::after_fork(int workspace) {
    State& state = *state_;
    // Other threads of the original may have held them; they do not exist here.
    (void)state.turns.release();
    (void)state.guard.release();
    state.turns = std::make_unique<std::mutex>();
    state.guard = std::make_unique<std::mutex>();
    state.holder.store({});
    state.calls.clear();
    state.pending.clear();
    state.is_line_cut = false;
    state.writer = static_cast<char>('a' + state.shared.counters().writers.fetch_add(1));
    state.keeper = Keeper(state.writer);

    // The copy may have closed them, and their numbers may mean others by now.
    for (UniqueFd* fd : {&state.workspace, &state.journal, &state.lock, &state.files.directory,
                         &state.files.info, &state.files.kept, &state.files.log}) {
        (void)fd->release();
    }
    PADDOCK_ASSIGN(own_workspace, sys::duplicate(workspace));
    PADDOCK_ASSIGN(journal, open_directory(workspace, state.path));
    PADDOCK_ASSIGN(directory, open_directory(journal.get(), state.id));
    PADDOCK_ASSIGN(kept, open_directory(directory.get(), "kept"));
    PADDOCK_ASSIGN(log, sys::openat(directory.get(), "log", O_WRONLY | O_APPEND | O_NOFOLLOW));
    PADDOCK_ASSIGN(lock, open_lock(journal.get()));
    state.workspace = std::move(own_workspace);
    state.journal = std::move(journal);
    state.lock = std::move(lock);
    state.files.directory = std::move(directory);
    state.files.kept = std::move(kept);
    state.files.log = std::move(log);
    return {};
}

// --- calls ---

CallId Journal::begin_call(std::string_view what, std::string_view detail) {
    const std::lock_guard locked(*state_->guard);
    const CallId call = state_->shared.counters().calls.fetch_add(1) + 1;
    Record record = record_of(call, Verb::kCall, what);
    record.other = detail.substr(0, limits::kAuditBytesMax);
    (void)state_->append(record);  // a call without a name is a call
    return call;
}

Changes Journal::end_call(CallId call, std::vector<NameChange>* names) {
    std::optional<Turn> turn;
    if (state_->holder.load(std::memory_order_relaxed) != std::this_thread::get_id()) {
        turn.emplace(*this);
    }
    const std::lock_guard locked(*state_->guard);
    const auto found = state_->calls.find(call);
    if (found == state_->calls.end()) return {};
    state_->settle(call, found->second);
    const Changes changes = found->second.settled;
    if (names != nullptr) *names = std::move(found->second.settled_names);
    Record record = record_of(call, Verb::kDone, {});
    record.object = {changes.made, static_cast<std::int64_t>(changes.changed)};
    record.second = {changes.removed, static_cast<std::int64_t>(changes.not_kept)};
    (void)state_->append(record);
    state_->calls.erase(call);
    return changes;
}

void Journal::begin_reverting(CallId call, std::string_view session, std::uint64_t position) {
    const std::lock_guard locked(*state_->guard);
    state_->shared.counters().changes.fetch_add(1, std::memory_order_relaxed);
    Record record = record_of(call, Verb::kReverts, session);
    record.size = position;
    (void)state_->append(record);
}

// --- changes ---

// What was kept for a change that is refused is of no use.
Done Journal::State::announce(Intent& intent, const Record& record) {
    Done done = announce(record);
    if (!done) intent.withdraw();
    return done;
}

Done Journal::State::set_aside(Intent& intent, const Name& name, const Stat& stat) {
    touch(intent.call_, name.path, &stat);
    Record record = record_of(intent.call_, Verb::kReplace, name, stat);
    if (stat.type == FileType::kDirectory) {
        record.keeping = Keeping::kEmptyDir;
    } else if (is_disposable(intent.call_, stat)) {
        record.keeping = Keeping::kOwn;
    } else {
        PADDOCK_TRY(keep(State::As::kInode, name, -1, stat, record));
    }
    PADDOCK_TRY(announce_kept(record, stat));
    const bool is_lost = record.keeping == Keeping::kNone;
    if (is_lost) count_not_kept(intent.call_);
    if (!is_silent) {
        intent.set_aside_ = {std::string(name.path), stat, std::string(record.kept), is_lost};
    }
    return {};
}

void Journal::State::touch_free(Intent& intent, std::string_view name) {
    if (touch(intent.call_, name, nullptr)) intent.fresh_ = name;
}

Outcome<Intent> Journal::will_make(CallId call, const Name& name, FileType type,
                                   const Stat* replaced) {
    const std::lock_guard locked(*state_->guard);
    Intent intent(*state_, call);
    if (replaced != nullptr) {
        PADDOCK_TRY(state_->set_aside(intent, name, *replaced));
    } else {
        state_->touch_free(intent, name.path);
    }
    Record record = record_of(call, Verb::kMake, name.path);
    record.type = type;
    PADDOCK_TRY(state_->announce(intent, record));
    return intent;
}

Outcome<Intent> Journal::will_link(CallId call, const Name& from, const Name& to) {
    PADDOCK_ASSIGN(node, sys::node_at(from.directory, from.leaf));
    const std::lock_guard locked(*state_->guard);
    Intent intent(*state_, call);
    state_->touch(call, from.path, &node.stat);
    state_->touch_free(intent, to.path);
    Record record = record_of(call, Verb::kLink, from, node.stat);
    record.other = to.path;
    PADDOCK_TRY(state_->announce(intent, record));
    return intent;
}

Outcome<Intent> Journal::will_rename(CallId call, const Name& from, const Name& to,
                                     const Stat& stat, const Stat* replaced) {
    const std::lock_guard locked(*state_->guard);
    Intent intent(*state_, call);
    state_->touch(call, from.path, &stat);
    if (replaced != nullptr) {
        PADDOCK_TRY(state_->set_aside(intent, to, *replaced));
    } else {
        state_->touch_free(intent, to.path);
    }
    Record record = record_of(call, Verb::kRename, from, stat);
    record.other = to.path;
    PADDOCK_TRY(state_->announce(intent, record));
    if (stat.type == FileType::kDirectory) intent.moves_.emplace(from.path, to.path);
    return intent;
}

Outcome<Intent> Journal::will_exchange(CallId call, const Name& one, const Name& other) {
    PADDOCK_ASSIGN(first, sys::node_at(one.directory, one.leaf));
    PADDOCK_ASSIGN(second, sys::node_at(other.directory, other.leaf));
    const std::lock_guard locked(*state_->guard);
    Intent intent(*state_, call);
    state_->touch(call, one.path, &first.stat);
    state_->touch(call, other.path, &second.stat);
    Record record = record_of(call, Verb::kExchange, one, first.stat);
    record.other = other.path;
    record.second = object_of(second.stat);
    PADDOCK_TRY(state_->announce(intent, record));
    intent.moves_.emplace(one.path, other.path);
    intent.is_exchange_ = true;
    return intent;
}

Done Journal::will_write(CallId call, const Name& name, int file, const Stat& stat) {
    if (state_->is_silent || stat.type != FileType::kRegular) return {};
    if (state_->shared.is_made_by(stat, call)) return {};
    const std::lock_guard locked(*state_->guard);
    state_->touch(call, name.path, &stat);
    if (state_->shared.is_copied_by(stat, call)) return {};
    Record record = record_of(call, Verb::kWrite, name, stat);
    PADDOCK_TRY(state_->keep(State::As::kCopy, name, file, stat, record));
    PADDOCK_TRY(state_->announce_kept(record, stat));
    if (record.keeping == Keeping::kNone) {
        state_->count_not_kept(call);
    } else {
        state_->shared.note_copied(stat, call);
    }
    return {};
}

Done Journal::will_chmod(CallId call, const Name& name, const Stat& stat) {
    const std::lock_guard locked(*state_->guard);
    state_->touch(call, name.path, &stat);
    return state_->announce(record_of(call, Verb::kChmod, name, stat));
}

Done Journal::remove(CallId call, const Name& name, const Stat& stat) {
    const bool is_directory = stat.type == FileType::kDirectory;
    if (!is_directory && !state_->is_disposable(call, stat)) {
        auto moved = remove_tree(call, name, stat);
        if (moved || !cannot_be_moved(moved.error())) return moved;
    }
    const std::lock_guard locked(*state_->guard);
    state_->touch(call, name.path, &stat);
    Record record = record_of(call, Verb::kRemove, name, stat);
    if (is_directory) {
        record.keeping = Keeping::kEmptyDir;
    } else if (state_->is_disposable(call, stat)) {
        record.keeping = Keeping::kOwn;
    }
    PADDOCK_TRY(state_->announce(record));
    if (record.keeping == Keeping::kNone) state_->count_not_kept(call);
    auto removed = sys::unlinkat(name.directory, name.leaf,
                                 is_directory ? sys::Unlink::kDirectory : sys::Unlink::kFile);
    if (!removed) (void)state_->append(record_of(call, Verb::kFailed, {}));
    return removed;
}

Done Journal::remove_tree(CallId call, const Name& name, const Stat& stat) {
    const std::lock_guard locked(*state_->guard);
    if (!state_->claim(stat)) return Failure::from_errno(EFBIG);
    state_->touch(call, name.path, &stat);
    Record record = record_of(call, Verb::kRemove, name, stat);
    record.keeping = Keeping::kInode;
    record.kept = state_->keeper.next_name();
    PADDOCK_TRY(state_->announce_kept(record, stat));
    const int kept = state_->files.kept.get();
    const char* own = state_->keeper.name().c_str();
    auto moved = move_to_free_name(name.directory, name.leaf, kept, own);
    // Somebody outside may have put another there meanwhile: that goes back.
    const auto taken = moved ? sys::node_at(kept, own) : Outcome<sys::Node>(Failure{});
    const bool is_other =
        taken && !(stat.type == FileType::kRegular ? is_unwritten(taken->stat, stat)
                                                   : taken->stat.identity == stat.identity);
    if (is_other && sys::renameat2(kept, own, name.directory, name.leaf, sys::Rename::kNoReplace)) {
        moved = refuse(Code::kRace, {}, ESTALE);
    }
    if (!moved) {
        state_->give_back(stat);
        (void)state_->append(record_of(call, Verb::kFailed, {}));
    }
    return moved;
}

bool Journal::is_own(const Stat& stat) const noexcept {
    return state_->is_silent || state_->shared.is_made(stat);
}
bool Journal::is_full() const noexcept {
    // The longest record is below this.
    constexpr std::uint64_t kRecordBytesMax = 8 * limits::kPathBytesMax + 4096;
    return state_->shared.counters().log_bytes.load(std::memory_order_relaxed) + kRecordBytesMax >
           state_->changes_bytes_max;
}
bool Journal::has_written(const Stat& stat) const noexcept {
    return state_->is_silent || state_->shared.is_copied(stat);
}

Intent::Intent(Intent&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      call_(other.call_),
      fresh_(std::move(other.fresh_)),
      set_aside_(std::move(other.set_aside_)),
      moves_(std::move(other.moves_)),
      is_exchange_(other.is_exchange_) {}

Intent::~Intent() {
    if (state_ == nullptr || !moves_) return;
    const std::lock_guard locked(*state_->guard);
    for (auto& [call, open_call] : state_->calls) {
        if (is_exchange_) {
            open_call.names.exchange_directories(moves_->first, moves_->second);
        } else {
            open_call.names.rename_directory(moves_->first, moves_->second);
        }
    }
}

void Intent::made(const Stat& stat) {
    if (state_ == nullptr || state_->is_silent) return;
    const std::lock_guard locked(*state_->guard);
    state_->shared.note_made(stat, call_);
    Record record;
    record.call = call_;
    record.verb = Verb::kMade;
    record.object = object_of(stat);
    state_->append_to_batch(state_->pending, record);
}

void Intent::failed() {
    if (state_ == nullptr) return;
    const std::lock_guard locked(*state_->guard);
    withdraw();
}

// With the guard held.
void Intent::withdraw() {
    Journal::State& state = *std::exchange(state_, nullptr);
    if (state.is_silent) return;
    // Some errors come after the change. Then what was set aside is the only one.
    if (set_aside_ && !state.is_at(set_aside_->path, object_of(set_aside_->stat))) return;
    Record record;
    record.call = call_;
    record.verb = Verb::kFailed;
    (void)state.append(record);
    const auto open_call = state.calls.find(call_);
    if (open_call != state.calls.end()) {
        if (!fresh_.empty()) open_call->second.names.forget(fresh_);
        if (set_aside_ && set_aside_->is_lost) --open_call->second.settled.not_kept;
    }
    if (set_aside_) state.drop_kept(set_aside_->kept, set_aside_->stat);
}

bool Journal::State::is_at(std::string_view where, const Object& object) const {
    const auto directory = open_directory(workspace.get(), fs::parent_of(where));
    if (!directory) return false;
    const auto node = sys::node_at(directory->get(), std::string(fs::leaf_of(where)).c_str());
    return node && object_of(node->stat) == object;
}

namespace {

Outcome<Keeping> kept_none_of(const Failure& failure) {
    if (is_no_room(failure)) return Keeping::kNone;
    return failure;
}

}  // namespace

Done copy_file(int from, std::uint64_t size, int to) {
    if (sys::clone_content(from, to)) return {};
    auto copied = fs::copy_content(from, size, to);
    PADDOCK_TRY(sys::seek(from, 0));
    return copied;
}

Outcome<UniqueFd> open_whatever_its_mode(const Name& name, const Stat& stat, int access) {
    const int flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    auto file = sys::openat(name.directory, name.leaf, flags);
    const bool is_closed = !file && file.error().os_error == EACCES;
    if (!is_closed || stat.type != FileType::kRegular) return file;
    PADDOCK_TRY(sys::chmodat(name.directory, name.leaf, stat.mode | 0600U));
    file = sys::openat(name.directory, name.leaf, flags);
    (void)sys::chmodat(name.directory, name.leaf, stat.mode);
    return file;
}

bool is_no_room(const Failure& failure) noexcept {
    return failure.os_error == ENOSPC || failure.os_error == EDQUOT || failure.os_error == EFBIG;
}

bool cannot_be_moved(const Failure& failure) noexcept {
    return is_no_room(failure) || failure.os_error == EXDEV || failure.os_error == EMLINK;
}

Done move_to_free_name(int directory, const char* name, int to_directory, const char* to) {
    auto moved = sys::renameat2(directory, name, to_directory, to, sys::Rename::kNoReplace);
    if (moved || moved.error().os_error != EINVAL) return moved;
    // Some file systems do not know that.
    if (sys::node_at(to_directory, to)) return Failure::from_errno(EEXIST);
    return sys::renameat2(directory, name, to_directory, to, sys::Rename::kReplace);
}

const std::string& Keeper::next_name() {
    name_ = letter_;
    name_ += std::to_string(++count_);
    return name_;
}

Outcome<Keeping> Keeper::keep_inode(int kept, const Name& name, const Stat& stat) {
    const auto linked = sys::linkat(name.directory, name.leaf, kept, next_name().c_str());
    if (linked) return Keeping::kInode;
    // It has too many links, or is protected from them, or the file system has none.
    if (stat.type == FileType::kRegular) return keep_copy(kept, name, -1, stat);
    return kept_none_of(linked.error());
}

Outcome<Keeping> Keeper::keep_copy(int kept, const Name& name, int file, const Stat& stat) {
    next_name();
    if (stat.size > limits::kJournalCopyBytesMax) return Keeping::kNone;
    UniqueFd opened;
    if (file < 0) {
        PADDOCK_ASSIGN(own, open_whatever_its_mode(name, stat, O_RDONLY));
        PADDOCK_ASSIGN(found, sys::fstat(own.get()));
        if (found.identity != stat.identity) return refuse(Code::kRace, {}, ESTALE);
        opened = std::move(own);
        file = opened.get();
    }
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const auto copy = sys::openat(kept, name_.c_str(), kNew, 0600);
    if (!copy) return kept_none_of(copy.error());
    const Done copied = copy_file(file, stat.size, copy->get());
    if (copied) return Keeping::kCopy;
    (void)sys::unlinkat(kept, name_.c_str(), sys::Unlink::kFile);
    return kept_none_of(copied.error());
}

// What a session keeps of what its changes take away, and how much: what it made or wrote itself
// has a limit of its own.
namespace {

std::uint64_t bytes_of(const Stat& stat) {
    return stat.type == FileType::kRegular ? stat.allocated : 0;
}

}  // namespace

// The call made it, and no other name leads to it: before the call there was nothing.
bool Journal::State::is_disposable(CallId call, const Stat& stat) const {
    return is_silent || (stat.links <= 1 && shared.is_made_by(stat, call));
}

// The session wrote its content: it made the file, or what was in it before is kept already.
bool Journal::State::is_own_content(const Stat& stat) const {
    return shared.is_made(stat) || shared.is_copied(stat);
}

std::atomic<std::uint64_t>& Journal::State::kept_bytes(const Stat& stat) const {
    auto& counters = shared.counters();
    return is_own_content(stat) ? counters.kept_own_bytes : counters.kept_bytes;
}

bool Journal::State::claim(const Stat& stat) {
    auto& kept = kept_bytes(stat);
    const std::uint64_t size = bytes_of(stat);
    const std::uint64_t most =
        is_own_content(stat) ? limits::kJournalOwnBytesMax : limits::kJournalBytesMax;
    if (kept.load(std::memory_order_relaxed) + size > most) return false;
    kept.fetch_add(size, std::memory_order_relaxed);
    return true;
}

void Journal::State::give_back(const Stat& stat) {
    kept_bytes(stat).fetch_sub(bytes_of(stat), std::memory_order_relaxed);
}

Done Journal::State::keep(As how, const Name& name, int file, const Stat& stat, Record& record) {
    if (!claim(stat)) return {};
    const auto keeping = how == As::kInode ? keeper.keep_inode(files.kept.get(), name, stat)
                                           : keeper.keep_copy(files.kept.get(), name, file, stat);
    if (!keeping || *keeping == Keeping::kNone) give_back(stat);
    PADDOCK_TRY(keeping);
    record.keeping = *keeping;
    if (record.keeping != Keeping::kNone) record.kept = keeper.name();
    return {};
}

// Git writes its index anew whenever it is asked for the status. Only what the index said tells
// then whether somebody else has changed it.
void Journal::State::keep_index(std::string_view name, Record& record) {
    const auto directory = open_directory(workspace.get(), fs::parent_of(name));
    if (!directory) return;
    const std::string leaf(fs::leaf_of(name));
    const auto node = sys::node_at(directory->get(), leaf.c_str());
    if (!node || object_of(node->stat) != record.object) return;
    // Without it a rewritten index is a changed one.
    (void)keep(As::kInode, {directory->get(), leaf.c_str(), name}, -1, node->stat, record);
    // Another name is a change of the inode.
    if (const auto now = sys::node_at(directory->get(), leaf.c_str())) {
        if (object_of(now->stat) == record.object) record.changed = now->stat.changed.count();
    }
}

// What was kept for a change that is refused is of no use.
Done Journal::State::announce_kept(const Record& record, const Stat& stat) {
    Done done = announce(record);
    if (!done) drop_kept(record.kept, stat);
    return done;
}

void Journal::State::drop_kept(std::string_view kept, const Stat& stat) {
    if (kept.empty()) return;
    (void)sys::unlinkat(files.kept.get(), std::string(kept).c_str(), sys::Unlink::kFile);
    give_back(stat);
}

// What all sessions of a workspace share: the turn, and one number. Both lie in the file "lock".
Turn::Turn(Journal& journal) : journal_(journal) {
    Journal::State& state = *journal_.state_;
    state.turns->lock();
    state.turn_failure.reset();
    if (const auto locked = sys::lock_file(state.lock.get(), sys::FileLock::kAlone); !locked) {
        state.turn_failure = locked.error();
    }
    state.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

Turn::~Turn() {
    Journal::State& state = *journal_.state_;
    state.holder.store({}, std::memory_order_relaxed);
    (void)sys::lock_file(state.lock.get(), sys::FileLock::kNone);
    state.turns->unlock();
}

std::uint64_t Journal::State::shared_count() const noexcept {
    std::array<char, sizeof(std::uint64_t)> bytes{};
    (void)sys::read_at(lock.get(), bytes.data(), bytes.size(), 0);
    return std::bit_cast<std::uint64_t>(bytes);
}

void Journal::State::increase_shared_count() const noexcept {
    const std::uint64_t next = shared_count() + 1;
    const auto bytes = std::bit_cast<std::array<char, sizeof next>>(next);
    (void)sys::write_at(lock.get(), {bytes.data(), bytes.size()}, 0);
}

std::uint64_t Journal::shared_count() const noexcept { return state_->shared_count(); }
void Journal::increase_shared_count() noexcept { state_->increase_shared_count(); }

}  // namespace paddock::journal
