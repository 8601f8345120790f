// The patch parser, its application and the patch tool, compared with `git apply` on diffs that git
// made.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include <paddock/tools.h>

#include "escape/in_memory.h"
#include "escape/plain_os.h"
#include "json/write.h"
#include "reference/drafts.h"
#include "text/diff.h"
#include "text/patch_apply.h"
#include "text/patch_parse.h"

namespace paddock::reference {
namespace {

using text::ChangeKind;
using text::FileChange;

// How a group of changes is written by git and applied. Not by -W: its hunks may overlap, and then
// git refuses them itself.
struct Style {
    const char* diff;
    const char* apply = "";
    Endings endings = Endings::kMixed;
};

constexpr Style kStyles[] = {
    {"-M"},
    {"-M -U0", "--unidiff-zero", Endings::kUniform},
    {"-M -U1"},
    {"-M -U12"},
    {"-C --find-copies-harder"},
    {"--no-renames --patience"},
    {"--no-prefix -M", "-p0"},
    {"--src-prefix=c/ --dst-prefix=w/ -M --full-index"},
    {"--inter-hunk-context=4 --histogram"},
    {"-M30% --minimal"},
};
constexpr int kCasesEach = 100;

std::string odd_name(Random& random) {
    static constexpr std::string_view kNames[] = {
        "plain.c",          "two words", "tab\there", "quo\"te", "back\\slash",
        "\xC3\xA4\xC3\xB6", "new\nline", "b/x",       "a/b/x",   "x b"};
    return std::string(kNames[random() % std::size(kNames)]);
}

// One folder's worth of changes: a few files changed, made, removed, renamed, copied.
void add_case(Random& random, const std::string& folder, Endings endings, Files& before,
              Files& after) {
    const std::string name = folder + odd_name(random);
    const File old{draft(random, endings), random() % 4 == 0};
    const File revision{revised(random, old.content, endings), old.executable};
    switch (random() % 8) {
        case 0: after[name] = old; break;
        case 1: before[name] = old; break;
        case 2:
            before[name] = old;
            after[folder + "moved/" + odd_name(random)] = random() % 2 == 0 ? old : revision;
            break;
        case 3:
            before[name] = after[name] = old;
            after[folder + "copied"] = revision;
            break;
        case 4:
            before[name] = old;
            after[name] = {random() % 2 == 0 ? old.content : revision.content, !old.executable};
            break;
        case 5: after[folder + "empty"] = File{}; [[fallthrough]];
        default:
            before[name] = old;
            after[name] = revision;
            break;
    }
}

// What our code makes of `before`; every change reads the files as they were, as git means it.
Files patched(const Files& before, std::string_view patch, std::size_t& changes_made) {
    const auto changes = text::parse_patch(patch);
    if (!changes) {
        ADD_FAILURE() << changes.error().detail;
        return {};
    }
    Files after = before;
    for (const FileChange& change : *changes) {
        if (change.kind == ChangeKind::kDelete || change.kind == ChangeKind::kRename) {
            after.erase(change.path);
        }
    }
    for (const FileChange& change : *changes) {
        ++changes_made;
        const auto old = before.find(change.path);
        const bool creates = change.kind == ChangeKind::kCreate;
        EXPECT_EQ(creates, old == before.end()) << change.path;
        const File source = old == before.end() ? File{} : old->second;
        const auto applied = text::apply_change(source.content, change);
        if (!applied) {
            ADD_FAILURE() << change.path << ": " << applied.error().detail;
            continue;
        }
        for (const std::string& note : applied->notes) {
            EXPECT_TRUE(note.ends_with("the file goes on there")) << change.path << ": " << note;
        }
        if (change.kind == ChangeKind::kDelete) continue;
        after[change.new_path] = {applied->content, change.executable.value_or(source.executable)};
    }
    return after;
}

void expect_same(const Files& ours, const Files& gits, const char* style) {
    for (const auto& [path, file] : gits) {
        ASSERT_TRUE(ours.contains(path)) << path;
        EXPECT_EQ(ours.at(path).content, file.content) << path;
        EXPECT_EQ(ours.at(path).executable, file.executable) << path;
    }
    EXPECT_EQ(ours.size(), gits.size()) << style;
}

class PatchReference : public testing::InMemory {
protected:
    // What the tool makes of `before`: the whole patch in one call, in a session that has read
    // what it changes.
    Files patched_by_tool(const Files& before, const std::string& patch) {
        std::filesystem::remove_all(ws());
        write_files(ws(), before);
        return patched_as_they_are(before, patch);
    }

