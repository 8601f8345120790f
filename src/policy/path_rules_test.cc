#include "policy/path_rules.h"

#include <gtest/gtest.h>

#include <set>

#include <paddock/limits.h>

#include "policy/path_defaults.h"
#include "testing/secret_samples.h"

namespace paddock::policy {
namespace {

TEST(NameAlias, leaves_plain_names_alone) {
    for (const char* path : {"", ".", ".env", "a/b.c/d e", "...", "a/.../b", "src/main.cc", " a/b",
                             "\xc3\xa4/\xe6\x97\xa5", "caf\xe9"}) {
        EXPECT_EQ(plain_spelling(path), std::nullopt) << path;
    }
}

TEST(NameAlias, folds_what_file_systems_fold) {
    EXPECT_EQ(plain_spelling(".g\xe2\x80\x8cit/config"), ".git/config");
    EXPECT_EQ(plain_spelling("\xef\xbb\xbf.git/hoo\xe2\x84\xaas/x"), ".git/hooks/x");
    EXPECT_EQ(plain_spelling(".\xc5\xbf\xc5\xbfh/id"), ".ssh/id");
    EXPECT_EQ(plain_spelling(".\xc3\x9fh"), ".ssh");
    EXPECT_EQ(plain_spelling("a.p\xef\xac\x81x"), "a.pfix");
    EXPECT_EQ(plain_spelling(".git./con\xef\xac\x81g"), ".git/config");
    EXPECT_EQ(plain_spelling(".env. ."), ".env");
    EXPECT_EQ(plain_spelling("a /b"), "a/b");
    EXPECT_EQ(plain_spelling("\xe2\x80\x8b/\xe2\x80\x8b"
                             "b"),
              "\xe2\x80\x8b/b");
}

TEST(NameAlias, is_restricted_like_the_plain_name) {
    const PathRules rules = PathRules::compile({}, default_path_rules()).value();
    for (const char* path : {".e\xe2\x80\x8bnv", ".env.", "x/.\xc5\xbf\xc5\xbfh/known",
                             "server.\xe2\x84\xaa"
                             "ey"}) {
        EXPECT_EQ(rules.decide(path).access, Access::kDeny) << path;
    }
    for (const char* path : {".vscode /x", ".VSCODE/x", ".mcp.json."}) {
        EXPECT_EQ(rules.decide(path).access, Access::kReadOnly) << path;
    }
    for (const char* path : {"notes.", "\xc3\x9f.txt", "a\xe2\x80\x8b.c"}) {
        EXPECT_EQ(rules.decide(path).access, Access::kAllow) << path;
    }
    const std::vector<PathRule> given = {{"/conf/keys", Access::kDeny}};
    const PathRules one = PathRules::compile(given, {}).value();
    EXPECT_FALSE(one.covers_something_below("con\xef\xac\x80"));
    EXPECT_TRUE(one.covers_something_below("conf."));
    EXPECT_EQ(one.decide("conf./\xe2\x84\xaa"
                         "eys/x")
                  .access,
              Access::kDeny);
}

// A name that the operator allows is not allowed because it looks like another.
TEST(NameAlias, does_not_lift_a_restriction) {
    const std::vector<PathRule> given = {{"open", Access::kAllow}, {"**", Access::kDeny}};
    const PathRules rules = PathRules::compile(given, {}).value();
    EXPECT_EQ(rules.decide("open").access, Access::kAllow);
    EXPECT_EQ(rules.decide("open.").access, Access::kDeny);
}

}  // namespace
}  // namespace paddock::policy

using namespace paddock;
using namespace paddock::policy;
using paddock::testing::Chance;

