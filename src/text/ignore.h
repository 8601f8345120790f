// Ignore rules as git means them (gitignore(5)): comments, "!", directories only ("name/"),
// anchoring by "/", "*", "?", "[]", "**", escapes, trailing spaces, CRLF, a byte order mark. Within
// a file the last rule that matches decides.
//
// Almost every rule ends in a plain name or in "*.ext". Those are found by a hash of the name or of
// its extension; only the others are compared with each name.
//
// Followed against git's own documentation: behind a literal beginning "**" crosses directories
// too, so "a**/b" matches "ax/y/b", and "ab".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "text/glob.h"

namespace paddock::text {

enum class IgnoreVerdict : std::uint8_t { kUndecided, kIgnored, kIncluded };

// What one file says of a path, and the number of the line that says it; 0: none does.
struct IgnoreRuling {
    IgnoreVerdict verdict = IgnoreVerdict::kUndecided;
    std::uint32_t line = 0;
};

// What is asked about. Made once for each entry of a walk, then put to every file in force. Views
// `path`, copies nothing.
struct IgnoreSubject {
    // `path` is relative to the root of the walk, normalised, and not empty.
    IgnoreSubject(std::string_view path, bool is_directory) noexcept;

    std::string_view path;
    std::string_view name;
    bool is_directory;
    std::uint32_t name_hash;
    std::uint32_t extension_hash;
};

// The rules of one file. Immutable; threads may share it.
class IgnoreFile {
public:
    // A rule that can match nothing, such as one with an open "[", is dropped, as git does.
    // limit_reached: larger than kIgnoreFileBytesMax, or more than kIgnoreGlobsMax rules that no
    // hash finds.
    static Outcome<IgnoreFile> parse(std::string_view text);

    // `base`: where the path relative to the file's own directory starts in `subject.path`.
    IgnoreRuling judge(const IgnoreSubject& subject, std::size_t base) const noexcept;

    bool empty() const noexcept { return rules_.empty(); }

private:
    struct Rule {
        std::string beginning;  // of the path, before what `pattern` is for; only with "a**"
        PathPattern pattern;
        bool by_name = false;  // without a slash: the last name alone is compared, at any depth
        bool directories_only = false;
        bool negated = false;
        std::uint32_t line = 0;
        std::uint32_t hash = 0;
        std::uint32_t next = 0;  // the rule before this one in the same bucket, as in Buckets
    };
    using Buckets = std::vector<std::uint32_t>;  // number of the bucket's last rule; 0: none

    void add_line(std::string_view line, std::uint32_t number);
    Done build_index();
    static bool applies(const Rule& rule, const IgnoreSubject& subject, std::size_t base) noexcept;
    std::uint32_t last_in(const Buckets& buckets, std::uint32_t hash, std::uint32_t after,
                          const IgnoreSubject& subject, std::size_t base) const noexcept;

    std::vector<Rule> rules_;  // numbered from 1
    Buckets by_name_;
    Buckets by_extension_;
    std::vector<std::uint32_t> others_;
};

// The files in force in one directory of a walk: its own and, through `parent`, those above. A
// directory without such files shares its parent's scope. Immutable; threads may share it.
//
// A file in an ignored directory cannot be included again, so walks do not enter one, and whoever
// asks about a single path asks about each directory above it first.
class IgnoreScope {
public:
    using File = std::shared_ptr<const IgnoreFile>;  // null: there is none

    // What decides first comes first; of one kind, the file in the deeper directory.
    struct Files {
        File ignore = nullptr;           // .ignore
        File gitignore = nullptr;        // .gitignore
        File exclude = nullptr;          // .git/info/exclude, at the root of a repository
        File global = nullptr;           // of no directory: the user's or the operator's
        bool starts_repository = false;  // of the files above, only .ignore is still in force
    };

    // Which line decides about a path.
    struct Ruling {
        IgnoreVerdict verdict = IgnoreVerdict::kUndecided;
        std::string file{};      // from the root of the walk; empty: Files::global
        std::uint32_t line = 0;  // the first is 1
    };

    // `directory` is relative to the root of the walk, empty for the root itself.
    IgnoreScope(std::shared_ptr<const IgnoreScope> parent, std::string_view directory, Files files);

    IgnoreVerdict judge(std::string_view path, bool is_directory) const noexcept {
        return decide(path, is_directory).ruling.verdict;
    }
    Ruling ruling(std::string_view path, bool is_directory) const;

    // It, or a directory above it in the walk, starts a repository.
    bool is_in_repository() const noexcept { return is_in_repository_; }

    bool ignores(std::string_view path, bool is_directory) const noexcept {
        return judge(path, is_directory) == IgnoreVerdict::kIgnored;
    }

private:
    struct Decision {
        IgnoreRuling ruling;
        const IgnoreScope* scope = nullptr;
        std::size_t kind = 0;
    };
    Decision decide(std::string_view path, bool is_directory) const noexcept;

    std::shared_ptr<const IgnoreScope> parent_;
    std::string prefix_;  // of paths below the directory
    Files files_;
    bool is_in_repository_;
};

}  // namespace paddock::text
