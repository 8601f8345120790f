// A patch of five files through the tool, killed at any point of it: each file is the old one or
// the new one, and the same patch again completes it.
//
// A child applies a patch and its reverse in turn. PADDOCK_KILL_PATCHES kills (500, with both
// resolvers a thousand), PADDOCK_SEED repeats a run.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <paddock/tools.h>

#include "escape/in_memory.h"
#include "fault/budget.h"
#include "fault/killer.h"
#include "json/write.h"
#include "text/diff.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

using Tree = std::map<std::string, std::string>;  // content by name

std::string lines(const std::string& word, int changed) {
    std::string text;
    for (int i = 0; i < 400; ++i) {
        text += word + " " + std::to_string(i) + (i == changed ? " changed" : "") + "\n";
    }
    return text;
}

// Two files change, one is renamed with a change, one comes and one goes.
struct Sides {
    Tree before{{"changed", lines("c", 20)},
                {"also/changed", lines("d", 200)},
                {"from", lines("r", 100)},
                {"gone", lines("g", 1)}};
    Tree after{{"changed", lines("c", 300)},
               {"also/changed", lines("d", 350)},
               {"to", lines("r", 101)},
               {"new", lines("n", 1)}};
};

std::string patch_of(const Tree& before, const Tree& after, const std::string& from,
                     const std::string& to) {
    const auto diff = [](const std::string& a, const std::string& b, const std::string& name_a,
                         const std::string& name_b) {
        return text::unified_diff(a, b, name_a, name_b).text;
    };
    std::string patch;
    for (const char* name : {"changed", "also/changed"}) {
        patch += diff(before.at(name), after.at(name), std::string("a/") + name,
                      std::string("b/") + name);
    }
    patch += "diff --git a/" + from + " b/" + to + "\nsimilarity index 99%\nrename from " + from +
             "\nrename to " + to + "\n" +
             diff(before.at(from), after.at(to), "a/" + from, "b/" + to);
    for (const auto& [name, content] : before) {
        if (name != from && !after.contains(name))
            patch += diff(content, "", "a/" + name, "/dev/null");
    }
    for (const auto& [name, content] : after) {
        if (name != to && !before.contains(name))
            patch += diff("", content, "/dev/null", "b/" + name);
    }
    return patch;
}

class KillPatch : public InMemory {
protected:
    KillPatch() {
        for (const auto& [name, content] : sides_.before) {
            tree({"ROOT/" + name + "="});
            os_write(ws(name), content);
        }
        std::printf("PADDOCK_SEED=%u\n", seed_);
    }

    // A new session that has read what is there.
    Workspace session() const {
        WorkspaceOptions options;
        options.root = ws();
        options.paths.resolver = resolver_under_test();
        options.limits.calls_per_second.reset();
        Workspace workspace = Workspace::open(options).value();
        for (const auto& [name, content] : found()) {
            (void)tools::call(workspace, "read_file", json::to_text(json::Object{{"path", name}}));
        }
        return workspace;
    }

    tools::Answer apply(const Workspace& workspace, bool forward) const {
        const json::Object arguments{{"patch", forward ? forward_ : backward_}};
        return tools::call(workspace, "patch", json::to_text(arguments));
    }

    Tree found() const {
        Tree files;
        for (const char* name : {"changed", "also/changed", "from", "to", "gone", "new"}) {
            if (const auto content = os_read(ws(name))) files[name] = *content;
        }
        return files;
    }

    // Is every file the old one or the new one, and nothing lost?
    void expect_whole(const Tree& files) const {
        for (const auto& [name, content] : files) {
            const auto before = sides_.before.find(name);
            const auto after = sides_.after.find(name);
            EXPECT_TRUE((before != sides_.before.end() && content == before->second) ||
                        (after != sides_.after.end() && content == after->second))
                << name << " holds a third content";
        }
        EXPECT_TRUE(files.contains("changed") && files.contains("also/changed"));
        EXPECT_TRUE(files.contains("from") || files.contains("to")) << "the renamed file is lost";
    }

