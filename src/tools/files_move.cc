// Moving. All that can be known before is asked before the first step: the rules, the tracker, what
// is in the way.
#include <mutex>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "tools/files.h"
#include "tools/turns.h"

namespace paddock::tools {

std::vector<std::string> Files::missing_parents(const std::string& canonical) const {
    std::vector<std::string> missing;
    for (std::string_view at = fs::parent_of(canonical); !at.empty(); at = fs::parent_of(at)) {
        if (linkless_.exists(at).value_or(true)) break;
        missing.emplace_back(at);
    }
    return missing;
}

// One that somebody else has filled meanwhile stays.
void Files::remove_empty(const std::vector<std::string>& directories) const {
    for (const std::string& directory : directories) (void)to_change().remove(directory);
}

Attempt<std::optional<Stat>> Files::replaced(const std::string& canonical) const {
    const auto stat = linkless_.lstat(canonical);
    if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
    if (!stat) return told(stat.error());
    if (stat->type == FileType::kDirectory) {
        return told(as_error(refuse(Code::kIsADirectory), "replace", canonical));
    }
    if (stat->type != FileType::kRegular) {
        return Problem(Code::kNotRegularFile, "'" + shown(canonical) +
                                                  "' is a link or a special file and is not "
                                                  "replaced. Remove it first if it is to go.");
    }
    if (auto writable = to_change().check_writable(canonical); !writable)
        return told(writable.error());
    if (reads_ == nullptr) return *stat;
    const auto content = read(canonical, limits::kReadFileBytesMax);
    if (!content) return content.error();
    if (auto known = check_known(*content); !known) return known.error();
    return content->stat;
}

Attempt<void> Files::check_room(const std::string& canonical) const {
    const auto there = linkless_.lstat(canonical);
    if (!there || there->type == FileType::kDirectory) return {};
    return Problem(Code::kNotADirectory,
                   "'" + shown(canonical) +
                       "' is not a directory, and no directory replaces it. Choose another "
                       "destination, or remove it first.");
}

Attempt<void> Files::check_move(const std::string& from, const std::string& to,
                                bool overwrite) const {
    const auto source = linkless_.lstat(from);
    if (!source) return told(source.error());
    const bool is_directory = source->type == FileType::kDirectory;
    if (is_directory && to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be moved into itself. Choose another destination.");
    }
    if (is_directory) {
        if (auto allowed = check_below(from, from); !allowed) return allowed;
        if (auto allowed = check_below(from, to); !allowed) return allowed;
    } else if (source->type == FileType::kSymlink) {
        if (auto allowed = check_link(to); !allowed) return allowed;
        const auto end = root_.stat(from);
        const auto there = linkless_.lstat(to);
        if (overwrite && end && there && end->identity == there->identity) {
            return Problem(Code::kInvalidArgument,
                           "'" + shown(from) + "' is a link to '" + shown(to) +
                               "', which would be lost. Choose another destination.");
        }
    }
    // What is in the way goes, and what is below comes along.
    if (overwrite) {
        if (auto allowed = check_below(to, to); !allowed) return allowed;
    }
    for (const std::string& path : {from, to}) {
        if (auto allowed = check_obeyed(path, search::GitChange::kTakeAway); !allowed)
            return allowed;
    }
    if (!overwrite) return {};
    if (is_directory) return check_room(to);
    if (auto known = replaced(to); !known) return known.error();
    return {};
}

Attempt<void> Files::move(const std::string& from, const std::string& to, bool overwrite) const {
    for (const std::string& path : {from, to}) {
        if (auto allowed = check(path, Purpose::kChange); !allowed) return allowed;
    }
    const std::lock_guard turn(names());
    if (auto allowed = check_move(from, to, overwrite); !allowed) return allowed;
    const std::vector<std::string> made = missing_parents(to);
    if (auto parents = make_missing(made); !parents) {
        remove_empty(made);
        return parents;
    }
    const auto done =
        to_change().rename(from, to, overwrite ? RenameMode::kReplace : RenameMode::kNoReplace);
    if (!done) {
        remove_empty(made);
        return told(done.error());
    }
    if (!overwrite) return {};
    // To rename one name of a file to another of the same file does nothing. Where names ignore
    // case both may be its only one.
    const auto left = linkless_.lstat(from);
    const auto there = left ? linkless_.lstat(to) : left;
    if (!there || left->identity != there->identity || left->links < 2) return {};
    if (auto removed = to_change().remove(from); !removed) return told(removed.error());
    return {};
}

}  // namespace paddock::tools
