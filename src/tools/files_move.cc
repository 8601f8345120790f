// Moving. All that can be known before is asked before the first step: the rules, the tracker, what
// is in the way.
#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "tools/files.h"

namespace paddock::tools {

std::vector<std::string> Files::missing_parents(const std::string& canonical) const {
    std::vector<std::string> missing;
    for (std::string_view at = fs::parent_of(canonical); !at.empty(); at = fs::parent_of(at)) {
        if (linkless_.exists(at).value_or(true)) break;
        missing.emplace_back(at);
    }
    return missing;
}

void Files::remove_empty(const std::vector<std::string>& directories) const {
    auto begun = begin_change();
    if (begun) remove_empty(*begun, directories);
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
    if (auto writable = linkless_.check_writable(canonical); !writable)
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

Attempt<std::optional<Stat>> Files::check_move(const std::string& from, const std::string& to,
                                               bool overwrite,
                                               const std::stop_token& cancel) const {
    const auto source = linkless_.lstat(from);
    if (!source) return told(source.error());
    const bool is_directory = source->type == FileType::kDirectory;
    if (is_directory && to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be moved into itself. Choose another destination.");
    }
    if (auto fine = allowed(judge_.move(from, to, source->type), to); !fine) return fine.error();
    if (is_directory) {
        if (auto fine = check_below(from, to, cancel); !fine) return fine.error();
    } else if (source->type == FileType::kSymlink) {
        const auto end = root_.stat(from);
        const auto there = linkless_.lstat(to);
        if (overwrite && end && there && end->identity == there->identity) {
            return Problem(Code::kInvalidArgument,
                           "'" + shown(from) + "' is a link to '" + shown(to) +
                               "', which would be lost. Choose another destination.");
        }
    } else if (judge_.is_config(to)) {
        return Problem(Code::kDeniedByRule,
                       "'" + shown(to) +
                           "' holds settings of a git repository, and no file is moved there. "
                           "Write it with write_file.");
    }
    // What is in the way goes, and what is below comes along.
    if (overwrite) {
        if (auto fine = check_below(to, to, cancel); !fine) return fine.error();
    }
    if (!overwrite) return std::nullopt;
    if (!is_directory) return replaced(to);
    if (auto room = check_room(to); !room) return room.error();
    return std::nullopt;
}

Attempt<void> Files::move(const std::string& from, const std::string& to, bool overwrite,
                          const std::stop_token& cancel) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    const auto replaced = check_move(from, to, overwrite, cancel);
    if (!replaced) return replaced.error();
    const std::vector<std::string> made = missing_parents(to);
    if (auto parents = make_missing(*begun, made); !parents) return parents;
    const auto mode = overwrite ? RenameMode::kReplace : RenameMode::kNoReplace;
    if (auto done = give_name(*begun, from, to, mode, *replaced); !done) {
        remove_empty(*begun, made);
        return done;
    }
    if (!overwrite) return {};
    // To rename one name of a file to another of the same file does nothing. Where names ignore
    // case both may be its only one.
    const auto left = linkless_.lstat(from);
    const auto there = left ? linkless_.lstat(to) : left;
    if (!there || left->identity != there->identity || left->links < 2) return {};
    return take_away(*begun, from, *left);
}

}  // namespace paddock::tools