    // Removes what killed processes left and says how many files that were.
    std::size_t take_strays() const {
        std::size_t strays = 0;
        for (const std::string& directory : {ws(), ws("also")}) {
            for (const std::string& name : os_list(directory)) {
                if (!name.starts_with(".paddock-")) continue;
                ++strays;
                EXPECT_EQ(::unlink((directory + "/" + name).c_str()), 0);
            }
        }
        return strays;
    }

    const Sides sides_;
    const std::string forward_ = patch_of(sides_.before, sides_.after, "from", "to");
    const std::string backward_ = patch_of(sides_.after, sides_.before, "to", "from");
    const unsigned seed_ = static_cast<unsigned>(
        budget("PADDOCK_SEED", std::random_device{}(), std::random_device{}()));
    std::mt19937 random_{seed_};
};

TEST_F(KillPatch, leaves_whole_files_and_the_same_patch_completes_it) {
    const long rounds = budget("PADDOCK_KILL_PATCHES", 500, 20);
    bool is_after = false;
    const auto act_in = [this, &is_after](const Workspace& workspace) {
        return [this, &is_after, &workspace](long i) {
            const bool forward = is_after == (i % 2 == 1);
            if (const auto answer = apply(workspace, forward); answer.error) {
                std::fprintf(stderr, "%s\n", answer.text().c_str());
                ::_exit(2);
            }
        };
    };
    const Workspace trial = session();
    const std::size_t calls = calls_of(act_in(trial));
    ASSERT_EQ(found(), sides_.before);
    std::size_t strays = 0;
    long mixed = 0;
    for (long round = 0; round < rounds && !HasFailure(); ++round) {
        const Workspace child = session();
        const long last = kill_in_the_middle(act_in(child), random_, calls);
        ASSERT_GE(last, 0);
        const Tree files = found();
        expect_whole(files);
        mixed += files != sides_.before && files != sides_.after ? 1 : 0;
        const std::size_t left = take_strays();
        EXPECT_LE(left, 1U);
        strays += left;
        const bool forward = is_after == (last % 2 == 1);
        const tools::Answer again = apply(session(), forward);
        EXPECT_FALSE(again.error) << again.text();
        EXPECT_EQ(found(), forward ? sides_.after : sides_.before) << again.text();
        EXPECT_EQ(take_strays(), 0U);
        is_after = forward;
    }
    EXPECT_GT(mixed, 0) << "no kill came between two files: this shows nothing";
    std::printf("%ld kills: %ld between two files, %zu inside a write\n", rounds, mixed, strays);
}

std::string renaming(const std::string& from, const std::string& to) {
    return "diff --git a/" + from + " b/" + to + "\nsimilarity index 100%\nrename from " + from +
           "\nrename to " + to + "\n";
}

// Each content keeps a name, whatever instant the process is killed at.
TEST_F(KillPatch, issue_17_6_of_names_in_a_circle_loses_nothing) {
    const std::vector<std::string> circles = {
        renaming("changed", "t") + renaming("gone", "changed") + renaming("t", "gone"),
        renaming("changed", "gone") + renaming("gone", "changed"),
        renaming("changed", "from") + renaming("from", "gone") + renaming("gone", "changed")};
    const auto contents = [this] {
        std::multiset<std::string> all;
        for (const auto& [name, content] : found()) all.insert(content);
        return all;
    };
    const auto before = contents();
    const long rounds = budget("PADDOCK_KILL_PATCHES", 500, 20);
    for (long round = 0; round < rounds && !HasFailure(); ++round) {
        const std::string& patch = circles[static_cast<std::size_t>(round) % circles.size()];
        const auto act_in = [&patch](const Workspace& workspace) {
            return [&patch, &workspace](long) {
                const json::Object arguments{{"patch", patch}};
                if (tools::call(workspace, "patch", json::to_text(arguments)).error) ::_exit(2);
            };
        };
        const Workspace trial = session();
        const std::size_t calls = calls_of(act_in(trial));
        const Workspace child = session();
        ASSERT_GE(kill_in_the_middle(act_in(child), random_, calls), 0);
        EXPECT_EQ(contents(), before);
        EXPECT_EQ(take_strays(), 0U);
    }
}