namespace {

PathRules rules(std::initializer_list<PathRule> given) {
    return PathRules::compile(std::vector<PathRule>(given), {}).value();
}

const PathRules& defaults() {
    static const PathRules kRules = PathRules::compile({}, default_path_rules()).value();
    return kRules;
}

std::string name_of(Access access) {
    return access == Access::kAllow ? "allow" : access == Access::kDeny ? "deny" : "read_only";
}

std::string decided(const PathRules& rules, std::string_view path) {
    return name_of(rules.decide(path).access);
}

// "a/a/a/leaf"
std::string deep_path(const std::string& directory, int depth, const std::string& leaf) {
    std::string path;
    for (int i = 0; i < depth; ++i) path += directory + "/";
    return path + leaf;
}

TEST(PathRules, allow_what_no_rule_names) {
    const Decision decision = rules({{"secret", Access::kDeny}}).decide("src/main.cc");
    EXPECT_EQ(decision.access, Access::kAllow);
    EXPECT_FALSE(decision.rule.has_value());
    EXPECT_EQ(rules({}).decide("").access, Access::kAllow);
}

TEST(PathRules, decide_by_the_first_match) {
    const PathRules both = rules({{"*.log", Access::kAllow}, {"logs", Access::kDeny}});
    EXPECT_EQ(decided(both, "logs/x.txt"), "deny");
    EXPECT_EQ(decided(both, "logs/x.log"), "allow");
    const PathRules swapped = rules({{"logs", Access::kDeny}, {"*.log", Access::kAllow}});
    EXPECT_EQ(decided(swapped, "logs/x.log"), "deny");
    const Decision decision = swapped.decide("logs/x.log");
    EXPECT_EQ(decision.rule, 0U);
    EXPECT_EQ(decision.pattern, "logs");
}

TEST(PathRules, ask_the_operator_before_the_defaults) {
    const std::vector<PathRule> given = {{"testdata/*.pem", Access::kAllow},
                                         {"/.vscode", Access::kAllow}};
    const PathRules all = PathRules::compile(given, default_path_rules()).value();
    EXPECT_EQ(decided(all, "testdata/a.pem"), "allow");
    EXPECT_EQ(decided(all, "other/a.pem"), "deny");
    EXPECT_EQ(decided(all, ".vscode/tasks.json"), "allow");
    EXPECT_EQ(decided(all, "sub/.vscode/tasks.json"), "read_only");
}

TEST(PathRules, keep_the_stricter_of_a_further_rule_and_a_default) {
    const std::vector<PathRule> given = {{"mine/.git/myhooks", Access::kAllow}};
    const std::vector<PathRule> further = {
        {"**/.git/myhooks", Access::kReadOnly}, {"**/co/hooks/.husky", Access::kReadOnly},
        {"/.myhooks", Access::kReadOnly},       {"/hooks.pub", Access::kReadOnly},
        {"/.git/config", Access::kReadOnly},    {"/lifted/**", Access::kAllow}};
    const PathRules all = PathRules::compile(given, default_path_rules(), further).value();
    for (const char* path : {".git/myhooks/pre-commit", "a/.git/myhooks", "hooks.pub",
                             "node_modules/co/hooks/.husky/pre-commit", ".myhooks/x"}) {
        EXPECT_EQ(decided(all, path), "read_only") << path;
        EXPECT_EQ(decided(defaults(), path), "allow") << path << ": nothing is to be kept";
        EXPECT_FALSE(all.decide(path).by_operator) << path;
    }
    EXPECT_EQ(decided(all, "mine/.git/myhooks/x"), "allow") << "the operator comes first";
    EXPECT_EQ(decided(all, ".myhooks/.env"), "deny");
    EXPECT_EQ(decided(all, "lifted/.env"), "deny");
    EXPECT_TRUE(all.covers_something_below("lifted"));
    EXPECT_TRUE(all.covers_something_below(".git"));
    EXPECT_TRUE(all.covers_something_below("node_modules/co/hooks/.husky"));
    EXPECT_EQ(all.restricted_below("a/.git").size(),
              defaults().restricted_below("a/.git").size() + 1);
    EXPECT_FALSE(all.restricted_below(".myhooks/.config").empty()) << "a secret may be below";
}

TEST(PathRules, ask_the_defaults_whatever_a_further_rule_covers) {
    for (const char* pattern : {"**", "/**"}) {
        const std::vector<PathRule> further = {{pattern, Access::kReadOnly}};
        const PathRules all = PathRules::compile({}, default_path_rules(), further).value();
        EXPECT_EQ(decided(all, "a/b"), "read_only") << pattern;
        EXPECT_EQ(decided(all, "a/.env"), "deny") << pattern;
    }
    const std::vector<PathRule> many(769 - default_path_rules().size(), {"a", Access::kReadOnly});
    EXPECT_GT(many.size(), 256U) << "so many may come from git's settings outside";
    EXPECT_FALSE(PathRules::compile({}, default_path_rules(), many));
}

TEST(PathRules, cover_all_below_a_directory) {
    for (const char* pattern : {"a/private", "a/private/", "**/private", "private", "/a/private"}) {
        const PathRules one = rules({{pattern, Access::kDeny}});
        EXPECT_EQ(decided(one, "a/private"), "deny") << pattern;
        EXPECT_EQ(decided(one, "a/private/b/c/not/there"), "deny") << pattern;
        EXPECT_EQ(decided(one, "a/privately"), "allow") << pattern;
        EXPECT_EQ(decided(one, "a"), "allow") << pattern;
    }
}

TEST(PathRules, tie_a_pattern_to_the_root_by_a_slash) {
    const PathRules anywhere = rules({{"build", Access::kReadOnly}});
    EXPECT_EQ(decided(anywhere, "build/x"), "read_only");
    EXPECT_EQ(decided(anywhere, "a/build/x"), "read_only");
    for (const char* pattern : {"/build", "/build/"}) {
        const PathRules top = rules({{pattern, Access::kReadOnly}});
        EXPECT_EQ(decided(top, "build/x"), "read_only");
        EXPECT_EQ(decided(top, "a/build/x"), "allow");
    }
    const PathRules inside = rules({{"a/build", Access::kReadOnly}});
    EXPECT_EQ(decided(inside, "a/build"), "read_only");
    EXPECT_EQ(decided(inside, "b/a/build"), "allow");
}

TEST(PathRules, know_what_is_below_only) {
    const PathRules below = rules({{"build/**", Access::kDeny}});
    EXPECT_EQ(decided(below, "build"), "allow");
    EXPECT_EQ(decided(below, "build/a"), "deny");
    EXPECT_EQ(decided(below, "build/a/b"), "deny");
    const PathRules all = rules({{"docs", Access::kAllow}, {"**", Access::kReadOnly}});
    EXPECT_EQ(decided(all, "docs/a"), "allow");
    EXPECT_EQ(decided(all, "src/a"), "read_only");
    EXPECT_EQ(decided(all, ""), "allow");
}

TEST(PathRules, ignore_case_only_where_they_restrict) {
    const PathRules both = rules({{"Public", Access::kAllow}, {"Secret", Access::kDeny}});
    EXPECT_EQ(decided(both, "SECRET/a"), "deny");
    EXPECT_EQ(decided(both, "secret"), "deny");
    EXPECT_EQ(decided(both, "Public/Secret"), "allow");
    EXPECT_EQ(decided(both, "public/Secret"), "deny");
}

TEST(PathRules, take_every_kind_of_glob) {
    const PathRules one = rules({{"{a,b/c}/[xy]?.{h,cc}", Access::kDeny}});
    EXPECT_EQ(decided(one, "a/x1.h"), "deny");
    EXPECT_EQ(decided(one, "b/c/y2.cc"), "deny");
    EXPECT_EQ(decided(one, "b/y2.cc"), "allow");
    EXPECT_EQ(decided(rules({{"x\\*", Access::kDeny}}), "x*"), "deny");
    EXPECT_EQ(decided(rules({{"x\\*", Access::kDeny}}), "xy"), "allow");
    EXPECT_EQ(decided(rules({{"a/b/..", Access::kDeny}}), "a"), "deny");
}

TEST(PathRules, refuse_what_is_no_pattern) {
    const auto code = [](std::string pattern) {
        const std::vector<PathRule> given = {{std::move(pattern), Access::kDeny}};
        const auto made = PathRules::compile(given, {});
        return made ? "" : std::string(code_name(made.error().code));
    };
    EXPECT_EQ(code(""), "invalid_argument");
    EXPECT_EQ(code("/"), "invalid_argument");
    EXPECT_EQ(code("a{b"), "invalid_argument");
    EXPECT_EQ(code("../x"), "path_escape");
    const std::vector<PathRule> many(limits::kPathRulesMax + 1, {"x", Access::kDeny});
    EXPECT_EQ(PathRules::compile(many, {}).error().code, Code::kLimitReached);
}

// What an operator writes and what matches nothing, or something else.
TEST(PathRules, issue_17_2_refuse_an_operators_pattern_that_is_not_meant) {
    for (const char* pattern :
         {"!x",       "\"x\"",   "'x'",      "`x`",       "\"x",      "x'",   "x ",     " x",
          "x\t",      "x\r",     " ",        "a; deny b", "a deny b", "a\nb", "a;",     "a,",
          "x # mine", "$HOME/x", "${DIR}/x", "~root/x",   "~/x",      "~",    "dir\\x", "a\r\nb"}) {
        const std::vector<PathRule> given = {{pattern, Access::kDeny}};
        const auto made = PathRules::compile(given, {});
        ASSERT_FALSE(made) << pattern;
        EXPECT_FALSE(made.error().reason.empty()) << pattern;
        EXPECT_TRUE(PathRules::compile({}, given)) << pattern << " is a glob";
    }
    for (const char* pattern : {"x!", "a b", "it's", "a#b", "#a", "$id.tsx", "~$report.docx", "./~",
                                "*~", "x;y", "a,b", "?x?", "{a,b}"}) {
        const std::vector<PathRule> given = {{pattern, Access::kDeny}};
        EXPECT_TRUE(PathRules::compile(given, {})) << pattern;
    }
    for (const char* all : {".", "./"}) {
        EXPECT_EQ(decided(rules({{all, Access::kDeny}}), "a/b"), "deny") << all;
    }
}

TEST(PathRules, say_whether_a_tree_must_be_looked_into) {
    const PathRules one = rules({{"vendor", Access::kAllow},
                                 {"config/secrets", Access::kDeny},
                                 {"/docs/**", Access::kReadOnly}});
    EXPECT_TRUE(one.covers_something_below(""));
    EXPECT_TRUE(one.covers_something_below("config"));
    EXPECT_TRUE(one.covers_something_below("config/secrets"));
    EXPECT_TRUE(one.covers_something_below("config/secrets/deep"));
    EXPECT_TRUE(one.covers_something_below("docs"));
    EXPECT_FALSE(one.covers_something_below("config/other"));
    EXPECT_FALSE(one.covers_something_below("src"));
    EXPECT_FALSE(one.covers_something_below("vendor"));
    EXPECT_FALSE(one.covers_something_below("config/secrets/vendor"));
    EXPECT_FALSE(rules({}).covers_something_below(""));
    EXPECT_FALSE(rules({{"**", Access::kAllow}, {"x", Access::kDeny}}).covers_something_below(""));
    EXPECT_TRUE(rules({{"*.pem", Access::kDeny}}).covers_something_below("any/where"));
}

// What covers_something_below denies must not turn up below.
TEST(PathRules, know_what_a_directory_gives_its_name_to) {
    const auto below = [](const PathRules& rules, std::string_view directory) {
        std::string text;
        for (const auto& [path, pattern] : rules.restricted_below(directory)) {
            text += std::string(pattern) + ">" + std::string(path) + " ";
        }
        return text;
    };
    const auto rules = PathRules::compile(
        std::vector<PathRule>{{"**/.config/{git,gh/hosts.yml}", Access::kReadOnly},
                              {"open/**", Access::kAllow},
                              {"open/shut/x", Access::kDeny},
                              {"/a/*/c*", Access::kDeny},
                              {"all/**", Access::kDeny},
                              {"plain", Access::kDeny}},
        {});
    ASSERT_TRUE(rules);
    const std::string config = "**/.config/{git,gh/hosts.yml}>";
    EXPECT_EQ(below(*rules, "x/.Config"), config + "git " + config + "gh/hosts.yml ");
    EXPECT_EQ(below(*rules, ".config/gh"), config + "hosts.yml ");
    EXPECT_EQ(below(*rules, ".config/git"), "");  // restricted itself
    EXPECT_EQ(below(*rules, "a"), "/a/*/c*> ");
    EXPECT_EQ(below(*rules, "x/a"), "");
    EXPECT_EQ(below(*rules, "a/b"), "");  // any name would do
    EXPECT_EQ(below(*rules, "all"), "all/**> ");
    EXPECT_EQ(below(*rules, "open"), "");
    EXPECT_EQ(below(*rules, "open/shut"), "");
    EXPECT_EQ(below(*rules, "plain"), "");
    EXPECT_EQ(below(*rules, "other"), "");
}

// Each link of a tree is asked about, however deep somebody made it: with every rule matched on
// every directory above, these would take hours.
TEST(PathRules, judge_what_lies_deep_as_quickly_as_they_read_it) {
    const std::string deep = deep_path("a", 2000, "link");
    const std::string named = deep_path("config", 500, "config");
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_TRUE(defaults().restricted_below(deep).empty());
        ASSERT_TRUE(defaults().restricted_below(named).empty());
        ASSERT_TRUE(defaults().covers_something_below(deep));
        ASSERT_TRUE(defaults().covers_something_below(named));
    }
    EXPECT_EQ(defaults().restricted_below(deep + "/.aws").size(), 1U);
}

