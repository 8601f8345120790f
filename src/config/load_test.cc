#include "config/load.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <paddock/config.h>
#include <paddock/limits.h>

#include "config/settings.h"
#include "config/words.h"
#include "policy/host_rules.h"
#include "policy/path_rules.h"
#include "testing/jail.h"

namespace paddock::config {
namespace {

using testing::Jail;
using Strings = std::vector<std::string>;

std::string joined(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) text += problem.message() + "\n";
    return text;
}

class Load : public Jail {
protected:
    // Where a configuration that names no root is about.
    void SetUp() override { ASSERT_EQ(::chdir(ws().c_str()), 0); }
    void TearDown() override { ASSERT_EQ(::chdir("/"), 0); }

    // The file in its usual place.
    std::string write(const std::string& text) {
        std::string file = base() + "/home/.config/paddock/paddock.toml";
        tree({"home/.config/paddock/paddock.toml="});
        os_write(file, text);
        EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
        return file;
    }

    Source source(Strings environment = {}, std::vector<Override> overrides = {}) const {
        environment.push_back("HOME=" + base() + "/home");
        return {.environment = std::move(environment), .overrides = std::move(overrides)};
    }

    Configuration loaded(const Source& source) const {
        auto result = load(source);
        EXPECT_TRUE(result) << joined(result ? std::vector<Problem>() : result.error());
        return result ? std::move(*result) : Configuration();
    }

    std::string refused(const Source& source) const {
        const auto result = load(source);
        EXPECT_FALSE(result);
        return result ? "" : joined(result.error());
    }

