// Patterns of glob and grep as callers write them, and what a search passes over.
#pragma once

#include <string>
#include <string_view>

#include "base/outcome.h"
#include "tools/answer.h"
#include "tools/declaration.h"
#include "tools/session.h"

namespace paddock::tools {

// What to say of a glob that is none.

inline Error bad_pattern(const Failure& failure, const std::string& pattern) {
    return as_error(failure, "glob", pattern);
}

// Globs as callers write them.
class Session;

// The escaped form, in which tools print names, taken back. What is a backslash in it is one of the
// name; "*" and the like mean what they mean in any pattern.
std::string written_pattern(std::string_view given);

struct Place {
    std::string path;     // as a caller would write it
    std::string pattern;  // below it
};

// Where a search by this pattern begins. An absolute one begins in the directory that its plain
// names lead to, any other in `path`; where no boundary is, so does one whose plain names climb. A
// climb behind a wildcard has no such directory, and is an escape.
Place place_of(const Session& session, const std::string& path, std::string_view given);

// What glob and grep pass over unless they are asked for it: hidden files, and those that
// .gitignore excludes.
// Does a name in the pattern begin with a dot, as in ".github/**" or "**/{.npmrc,a}"? Whoever
// writes that asks for hidden files.
inline bool names_hidden(std::string_view pattern) {
    bool begins = true;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::string_view rest = pattern.substr(i);
        const bool is_step = rest.starts_with("./") || rest.starts_with("../") || rest == ".";
        if (begins && rest.front() == '.' && !is_step) return true;
        begins = rest.front() == '/' || rest.front() == '{' || rest.front() == ',';
    }
    return false;
}

inline search::WalkOptions walk_for(const Files& files, const Arguments& arguments,
                                    std::string_view pattern) {
    return files.walk(arguments.flag("hidden") || names_hidden(pattern), arguments.flag("ignored"));
}

// Which line of which file excludes what: " ('build', by line 1 of '.gitignore', and 2 more)".
inline std::string shown_exclusion(const Files& files, const search::Excluded& excluded) {
    if (excluded.names == 0) return {};
    std::string text = " ('" + files.shown(excluded.first) + "', by ";
    text += excluded.file.empty() ? "the setting 'ignore' or core.excludesFile"
                                  : "line " + std::to_string(excluded.line) + " of '" +
                                        files.shown(excluded.file) + "'";
    if (excluded.names > 1) text += ", and " + std::to_string(excluded.names - 1) + " more";
    return text + ")";
}

// For a search that found nothing.
inline void note_passed_over(Notes& notes, const search::WalkOptions& walk, const Files& files,
                             const search::Excluded& excluded) {
    const std::string example = shown_exclusion(files, excluded);
    if (!walk.hidden && !walk.ignored) {
        notes.add("Skipped: hidden files and files that .gitignore excludes" + example +
                  "; hidden=true and ignored=true include them.");
    } else if (!walk.ignored) {
        notes.add("Skipped: files that .gitignore excludes" + example +
                  "; ignored=true includes them.");
    } else if (!walk.hidden) {
        notes.add("Skipped: hidden files; hidden=true includes them.");
    }
}

}  // namespace paddock::tools