TEST(PathRules, agree_with_themselves_on_trees) {
    const std::vector<std::string> patterns = {"a",  "b",     "/a", "a/b",     "*",  "**/b", "a/**",
                                               "**", "a/*/c", "c",  "{a,b}/c", "b/", "/c/**"};
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        Chance chance(seed);
        std::vector<PathRule> given;
        for (std::uint32_t i = chance.below(4); i < 4; ++i) {
            given.push_back({patterns[chance.below(static_cast<std::uint32_t>(patterns.size()))],
                             static_cast<Access>(chance.below(3))});
        }
        const PathRules made = PathRules::compile(given, {}).value();
        const std::string directory = chance.below(4) == 0 ? "" : chance.text("abc", 1);
        if (made.covers_something_below(directory)) continue;
        for (const char* below : {"a", "b", "c", "a/b", "b/c", "a/c/c", "c/c", "a/b/c"}) {
            const std::string path = directory.empty() ? below : directory + "/" + below;
            EXPECT_EQ(decided(made, path), "allow") << path;
        }
    }
}

// A path that a rule restricts has a name that says so.
TEST(PathRules, issue_17_12_know_the_names_that_may_restrict) {
    const std::vector<std::string> patterns = {
        "a",    "*b",      "/a",      "a/b", "*/?c",  "**/b",         "a/**", "**",       "a/*/c",
        "[ab]", "a/[!c]*", "{a,b}/c", "b/",  "/c/**", "a/{b,c}/**/x", "x*",   "**/a/**/b"};
    const std::vector<std::string> names = {
        "a",      "b",     "c",    "x",     "xx",  "B",          "a.",   "b~",      "#a#",
        "\u212A", "a.bak", ".env", ".ENV~", "src", "id_rsa.old", "docs", ".github", "ab"};
    const auto size_of = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    int restricted = 0;
    int ordinary = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        Chance chance(seed);
        std::vector<PathRule> given;
        for (std::uint32_t i = chance.below(4); i < 4; ++i) {
            given.push_back(
                {patterns[chance.below(size_of(patterns))], static_cast<Access>(chance.below(3))});
        }
        const PathRules made = seed % 40 == 0
                                   ? PathRules::compile(given, default_path_rules()).value()
                                   : PathRules::compile(given, {}).value();
        std::string path;
        bool may_be = false;
        for (std::uint32_t i = chance.below(6); i < 6; ++i) {
            const std::string& name = names[chance.below(size_of(names))];
            path += (path.empty() ? "" : "/") + name;
            may_be = may_be || made.may_restrict_by(name);
        }
        const bool is_restricted = made.decide(path).access != Access::kAllow;
        EXPECT_TRUE(may_be || !is_restricted) << path;
        restricted += is_restricted ? 1 : 0;
        ordinary += may_be ? 0 : 1;
    }
    EXPECT_GT(restricted, 1000);
    EXPECT_GT(ordinary, 300);
    for (const char* name : {"a", "d", "src", "main.cc", "node_modules", "package.json", "docs"}) {
        EXPECT_FALSE(defaults().may_restrict_by(name)) << name;
    }
    for (const char* name : {".env", ".ENV", "server.pem~", ".bashrc", ".env."}) {
        EXPECT_TRUE(defaults().may_restrict_by(name)) << name;
    }
}