    static const Item& item(const Configuration& configuration, const std::string& key) {
        for (const Item& each : configuration.items) {
            if (each.key == key) return each;
        }
        ADD_FAILURE() << key;
        return configuration.items.front();
    }
};

TEST_F(Load, nothing_at_all_is_the_current_directory_confined) {
    const Configuration made = loaded({});
    EXPECT_EQ(made.workspace.root, ".");
    EXPECT_EQ(made.file, "");
    EXPECT_FALSE(made.workspace.unconfined);
    EXPECT_FALSE(made.workspace.read_only);
    EXPECT_TRUE(made.workspace.track_reads && made.workspace.redact_secrets);
    EXPECT_TRUE(made.workspace.default_rules);
    ASSERT_TRUE(made.workspace.shell);
    EXPECT_FALSE(made.workspace.shell->host_network);
    EXPECT_EQ(made.serve.address, "127.0.0.1");
    for (const Item& each : made.items) EXPECT_TRUE(each.is_default) << each.key;
    EXPECT_EQ(made.items.size(), all_settings().size());
}

TEST_F(Load, flags_go_over_the_environment_over_the_file) {
    const std::string file =
        write("[workspace]\nroot = \"/f\"\nread_only = true\ntools = [\"core\"]\n");
    Configuration made = loaded(source());
    EXPECT_EQ(made.workspace.root, "/f");
    EXPECT_EQ(item(made, "workspace.root").from, file + ":2:8");
    EXPECT_EQ(item(made, "workspace.tools").value, "[\"core\"]");
    EXPECT_EQ(item(made, "workspace.rules").from, "default");

    made = loaded(source({"PADDOCK_ROOT=/e", "WORKSPACE_ROOT=/w", "READ_ONLY=0"}));
    EXPECT_EQ(made.workspace.root, "/e") << "ours before the inspirations'";
    EXPECT_FALSE(made.workspace.read_only);
    EXPECT_EQ(item(made, "workspace.read_only").from, "$READ_ONLY");

    made = loaded(
        source({"WORKSPACE_ROOT=/w", "READ_ONLY=1"}, {{"workspace.root", "/x", "--workspace"},
                                                      {"workspace.tools", "grep", "--tools"},
                                                      {"workspace.tools", "glob", "--tools"}}));
    EXPECT_EQ(made.workspace.root, "/x");
    EXPECT_EQ(item(made, "workspace.root").from, "--workspace");
    EXPECT_EQ(made.workspace.tools, (Strings{"grep", "glob"})) << "a list is replaced as a whole";
    EXPECT_TRUE(made.workspace.read_only);
}

TEST_F(Load, an_empty_variable_says_nothing) {
    write("[workspace]\nroot = \"/f\"\nread_only = true\n");
    const Configuration made = loaded(source({"READ_ONLY=", "PADDOCK_ROOT=", "PADDOCK_CONFIG="}));
    EXPECT_TRUE(made.workspace.read_only);
    EXPECT_EQ(made.workspace.root, "/f");
}

TEST_F(Load, the_file_is_named_or_found) {
    write("[workspace]\nroot = \"/usual\"\n");
    tree({"a.toml=[workspace]\nroot = \"rel\"\n",
          "xdg/paddock/paddock.toml=[workspace]\nroot = "
          "\"~/p\"\n"});
    for (const char* name : {"/a.toml", "/xdg/paddock/paddock.toml"}) {
        ::chmod((base() + name).c_str(), 0600);
    }
    EXPECT_EQ(loaded(source({"XDG_CONFIG_HOME=" + base() + "/xdg"})).workspace.root,
              base() + "/home/p");
    EXPECT_EQ(loaded(source({"XDG_CONFIG_HOME=xdg"})).workspace.root, "/usual") << "not absolute";
    const Configuration named = loaded(source({"PADDOCK_CONFIG=" + base() + "/a.toml"}));
    EXPECT_EQ(named.workspace.root, base() + "/rel") << "relative to the file";
    EXPECT_EQ(named.file, base() + "/a.toml");
    Source both = source({"PADDOCK_CONFIG=/nonexistent/b.toml"});
    both.file = base() + "/a.toml";
    EXPECT_EQ(loaded(both).file, base() + "/a.toml");
    EXPECT_NE(refused(source({"PADDOCK_CONFIG=/nonexistent/b.toml"})).find("not_found"),
              std::string::npos)
        << "what is named must be there";
    EXPECT_EQ(loaded(source({"PADDOCK_CONFIG=/dev/null"})).file, "");
}

TEST_F(Load, a_workspace_without_a_root_is_in_the_state_directory) {
    write("[workspace]\n");
    EXPECT_EQ(loaded(source()).workspace.root, base() + "/home/.local/state/paddock/workspaces");
    struct stat made {};
    ASSERT_EQ(::stat((base() + "/home/.local/state/paddock/workspaces").c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0700U);
    Source only_look = source({"XDG_STATE_HOME=" + base() + "/state"});
    only_look.make_directories = false;
    EXPECT_EQ(loaded(only_look).workspace.root, base() + "/state/paddock/workspaces");
    EXPECT_FALSE(os_exists(base() + "/state"));
    write("[limits]\nbytes_read = 5\n");
    EXPECT_EQ(loaded(source()).workspace.root, ".");
}

TEST_F(Load, all_problems_at_once_each_with_its_place) {
    const std::string file = write(
        "[workspace]\nread_onyl = true\nroot = 5\nrules = [\"forbid x\"]\n[bahs]\nx = 1\n"
        "[bash]\nnetwork = \"hosts\"\nrequired = [\"landlok\"]\n[bash.limits]\nprocesses = 0\n");
    const std::string text =
        refused(source({"PADDOCK_READONLY=1", "READ_ONLY=maybe"}, {{"serve.prot", "1", "--x"}}));
    for (const std::string& part :
         {file + ":2:1: there is no setting 'workspace.read_onyl'; did you mean "
                 "'workspace.read_only'?",
          file + ":3:8: workspace.root takes a string",
          file + ":4:9: workspace.rules 'forbid x' is not a rule",
          file + ":5:2: there is no table 'bahs'; did you mean 'bash'?",
          file + ":8:11: bash.network 'hosts' is not a preset (npm, pypi, crates, go, github, "
                 "debian); write host:NAME for a host without dots; did you mean 'host'?",
          file + ":9:12: bash.required 'landlok' is not a layer; did you mean 'landlock'?",
          file + ":11:13: bash.limits.processes is out of range",
          std::string("$PADDOCK_READONLY: is not a setting; did you mean 'PADDOCK_READ_ONLY'?"),
          std::string("$READ_ONLY: workspace.read_only 'maybe' is neither true nor false"),
          std::string("--x: there is no setting 'serve.prot'; did you mean 'serve.port'?")}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
    }
    EXPECT_EQ(text.find("bahs.x"), std::string::npos) << "told once: " << text;
}

TEST_F(Load, a_key_in_the_wrong_table_is_led_to_the_right_one) {
    write("read_only = true\n");
    EXPECT_NE(refused(source()).find("did you mean 'workspace.read_only'?"), std::string::npos);
    write("\"workspace.read_only\" = true\n");
    EXPECT_NE(refused(source()).find("there is no setting"), std::string::npos)
        << "a quoted name is no path";
}

TEST_F(Load, broken_toml_is_told_with_its_place) {
    const std::string file = write("[workspace\nroot = \"/x\"\n");
    EXPECT_EQ(refused(source()).find(file + ":1:"), 0U);
}

TEST_F(Load, a_file_that_others_could_change_is_refused) {
    const std::string file = write("[workspace]\nread_only = true\n");
    for (const mode_t mode : {0620U, 0602U, 0666U}) {
        ASSERT_EQ(::chmod(file.c_str(), mode), 0);
        EXPECT_NE(refused(source()).find("can be written by others"), std::string::npos) << mode;
    }
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    (void)loaded(source());
    if (!testing::is_root()) GTEST_SKIP() << "only root can give a file away";
    ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);
    EXPECT_NE(refused(source()).find("belongs to another user"), std::string::npos);
}

TEST_F(Load, what_is_no_regular_file_is_refused_and_not_waited_for) {
    tree({"home/.config/paddock/", "pipe|"});
    EXPECT_NE(refused(source({"PADDOCK_CONFIG=" + base() + "/pipe"})).find("not a regular file"),
              std::string::npos);
    EXPECT_NE(refused(source({"PADDOCK_CONFIG=" + base() + "/home"})).find("not a regular file"),
              std::string::npos);
}

// The naive twin: a configuration is found in the workspace and obeyed.
TEST_F(Load, a_file_inside_the_workspace_is_refused) {
    tree({"ROOT/sub/paddock.toml=[workspace]\nallow_outside_workspace = \"says the agent\"\n",
          "elsewhere/link.toml->@/ROOT/sub/paddock.toml", "ROOT2->ROOT"});
    ASSERT_EQ(::chmod(ws("sub/paddock.toml").c_str(), 0600), 0);
    for (const std::string& file : {ws("sub/paddock.toml"), base() + "/elsewhere/link.toml",
                                    base() + "/ROOT2/sub/../sub/paddock.toml"}) {
        for (const std::string& root : {ws(), base() + "/ROOT2", std::string("/")}) {
            Source inside = source({}, {{"workspace.root", root, "--root"}});
            inside.file = file;
            EXPECT_NE(refused(inside).find("is in the workspace"), std::string::npos) << file;
        }
    }
    Source naive = source({}, {{"workspace.root", out(), "--root"}});
    naive.file = ws("sub/paddock.toml");
    EXPECT_TRUE(loaded(naive).workspace.unconfined) << "of another workspace it is obeyed";
}

TEST_F(Load, tokens_keys_and_secrets_inside_the_workspace_are_refused) {
    tree({"ROOT/token=0123456789abcdef"});
    const std::string text =
        refused(source({}, {{"workspace.root", ws(), "--root"},
                            {"serve.token_file", ws("token"), "--token-file"},
                            {"secrets.values", "T=file:" + ws("token"), "--secret"}}));
    EXPECT_NE(text.find("--token-file: "), std::string::npos) << text;
    EXPECT_NE(text.find("--secret: "), std::string::npos) << text;
}

// The current directory of a server that nobody has given one.
TEST_F(Load, the_whole_file_system_is_no_workspace_without_a_reason) {
    tree({"all->/"});
    for (const std::string& root : {std::string("/"), base() + "/all", std::string("//.")}) {
        const std::string text = refused(source({}, {{"workspace.root", root, "--root"}}));
        EXPECT_NE(text.find("--root: the workspace would be '/'"), std::string::npos) << text;
    }
    ASSERT_EQ(::chdir("/"), 0);
    EXPECT_NE(refused(source()).find("choose a directory"), std::string::npos);
    EXPECT_EQ(loaded(source({"ALLOW_OUTSIDE_WORKSPACE=a throw-away machine"})).workspace.root, ".");
}

// Issue 17, row 1. In every setting that weakens by a reason, and in every way to write it.
TEST_F(Load, issue_17_1_a_reason_of_blanks_or_switches_weakens_nothing) {
    std::vector<const Setting*> reasons;
    for (const Setting& setting : all_settings()) {
        if (setting.unit == "REASON") reasons.push_back(&setting);
    }
    ASSERT_GE(reasons.size(), 3U);
    for (const Setting* setting : reasons) {
        const auto from_all = [&](const std::string& text) {
            write("[" + setting->key.substr(0, setting->key.find('.')) + "]\n" +
                  setting->key.substr(setting->key.find('.') + 1) + " = " + toml_string(text) +
                  "\n");
            std::vector<Source> sources{source()};
            sources.push_back(source({}, {{setting->key, text, "--flag"}}));
            for (const std::string& name : setting->variables) {
                sources.push_back(source({name + "=" + text}));
            }
            return sources;
        };
        for (const char* text : {"", " ", "  ", "\t", "0", "0 ", "false ", " no\r", "off\n"}) {
            for (const Source& each : from_all(text)) {
                EXPECT_EQ(item(loaded(each), setting->key).value, "\"\"") << setting->key << text;
            }
        }
        for (const char* text : {"1", "1 ", " true ", "yes please", "0 0", "because ", "2 3", "- -",
                                 "true 1 .", "\xc2\xa0", "false\xc2\xa0 "}) {
            for (const Source& each : from_all(text)) {
                EXPECT_NE(refused(each).find("reason"), std::string::npos) << setting->key << text;
            }
        }
        for (const Source& each : from_all(" a test ")) {
            EXPECT_EQ(item(loaded(each), setting->key).value, "\"a test\"") << setting->key;
        }
    }
}

TEST_F(Load, leaving_the_workspace_needs_a_reason) {
    for (const char* word : {"1", "true", "YES", "on", "because", " true ", "yes please", "0 0",
                             "false false", "because ", "\t1\r"}) {
        EXPECT_NE(refused(source({std::string("ALLOW_OUTSIDE_WORKSPACE=") + word})).find("reason"),
                  std::string::npos)
            << word;
    }
    for (const char* word : {"0", "false", "no", "off", "", " ", "false ", "0 ", "\tno\r"}) {
        EXPECT_FALSE(
            loaded(source({std::string("ALLOW_OUTSIDE_WORKSPACE=") + word})).workspace.unconfined);
    }
    write("[workspace]\nallow_outside_workspace = true\n");
    EXPECT_NE(refused(source()).find("takes a string"), std::string::npos);
    write("[workspace]\nallow_outside_workspace = \"a throw-away machine\"\n");
    const Configuration open = loaded(source());
    ASSERT_TRUE(open.workspace.unconfined);
    EXPECT_EQ(open.workspace.unconfined->reason, "a throw-away machine");
    EXPECT_FALSE(loaded(source({"ALLOW_OUTSIDE_WORKSPACE=0"})).workspace.unconfined)
        << "the environment goes over the file";
}

TEST_F(Load, issue_17_2_a_rule_protects_what_it_names_however_it_is_written) {
    const auto pattern = [&](const std::string& rule) {
        const auto rules = loaded(source({"HOME=" + base()}, {{"workspace.rules", rule, "--rule"},
                                                              {"workspace.root", ws(), "--root"}}))
                               .workspace.rules;
        return rules.size() == 1 ? rules.front().pattern : "";
    };
    EXPECT_EQ(pattern("deny secret"), "secret");
    EXPECT_EQ(pattern("deny  secret"), "secret");
    EXPECT_EQ(pattern("deny\tsecret \r"), "secret");
    EXPECT_EQ(pattern("deny ."), "**");
    EXPECT_EQ(pattern("deny " + ws("a/secret")), "/a/secret");
    EXPECT_EQ(pattern("deny " + ws() + "/*.key"), "/*.key");
    EXPECT_EQ(pattern("deny " + ws()), "**");
    EXPECT_EQ(pattern("deny " + ws() + "/"), "**");
    EXPECT_EQ(pattern("deny " + ws() + "//"), "**");
    EXPECT_EQ(pattern("deny file://" + ws("a/secret")), "/a/secret");
    EXPECT_EQ(pattern("deny ~" + ws("secret").substr(base().size())), "/secret");
    EXPECT_EQ(pattern("deny /vendor"), "/vendor");
    EXPECT_EQ(pattern("deny a;b"), "a;b");
    EXPECT_EQ(pattern("deny ./secret"), "./secret");
    // Names that only look like a mistake.
    for (const std::string name : {"routes/$id.tsx", "$id.tsx", "~$report.docx", "~lock", "#notes#",
                                   "C#", "two words", "it's", "a\\*", "a,b"}) {
        EXPECT_EQ(pattern("deny " + name), name);
    }
}

// Their names may look like a comment or a second rule.
TEST_F(Load, issue_17_2_directories_of_paddock_are_denied_whatever_they_are_called) {
    for (const std::string name : {"state", "a #1", "a; deny b", "a deny 'b", "a\nb"}) {
        const std::string state = base() + "/home/" + name;
        tree({"home/"});
        const auto options = loaded(source({"XDG_STATE_HOME=" + state},
                                           {{"workspace.root", base() + "/home", "--root"}}))
                                 .workspace;
        const auto rules = policy::PathRules::of(options.rules, options.default_rules,
                                                 options.further_default_rules);
        ASSERT_TRUE(rules) << rules.error().message();
        EXPECT_EQ(rules->decide(name + "/paddock/x").access, PathAccess::kDeny) << name;
        EXPECT_EQ(rules->decide(name).access, PathAccess::kAllow) << name;
    }
}

// Issue 17, row 2.
TEST_F(Load, issue_17_2_a_rule_that_would_protect_nothing_is_refused_with_the_reason) {
    for (const auto& [rule, why] : std::vector<std::pair<std::string, std::string>>{
             {"deny !secret", "begins with '!'"},
             {"deny \"secret\"", "in quotes"},
             {"deny 'secret'", "in quotes"},
             {"deny", "no pattern"},
             {"deny \r", "no pattern"},
             {"deny a; deny b", "two rules"},
             {"deny a;allow b", "two rules"},
             {"deny a deny b", "two rules"},
             {"deny a, deny b", "two rules"},
             {"deny a\ndeny b", "two rules"},
             {"deny a\nb", "line break"},
             {"deny a;", "ends with ';'"},
             {"deny a,", "ends with ','"},
             {"deny secret # mine", "comment"},
             {"deny \"secret", "in quotes"},
             {"deny secret'", "in quotes"},
             {"deny $HOME/secret", "variable"},
             {"deny ${DIR}/secret", "variable"},
             {"deny ~root/secret", "another user"},
             {"deny ~", "outside the workspace"},
             {"deny config\\secret", "before a letter"},
             {"deny ../elsewhere/secret", "not a pattern"},
             {"deny secret\xc2\xa0", "an invisible character"},
             {"deny \xef\xbb\xbf"
              "secret",
              "an invisible character"},
             {"deny se\xe2\x80\x8b"
              "cret",
              "an invisible character"},
             {"deny a\xe3\x80\x80", "an invisible character"},
             {"deny file:///etc/passwd", "outside the workspace"},
             {"deny /", "not a pattern"},
             {"deny ~/elsewhere", "outside the workspace"},
             {"deny " + base() + "/elsewhere", "outside the workspace"},
             {"deny /etc/passwd", "outside the workspace"}}) {
        const std::string text =
            refused(source({"HOME=/root"}, {{"workspace.rules", rule, "--rule"},
                                            {"workspace.root", ws(), "--root"}}));
        EXPECT_NE(text.find(why), std::string::npos) << rule << ": " << text;
    }
}

TEST_F(Load, secrets_are_found_and_never_shown) {
    tree({"key=from-a-file\n"});
    write("[secrets.values]\nA = \"env:TOKEN_A\"\nB = \"file:" + base() +
          "/key\"\n[bash.environment]\nPASSWORD = \"hunter2hunter2\"\n");
    const Configuration made = loaded(source({"TOKEN_A= from-a-variable \n"}));
    ASSERT_EQ(made.workspace.secrets.size(), 2U);
    EXPECT_EQ(made.workspace.secrets[0].value, "from-a-variable");
    EXPECT_EQ(made.workspace.secrets[1].value, "from-a-file");
    for (const Item& each : made.items) {
        for (const char* secret : {"from-a", "hunter2"}) {
            EXPECT_EQ(each.value.find(secret), std::string::npos) << each.key << each.value;
        }
    }
    EXPECT_EQ(item(made, "bash.environment").value, "{ \"PASSWORD\" = \"...\" }");
    EXPECT_NE(refused(source()).find("the secret 'A' is not set in the environment"),
              std::string::npos);
    EXPECT_NE(refused(source({"TOKEN_A=short"})).find("has fewer than 6"), std::string::npos);
}

TEST_F(Load, a_secret_written_by_mistake_is_not_repeated) {
    const std::string secret = "sk-live-0123456789";
    write("[secrets.values]\nA = \"" + secret + "\"\n");
    EXPECT_EQ(refused(source()).find(secret), std::string::npos);
    EXPECT_EQ(refused(source({}, {{"secrets.values", secret, "--secret"}})).find(secret),
              std::string::npos);
    EXPECT_EQ(refused(source({}, {{"bash.environment", secret, "--env"}})).find(secret),
              std::string::npos);
}

TEST_F(Load, every_part_reaches_the_options) {
    write(
        "[workspace]\nrules = [\"allow .env.example\", \"read_only vendor/**\", \"deny *.db\"]\n"
        "default_rules = false\nignore = [\"*.o\", \"out/\"]\ntrack_reads = false\n"
        "[paths]\nabsolute = \"reject\"\ndotdot = \"reject\"\nsymlinks = \"reject\"\n"
        "hardlinks = \"reject\"\nmounts = [\"data\"]\nevery_mount = \"they are all ours\"\n"
        "resolver = \"walk\"\n[secrets]\nredact = false\n"
        "[limits]\ncalls_per_second = 0\ncalls_in_flight = 3\nbytes_on_disk = \"10G\"\n"
        "[bash]\nrequired = [\"cgroup\"]\nread_only = true\nnetwork = \"listed\"\n"
        "network_allow = [\"*.debian.org\", \"10.0.0.1:80\"]\npass_environment = [\"EDITOR\"]\n"
        "environment = { CI = \"1=2\" }\nread_only_directories = [\"/opt\"]\n"
        "[bash.limits]\nmemory_bytes = \"2G\"\ncpu_percent = 150\n"
        "[serve]\naddress = \"::1\"\nport = 0\nbody_bytes = \"1M\"\n");
    const Configuration made = loaded(source());
    const WorkspaceOptions& options = made.workspace;
    ASSERT_EQ(options.rules.size(), 3U);
    EXPECT_EQ(options.rules[0].pattern, ".env.example");
    EXPECT_EQ(options.rules[0].access, PathAccess::kAllow);
    EXPECT_EQ(options.rules[1].access, PathAccess::kReadOnly);
    EXPECT_EQ(options.rules[2].access, PathAccess::kDeny);
    EXPECT_FALSE(options.default_rules || options.track_reads || options.redact_secrets);
    EXPECT_EQ(options.ignore_rules, "*.o\nout/\n");
    EXPECT_EQ(options.paths.absolute, AbsolutePaths::kReject);
    EXPECT_EQ(options.paths.dotdot, DotDot::kReject);
    EXPECT_EQ(options.paths.symlinks, Symlinks::kReject);
    EXPECT_EQ(options.paths.hardlinks, Hardlinks::kReject);
    EXPECT_EQ(options.paths.resolver, ResolverKind::kWalk);
    EXPECT_EQ(options.paths.mounts, Strings{"data"});
    ASSERT_TRUE(options.paths.every_mount);
    EXPECT_FALSE(options.limits.calls_per_second);
    EXPECT_EQ(options.limits.calls_in_flight, 3U);
    EXPECT_EQ(options.limits.bytes_on_disk, std::uint64_t{10} << 30);
    ASSERT_TRUE(options.shell);
    const ShellOptions& shell = *options.shell;
    EXPECT_EQ(shell.required, std::vector<Layer>{Layer::kCgroup});
    EXPECT_TRUE(shell.read_only);
    EXPECT_EQ(shell.network_allow.size(), 2U);
    EXPECT_FALSE(shell.host_network);
    ASSERT_EQ(shell.environment.size(), 1U);
    EXPECT_EQ(shell.environment[0].value, "1=2");
    EXPECT_EQ(shell.limits.memory_bytes, std::uint64_t{2} << 30);
    EXPECT_EQ(shell.limits.cpu_percent, 150U);
    EXPECT_EQ(made.serve.address, "::1");
    EXPECT_EQ(made.serve.port, 0U);
    EXPECT_EQ(made.serve.body_bytes, std::uint64_t{1} << 20);
}

TEST_F(Load, the_network_of_commands) {
    const Configuration host = loaded(source({"PADDOCK_BASH_NETWORK=host"}));
    ASSERT_TRUE(host.workspace.shell && host.workspace.shell->host_network);
    EXPECT_EQ(host.workspace.shell->host_network->reason,
              "bash.network = host, from $PADDOCK_BASH_NETWORK");
    EXPECT_NE(refused(source({"PADDOCK_BASH_NETWORK=listed"})).find("is empty"), std::string::npos);
    EXPECT_EQ(loaded(source({"PADDOCK_BASH_NETWORK_ALLOW=a.org"})).workspace.shell->network_allow,
              Strings{"a.org"})
        << "a list asks for the proxy";
    EXPECT_TRUE(loaded(source({"PADDOCK_BASH_NETWORK_ALLOW=a.org", "PADDOCK_BASH_NETWORK=none"}))
                    .workspace.shell->network_allow.empty())
        << "a list that is not asked for is not used";
    EXPECT_NE(refused(source({"PADDOCK_BASH_NETWORK_ALLOW=http://a.org"})).find("is a URL"),
              std::string::npos);
    EXPECT_FALSE(loaded(source({"PADDOCK_BASH=off"})).workspace.shell);
}

TEST_F(Load, the_network_of_commands_as_one_list) {
    const auto allowed = [&](Strings variables, std::vector<Override> overrides = {}) {
        const Configuration made = loaded(source(std::move(variables), std::move(overrides)));
        EXPECT_FALSE(made.workspace.shell->host_network);
        return made.workspace.shell->network_allow;
    };
    EXPECT_EQ(allowed({"PADDOCK_BASH_NETWORK=npm,github, a.org:443"}),
              (Strings{"npm", "github", "a.org:443"}));
    EXPECT_EQ(allowed({"PADDOCK_BASH_NETWORK=allow=a.org,b.org"}), (Strings{"a.org", "b.org"}));
    EXPECT_EQ(allowed({"PADDOCK_BASH_NETWORK=npm"}, {{"bash.network_allow", "a.org", "--x"}}),
              (Strings{"npm", "a.org"}))
        << "hosts are added";
    EXPECT_EQ(allowed({"PADDOCK_BASH_NETWORK_ALLOW=a.org"}, {{"bash.network", "npm", "--net"}}),
              Strings{"npm"})
        << "the stronger source replaces the list of the weaker";
    for (const char* weaker : {"none", "host"}) {
        EXPECT_EQ(allowed({std::string("PADDOCK_BASH_NETWORK=") + weaker},
                          {{"bash.network_allow", "a.org", "--allow-host"}}),
                  Strings{"a.org"})
            << weaker;
    }
    EXPECT_TRUE(
        allowed({"PADDOCK_BASH_NETWORK_ALLOW=a.org"}, {{"bash.network", "none", "--net"}}).empty());
    write("[bash]\nnetwork = \"npm, pypi\"\n");
    EXPECT_EQ(allowed({}), (Strings{"npm", "pypi"}));
    write("[bash]\nnetwork_allow = [\"npm\"]\n");
    EXPECT_EQ(allowed({}), Strings{"npm"});
    for (const char* wrong :
         {"nmp", "npm,nmp", "npm,", ",npm", "none,npm", "host,npm", "listed,a.b"}) {
        const std::string text = refused(source({std::string("PADDOCK_BASH_NETWORK=") + wrong}));
        EXPECT_NE(text.find("$PADDOCK_BASH_NETWORK: bash.network "), std::string::npos) << text;
    }
}

// It is pasted onto a command line, and goes before both lists.
TEST_F(Load, the_option_that_a_report_names_keeps_what_is_allowed) {
    write("[bash]\nnetwork = \"github\"\nnetwork_allow = [\"a.example:8443\"]\n");
    const auto rules_of = [&](std::vector<Override> overrides) {
        const Configuration made = loaded(source({}, std::move(overrides)));
        auto rules = policy::HostRules::parse(made.workspace.shell->network_allow);
        EXPECT_TRUE(rules.has_value());
        return std::move(*rules);
    };
    const auto refuses = [](const policy::HostRules& rules, std::string_view place) {
        return rules.refusal(*policy::parse_destination(place)).has_value();
    };
    const policy::HostRules before = rules_of({});
    const policy::Destination npm = *policy::parse_destination("registry.npmjs.org:443");
    ASSERT_TRUE(before.refusal(npm));
    EXPECT_EQ(before.option_to_allow(npm), "--net github,a.example:8443,npm");
    const policy::HostRules pasted =
        rules_of({{"bash.network", "github,a.example:8443,npm", "--net"}});
    for (const char* place : {"github.com:443", "a.example:8443", "registry.npmjs.org:443"}) {
        EXPECT_FALSE(refuses(pasted, place)) << place;
    }
    EXPECT_TRUE(refuses(rules_of({{"bash.network", "npm", "--net"}}), "github.com:443"))
        << "the control: what it names is all that is allowed";
}

TEST_F(Load, lists_in_the_environment) {
    EXPECT_EQ(loaded(source({"PADDOCK_TOOLS=grep,glob"})).workspace.tools,
              (Strings{"grep", "glob"}));
    const auto rules =
        loaded(source({R"(PADDOCK_RULES=["deny {a,b}", "allow c"])"})).workspace.rules;
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[0].pattern, "{a,b}");
    EXPECT_NE(refused(source({"PADDOCK_TOOLS=[\"a\"]\nroot = 1"})).find("is not a list"),
              std::string::npos);
}

