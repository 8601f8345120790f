#include "git/trust.h"

#include <gtest/gtest.h>
#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::git;

namespace {

bool inside(std::string_view path, PathFrom from) {
    return from == PathFrom::kWorktree ? !path.starts_with("/out") : path.starts_with("in");
}

GitVerdict judge(std::string_view text, std::string_view trusted = "") {
    return judge_git_config(text, parse_git_config(trusted).value(), inside);
}

std::vector<std::string> refused(std::string_view text) { return judge(text).refused; }

using Keys = std::vector<std::string>;

TEST(GitTrust, lets_stay_what_git_itself_writes) {
    const std::string_view text = R"([core]
    repositoryformatversion = 0
    filemode = true
    bare = false
    logallrefupdates = true
    worktree = inside/of/it
[remote "origin"]
    url = https://example.org/a.git
    fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
    remote = origin
    merge = refs/heads/main
[user]
    name = A U Thor
    email = a@example.org
[submodule "lib"]
    active
    url = ../lib
[extensions]
    objectFormat = sha256
[advice]
    detachedHead = false
)";
    EXPECT_EQ(refused(text), Keys{});
    EXPECT_TRUE(judge(text).is_clean());
}

TEST(GitTrust, lets_stay_what_only_changes_how_git_works) {
    EXPECT_EQ(refused("[core]\nfsmonitor = false\nignoreStat = true\n"
                      "[uploadpack]\nallowFilter = true\nallowAnySHA1InWant = true\n"
                      "[protocol]\nversion = 2\n[maintenance \"commit-graph\"]\nenabled = true\n"
                      "[gc]\nreflogExpire = 90 days\nreflogExpireUnreachable = never\n"
                      "[gc \"refs/stash\"]\nreflogExpire = never\n"
                      "[pack]\nwriteBitmaps = true\n[repack]\nwriteBitmaps = true\n"
                      "[i18n]\ncommitEncoding = UTF-8\nlogOutputEncoding = ISO-8859-1\n"
                      "[format]\npretty = oneline\n[pretty]\nx = %h %s\n"
                      "[rebase]\nforkPoint = false\n[color \"branch\"]\ncurrent = red bold\n"
                      "[diff]\nstatGraphWidth = 3\n[fetch]\nnegotiationAlgorithm = skipping\n"
                      "[gitflow \"branch\"]\nmaster = main\n"
                      "[gitflow \"prefix\"]\nfeature = feature/\nversiontag =\n"),
              Keys{});
}

TEST(GitTrust, lets_stay_remotes_inside_and_on_other_hosts) {
    for (const char* address :
         {"/in/a.git", "../a.git", "file:///in/a", "origin", "host:/out", "git@example.org:a.git",
          "ssh://example.org/out", "[example.org:22]:out", "a[1]/b"}) {
        EXPECT_TRUE(judge("[remote \"o\"]\nurl = " + std::string(address)).is_clean()) << address;
    }
}

Keys keys_of_repositories_here(std::string_view text) {
    Keys keys;
    for (const GitSetting& each : repositories_here(parse_git_config(text).value())) {
        keys.push_back(each.key);
    }
    return keys;
}

TEST(GitTrust, knows_what_leads_to_a_repository_on_this_host) {
    EXPECT_EQ(keys_of_repositories_here("[remote \"a\"]\nurl = https://example.org/a\n"
                                        "[remote \"b\"]\nurl = git@example.org:b\n"
                                        "[branch \"m\"]\nremote = a\npushRemote = .\n"
                                        "[remote]\npushDefault = b\n"),
              Keys{});
    EXPECT_EQ(keys_of_repositories_here("[remote \"a\"]\nurl = ../a\npushurl = file:///a\n"
                                        "[branch \"m\"]\nremote = other\n"
                                        "[submodule \"s\"]\nurl = /in/s\n"),
              (Keys{"remote.a.url", "remote.a.pushurl", "branch.m.remote", "submodule.s.url"}));
    // Its addresses are taken back.
    EXPECT_EQ(keys_of_repositories_here("[remote \"a\"]\nurl = h:a\nurl =\n"
                                        "[branch \"m\"]\nremote = a\n"),
              (Keys{"remote.a.url", "branch.m.remote"}));
}