TEST(PathDefaults, deny_secrets_at_any_depth_and_in_any_case) {
    for (const std::string name : {".env",
                                   ".env.local",
                                   ".env.production",
                                   "server.pem",
                                   "tls.key",
                                   "id_rsa",
                                   "id_rsa.bak",
                                   "id_ed25519",
                                   "id_ecdsa_sk",
                                   "id_dsa",
                                   ".netrc",
                                   ".pgpass",
                                   "a.p12",
                                   "b.pfx",
                                   "c.kdbx",
                                   ".aws/credentials",
                                   ".docker/config.json",
                                   ".ssh/config",
                                   ".git-credentials",
                                   ".kube/config",
                                   ".gnupg/private-keys-v1.d/x",
                                   "client_secret_1.json"}) {
        std::string upper = name;
        for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        for (const std::string& path : {name, "deep/er/" + name, upper, "x/" + upper}) {
            EXPECT_EQ(decided(defaults(), path), "deny") << path;
        }
    }
}

TEST(PathDefaults, leave_what_only_looks_like_secrets) {
    for (const char* path :
         {".env.example", "a/.env.sample", ".env.template", "id_rsa.pub", "x/id_ed25519.pub",
          "environment", "env", "src/key.cc", "keys.md", "pem", ".npmrc", "config.json", "monkey",
          ".aws/config", "venv/lib/certifi/cacert.pem", "id_card.png"}) {
        EXPECT_EQ(decided(defaults(), path), "allow") << path;
    }
}

