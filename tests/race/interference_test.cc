// Single events at the worst moment: the kernel's "try again", a directory that fills up while it
// is emptied, a stolen temporary file, a parent that changes between two steps.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "fs/tree.h"
#include "race/naive.h"
#include "race/race.h"
#include "race/stop_point.h"
#include "sys/files.h"

namespace paddock::testing {
namespace {

using sys::Call;
using sys::Fault;

constexpr std::string_view kTemporary = ".paddock-";

struct Operation {
    const char* name;
    std::function<Status(const Root&)> act;
};

std::vector<Operation> some_operations() {
    const auto ignore = [](const WalkEntry&) { return WalkAction::kContinue; };
    return {
        {"read_file", [](const Root& r) { return status(r.read_file("d/f")); }},
        {"create", [](const Root& r) { return status(r.create("d/f")); }},
        {"write_file", [](const Root& r) { return r.write_file("d/f", "new", kFast); }},
        {"mkdir_all", [](const Root& r) { return r.mkdir_all("d/x/y"); }},
        {"walk", [=](const Root& r) { return r.walk("d", ignore); }},
        {"chmod", [](const Root& r) { return r.chmod("d/f", 0600); }},
        {"rename", [](const Root& r) { return r.rename("d/f", "d/g"); }},
        {"remove_all", [](const Root& r) { return r.remove_all("d/x"); }},
    };
}

// The first temporary file in a directory, if there is one.
std::optional<std::string> temporary_in(const std::string& directory) {
    for (const std::string& name : os_list(directory)) {
        if (name.starts_with(kTemporary)) return directory + '/' + name;
    }
    return std::nullopt;
}

// EAGAIN from the very call by which the resolver under test looks names up.
ATTACK_F(Race, RACE_15, kernel_that_says_try_again) {
    using Clock = std::chrono::steady_clock;
    tree({"ROOT/d/f=inside"});
    const Root root = this->root();
    const bool kernel = root.resolver() == ResolverKind::kOpenat2;
    const Call lookup = kernel ? Call::kOpenat2 : Call::kOpenat;
    std::optional<Clock::duration> read_time;
    for (const Operation& operation : some_operations()) {
        SCOPED_TRACE(operation.name);
        int others = 0;
        const auto start = Clock::now();
        {
            const StopPoint always([&](Call call, int) {
                if (call == lookup) return Fault{.error = EAGAIN, .bytes_max = 0};
                ++others;
                return Fault{};
            });
            EXPECT_CODE(operation.act(root), Code::kRace);
        }
        EXPECT_EQ(others, 0) << "another way was tried";
        // The deadline is one for the whole call, however many steps are repeated.
        const auto time = Clock::now() - start;
        if (!read_time) read_time = time;
        EXPECT_LT(time, *read_time * 8);

        constexpr int kTimes = 5;
        int left = kTimes;
        const StopPoint sometimes([&](Call call, int) {
            return Fault{.error = call == lookup && left-- > 0 ? EAGAIN : 0, .bytes_max = 0};
        });
        EXPECT_OK(operation.act(root));
    }
    // The control takes the first answer for final.
    const StopPoint always([](Call, int) { return Fault{.error = EAGAIN, .bytes_max = 0}; });
    const auto found = sys::openat(root.fd(), "d/f", O_PATH);
    EXPECT_TRUE(!found && found.error().code == Code::kRace);
}

ATTACK_F(Race, RACE_22, remove_all_of_a_directory_that_fills_up) {
    tree({"ROOT/t/f="});
    const Root root = this->root();
    int files = 0;
    const auto fill = [&] { os_write(ws("t/" + std::to_string(++files)), ""); };
    {
        // One more file before each attempt to remove anything: the directory is never empty.
        const StopPoint filler([&](Call call, int) {
            if (call == Call::kUnlink) fill();
            return Fault{};
        });
        const Status done = root.remove_all("t");
        EXPECT_CODE(done, Code::kAlreadyExists);
    }
    const int after_paddock = files;
    EXPECT_LE(after_paddock, 100 * fs::kRemovePassesMax);
    EXPECT_OK(root.remove_all("t"));
    std::printf("race RACE_22: gave up after %d new files\n", after_paddock);

    // The control goes on until the directory is gone, and would do so for ever.
    tree({"ROOT/t/f="});
    while (os_exists(ws("t")) && files < 3 * after_paddock) {
        fill();
        naive::remove_all(ws("t/" + std::to_string(files)));
        fill();
        (void)::rmdir(ws("t").c_str());
    }
    EXPECT_TRUE(os_exists(ws("t")));
}

// The attacker knows the name of the temporary file as soon as it exists, and puts something else
// there before it takes the place of the target.
ATTACK_F(Race, RACE_28, temporary_file_that_is_replaced) {
    const auto steal = [&](const char* by) {
        const auto temporary = temporary_in(ws());
        if (!temporary) return;
        (void)::unlink(temporary->c_str());
        if (std::string_view(by) == "file") os_write(*temporary, "attacker's");
        if (std::string_view(by) == "link") {
            ASSERT_EQ(::symlink(out("secret").c_str(), temporary->c_str()), 0);
        }
        if (std::string_view(by) == "hard link") {
            ASSERT_EQ(::link(ws("other").c_str(), temporary->c_str()), 0);
        }
    };
    int stops = 0;
    for (const char* by : {"file", "link", "hard link", "nothing"}) {
        for (const bool exists : {true, false}) {
            int calls = 0;
            for (int stop = 1; stop <= calls + 1; ++stop) {
                naive::remove_all(ws());
                tree({"ROOT/other=attacker's"});
                if (exists) tree({"ROOT/f=old"});
                const StopPoint thief([&](Call, int number) {
                    if (number == stop) steal(by);
                    return Fault{};
                });
                const Status done = root().write_file("f", "ours", kFast);
                calls = thief.calls();
                ++stops;
                SCOPED_TRACE(std::string(by) + " before call " + std::to_string(stop));
                EXPECT_EQ(secret(), kSecret);
                EXPECT_EQ(os_read(ws("other")), "attacker's");
                if (!done) continue;
                EXPECT_EQ(os_read(ws("f")), "ours") << "reported as written";
                EXPECT_FALSE(naive::is_link(ws("f")));
            }
        }
    }
    std::printf("race RACE_28: stops %d\n", stops);
    // The control writes, is robbed, renames, and is content.
    os_write(ws(".paddock-control"), "ours");
    steal("file");
    EXPECT_EQ(::rename(ws(".paddock-control").c_str(), ws("f").c_str()), 0);
    EXPECT_EQ(os_read(ws("f")), "attacker's");
}

ATTACK_F(Race, RACE_29, parent_that_changes_during_an_atomic_write) {
    int calls = 0;
    for (int stop = 1; stop <= calls + 1; ++stop) {
        SCOPED_TRACE("exchanged before call " + std::to_string(stop));
        naive::remove_all(ws());
        naive::remove_all(out());
        tree({"ROOT/d/f=old", "ROOT/l->@/OUT", "OUT/f=outside", "OUT/secret=outside-secret"});
        const Root root = this->root();
        const UniqueFd outside = hold(out());
        const Snapshot before = take_snapshot(outside.get());
        const StopPoint exchanger([&](Call, int number) {
            if (number == stop) exchange_once(ws("d"), ws("l"));
            return Fault{};
        });
        const Status done = root.write_file("d/f", "ours", kFast);
        calls = exchanger.calls();
        EXPECT_EQ(differences(before, take_snapshot(outside.get())), 0U);
        const std::string d = naive::is_link(ws("d")) ? ws("l") : ws("d");
        EXPECT_EQ(os_list(d), std::vector<std::string>{"f"});
        EXPECT_EQ(os_read(d + "/f"), done ? "ours" : "old");
    }
    std::printf("race RACE_29: stops %d\n", calls + 1);
    // The control has its parent changed between the check and the temporary file.
    if (naive::is_link(ws("d"))) exchange_once(ws("d"), ws("l"));
    ASSERT_TRUE(naive::looks_inside(ws(), ws("d")));
    exchange_once(ws("d"), ws("l"));
    os_write(ws("d/temporary"), "ours");
    EXPECT_TRUE(os_exists(out("temporary")));
}

}  // namespace
}  // namespace paddock::testing
