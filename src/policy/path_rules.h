// What may be done with a path: ordered globs, the first one that matches decides.
//
// A pattern is a text::Glob. Without a slash it matches at any depth; a slash at the start ties it
// to the root. A pattern that names a directory covers all that is below, whether it exists or not.
// The operator's rules come before path_defaults.h. Of those a pattern that allows covers the name
// alone, unless it ends in "/**": ".env.example" is a file, and a directory of that name lifts
// nothing. Further rules are asked beside the defaults, and the stricter answer counts: neither
// lifts what the other restricts.
//
// Rules that restrict ignore the case of ASCII letters, since some file systems do and ".ENV" would
// be the same file there; rules that allow do not. Other spellings that may be the same file
// are restricted like the plain one. What a default denies it denies under the names
// of backups too. A path that no rule matches is allowed.
//
// Paths are resolved and relative to the root, as RelPath has them. Immutable: any number of
// threads may ask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/policy.h>

#include "base/outcome.h"
#include "text/glob.h"

namespace paddock::policy {

// Other spellings of a name that some file systems take for the same: directories that ignore case
// also ignore invisible characters and fold a few others to ASCII letters; FAT drops dots and
// blanks at the end of a name.
//
// Not known: short names of FAT ("GIT~1"), streams of NTFS, and spellings of names that are not
// ASCII themselves.

// The plain spelling of `path`, name by name; letter case is left as it is. Nothing if there is no
// other. A name of which nothing would be left stays.
std::optional<std::string> plain_spelling(std::string_view path);

// A path rule as an operator writes it: "deny *.sqlite".
inline constexpr std::array<std::pair<std::string_view, PathAccess>, 3> kAccessWords{
    {{"allow", PathAccess::kAllow},
     {"read_only", PathAccess::kReadOnly},
     {"deny", PathAccess::kDeny}}};

std::optional<PathAccess> access_named(std::string_view word);

// Why a pattern would match nothing, or not what its author means, with what to do; a literal, to
// stand after the pattern. Empty: none of that. It may still be no glob.
std::string_view pattern_fault(std::string_view pattern);

using Access = PathAccess;

struct Decision {
    Access access = Access::kAllow;
    std::optional<std::size_t> rule = {};  // its index, those of the operator first
    std::string_view pattern = {};         // as written
    bool by_operator = false;              // neither a default nor a further one
    bool is_further = false;
};

class PathRules {
public:
    // Errors: those of text::Glob::compile; limit_reached for more than kPathRulesMax;
    // invalid_argument for an operator's pattern that has a pattern_fault().
    static Outcome<PathRules> compile(std::span<const PathRule> from_operator,
                                      std::span<const PathRule> defaults,
                                      std::span<const PathRule> further = {});

    // Those of a workspace. An error names the first of the operator's patterns that is none.
    static Result<PathRules> of(std::span<const PathRule> from_operator, bool with_defaults,
                                std::span<const PathRule> further_defaults);

    Decision decide(std::string_view path) const noexcept;

    // False only if no rule restricts any path because it has this name in it. A path of such names
    // alone is allowed, so whoever walks a tree need not ask of each whole path.
    bool may_restrict_by(std::string_view name) const;

    // True if a rule could restrict something below `directory` (empty: the root), now or later:
    // who moves, copies or removes the tree has to look inside.
    bool covers_something_below(std::string_view directory) const noexcept;

    // What is restricted below `directory` because of how that is called: for ".config" "git" by
    // "**/.config/git". A link of that name would give other objects such names.
    struct Below {
        std::string_view path;     // relative to the directory; empty if it is not literal
        std::string_view pattern;  // as written
    };
    std::vector<Below> restricted_below(std::string_view directory) const;

    // Were there default rules?
    bool has_defaults() const noexcept { return before_defaults_ < rules_.size(); }

private:
    // A directory that a pattern names, and what of the pattern follows it.
    struct Way {
        text::Glob directory;
        std::string rest;  // empty if it is not literal
    };
    struct Rule {
        std::string pattern;
        Access access;
        std::optional<text::Glob> glob;  // none: "**", everything
        bool below_only = false;         // "build/**" does not cover "build"
        bool name_only = false;          // covers nothing below
        std::vector<Way> ways{};         // if it restricts
    };
    // For each value of a byte, one bit for each rule that may match a name with it.
    using Masks = std::vector<std::uint64_t>;

    Decision decide_as_written(std::string_view path) const noexcept;
    bool covers_below_as_written(std::string_view directory) const noexcept;
    bool may_restrict_as_written(std::string_view name) const noexcept;
    enum class From : std::uint8_t { kOperator, kFurther, kDefaults };
    Done add(const PathRule& rule, From from);
    static Outcome<std::vector<Way>> ways_of(std::string_view pattern, bool below_only);
    void index(std::size_t rule, std::string_view pattern);
    bool may_be_ruled(std::string_view name) const noexcept;
    std::uint64_t candidates(std::string_view name, std::size_t word) const noexcept;
    enum class Matched : bool { kItself, kAllBelow };
    static bool applies(const Rule& rule, std::string_view path, Matched matched);
    std::size_t deciding(std::string_view path, Matched matched) const noexcept;
    bool is_further(std::size_t rule) const noexcept {
        return rule >= from_operator_ && rule < before_defaults_;
    }
    std::size_t stricter(std::size_t further, std::size_t other) const noexcept;

    std::vector<Rule> rules_;
    std::size_t from_operator_ = 0;          // that many come first,
    std::size_t before_defaults_ = 0;        // then the further ones up to here
    std::optional<std::size_t> everything_;  // the first rule for "**"
    std::size_t words_ = 1;                  // of a mask
    std::vector<bool> by_ends_;  // for a first byte and a last: may a rule match such a name?
    Masks by_first_, by_second_, by_last_but_one_, by_last_;
};

}  // namespace paddock::policy