TEST(PathDefaults, lift_nothing_below_a_directory_that_is_called_like_a_public_file) {
    for (const char* path :
         {".env.example/.env", "a/.env.dist/x", "id_x.pub/.ssh/id_rsa", "node_modules/x/a.pem/.env",
          "site-packages/x.key/y", "cacert.pem/.env", "k.pub.pem/.netrc"}) {
        EXPECT_EQ(decided(defaults(), path), "deny") << path;
    }
    EXPECT_EQ(decided(defaults(), "id_x.pub/.claude/settings.json"), "read_only");
    EXPECT_TRUE(defaults().covers_something_below("id_x.pub"));
    EXPECT_FALSE(defaults().restricted_below("id_x.pub/.config").empty());
    const std::vector<PathRule> given = {{"id_x.pub", Access::kAllow}};
    const PathRules all = PathRules::compile(given, default_path_rules()).value();
    EXPECT_EQ(decided(all, "id_x.pub/.env"), "allow") << "the operator means what is below too";
}

TEST(PathDefaults, know_that_branches_are_no_files) {
    for (const char* path :
         {".git/refs/heads/lefthook.yml", ".git/refs/heads/mise.toml", ".git/refs/heads/prod.env",
          ".git/refs/heads/fix.key", ".git/logs/refs/heads/id_rsa-login", ".git/refs/tags/env",
          "a/.git/modules/m/refs/heads/x.pem", ".git/worktrees/w/logs/crush.json"}) {
        EXPECT_EQ(decided(defaults(), path), "allow") << path;
    }
    // No branch begins with a dot: whatever does was moved there.
    for (const char* path : {".git/refs/app/.env", "a/.git/modules/m/refs/heads/.ssh/id_rsa",
                             ".git/objects/certs/server.key"}) {
        EXPECT_EQ(decided(defaults(), path), "deny") << path;
    }
    for (const char* path : {".git/refs/.claude/x", ".git/logs/h/.config/fish/config.fish",
                             ".git/worktrees/w/logs/.vscode", ".git/objects/x/.mcp.json"}) {
        EXPECT_EQ(decided(defaults(), path), "read_only") << path;
    }
    EXPECT_EQ(decided(defaults(), ".git/x.key"), "deny");
}