TEST(GitTrust, refuses_whatever_runs_something_or_leads_elsewhere) {
    for (const std::string setting : {"core.fsmonitor=x",
                                      "core.hooksPath=h",
                                      "core.sshCommand=x",
                                      "core.editor=x",
                                      "core.pager=x",
                                      "core.askPass=x",
                                      "core.gitProxy=x",
                                      "core.alternateRefsCommand=x",
                                      "core.attributesFile=x",
                                      "core.worktree=/",
                                      "core.worktree=../..",
                                      "filter.x.clean=x",
                                      "filter.x.process=x",
                                      "diff.external=x",
                                      "diff.x.command=x",
                                      "diff.x.textconv=x",
                                      "merge.x.driver=x",
                                      "mergetool.x.cmd=x",
                                      "credential.helper=x",
                                      "credential.https://h.helper=x",
                                      "alias.st=!x",
                                      "alias.st=status",
                                      "include.path=x",
                                      "includeIf.gitdir:/.path=x",
                                      "gpg.program=x",
                                      "gpg.ssh.program=x",
                                      "gpg.ssh.defaultKeyCommand=x",
                                      "url.x.insteadOf=y",
                                      "url.x.pushInsteadOf=y",
                                      "remote.o.uploadpack=x",
                                      "remote.o.receivepack=x",
                                      "remote.o.vcs=x",
                                      "remote.o.proxy=x",
                                      "remote.o.url=ext::sh -c x",
                                      "remote.o.pushurl=ext::x",
                                      "remote.o.url=--upload-pack=x",
                                      "remote.o.url=/out",
                                      "remote.o.url=file:///out",
                                      "remote.o.url=file://host/out",
                                      "remote.o.url=file:///@[]/out",
                                      "remote.o.url=x@[]/in",
                                      "remote.o.url=[x]/in",
                                      "remote.o.url=~/in",
                                      "remote.o.pushurl=/out:x",
                                      "remote.pushDefault=/out",
                                      "branch.b.remote=/out",
                                      "submodule.s.url=/out",
                                      "branch.b.remote=ext::x",
                                      "branch.b.mergeOptions=-sx",
                                      "submodule.s.update=!x",
                                      "submodule.s.url=ext::x",
                                      "pager.log=x",
                                      "sequence.editor=x",
                                      "interactive.diffFilter=x",
                                      "trailer.x.command=x",
                                      "http.proxy=x",
                                      "http.sslVerify=false",
                                      "protocol.ext.allow=always",
                                      "uploadpack.packObjectsHook=x",
                                      "commit.template=x",
                                      "user.signingKey=x",
                                      "lfs.url=x",
                                      "extensions.refStorage=files:///x",
                                      "safe.directory=*",
                                      "color.sub.ui=x",
                                      "core.fsmonitor=no",
                                      "rerere.enabled=true",
                                      "rebase.instructionFormat=%s",
                                      "help.autocorrect=1",
                                      "maintenance.x.task=x",
                                      "gitflow.path.hooks=x",
                                      "gitflow.branch.master=-x",
                                      "i18n.commitEncoding=../x",
                                      "novel.key=1",
                                      "core.novel=1",
                                      "core.x.bare=true",
                                      "url=x"}) {
        GitSetting made;
        const std::size_t equals = setting.find('=');
        made.key = setting.substr(0, equals);
        made.value = setting.substr(equals + 1);
        for (std::size_t i = made.key.rfind('.') + 1; i < made.key.size(); ++i) {
            made.key[i] = static_cast<char>(std::tolower(made.key[i]));
        }
        EXPECT_FALSE(is_benign(made, inside)) << setting;
        if (made.key.find('.') == made.key.npos) continue;
        const auto text = print_git_config({made});
        EXPECT_EQ(refused(text).size(), 1U) << text;
    }
}

