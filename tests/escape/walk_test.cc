// Whole trees (listing, walking, removing) and directories handed to a child to work in.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "escape/call_hook.h"
#include "escape/child.h"
#include "escape/in_memory.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;

// How often each path was visited, second visits for a failure left out.
std::map<std::string, int> visits(const Root& root, std::string_view start) {
    std::map<std::string, int> counts;
    EXPECT_OK(root.walk(start, [&](const WalkEntry& entry) {
        if (entry.failure == nullptr) ++counts[std::string(entry.path)];
        return WalkAction::kContinue;
    }));
    return counts;
}

// What a walker that follows links finds: the names of the files.
std::vector<std::string> naive_walk(const std::string& start) {
    std::vector<std::string> names;
    const auto follow = stdfs::directory_options::follow_directory_symlink;
    for (const auto& entry : stdfs::recursive_directory_iterator(start, follow)) {
        if (entry.is_regular_file()) names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
}

ATTACK(WK_03, links_back_into_the_tree) {
    tree({"ROOT/d/f=x", "ROOT/in->d", "ROOT/d/self->.", "ROOT/d/up->..", "ROOT/abs->@/ROOT"});
    const std::map<std::string, int> expected = {{"abs", 1}, {"d", 1},      {"d/f", 1},
                                                 {"in", 1},  {"d/self", 1}, {"d/up", 1}};
    EXPECT_EQ(visits(root(), "."), expected);
}

ATTACK(WK_09, walk_that_starts_at_a_link) {
    tree({"ROOT/d/f=x", "ROOT/out->../OUT", "ROOT/in->d"});
    EXPECT_EQ(naive_walk(ws("out")), std::vector<std::string>{"secret"});

    const auto none = [](const WalkEntry& entry) {
        ADD_FAILURE() << entry.path;
        return WalkAction::kContinue;
    };
    EXPECT_CODE(root().walk("out", none), Code::kPathEscape);
    EXPECT_CODE(root().walk("out/", none), Code::kPathEscape);
    EXPECT_CODE(root().list("out"), Code::kPathEscape);
    EXPECT_EQ(visits(root(), "in"), (std::map<std::string, int>{{"in/f", 1}}));
}

// Expects that a walk of "." visits a, locked and z and reports `failed` as permission_denied.
void expect_walk_past(const Root& root, const std::string& failed, const CallHook::Act& hook = {},
                      const std::function<void(const WalkEntry&)>& watch = {}) {
    std::vector<std::string> seen;
    int failures = 0;
    const auto look = [&](const WalkEntry& entry) {
        if (watch) watch(entry);
        if (entry.failure == nullptr) {
            seen.emplace_back(entry.path);
        } else {
            ++failures;
            EXPECT_EQ(entry.path, failed);
            EXPECT_EQ(code_name(entry.failure->code), code_name(Code::kPermissionDenied));
        }
        return WalkAction::kContinue;
    };
    std::optional<CallHook> hooked;
    if (hook) hooked.emplace(hook);
    EXPECT_OK(root.walk(".", look));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "a/f", "locked", "z", "z/f"}));
    EXPECT_EQ(failures, 1);
}

ATTACK(WK_12, unreadable_directory) {
    tree({"ROOT/a/f=x", "ROOT/locked/f=x", "ROOT/z/f=x"});
    const Root jail = root();
    ASSERT_EQ(::chmod(ws("locked").c_str(), 0), 0);
    const Unprivileged nobody;
    ASSERT_TRUE(nobody.is());
    expect_walk_past(jail, "locked");
}

ATTACK(WK_12, directory_that_fails_while_it_is_read) {
    tree({"ROOT/a/f=x", "ROOT/locked/", "ROOT/z/f=x"});
    bool inside = false;
    expect_walk_past(
        root(), "locked",
        [&](sys::Call call) {
            return sys::Fault{.error = inside && call == sys::Call::kGetdents ? EACCES : 0};
        },
        [&](const WalkEntry& entry) { inside = entry.name == "locked" && !entry.failure; });
}