TEST_F(Load, tls_needs_both_files) {
    EXPECT_NE(refused(source({"PADDOCK_SERVE_KEY_FILE=/k"})).find("needed together"),
              std::string::npos);
}

// Each setting can be said in all three ways, and comes back the same.
TEST(Settings, each_has_names_of_its_own_and_takes_its_own_default) {
    std::vector<std::string> seen;
    const auto is_new = [&](const std::string& name) {
        const bool found = std::find(seen.begin(), seen.end(), name) != seen.end();
        seen.push_back(name);
        return !found;
    };
    for (const Setting& setting : all_settings()) {
        EXPECT_TRUE(is_new(setting.key)) << setting.key;
        for (const std::string& name : setting.variables) EXPECT_TRUE(is_new(name)) << name;
        for (const std::string& name : setting.flags) EXPECT_TRUE(is_new(name)) << name;
        EXPECT_TRUE(setting.variables.front().starts_with("PADDOCK_")) << setting.key;
        EXPECT_EQ(setting.switches_off(), setting.flags.front().starts_with("--no-"))
            << setting.key;
        EXPECT_FALSE(setting.help.empty() || setting.help.ends_with('.')) << setting.key;
        EXPECT_EQ(setting.off_help.empty(), !setting.switches_off()) << setting.key;
        if (setting.kind == Kind::kTable) continue;
        const auto document = parse_toml("a = " + to_toml(setting, setting.default_value()));
        ASSERT_EQ(document.leaves.size(), 1U) << setting.key;
        auto value = from_toml(setting, document.leaves[0].content);
        ASSERT_TRUE(value) << setting.key << " " << value.error();
        EXPECT_EQ(*value, setting.default_value()) << setting.key;
        if (setting.key == "workspace.root") continue;  // none is no directory
        Draft draft;
        EXPECT_EQ(setting.apply(*value, draft), "") << setting.key;
    }
}

// What `paddock init` writes is right as it is, and right with every line in force.
TEST_F(Load, the_commented_file_is_a_configuration) {
    write(commented_file());
    EXPECT_EQ(loaded(source()).workspace.root, ".");
    std::string active;
    const std::string text = commented_file();
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (line.starts_with('#') && !line.starts_with("# ")) line.remove_prefix(1);
        active += std::string(line) + "\n";
    }
    tree({"db="});
    os_write(base() + "/db", "0123456789");
    const std::size_t place = active.find("/etc/app/db");
    ASSERT_NE(place, std::string::npos);
    active.replace(place, 11, base() + "/db");
    write(active);
    const Configuration made = loaded(source({"DEPLOY_KEY=0123456789"}));
    for (const Item& each : made.items) EXPECT_FALSE(each.is_default) << each.key;
}

}  // namespace
}  // namespace paddock::config
