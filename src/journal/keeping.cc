// What a session keeps of what its changes take away, and how much: what it made or wrote itself
// has a limit of its own.
#include <string>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "journal/journal_state.h"
#include "journal/keep.h"
#include "sys/name.h"
#include "sys/stat.h"

namespace paddock::journal {
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

}  // namespace paddock::journal