ATTACK_F(InMemory, WK_14, more_entries_than_the_bound) {
    constexpr std::size_t kEntries = limits::kListEntriesMax + 1000;
    tree({"ROOT/d/"});
    const UniqueFd directory(::open(ws("d").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t i = 0; i < kEntries; ++i) {
        // Backwards, so that the first names come last.
        const std::string name = std::to_string(2 * kEntries - i);
        ASSERT_EQ(::mknodat(directory.get(), name.c_str(), S_IFREG | 0600, 0), 0);
    }
    const std::string first = std::to_string(kEntries + 1);
    const auto all = root().list("d");
    ASSERT_TRUE(all);
    EXPECT_TRUE(all->truncated);
    EXPECT_EQ(all->entries.size(), limits::kListEntriesMax);
    EXPECT_EQ(all->entries.front().name, first);

    const auto few = root().list("d", 10);
    ASSERT_TRUE(few);
    EXPECT_TRUE(few->truncated);
    ASSERT_EQ(few->entries.size(), 10U);
    EXPECT_LE(few->entries.capacity(), 32U);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(few->entries[i].name, std::to_string(kEntries + 1 + i));
    }

    int seen = 0;
    EXPECT_OK(root().walk("d", [&](const WalkEntry&) {
        return ++seen == 100 ? WalkAction::kStop : WalkAction::kContinue;
    }));
    EXPECT_EQ(seen, 100);
}

ATTACK(WK_17, odd_names_round_trip) {
    const std::vector<std::string> names = {
        "new\nline",   "tab\t", "raw\xff\xfe", "-rf", " lead", "trail ", "quote'\"",
        "back\\slash", "*?[]",  "\x1b[1m",     "...", "~",     "$HOME",  "\x7f"};
    for (const std::string& name : names) {
        stdfs::create_directories(ws("d/" + name));
        os_write(ws("d/" + name + "/" + name), name);
    }
    std::size_t files = 0;
    EXPECT_OK(root().walk("d", [&](const WalkEntry& entry) {
        if (entry.type == FileType::kRegular) {
            ++files;
            EXPECT_EQ(root().read_file(entry.path), entry.name);
        }
        return WalkAction::kContinue;
    }));
    EXPECT_EQ(files, names.size());
    const auto listed = root().list("d");
    ASSERT_TRUE(listed);
    for (const ListEntry& entry : listed->entries) {
        EXPECT_OK(root().remove_all("d/" + entry.name));
    }
    EXPECT_TRUE(os_list(ws("d")).empty());
}

ATTACK(WK_18, removal_of_a_tree_with_links_outward) {
    tree({"ROOT/d/e/f=x", "ROOT/d/host->/", "ROOT/d/e/out->../../../OUT", "ROOT/d/abs->@/OUT",
          "ROOT/kept=x", "ROOT/d/in->../kept"});
    EXPECT_EQ(naive_walk(ws("d/abs")), std::vector<std::string>{"secret"});

    const Unchanged outside(out());
    EXPECT_OK(root().remove_all("d"));
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"kept"});
    EXPECT_TRUE(os_exists("/proc"));
}

ATTACK(WK_20, few_descriptors) {
    constexpr int kDepth = 40;
    std::string deep = "deep";
    for (int i = 0; i < kDepth; ++i) deep += "/d";
    const std::string entry = "ROOT/" + deep + "/f=x";
    tree({entry});
    const Root jail = root();
    in_child([&] {
        const std::size_t before = open_descriptors();
        const auto with_few = [&](auto act) {
            ASSERT_TRUE(set_limit(RLIMIT_NOFILE, 16));
            const std::optional<Error> error = act();
            ASSERT_TRUE(set_limit(RLIMIT_NOFILE, 1024));
            if (error) {
                EXPECT_EQ(code_name(error->code), code_name(Code::kLimitReached))
                    << error->message();
            }
            EXPECT_EQ(open_descriptors(), before);
        };
        with_few([&]() -> std::optional<Error> {
            int failures = 0;
            const auto walked = jail.walk("deep", [&](const WalkEntry& visited) {
                if (visited.failure != nullptr) {
                    ++failures;
                    EXPECT_EQ(code_name(visited.failure->code), code_name(Code::kLimitReached));
                }
                return WalkAction::kContinue;
            });
            EXPECT_LE(failures, 1);
            if (!walked) return walked.error();
            return std::nullopt;
        });
        with_few([&]() -> std::optional<Error> {
            const auto content = jail.read_file(deep + "/f");
            if (!content) return content.error();
            EXPECT_EQ(*content, "x");
            return std::nullopt;
        });
        with_few([&]() -> std::optional<Error> {
            const auto removed = jail.remove_all("deep");
            if (!removed) return removed.error();
            EXPECT_FALSE(os_exists(ws("deep")));
            return std::nullopt;
        });
    });
}

