#include "journal/journal_state.h"

#include <cerrno>
#include <utility>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/text.h"
#include "journal/place.h"
#include "sys/files.h"

namespace paddock::journal {
namespace {

using What = NameChange::What;

// Opens the directory of each path once, as long as paths of one directory follow each other, and
// the next one from there where it lies below.
class SortedLookup {
public:
    explicit SortedLookup(int workspace) : workspace_(workspace) {}

    Outcome<Stat> find(const std::string& path) {
        const std::size_t slash = path.rfind('/');
        const std::string_view parent =
            slash == path.npos ? std::string_view() : std::string_view(path).substr(0, slash);
        if (!opened_ || parent != parent_) {
            const bool is_below =
                opened_ && *opened_ && !parent_.empty() && is_within(parent, parent_);
            opened_ = is_below
                          ? open_directory((*opened_)->get(), parent.substr(parent_.size() + 1))
                          : open_directory(workspace_, parent);
            parent_ = parent;
        }
        if (!*opened_) return opened_->error();
        const char* leaf = path.c_str() + (slash == path.npos ? 0 : slash + 1);
        PADDOCK_ASSIGN(node, sys::node_at((*opened_)->get(), leaf));
        return node.stat;
    }

private:
    int workspace_;
    std::string parent_;
    std::optional<Outcome<UniqueFd>> opened_;
};

}  // namespace

// Not the time of the change of status: another link to a file does not change it.
bool TouchedNames::Before::is_like(const Stat& now) const noexcept {
    if (object != object_of(now) || type != now.type || mode != now.mode) return false;
    return type == FileType::kDirectory || (size == now.size && modified == now.modified);
}

bool TouchedNames::touch(std::string_view path, const Stat* before) {
    const auto place = names_.lower_bound(path);
    if (place != names_.end() && place->first == path) return false;
    Before first;
    if (before != nullptr) {
        first = {true,         object_of(*before), before->type,
                 before->mode, before->size,       before->modified};
    }
    names_.emplace_hint(place, path, first);
    return true;
}

void TouchedNames::forget(std::string_view path) {
    if (const auto found = names_.find(path); found != names_.end()) names_.erase(found);
}

TouchedNames::Names TouchedNames::take_below(std::string_view directory) {
    Names taken;
    std::string prefix(directory);
    prefix += '/';
    for (auto it = names_.lower_bound(prefix); it != names_.end();) {
        if (!it->first.starts_with(prefix)) break;
        taken.insert(taken.end(), names_.extract(it++));
    }
    return taken;
}

void TouchedNames::put_below(Names taken, std::string_view from, std::string_view to) {
    while (!taken.empty()) {
        auto name = taken.extract(taken.begin());
        name.key().replace(0, from.size(), to);
        names_.insert(std::move(name));
    }
}

void TouchedNames::rename_directory(std::string_view from, std::string_view to) {
    put_below(take_below(from), from, to);
}

void TouchedNames::exchange_directories(std::string_view one, std::string_view other) {
    Names below_one = take_below(one);
    put_below(take_below(other), other, one);
    put_below(std::move(below_one), one, other);
}

Changes TouchedNames::settle(int workspace, std::vector<NameChange>& changed, const Note& note) {
    struct Found {
        What what;
        const std::string* path;  // nullptr: another entry says where it went
        const std::string* from = nullptr;
    };
    std::vector<Found> found;  // by their paths
    SortedLookup lookup(workspace);
    std::map<Object, std::size_t> gone;   // of names that are no more
    std::map<Object, std::size_t> fresh;  // of names that were not there
    for (const auto& [path, before] : names_) {
        const auto now = lookup.find(path);
        const int error = now ? 0 : now.error().os_error;
        if (now) note(path, *now);
        if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
            if (!before.existed) continue;
            gone.emplace(before.object, found.size());
            found.push_back({What::kRemoved, &path});
        } else if (!before.existed) {
            if (now) fresh.emplace(object_of(*now), found.size());
            found.push_back({What::kMade, &path});
        } else if (!now || !before.is_like(*now)) {
            found.push_back({What::kChanged, &path});
        }
    }
    // What lost one name and got another was renamed.
    for (const auto& [object, place] : fresh) {
        const auto old = gone.find(object);
        if (old == gone.end()) continue;
        found[place] = {What::kMoved, found[place].path, found[old->second].path};
        found[old->second].path = nullptr;
    }
    Changes changes;
    for (const Found& each : found) {
        if (each.path == nullptr) continue;
        changes.count(each.what);
        if (changed.size() >= limits::kChangedNamesMax) continue;
        changed.push_back({each.what, *each.path, each.from == nullptr ? "" : *each.from});
    }
    names_.clear();
    return changes;
}

}  // namespace paddock::journal
