#include "journal/place.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <new>
#include <utility>

#include <paddock/limits.h>

#include "journal/record.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/process.h"

namespace paddock::journal {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
constexpr int kNewFile = O_CREAT | O_EXCL | O_NOFOLLOW;
constexpr int kAppended = O_WRONLY | O_APPEND;
constexpr const char* kOwnName = ".paddock";
constexpr const char* kNameInGit = "paddock";
constexpr std::uint64_t kInfoBytesMax = 65536;

Failure not_ours() {
    return refuse(Code::kPermissionDenied,
                  "the journal must be a directory that only this user can access. Move it away");
}

// Root keeps the journal of a workspace for its owner, as whom commands run.
Outcome<UniqueFd> open_own_directory(int parent, const char* name) {
    auto directory = sys::openat(parent, name, kDirectory);
    if (!directory) {
        const int error = directory.error().os_error;
        return error == ELOOP || error == ENOTDIR ? not_ours() : directory.error();
    }
    PADDOCK_ASSIGN(stat, sys::fstat(directory->get()));
    PADDOCK_ASSIGN(above, sys::fstat(parent));
    const bool is_ours =
        stat.uid == sys::effective_user() || (sys::effective_user() == 0 && stat.uid == above.uid);
    if (!is_ours || (stat.mode & 022U) != 0) return not_ours();
    return directory;
}

Done give_to_owner_of(int parent, int made) {
    if (sys::effective_user() != 0) return {};
    PADDOCK_ASSIGN(above, sys::fstat(parent));
    return sys::fchown(made, above.uid, above.gid);
}

// Root gives it to its owner first. Another session that found one of root's would take root for
// the owner.
Done make_directory_of_owner(int parent, const char* name) {
    if (sys::effective_user() != 0) return sys::mkdirat(parent, name, 0700);
    PADDOCK_ASSIGN(random, sys::random_u64());
    const std::string draft = name + ('.' + std::to_string(random));
    PADDOCK_TRY(sys::mkdirat(parent, draft.c_str(), 0700));
    Done made = [&]() -> Done {
        PADDOCK_ASSIGN(directory, sys::openat(parent, draft.c_str(), kDirectory));
        PADDOCK_TRY(give_to_owner_of(parent, directory.get()));
        const auto named =
            sys::renameat2(parent, draft.c_str(), parent, name, sys::Rename::kNoReplace);
        if (named || named.error().os_error != EINVAL) return named;
        // A file system that cannot refuse a name that is taken replaces an empty directory only.
        return sys::renameat2(parent, draft.c_str(), parent, name, sys::Rename::kReplace);
    }();
    if (!made) (void)sys::unlinkat(parent, draft.c_str(), sys::Unlink::kDirectory);
    return made;
}

Outcome<UniqueFd> make_own_directory(int parent, const char* name) {
    const auto made = make_directory_of_owner(parent, name);
    if (!made && made.error().os_error != EEXIST && made.error().os_error != ENOTEMPTY) {
        return made.error();
    }
    return open_own_directory(parent, name);
}

Outcome<UniqueFd> make_own_file(int parent, const char* name, int flags) {
    PADDOCK_ASSIGN(file, sys::openat(parent, name, flags | kNewFile, 0600));
    PADDOCK_TRY(give_to_owner_of(parent, file.get()));
    return std::move(file);
}

// Commits must not take it in.
Done hide_from_git(int journal) {
    const auto file = make_own_file(journal, ".gitignore", O_WRONLY);
    if (!file) return file.error().os_error == EEXIST ? Done() : Done(file.error());
    return sys::write_all(file->get(), "*\n");
}

bool is_absent(const Failure& failure) { return failure.os_error == ENOENT; }

void append_field(std::string& text, std::string_view key, std::string_view value) {
    text += key;
    text += ' ';
    // A value is one line.
    std::replace_copy(value.begin(), value.end(), std::back_inserter(text), '\n', ' ');
    text += '\n';
}

std::string directory_mark(const Stat& stat) {
    const Object object = object_of(stat);
    return std::to_string(object.inode) + ' ' + std::to_string(object.birth);
}

// The last one.
std::string_view field_of(std::string_view text, std::string_view key) {
    std::string_view value;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(key) && line.substr(key.size()).starts_with(' ')) {
            value = line.substr(key.size() + 1);
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return value;
}

Outcome<JournalPlace> find_in_git(int workspace) {
    PADDOCK_ASSIGN(git, sys::openat(workspace, ".git", kDirectory));
    PADDOCK_ASSIGN(directory, open_own_directory(git.get(), kNameInGit));
    return JournalPlace{std::move(directory), ".git/paddock"};
}

bool is_no_directory(const Failure& failure) {
    return failure.os_error == ENOENT || failure.os_error == ENOTDIR || failure.os_error == ELOOP;
}

}  // namespace