TEST(PathDefaults, keep_what_shells_editors_and_agents_obey_as_it_is) {
    for (const char* path : {".bashrc",
                             "a/.profile",
                             ".zshenv",
                             ".BASHRC",
                             ".config/fish/config.fish",
                             ".vscode/tasks.json",
                             "sub/.idea/workspace.xml",
                             ".mcp.json",
                             ".claude/settings.json",
                             ".codex/config.toml",
                             ".cursor/mcp.json",
                             ".gemini/settings.json",
                             ".agents/x",
                             ".husky/pre-commit",
                             "opencode.json",
                             "x.code-workspace",
                             "node_modules/.bashrc",
                             ".gitconfig",
                             ".helix/config.toml",
                             "a/.vim/coc-settings.json",
                             ".run/x.run.xml",
                             ".theia/tasks.json",
                             ".nova/Tasks/x.json",
                             ".vibe/config.toml",
                             ".iflow/settings.json",
                             ".codebuddy/settings.json",
                             ".qoder/settings.json",
                             ".pi/extensions/x.ts",
                             ".github/hooks/x.json"}) {
        EXPECT_EQ(decided(defaults(), path), "read_only") << path;
    }
    EXPECT_EQ(decided(defaults(), ".envrc"), "deny");
    for (const char* path : {"CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", "bashrc",
                             "profile", "claude/settings.json", ".editorconfig",
                             ".github/workflows/ci.yml", "node_modules/a/b/.vscode/settings.json",
                             "venv/lib/python3/site-packages/grpc/roots.pem"}) {
        EXPECT_EQ(decided(defaults(), path), "allow") << path;
    }
}

