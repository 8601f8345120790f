#include "journal/prune.h"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "fs/root_state.h"
#include "fs/tree.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::journal {
namespace {

constexpr const char* kSizeName = "size";
constexpr const char* kStampName = "pruned";

Outcome<fs::RootState> tree_of(int directory) {
    fs::RootState state;
    PADDOCK_ASSIGN(fd, sys::duplicate(directory));
    PADDOCK_ASSIGN(node, sys::node(directory));
    state.fd = std::move(fd);
    state.node = node;
    return state;
}

Done remove_session(int journal, const std::string& id) {
    PADDOCK_ASSIGN(state, tree_of(journal));
    fs::Place place;
    place.directory = journal;
    place.name = id;
    PADDOCK_ASSIGN(node, sys::node_at(journal, id.c_str()));
    place.node = node;
    // Removed directories keep the modes that they had.
    return fs::remove_tree(state, place, fs::Locked::kAreOpened);
}

Outcome<std::uint64_t> count_bytes(int session) {
    std::uint64_t bytes = 0;
    PADDOCK_ASSIGN(log, sys::node_at(session, "log"));
    bytes += log.stat.size;
    PADDOCK_ASSIGN(state, tree_of(session));
    PADDOCK_ASSIGN(kept, sys::openat(session, "kept", O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PADDOCK_TRY(fs::walk_tree(state, kept.get(), {}, [&](const WalkEntry& entry) {
        const auto node = sys::node_at(entry.directory, std::string(entry.name).c_str());
        if (node) bytes += node->stat.allocated;
        return WalkAction::kContinue;
    }));
    return bytes;
}

struct Candidate {
    std::string id;
    std::uint64_t bytes = 0;
    std::chrono::nanoseconds used = {};  // last
};

// Sessions that are over, oldest first.
Outcome<std::vector<Candidate>> candidates(int journal) {
    std::vector<Candidate> found;
    PADDOCK_ASSIGN(ids, list_sessions(journal));
    for (const std::string& id : ids) {
        const auto session = open_session(journal, id);
        if (!session || session->live) continue;
        const auto log = sys::node_at(session->directory.get(), "log");
        if (!log) continue;
        const auto bytes = session_bytes(session->directory.get());
        found.push_back({id, bytes ? *bytes : 0, log->stat.changed});
    }
    return found;
}

Outcome<Pruned> prune_locked(int journal, Time now, const PruneLimits& limits) {
    Pruned pruned;
    PADDOCK_ASSIGN(sessions, candidates(journal));
    std::uint64_t total = 0;
    for (const Candidate& each : sessions) total += each.bytes;
    Done all;
    for (const Candidate& each : sessions) {
        const bool is_old = now.time_since_epoch() - each.used > limits.age_max;
        if (!is_old && total <= limits.bytes_max) continue;
        // One that cannot be removed keeps none of the others.
        if (Done removed = remove_session(journal, each.id); !removed) {
            all = removed;
            continue;
        }
        total -= each.bytes;
        pruned.bytes += each.bytes;
        ++pruned.sessions;
    }
    PADDOCK_TRY(all);
    return pruned;
}

}  // namespace

Outcome<std::uint64_t> session_bytes(int session) {
    std::uint64_t bytes = 0;
    if (const auto noted = read_own_file(session, kSizeName, 32)) {
        const char* end = noted->data() + noted->size();
        if (std::from_chars(noted->data(), end, bytes).ec == std::errc()) return bytes;
    }
    PADDOCK_ASSIGN(counted, count_bytes(session));
    const auto note =
        sys::openat(session, kSizeName, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (note) (void)sys::write_all(note->get(), std::to_string(counted) + '\n');
    return counted;
}

Outcome<Pruned> prune(int workspace, Time now, const PruneLimits& limits) {
    const auto place = find_journal(workspace);
    if (!place && place.error().os_error == ENOENT) return Pruned{};
    if (!place) return place.error();
    const int journal = place->directory.get();
    PADDOCK_ASSIGN(lock, open_lock(journal));
    PADDOCK_TRY(sys::lock_file(lock.get(), sys::FileLock::kAlone));
    return prune_locked(journal, now, limits);
}

Done prune_if_due(int journal, Time now) {
    if (const auto stamp = sys::node_at(journal, kStampName)) {
        const auto age = now.time_since_epoch() - stamp->stat.changed;
        if (age >= age.zero() && age < kJournalPrunePause) return {};
    }
    constexpr std::size_t kCompany = 2;  // that of the caller is not over
    PADDOCK_ASSIGN(sessions, list_sessions(journal, kCompany));
    if (sessions.size() < kCompany) return {};
    PADDOCK_ASSIGN(file, open_kept_file(journal, kStampName));
    PADDOCK_TRY(sys::set_times(file.get(), std::nullopt, now.time_since_epoch()));
    PADDOCK_TRY(prune_locked(journal, now, {}));
    return {};
}

}  // namespace paddock::journal
