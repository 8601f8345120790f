#include <algorithm>
#include <optional>
#include <string_view>

#include "base/blanks.h"
#include "base/display.h"
#include "base/utf8.h"
#include "config/fields.h"
#include "config/words.h"
#include "policy/path_rules.h"
#include "policy/rule_text.h"

namespace paddock::config {
namespace {

using Texts = std::vector<std::string>;

// Empty: it is a good one. The user's own home is expanded later.
std::string not_a_pattern(std::string_view pattern) {
    if (pattern.empty()) return "a rule has no pattern";
    if (pattern == "~") return {};
    for (std::string_view rest = pattern; !rest.empty();) {
        const Character next = first_character(rest);
        if (is_unseen(next.value)) {
            return "'" + displayable(pattern) +
                   "' holds a blank or another character that nobody sees; remove it, or write ? "
                   "for it";
        }
        rest.remove_prefix(next.length);
    }
    const std::string_view fault =
        policy::pattern_fault(pattern.starts_with("~/") ? pattern.substr(1) : pattern);
    return fault.empty() ? "" : "'" + displayable(pattern) + "' " + std::string(fault);
}

tl::expected<PathRule, std::string> rule_of(const std::string& text) {
    const std::string_view whole = trimmed(text);
    const std::size_t space = std::min(whole.find_first_of(kBlanks), whole.size());
    const auto access = policy::access_named(whole.substr(0, space));
    if (!access) {
        Texts words;
        for (const auto& [name, meaning] : policy::kAccessWords) words.emplace_back(name);
        return tl::unexpected(
            "'" + displayable(text) +
            "' is no rule; write allow, read_only or deny, a space and a pattern" +
            meant(whole.substr(0, space), words));
    }
    std::string pattern(trimmed(whole.substr(space)));
    if (std::string why = not_a_pattern(pattern); !why.empty()) return tl::unexpected(why);
    if (pattern == "." || pattern == "./") pattern = "**";
    PathRule rule{std::move(pattern), *access};
    const auto compiled = policy::PathRules::compile({}, {&rule, 1});
    if (compiled) return rule;
    const std::string_view why = compiled.error().reason;
    return tl::unexpected("'" + displayable(rule.pattern) + "' is no pattern" +
                          (why.empty() ? "" : ": " + std::string(why)));
}

std::string rule_text(const PathRule& rule) {
    for (const auto& [name, access] : policy::kAccessWords) {
        if (access == rule.access) return std::string(name) + " " + rule.pattern;
    }
    return {};
}

// An empty one is a variable that somebody forgot to set, not a wish for the current directory.
Setting root_setting() {
    Setting setting = plain<std::string>(
        {.key = "workspace.root",
         .kind = Kind::kFile,
         .help = "The workspace: the directory that is worked in; without it the current one, or, "
                 "where "
                 "the file has a table [workspace], workspaces/ in the state directory",
         .unit = "DIR",
         .variables = {"PADDOCK_ROOT", "WORKSPACE_ROOT"},
         .flags = {"--root", "--workspace"},
         .example = R"("~/project")"},
        [](Draft& draft) -> std::string& { return draft.root; });
    setting.apply = [](Value value, Draft& draft) -> std::string {
        if (std::get<std::string>(value).empty()) return "is empty";
        draft.root = std::get<std::string>(std::move(value));
        return {};
    };
    return setting;
}

Setting rules_setting() {
    Setting setting{.key = "workspace.rules",
                    .kind = Kind::kTexts,
                    .help =
                        "What may be done with paths: 'allow', 'read_only' or 'deny', a space "
                        "and a pattern; the first that matches decides, before the default "
                        "rules",
                    .unit = "RULE",
                    .variables = {"PADDOCK_RULES"},
                    .flags = {"--rule"},
                    .example = R"(["allow .env.example", "read_only vendor", "deny *.sqlite"])"};
    setting.read = [](const Draft& draft) -> Value {
        Texts texts;
        for (const PathRule& rule : draft.workspace.rules) texts.push_back(rule_text(rule));
        return texts;
    };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        std::vector<PathRule> rules;
        for (const std::string& text : std::get<Texts>(value)) {
            auto rule = rule_of(text);
            if (!rule) return rule.error();
            rules.push_back(std::move(*rule));
        }
        draft.workspace.rules = std::move(rules);
        return {};
    };
    return setting;
}

}  // namespace