Outcome<JournalPlace> find_journal(int workspace) {
    auto in_git = find_in_git(workspace);
    if (in_git || !is_no_directory(in_git.error())) return in_git;
    PADDOCK_ASSIGN(directory, open_own_directory(workspace, kOwnName));
    return JournalPlace{std::move(directory), kOwnName};
}

Outcome<JournalPlace> find_or_make_journal(int workspace) {
    auto found = find_journal(workspace);
    if (found || !is_absent(found.error())) return found;
    const auto git = sys::openat(workspace, ".git", kDirectory);
    if (git) {
        PADDOCK_ASSIGN(directory, make_own_directory(git->get(), kNameInGit));
        return JournalPlace{std::move(directory), ".git/paddock"};
    }
    if (!is_no_directory(git.error())) return git.error();
    PADDOCK_ASSIGN(directory, make_own_directory(workspace, kOwnName));
    PADDOCK_TRY(hide_from_git(directory.get()));
    return JournalPlace{std::move(directory), kOwnName};
}

void remove_journal(int workspace, const std::string& path, int journal) {
    for (const char* name : {".gitignore", "pruned", "lock"}) {
        (void)sys::unlinkat(journal, name, sys::Unlink::kFile);
    }
    (void)sys::unlinkat(workspace, path.c_str(), sys::Unlink::kDirectory);
}

Outcome<UniqueFd> open_lock(int journal) { return open_kept_file(journal, "lock"); }