// Issue 17, row 3.
TEST(PathDefaults, issue_17_3_are_a_table_with_a_reason_a_source_and_a_date) {
    std::set<std::string> seen;
    for (const PathDefault& row : path_defaults()) {
        EXPECT_FALSE(row.patterns.empty());
        EXPECT_FALSE(row.reason.empty()) << row.patterns;
        EXPECT_FALSE(row.source.empty()) << row.patterns;
        EXPECT_TRUE(row.date.starts_with("2026-") && row.date.size() == 10) << row.patterns;
        EXPECT_EQ(row.patterns.find("  "), row.patterns.npos) << row.patterns;
        EXPECT_NE(row.patterns.back(), ' ') << row.patterns;
    }
    for (const PathRule& rule : default_path_rules()) {
        EXPECT_TRUE(seen.insert(rule.pattern).second) << rule.pattern << " is there twice";
        // Anything else is compared with every name of a search.
        EXPECT_EQ(rule.pattern.find_first_of("[{"), rule.pattern.npos) << rule.pattern;
    }
    EXPECT_GT(seen.size(), 200U);
}

TEST(PathDefaults, issue_17_3_deny_backups_and_variants_of_secrets) {
    for (const char* path : {".env~",
                             "#.env#",
                             ".#.env",
                             ".env-local",
                             ".env_prod",
                             "prod.env",
                             ".prod.env~",
                             ".netrc~",
                             "server.pem~",
                             "tls.key.bak",
                             "a/tls.key.old.2",
                             "x.pem.orig",
                             "x.p12.save",
                             ".server.pem.swp",
                             ".id_rsa.swp",
                             ".pgpass.bak",
                             ".aws/credentials.bak",
                             ".ssh.old/config",
                             ".docker/config.json~",
                             ".git-credentials.tmp",
                             "server.pem.~3~",
                             "SERVER.PEM.BAK",
                             "server.pem.bak~",
                             ".env.bak1",
                             ".env copy",
                             ".env copy 2",
                             ".env (copy)",
                             ".env (1)",
                             ".env-20261119",
                             ".env,v",
                             "server.pem.1",
                             "server.pem.2026-11-19",
                             "server.pem (2)",
                             "server.key-old",
                             "server.key_bak.3",
                             "server.key.dpkg-old",
                             "server.key.rej",
                             ".netrc-backup",
                             ".envrc.local",
                             ".envrc-private~",
                             "x.kdbx.backup-2",
                             "client_secret_1.json.copy"}) {
        EXPECT_EQ(decided(defaults(), path), "deny") << path;
    }
    for (const char* path : {".env.example",
                             ".env.local.example",
                             "a/.env.production.sample",
                             ".env.test.template",
                             ".env-example",
                             "example.env",
                             "app.example.env",
                             ".env.schema",
                             ".envrc.example",
                             "i18n.key.ts",
                             "key.1",
                             "a.keys.2",
                             "env.d.ts",
                             "notes~",
                             "x.bak",
                             "main.c.orig",
                             "cacert.pem~",

                             "~",
                             "#",
                             "##",
                             ".bak",
                             "a.tmp",
                             "monkey.bak",
                             "keys.md~",
                             "node_modules/p/a.pem.bak",
                             "version2",
                             ".git/refs/heads/a.key~",
                             "mise.toml.bak",
                             ".bashrc~",
                             ".vscode.old/tasks.json",
                             "lefthook.yml.orig"}) {
        EXPECT_EQ(decided(defaults(), path), "allow") << path;
    }
    // The operator means what was written, and comes first.
    EXPECT_EQ(decided(rules({{"secret", Access::kDeny}}), "secret~"), "allow");
    const std::vector<PathRule> given = {{"*.pem~", Access::kAllow}, {"free.key", Access::kAllow}};
    const PathRules all = PathRules::compile(given, default_path_rules()).value();
    EXPECT_EQ(decided(all, "a.pem~"), "allow");
    EXPECT_EQ(decided(all, "free.key~"), "allow");
    EXPECT_EQ(decided(all, "a.pem.bak"), "deny");
    EXPECT_EQ(all.decide("a.pem.bak").pattern, "*.pem");
}