std::vector<Setting> workspace_settings() {
    return {
        root_setting(),
        plain<Texts>({.key = "workspace.also",
                      .kind = Kind::kTexts,
                      .help = "Further directories that can be read and changed, by tools and "
                              "commands; each has its own journal",
                      .unit = "DIR",
                      .variables = {"PADDOCK_ALSO"},
                      .flags = {"--also"},
                      .example = R"(["~/library"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.also; }),
        plain<Texts>({.key = "workspace.see",
                      .kind = Kind::kTexts,
                      .help = "Further directories that can be read, by tools and commands",
                      .unit = "DIR",
                      .variables = {"PADDOCK_SEE"},
                      .flags = {"--see"},
                      .example = R"(["~/reference"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.see; }),
        plain<bool>({.key = "workspace.read_only",
                     .kind = Kind::kSwitch,
                     .help = "Without the tools that change files, and without bash",
                     .variables = {"PADDOCK_READ_ONLY", "READ_ONLY"},
                     .flags = {"--read-only"}},
                    [](Draft& draft) -> bool& { return draft.workspace.read_only; }),
        reason({.key = "workspace.allow_outside_workspace",
                .help = "Paths of the file tools reach the whole file system, commands stay in the "
                        "workspace; says why",
                .variables = {"PADDOCK_ALLOW_OUTSIDE_WORKSPACE", "ALLOW_OUTSIDE_WORKSPACE"},
                .flags = {"--allow-outside-workspace"},
                .example = R"("a machine that is thrown away after the task")"},
               [](Draft& draft) -> std::string& { return draft.outside_reason; }),
        plain<Texts>({.key = "workspace.tools",
                      .kind = Kind::kTexts,
                      .help = "The tools that are listed: names, 'core' (read, write, edit, "
                              "patch, find, list, bash) or 'full'; empty: all",
                      .unit = "TOOL",
                      .variables = {"PADDOCK_TOOLS"},
                      .flags = {"--tools"},
                      .example = R"(["core", "move_path"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.tools; }),
        rules_setting(),
        plain<bool>({.key = "workspace.default_rules",
                     .kind = Kind::kSwitch,
                     .help = "Files that usually hold secrets are denied; what git, shells and "
                             "agents obey is read-only",
                     .off_help = "Without the rules that deny secrets and protect settings",
                     .variables = {"PADDOCK_DEFAULT_RULES"},
                     .flags = {"--no-default-rules"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.default_rules; }),
        plain<Texts>({.key = "workspace.ignore",
                      .kind = Kind::kTexts,
                      .help = "Searches pass over these too: lines as in a .gitignore file",
                      .unit = "PATTERN",
                      .variables = {"PADDOCK_IGNORE"},
                      .flags = {"--ignore-files"},
                      .example = R"(["node_modules/", "*.min.js"])"},
                     [](Draft& draft) -> Texts& { return draft.ignore; }),
        plain<bool>({.key = "workspace.track_reads",
                     .kind = Kind::kSwitch,
                     .help = "An existing file must have been read in the session, as it is now, "
                             "before it is changed",
                     .off_help = "Files can be changed without having been read before",
                     .variables = {"PADDOCK_TRACK_READS"},
                     .flags = {"--no-track-reads"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.track_reads; }),
    };
}

std::vector<Setting> path_settings() {
    return {
        choice<AbsolutePaths>(
            {.key = "paths.absolute",
             .help = "Absolute paths: mapped inside, or refused",
             .flags = {"--absolute"}},
            [](Draft& draft) -> AbsolutePaths& { return draft.workspace.paths.absolute; },
            {{"inside", AbsolutePaths::kInside}, {"reject", AbsolutePaths::kReject}}),
        choice<DotDot>({.key = "paths.dotdot",
                        .help = "'..': reduced before the look-up, or refused",
                        .flags = {"--dotdot"}},
                       [](Draft& draft) -> DotDot& { return draft.workspace.paths.dotdot; },
                       {{"normalize", DotDot::kNormalize}, {"reject", DotDot::kReject}}),
        choice<Symlinks>({.key = "paths.symlinks",
                          .help = "Links: followed inside, or refused",
                          .flags = {"--symlinks"}},
                         [](Draft& draft) -> Symlinks& { return draft.workspace.paths.symlinks; },
                         {{"inside", Symlinks::kInside}, {"reject", Symlinks::kReject}}),
        choice<Hardlinks>(
            {.key = "paths.hardlinks",
             .help = "Files with several names: they can be read, or are refused",
             .flags = {"--hardlinks"}},
            [](Draft& draft) -> Hardlinks& { return draft.workspace.paths.hardlinks; },
            {{"readable", Hardlinks::kReadable}, {"reject", Hardlinks::kReject}}),
        plain<Texts>({.key = "paths.mounts",
                      .kind = Kind::kTexts,
                      .help = "Directories below the root at which another file system may be "
                              "entered",
                      .unit = "DIR",
                      .flags = {"--mount"},
                      .example = R"(["data"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.paths.mounts; }),
        reason({.key = "paths.every_mount",
                .help = "Every file system mounted below the root may be entered; says why",
                .flags = {"--every-mount"},
                .example = R"("the data sets are mounted one by one")"},
               [](Draft& draft) -> std::string& { return draft.every_mount_reason; }),
        choice<ResolverKind>(
            {.key = "paths.resolver",
             .help = "Who opens files there; the answers are the same",
             .variables = {"PADDOCK_RESOLVER"},
             .flags = {"--resolver"}},
            [](Draft& draft) -> ResolverKind& { return draft.workspace.paths.resolver; },
            {{"auto", ResolverKind::kProbe},
             {"openat2", ResolverKind::kOpenat2},
             {"walk", ResolverKind::kWalk}}),
    };
}

}  // namespace paddock::config