// What a child that is to work in `directory` finds under `name`.
std::optional<std::string> read_in_child(int directory, const std::string& name) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const int status = end_of_child([&] {
        if (::fchdir(directory) != 0) ::_exit(2);
        const UniqueFd file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
        char text[64];
        const ssize_t size = ::read(file.get(), text, sizeof text);
        if (size < 0) ::_exit(3);
        EXPECT_EQ(::write(writer.get(), text, static_cast<std::size_t>(size)), size);
    });
    writer.reset();
    if (status != 0) return std::nullopt;
    char text[64];
    const ssize_t size = ::read(reader.get(), text, sizeof text);
    return std::string(text, static_cast<std::size_t>(size));
}

ATTACK(SH_02, outward_link_as_working_directory) {
    tree({"ROOT/d/secret=inside", "ROOT/out->../OUT", "ROOT/abs->@/OUT", "ROOT/in->d"});
    const UniqueFd naive(::open(ws("out").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(read_in_child(naive.get(), "secret"), kSecret);

    for (const std::string& path : {std::string("out"), std::string("out/"), std::string("abs"),
                                    std::string(".."), std::string("../OUT"), out()}) {
        EXPECT_CODE(root().open_directory(path), Code::kPathEscape);
        EXPECT_CODE(root().sub_root(path), Code::kPathEscape);
    }
    const auto inside = root().open_directory("in");
    ASSERT_TRUE(inside);
    EXPECT_EQ(read_in_child(inside->fd(), "secret"), "inside");
}

ATTACK(SH_03, working_directory_swapped_before_the_start) {
    const auto swap = [&] {
        ASSERT_EQ(::rename(ws("d").c_str(), ws("moved").c_str()), 0);
        ASSERT_EQ(::symlink("../OUT", ws("d").c_str()), 0);
    };
    const auto start_anew = [&] {
        stdfs::remove_all(ws("d"));
        stdfs::remove_all(ws("moved"));
        tree({"ROOT/d/secret=inside"});
    };

    // Checks the path, then changes to it.
    start_anew();
    ASSERT_EQ(stdfs::canonical(ws("d")), ws("d"));
    swap();
    const UniqueFd naive(::open(ws("d").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(read_in_child(naive.get(), "secret"), kSecret);

    start_anew();
    const auto held = root().open_directory("d");
    ASSERT_TRUE(held);
    swap();
    EXPECT_EQ(read_in_child(held->fd(), "secret"), "inside");
    EXPECT_CODE(root().open_directory("d"), Code::kPathEscape);

    const Root jail = root();
    at_every_call(start_anew, swap, [&] {
        const auto directory = jail.open_directory("d");
        if (directory) {
            EXPECT_EQ(read_in_child(directory->fd(), "secret"), "inside");
        } else {
            EXPECT_EQ(code_name(directory.error().code), code_name(Code::kPathEscape));
        }
    });
}

ATTACK(SH_09, odd_names_as_working_directory) {
    for (const std::string name : {"new\nline", "raw\xff\xfe", " ", "-"}) {
        stdfs::create_directories(ws(name));
        os_write(ws(name + "/f"), "here");
        const auto directory = root().open_directory(name);
        ASSERT_TRUE(directory);
        EXPECT_EQ(read_in_child(directory->fd(), "f"), "here");
        EXPECT_EQ(root().canonical_path(*directory), name);
    }
}

}  // namespace
}  // namespace paddock::testing