    // The same of files that are there already.
    Files patched_as_they_are(const Files& before, const std::string& patch) {
        WorkspaceOptions options;
        options.root = ws();
        options.paths.resolver = testing::resolver_under_test();
        options.limits.calls_per_second.reset();
        const Workspace workspace = Workspace::open(options).value();
        for (const auto& [path, file] : before) {
            const auto stat = root().stat(path);
            workspace.reads().mark_read(stat.value().identity, path, file.content);
        }
        const tools::Answer answer =
            tools::call(workspace, "patch", json::to_text(json::Object{{"patch", patch}}));
        EXPECT_FALSE(answer.error) << answer.text();
        return read_files(ws());
    }

    std::size_t compare_with_git(Random& random, const std::string& base);
};

// A thousand changes in ten patches. Returns how many changes our parser saw.
std::size_t PatchReference::compare_with_git(Random& random, const std::string& base) {
    const std::string repository = base + "/repository";
    std::vector<Files> before(std::size(kStyles));
    Files all_before{{"marker", {"1\n", false}}};
    Files all_after{{"marker", {"2\n", false}}};
    for (std::size_t group = 0; group < std::size(kStyles); ++group) {
        const std::string name = "group" + std::to_string(group) + "/";
        Files after;
        for (int i = 0; i < kCasesEach; ++i) {
            add_case(random, name + std::to_string(i) + "/", kStyles[group].endings, before[group],
                     after);
        }
        all_before.insert(before[group].begin(), before[group].end());
        all_after.insert(after.begin(), after.end());
    }
    write_files(repository, all_before);
    const std::string commit = "git add -A . && git -c user.name=x -c user.email=x commit -qm x\n";
    EXPECT_TRUE(shell(repository, "git init -q .\ngit config core.fsync none\n" + commit));
    EXPECT_TRUE(shell(repository, "git rm -qr .\n"));
    write_files(repository, all_after);
    std::string script = commit;
    for (std::size_t group = 0; group < std::size(kStyles); ++group) {
        const std::string name = "group" + std::to_string(group);
        script += "git diff " + std::string(kStyles[group].diff) + " HEAD~1 HEAD -- " + name +
                  " >../" + name + ".patch\n";
        write_files(base + "/" + name, before[group]);
        script += "(cd ../" + name + " && git apply --whitespace=nowarn " + kStyles[group].apply +
                  " ../" + name + ".patch)\n";
    }
    EXPECT_TRUE(shell(repository, script));
    std::size_t changes = 0;
    for (std::size_t group = 0; group < std::size(kStyles); ++group) {
        const std::string name = base + "/group" + std::to_string(group);
        const Files wanted = read_files(name);
        const std::string patch = slurp(name + ".patch");
        expect_same(patched(before[group], patch, changes), wanted, kStyles[group].diff);
        expect_same(patched_by_tool(before[group], patch), wanted, kStyles[group].diff);
    }
    return changes;
}

TEST_F(PatchReference, gives_what_git_apply_gives) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    Random random = random_cases(21);
    for (long round = 0; round < times(1) && !HasFailure(); ++round) {
        const std::size_t changes = compare_with_git(random, base() + "/" + std::to_string(round));
        EXPECT_GE(changes, 1000U) << "too few diffs to show anything";
    }
}

// The modes of all regular files below the directory, by path.
std::map<std::string, mode_t> modes_in(const std::string& directory) {
    std::map<std::string, mode_t> modes;
    for (const auto& [path, file] : read_files(directory))
        modes[path] = testing::os_mode(directory + "/" + path);
    return modes;
}

TEST_F(PatchReference, issue_17_13_gives_the_modes_that_git_apply_gives) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    const auto about = [](const std::string& from, const std::string& to,
                          const std::string& lines) {
        return "diff --git a/" + from + " b/" + to + "\n" + lines;
    };
    const std::string turned_on = "old mode 100644\nnew mode 100755\n";
    const std::string renamed = "similarity index 100%\nrename from d/renamed\nrename to other\n";
    const std::string added = "index 0000000..6178079\n--- /dev/null\n+++ b/";
    const std::string patch =
        about("program", "program", "new file mode 100755\n" + added) +
        "program\n@@ -0,0 +1 @@\n+b\n" +
        about("d/plain", "d/plain", "new file mode 100644\n" + added) +
        "d/plain\n@@ -0,0 +1 @@\n+b\n" + about("on", "on", turned_on) +
        about("off", "off", "old mode 100755\nnew mode 100644\n") +
        about("changed", "changed", turned_on) +
        "index 7898192..6178079\n--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-a\n+b\n" +
        about("d/renamed", "other", turned_on + renamed);
    const Files before{{"on", {"a\n", false}},
                       {"off", {"a\n", true}},
                       {"changed", {"a\n", false}},
                       {"d/renamed", {"a\n", false}}};
    for (const mode_t umask : {077U, 002U, 022U}) {
        const mode_t usual = ::umask(umask);
        const std::string gits = base() + "/" + std::to_string(umask);
        write_files(gits, before);
        spill(base() + "/patch", patch);
        EXPECT_TRUE(shell(gits, "chmod +x off\ngit apply ../patch\n"));
        std::filesystem::remove_all(ws());
        write_files(ws(), before);
        EXPECT_TRUE(shell(ws(), "chmod +x off\n"));
        (void)patched_as_they_are(before, patch);
        ::umask(usual);
        EXPECT_EQ(modes_in(ws()), modes_in(gits));
        EXPECT_EQ(modes_in(ws()).size(), 6U);
        EXPECT_EQ(modes_in(ws()).at("program"), 0777U & ~umask);
    }
}