TEST(PathDefaults, issue_17_3_seal_what_debuggers_version_managers_and_hooks_obey) {
    for (const char* path : {".gdbinit",
                             "a/.lldbinit",
                             ".exrc",
                             ".nvim.lua",
                             ".vimrc",
                             ".cline/x",
                             ".clinerules",
                             ".clinerules/hooks/PreToolUse",
                             "mise.toml",
                             ".mise.toml",
                             "mise.local.toml",
                             ".mise.dev.toml",
                             ".config/mise/config.toml",
                             ".config/mise.toml",
                             "mise/config.toml",
                             ".mise/config.toml",
                             "lefthook.yml",
                             ".lefthook.yaml",
                             "lefthook-local.toml",
                             ".config/lefthook.yml",
                             ".lefthook/pre-commit/x.sh",
                             ".githooks/pre-commit",
                             ".yarnrc.yml",
                             ".yarnrc",
                             ".yarn/releases/yarn-4.cjs",
                             ".tool-versions",
                             ".asdfrc",
                             ".cargo/config.toml",
                             "a/.cargo/config",
                             ".Rprofile",
                             ".irbrc",
                             ".pdbrc"}) {
        EXPECT_EQ(decided(defaults(), path), "read_only") << path;
    }
    for (const char* path :
         {"mise.md", "src/mise.rs", ".mise/tasks/build", "mise-tasks/x", "lefthook.go", ".nvmrc",
          ".python-version", ".npmrc", ".yarn/cache/x.zip", ".pnp.cjs", ".cargo/registry/x",
          "cargo/config.toml", "node_modules/p/.yarnrc.yml", "node_modules/p/.tool-versions",
          "node_modules/p/.githooks/x", ".pre-commit-config.yaml"}) {
        EXPECT_EQ(decided(defaults(), path), "allow") << path;
    }
}

TEST(PathDefaults, are_told_from_what_the_operator_wrote) {
    const std::vector<PathRule> given = {{".vscode", Access::kAllow}};
    const PathRules all = PathRules::compile(given, default_path_rules()).value();
    EXPECT_TRUE(all.decide(".vscode/x").by_operator);
    EXPECT_FALSE(all.decide(".idea/x").by_operator);
    EXPECT_FALSE(all.decide("plain").by_operator);
}

}  // namespace