Outcome<UniqueFd> open_kept_file(int journal, const char* name) {
    PADDOCK_ASSIGN(file, sys::openat(journal, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
    PADDOCK_TRY(give_to_owner_of(journal, file.get()));
    return std::move(file);
}

Outcome<UniqueFd> open_directory(int start, std::string_view path) {
    constexpr int kPin = O_PATH | O_DIRECTORY | O_NOFOLLOW;
    if (path.empty()) return sys::duplicate(start);
    UniqueFd held;
    int top = start;
    while (!path.empty()) {
        const std::string name(path.substr(0, path.find('/')));
        PADDOCK_ASSIGN(next, sys::openat(top, name.c_str(), kPin));
        held = std::move(next);
        top = held.get();
        path.remove_prefix(std::min(name.size() + 1, path.size()));
    }
    return held;
}

std::string make_session_id(Time now, std::uint64_t random) {
    using std::chrono::floor;
    const auto second = floor<std::chrono::seconds>(now);
    const auto day = floor<std::chrono::days>(second);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(second - day);
    std::string id;
    const auto append = [&id](auto value, std::size_t digits) {
        const std::string text = std::to_string(value);
        id.append(digits - std::min(digits, text.size()), '0');
        id += text;
    };
    append(static_cast<int>(date.year()), 4);
    append(static_cast<unsigned>(date.month()), 2);
    append(static_cast<unsigned>(date.day()), 2);
    id += '-';
    append(time.hours().count(), 2);
    append(time.minutes().count(), 2);
    append(time.seconds().count(), 2);
    id += '-';
    for (int shift = 12; shift >= 0; shift -= 4) id += "0123456789abcdef"[(random >> shift) & 15];
    return id;
}

bool is_session_id(std::string_view name) noexcept {
    constexpr std::string_view kForm = "dddddddd-dddddd-xxxx";
    const auto fits = [](char form, char c) {
        if (form == '-') return c == '-';
        return (c >= '0' && c <= '9') || (form == 'x' && c >= 'a' && c <= 'f');
    };
    return name.size() == kForm.size() &&
           std::equal(kForm.begin(), kForm.end(), name.begin(), fits);
}

namespace {

Outcome<SessionFiles> fill_session(int journal, const std::string& id, const SessionNote& note) {
    SessionFiles files;
    PADDOCK_ASSIGN(directory, make_own_directory(journal, id.c_str()));
    PADDOCK_ASSIGN(node, sys::node(directory.get()));
    PADDOCK_ASSIGN(info, make_own_file(directory.get(), "info", O_RDWR));
    PADDOCK_TRY(sys::lock_file(info.get(), sys::FileLock::kAlone));
    PADDOCK_ASSIGN(kept, make_own_directory(directory.get(), "kept"));
    PADDOCK_ASSIGN(log, make_own_file(directory.get(), "log", kAppended));
    std::string text;
    append_field(text, "directory", directory_mark(node.stat));
    append_field(text, "started", std::to_string(note.started.time_since_epoch().count()));
    append_field(text, "client", note.client);
    append_field(text, "undone", note.undone);
    PADDOCK_TRY(sys::write_all(info.get(), text));
    files.directory = std::move(directory);
    files.info = std::move(info);
    files.log = std::move(log);
    files.kept = std::move(kept);
    return files;
}

}  // namespace

Outcome<SessionFiles> make_session(int journal, const std::string& id, const SessionNote& note) {
    auto files = fill_session(journal, id, note);
    if (files) return files;
    // Nobody else would know it for a session.
    for (const char* name : {"info", "log"}) {
        (void)sys::unlinkat(journal, (id + '/' + name).c_str(), sys::Unlink::kFile);
    }
    (void)sys::unlinkat(journal, (id + "/kept").c_str(), sys::Unlink::kDirectory);
    (void)sys::unlinkat(journal, id.c_str(), sys::Unlink::kDirectory);
    return files;
}

Done add_client(int info, std::string_view client) {
    std::string text;
    append_field(text, "client", client);
    return sys::write_all(info, text);
}

Outcome<std::vector<std::string>> list_sessions(int journal, std::size_t most) {
    // A descriptor of its own: the position in a directory belongs to the open file.
    PADDOCK_ASSIGN(directory, sys::openat(journal, ".", kDirectory));
    std::vector<std::string> ids;
    sys::DirReader reader;
    while (ids.size() < most) {
        PADDOCK_ASSIGN(entry, reader.next(directory.get()));
        if (entry == nullptr) break;
        if (is_session_id(entry->name)) ids.emplace_back(entry->name);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

Outcome<OpenedSession> open_session(int journal, const std::string& id) {
    if (!is_session_id(id)) return refuse(Code::kNotFound, {}, ENOENT);
    OpenedSession session;
    PADDOCK_ASSIGN(directory, open_own_directory(journal, id.c_str()));
    PADDOCK_ASSIGN(text, read_own_file(directory.get(), "info", kInfoBytesMax));
    PADDOCK_ASSIGN(node, sys::node(directory.get()));
    if (field_of(text, "directory") != directory_mark(node.stat)) {
        return refuse(Code::kNotFound, "the session belongs to another workspace", ENOENT);
    }
    PADDOCK_ASSIGN(info, sys::openat(directory.get(), "info", O_RDONLY | O_NOFOLLOW));
    session.live = !sys::try_lock_file(info.get(), sys::FileLock::kShared).has_value();
    session.note.client = field_of(text, "client");
    session.note.undone = field_of(text, "undone");
    std::int64_t started = 0;
    const std::string_view number = field_of(text, "started");
    (void)std::from_chars(number.data(), number.data() + number.size(), started);
    session.note.started = Time(std::chrono::nanoseconds(started));
    session.directory = std::move(directory);
    return session;
}

bool is_any_session_live(int workspace) {
    const auto place = find_journal(workspace);
    if (!place) return place.error().os_error != ENOENT;
    const auto ids = list_sessions(place->directory.get());
    if (!ids) return true;
    return std::any_of(ids->begin(), ids->end(), [&](const std::string& id) {
        const auto session = open_session(place->directory.get(), id);
        return session && session->live && session->note.undone.empty();
    });
}

Outcome<std::string> read_own_file(int directory, const char* name, std::uint64_t bytes_max) {
    PADDOCK_ASSIGN(file, sys::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    PADDOCK_ASSIGN(stat, sys::fstat(file.get()));
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (stat.size > bytes_max) return refuse(Code::kTooLarge);
    std::string text(stat.size, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        PADDOCK_ASSIGN(got, sys::read(file.get(), text.data() + filled, text.size() - filled));
        if (got == 0) break;
        filled += got;
    }
    text.resize(filled);
    return text;
}

// Zeroed memory is an empty one. The calls are stored one higher, so that call 0 is known too.
struct SharedState::Entry {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint32_t> made;
    std::atomic<std::uint32_t> copied;
};

struct SharedState::Table {
    Counters counters;
    std::array<Entry, kJournalInodesMax> entries;
};

namespace {

// Places that are looked at for one inode. At a load of seven eighths 32 are nearly always enough.
constexpr std::size_t kProbesMax = 32;

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

// 0: it cannot be told from one that takes over its number.
std::uint64_t key_of(const Stat& stat) {
    const auto birth = static_cast<std::uint64_t>(stat.created.count());
    if (birth == 0) return 0;
    const std::uint64_t key =
        mixed(mixed(mixed(stat.identity.device) + stat.identity.inode) + birth);
    return key == 0 ? 1 : key;
}

}  // namespace

Outcome<SharedState> SharedState::make() {
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    PADDOCK_ASSIGN(memory, sys::Memory::map_shared(sizeof(Table)));
    return SharedState(std::move(memory));
}

SharedState::Table& SharedState::table() const noexcept {
    return *std::launder(static_cast<Table*>(memory_.get()));
}

SharedState::Counters& SharedState::counters() const noexcept { return table().counters; }

const SharedState::Entry* SharedState::find(const Stat& stat) const noexcept {
    const std::uint64_t key = key_of(stat);
    if (key == 0) return nullptr;
    for (std::size_t i = 0; i < kProbesMax; ++i) {
        const Entry& entry = table().entries[(key + i) % kJournalInodesMax];
        const std::uint64_t found = entry.key.load(std::memory_order_acquire);
        if (found == key) return &entry;
        if (found == 0) return nullptr;
    }
    return nullptr;
}

SharedState::Entry* SharedState::find_or_add(const Stat& stat) noexcept {
    const std::uint64_t key = key_of(stat);
    if (key == 0) return nullptr;
    for (std::size_t i = 0; i < kProbesMax; ++i) {
        Entry& entry = table().entries[(key + i) % kJournalInodesMax];
        std::uint64_t found = 0;
        if (entry.key.compare_exchange_strong(found, key) || found == key) return &entry;
    }
    return nullptr;
}

void SharedState::note_made(const Stat& stat, std::uint32_t call) noexcept {
    if (Entry* entry = find_or_add(stat)) entry->made.store(call + 1, std::memory_order_release);
}

void SharedState::note_copied(const Stat& stat, std::uint32_t call) noexcept {
    if (Entry* entry = find_or_add(stat)) entry->copied.store(call + 1, std::memory_order_release);
}

bool SharedState::is_made(const Stat& stat) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->made.load(std::memory_order_acquire) != 0;
}

bool SharedState::is_made_by(const Stat& stat, std::uint32_t call) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->made.load(std::memory_order_acquire) == call + 1;
}

bool SharedState::is_copied(const Stat& stat) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->copied.load(std::memory_order_acquire) != 0;
}

bool SharedState::is_copied_by(const Stat& stat, std::uint32_t call) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->copied.load(std::memory_order_acquire) == call + 1;
}

}  // namespace paddock::journal