// Where git and patch agree on the file that a diff of two names means.
TEST_F(PatchReference, issue_17_13_changes_the_file_that_git_apply_and_patch_change) {
    if (!have("git") || !have("patch")) GTEST_SKIP() << "git or patch is not installed";
    const std::pair<std::string, std::string> pairs[] = {
        {"x.c", "x.c.new"}, {"x.c.orig", "x.c"}, {"x.c", "x.c.orig"}, {"p.orig/x", "p/x"}};
    for (const auto& [before_name, after_name] : pairs) {
        const Files before{{before_name, {"a\n", false}}, {after_name, {"a\n", false}}};
        const std::string patch =
            "--- " + before_name + "\n+++ " + after_name + "\n@@ -1 +1 @@\n-a\n+b\n";
        spill(base() + "/patch", patch);
        const Files ours = patched_by_tool(before, patch);
        for (const std::string program : {"git apply -p0 ../patch", "patch -s -p0 <../patch"}) {
            const std::string theirs = base() + "/theirs";
            std::filesystem::remove_all(theirs);
            write_files(theirs, before);
            EXPECT_TRUE(shell(theirs, program + "\n"));
            EXPECT_EQ(ours, read_files(theirs)) << program << "\n" << patch;
        }
    }
}

// On a file that has changed since: what ours applies without a remark, git applies to the same
// result.
TEST_F(PatchReference, never_applies_silently_what_git_would_not) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    const int cases_asked = static_cast<int>(times(400));
    Random random = random_cases(22);
    const std::string cases = base() + "/cases";
    const auto name = [&](int i) { return cases + "/" + std::to_string(i); };
    for (int i = 0; i < cases_asked; ++i) {
        const std::string base = draft(random, Endings::kUniform) + "last\n";
        const std::string wanted = revised(random, base, Endings::kUniform);
        const std::string mutated = revised(random, base, Endings::kUniform);
        const text::DiffOptions options{.context = 1 + random() % 3};
        spill(name(i) + "/x", mutated);
        spill(name(i) + "/before", mutated);
        spill(name(i) + "/diff", text::unified_diff(base, wanted, "a/x", "b/x", options).text);
    }
    ASSERT_TRUE(shell(cases,
                      "for i in *; do [ ! -s $i/diff ] || (cd $i && git apply "
                      "--whitespace=nowarn diff 2>/dev/null || rm x); done\n"));
    int silent = 0;
    int told = 0;
    for (int i = 0; i < cases_asked; ++i) {
        const std::string diff = slurp(name(i) + "/diff");
        if (diff.empty()) continue;
        const auto changes = text::parse_patch(diff);
        ASSERT_TRUE(changes) << changes.error().detail << diff;
        const auto ours = text::apply_change(slurp(name(i) + "/before"), changes->at(0));
        if (!ours) continue;
        ++(ours->notes.empty() ? silent : told);
        if (!ours->notes.empty()) continue;
        ASSERT_TRUE(std::filesystem::exists(name(i) + "/x")) << "git refused\n" << diff;
        EXPECT_EQ(ours->content, slurp(name(i) + "/x")) << diff;
    }
    EXPECT_GT(silent, cases_asked / 20);
    EXPECT_GT(told, cases_asked / 20);
}

}  // namespace
}  // namespace paddock::reference