std::string coming(const std::string& name, const std::string& content) {
    return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n" +
           text::unified_diff("", content, "/dev/null", "b/" + name).text;
}

std::string going(const std::string& name, const std::string& content) {
    return "diff --git a/" + name + " b/" + name + "\ndeleted file mode 100644\n" +
           text::unified_diff(content, "", "a/" + name, "/dev/null").text;
}

// A directory in the place of a file, and a file in the place of a directory.
class KillPatchOfKinds : public KillPatch {
protected:
    // Temporary names included.
    Tree all() const {
        Tree files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(ws())) {
            const std::string path = entry.path();
            if (entry.is_regular_file() && !is_of_journal(path))
                files[path.substr(ws().size() + 1)] = *os_read(path);
        }
        return files;
    }

    std::multiset<std::string> contents() const {
        std::multiset<std::string> all_contents;
        for (const auto& [name, content] : all()) all_contents.insert(content);
        return all_contents;
    }

    void reset() {
        for (const std::string& name : os_list(ws())) std::filesystem::remove_all(ws(name));
        for (const auto& [name, content] : kinds_) {
            tree({"ROOT/" + name + "="});
            os_write(ws(name), content);
        }
    }

    // A session that has read all there is.
    Workspace reader() const {
        Workspace workspace = session();
        for (const auto& [name, content] : all())
            (void)tools::call(workspace, "read_file", json::to_text(json::Object{{"path", name}}));
        return workspace;
    }

    static std::string apply_to(const Workspace& workspace, const std::string& patch) {
        const json::Object arguments{{"patch", patch}};
        return tools::call(workspace, "patch", json::to_text(arguments)).text();
    }

    // Kills a child that applies it.
    void expect_killed(const std::string& patch) {
        const auto act_in = [&patch](const Workspace& workspace) {
            return [&patch, &workspace](long) {
                if (!apply_to(workspace, patch).starts_with("Applied")) ::_exit(2);
            };
        };
        reset();
        const Workspace trial = reader();
        const std::size_t calls = calls_of(act_in(trial));
        reset();
        const Workspace child = reader();
        ASSERT_GE(kill_in_the_middle(act_in(child), random_, calls), 0);
    }

    // Removes what the killed process left of files that are gone or were not whole.
    void drop_strays() const {
        for (const auto& [name, content] : all()) {
            if (name.find(".paddock-") != name.npos) std::filesystem::remove(ws(name));
        }
    }

    const Tree kinds_{
        {"node", lines("k", 1)}, {"box/a", lines("a", 1)}, {"box/in/b", lines("b", 1)}};
};

TEST_F(KillPatchOfKinds, issue_17_13_the_same_patch_again_completes_it) {
    const Tree after{{"node/x", lines("x", 1)}, {"box", lines("y", 1)}};
    std::string patch = coming("box", after.at("box")) + coming("node/x", after.at("node/x"));
    for (const auto& [name, content] : kinds_) patch += going(name, content);
    const long rounds = budget("PADDOCK_KILL_PATCHES", 200, 20);
    for (long round = 0; round < rounds && !HasFailure(); ++round) {
        expect_killed(patch);
        const std::string again = apply_to(reader(), patch);
        EXPECT_TRUE(again.starts_with("Applied")) << again;
        drop_strays();
        EXPECT_EQ(all(), after) << again;
    }
}

TEST_F(KillPatchOfKinds, issue_17_13_loses_nothing) {
    const std::string patch = renaming("node", "node/x/node") + renaming("box/a", "box") +
                              renaming("box/in/b", "elsewhere");
    const long rounds = budget("PADDOCK_KILL_PATCHES", 200, 20);
    for (long round = 0; round < rounds && !HasFailure(); ++round) {
        expect_killed(patch);
        EXPECT_EQ(contents(),
                  (std::multiset<std::string>{lines("k", 1), lines("a", 1), lines("b", 1)}));
    }
}

}  // namespace