// As many as there can be, against as many: whoever compared each with each would take a minute.
TEST(GitTrust, judges_a_flood_of_settings) {
    std::string text = "[novel]\n";
    std::string trusted = "[other]\n";
    for (int i = 0; i < 49'000; ++i) {
        text += "k" + std::to_string(i) + "\n";
        trusted += "k" + std::to_string(i) + "\n";
    }
    EXPECT_EQ(refused(text + "k0\nk1\n").size(), 49'000U);
    EXPECT_EQ(judge(text, trusted).refused.size(), 49'000U);
}

// Each takes a hundred times its bytes in memory.
TEST(GitTrust, reads_no_more_settings_than_there_may_be) {
    std::string text = "[advice]\n";
    for (std::size_t i = 0; i < limits::kGitSettingsMax; ++i) text += "a\n";
    EXPECT_TRUE(judge(text).is_clean());
    const GitVerdict verdict = judge(text + "a\n", "[alias]\nst=!mine\n");
    EXPECT_TRUE(verdict.unreadable);
}

TEST(GitTrust, tells_keys_apart_from_the_sentence_around_them) {
    EXPECT_EQ(judge("[core]\nfsmonitor=x\n[filter \"y\"]\nclean=x\n").summary(),
              "core.fsmonitor, filter.y.clean");
    EXPECT_EQ(judge("[x \"y). It is fine (\"]\nz\n").summary(), R"("x.y). It is fine (.z")");
    const std::string summary = judge("[x \"" + std::string(500, 'y') + "\"]\nz\n").summary();
    EXPECT_EQ(summary, "x." + std::string(38, 'y') + "..." + std::string(38, 'y') + ".z");
}

TEST(GitTrust, leaves_what_was_there_before) {
    const std::string_view mine = "[core]\n\thooksPath = .husky\n[filter \"lfs\"]\n\tclean = lfs\n";
    EXPECT_TRUE(judge(mine, mine).is_clean());
    EXPECT_EQ(judge("[core]\nhooksPath = evil\n", mine).refused, Keys{"core.hookspath"});
    EXPECT_EQ(judge("[filter \"LFS\"]\nclean = lfs\n", mine).refused, Keys{"filter.LFS.clean"});
    EXPECT_TRUE(judge("[core]\n\thookspath=.husky\n\tbare=true\n", mine).is_clean());
}

// One git reads a blank where another reads the tab that stands there.
TEST(GitTrust, judges_a_tab_in_both_readings) {
    const auto settings = parse_git_config("[a]\nb = \t x\ty \rz\t # c\nc = \"x\ty\"\n").value();
    EXPECT_EQ(settings[0].value, "x y  z");
    EXPECT_EQ(settings[0].verbatim, "x\ty \rz");
    EXPECT_EQ(settings[1].value, "x\ty");
    EXPECT_EQ(settings[1].verbatim, std::nullopt);
    const LeadsInside no_tabs = [](std::string_view path, PathFrom) {
        return path.find('\t') == path.npos;
    };
    const LeadsInside no_blanks = [](std::string_view path, PathFrom) {
        return path.find(' ') == path.npos;
    };
    for (const char* text : {"[core]\nworktree = sub\tx\n", "[remote \"o\"]\nurl = sub\tx\n"}) {
        const auto setting = parse_git_config(text).value().front();
        EXPECT_FALSE(is_benign(setting, no_tabs)) << text;
        EXPECT_FALSE(is_benign(setting, no_blanks)) << text;
    }
    EXPECT_EQ(refused("[user]\nname = a\tb\n"), Keys{});
    EXPECT_EQ(judge("[core]\nhooksPath = my\thooks\n", "[core]\nhooksPath = my hooks\n").refused,
              Keys{"core.hookspath"});
}

TEST(GitTrust, refuses_what_nobody_can_read) {
    for (const std::string& text :
         {std::string("[core\n"), std::string("[core]\nbare = true\n\0", 20),
          "#" + std::string(limits::kGitConfigBytesMax, 'x')}) {
        const GitVerdict verdict = judge(text, "[core]\nhooksPath = h\n");
        EXPECT_TRUE(verdict.unreadable);
        EXPECT_FALSE(verdict.is_clean());
    }
}

}  // namespace
