// Where openat2 is missing, filtered or answers oddly, and what the user-space walk must not trust.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "escape/call_hook.h"
#include "escape/child.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "sys/uapi.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;

constexpr std::uint32_t kDie = SECCOMP_RET_KILL_PROCESS;

RootOptions walking() {
    RootOptions options;
    options.resolver = ResolverKind::kWalk;
    return options;
}

class Fallback : public Jail {
protected:
    void SetUp() override {
        tree({"ROOT/f=inside", "ROOT/d/g=inside", "ROOT/in->d/g", "ROOT/d/up->../f",
              "ROOT/abs->@/ROOT/f", "ROOT/out->../OUT/secret", "ROOT/outdir->../OUT",
              "ROOT/loop->loop"});
    }

    // A few cases of each other group; leaves everything as it was.
    void expect_usual_answers(const Root& jail) const {
        for (const char* path : {"f", "d/g", "in", "d/up", "abs", "d/../f"}) {
            EXPECT_EQ(jail.read_file(path), "inside") << path;
        }
        for (const char* path : {"out", "outdir/secret", "../OUT/secret", "..", "/etc/passwd"}) {
            EXPECT_CODE(jail.read_file(path), Code::kPathEscape);
            EXPECT_CODE(jail.write_file(path, "x"), Code::kPathEscape);
        }
        EXPECT_CODE(jail.read_file("missing"), Code::kNotFound);
        EXPECT_CODE(jail.read_file("f/x"), Code::kNotADirectory);
        EXPECT_CODE(jail.read_file("d"), Code::kIsADirectory);
        EXPECT_CODE(jail.read_file("loop"), Code::kLimitReached);
        EXPECT_OK(jail.mkdir_all("x/y/z", 0750));
        EXPECT_OK(jail.write_file("x/y/w", "new"));
        EXPECT_OK(jail.append_file("x/y/w", "er"));
        EXPECT_EQ(jail.read_file("x/y/w"), "newer");
        EXPECT_OK(jail.rename("x/y/w", "x/w"));
        EXPECT_EQ(jail.list("x")->entries.size(), 2U);
        EXPECT_OK(jail.remove_all("x"));
        int entries = 0;
        EXPECT_OK(jail.walk(".", [&](const WalkEntry&) {
            ++entries;
            return WalkAction::kContinue;
        }));
        EXPECT_EQ(entries, 9);
        EXPECT_EQ(secret(), kSecret);
    }

    // Does `act` under a filter that kills; `deadly` shows that it does.
    static void expect_survival(const std::vector<FilterRule>& rules,
                                const std::function<void()>& deadly,
                                const std::function<void()>& act) {
        const int killed = end_of_child([&] {
            ASSERT_TRUE(filter_calls(rules));
            deadly();
        });
        EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGSYS) << "the filter is void";
        in_child([&] {
            ASSERT_TRUE(filter_calls(rules));
            act();
        });
    }

    // What a process finds whose openat2 is answered by `action` from its first call on.
    void expect_walk_under(std::uint32_t action) const {
        const Unchanged outside(out());
        in_child([&] {
            ASSERT_TRUE(filter_calls({{kOpenat2, {}, action}}));
            const auto probed = Root::open(ws());
            ASSERT_TRUE(probed);
            EXPECT_EQ(probed->resolver(), ResolverKind::kWalk);
            expect_usual_answers(*probed);
            RootOptions insisting;
            insisting.resolver = ResolverKind::kOpenat2;
            EXPECT_CODE(Root::open(ws(), insisting), Code::kNotAvailable);
        });
    }
};

ATTACK_F(Fallback, FB_01, openat2_absent) { expect_walk_under(SECCOMP_RET_ERRNO | ENOSYS); }

ATTACK_F(Fallback, FB_02, openat2_filtered_as_eperm) {
    expect_walk_under(SECCOMP_RET_ERRNO | EPERM);
}

ATTACK_F(Fallback, FB_03, eperm_of_a_single_file) {
    const Root jail = root();
    if (jail.resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "openat2 is not in use";
    {
        const CallHook hook([](sys::Call call) {
            return sys::Fault{.error = call == sys::Call::kOpenat2 ? EPERM : 0};
        });
        EXPECT_EQ(jail.read_file("f"), "inside");
        EXPECT_CODE(jail.read_file("out"), Code::kPathEscape);
    }
    EXPECT_EQ(count_calls([&] { EXPECT_OK(jail.read_file("f")); }, sys::Call::kOpenat2), 1);
    EXPECT_EQ(count_calls([&] { EXPECT_OK(jail.read_file("f")); }, sys::Call::kOpenat), 0);
    EXPECT_EQ(jail.resolver(), ResolverKind::kOpenat2);
}

ATTACK_F(Fallback, FB_04, filter_after_the_first_call) {
    for (const std::uint32_t error : {unsigned{ENOSYS}, unsigned{EPERM}}) {
        const Root jail = root();
        EXPECT_EQ(jail.read_file("f"), "inside");
        in_child([&] {
            ASSERT_TRUE(filter_calls({{kOpenat2, {}, SECCOMP_RET_ERRNO | error}}));
            expect_usual_answers(jail);
        });
    }
}

ATTACK_F(Fallback, FB_05, deadly_filters) {
    for (const std::uint32_t action : {SECCOMP_RET_TRAP, kDie}) {
        const int naive = end_of_child([&] {
            ASSERT_TRUE(filter_calls({{kOpenat2, {}, action}}));
            sys::uapi::OpenHow how;
            how.flags = O_PATH | O_CLOEXEC;
            ::syscall(kOpenat2, AT_FDCWD, ws().c_str(), &how, sizeof how);
        });
        EXPECT_TRUE(WIFSIGNALED(naive) && WTERMSIG(naive) == SIGSYS) << "asking is deadly";
        expect_walk_under(action);
    }
}

// A process that lives under some filter already, as in a container, and then narrows it.
ATTACK_F(Fallback, FB_05, deadly_filter_after_a_harmless_one) {
    in_child([&] {
        ASSERT_TRUE(filter_calls({{SYS_reboot, {}, SECCOMP_RET_ERRNO | EPERM}}));
        ASSERT_TRUE(Root::open(ws()));
        ASSERT_TRUE(filter_calls({{kOpenat2, {}, SECCOMP_RET_TRAP}}));
        const auto probed = Root::open(ws());
        ASSERT_TRUE(probed);
        EXPECT_EQ(probed->resolver(), ResolverKind::kWalk);
        expect_usual_answers(*probed);
    });
}

// A link's ".." seen from a directory that was moved outside meanwhile would be the outside.
ATTACK(FB_07, dotdot_after_the_directory_was_moved_out) {
    const auto start_anew = [&] {
        stdfs::remove_all(ws("a"));
        stdfs::remove_all(out("b"));
        tree({"ROOT/a/b/up->../secret", "ROOT/a/secret=inside"});
    };
    const auto move_out = [&] { ASSERT_EQ(::rename(ws("a/b").c_str(), out("b").c_str()), 0); };

    start_anew();
    const UniqueFd held(::open(ws("a/b").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    move_out();
    const UniqueFd naive(::openat(held.get(), "../secret", O_RDONLY | O_CLOEXEC));
    char text[32];
    const ssize_t size = ::read(naive.get(), text, sizeof text);
    EXPECT_EQ(std::string_view(text, static_cast<std::size_t>(size)), kSecret);

    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        at_every_call(start_anew, move_out, [&] {
            const auto content = jail.read_file("a/b/up");
            if (content) {
                EXPECT_EQ(*content, "inside");
            } else {
                EXPECT_NE(code_name(content.error().code), code_name(Code::kInternal));
            }
        });
    }
}

// There is a kernel that follows a link in spite of O_NOFOLLOW when O_DIRECTORY is given as well.
ATTACK_F(Fallback, FB_08, never_relies_on_directory_with_nofollow) {
    const Root jail = root(walking());
    constexpr std::uint32_t kBoth = O_DIRECTORY | O_NOFOLLOW;
    expect_survival(
        {{SYS_openat, {{2, kBoth, kBoth}}, kDie}},
        [&] { ::open(ws("outdir").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); },
        [&] {
            expect_usual_answers(jail);
            EXPECT_CODE(jail.list("outdir"), Code::kPathEscape);
            EXPECT_CODE(jail.open_directory("outdir"), Code::kPathEscape);
            EXPECT_CODE(jail.mkdir_all("outdir/x"), Code::kPathEscape);
            EXPECT_OK(jail.remove_all("outdir"));
        });
    EXPECT_EQ(secret(), kSecret);
}

ATTACK_F(Fallback, FB_09, searchable_but_unreadable_directories) {
    tree({"ROOT/x/wx/g=inside", "ROOT/link->x/wx/g", "ROOT/x/wx/up->../../f"});
    ASSERT_EQ(::chmod(ws("x/wx").c_str(), 0311), 0);
    ASSERT_EQ(::chmod(ws("x").c_str(), 0111), 0);
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        const Unprivileged nobody;
        ASSERT_TRUE(nobody.is());
        EXPECT_EQ(jail.read_file("x/wx/g"), "inside");
        EXPECT_EQ(jail.read_file("link"), "inside");
        EXPECT_EQ(jail.read_file("x/wx/up"), "inside");
        EXPECT_OK(jail.open_directory("x/wx"));
        EXPECT_CODE(jail.list("x"), Code::kPermissionDenied);
        EXPECT_CODE(jail.list("x/wx"), Code::kPermissionDenied);
    }
}

ATTACK_F(Fallback, FB_09, readable_but_unsearchable_directories) {
    tree({"ROOT/r/g=inside"});
    ASSERT_EQ(::chmod(ws("r").c_str(), 0444), 0);
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        const Unprivileged nobody;
        ASSERT_TRUE(nobody.is());
        EXPECT_CODE(jail.read_file("r/g"), Code::kPermissionDenied);
        EXPECT_OK(jail.list("r"));
        EXPECT_OK(jail.walk(".", [](const WalkEntry& entry) {
            EXPECT_EQ(entry.failure, nullptr) << entry.path;
            return WalkAction::kContinue;
        }));
    }
}

ATTACK_F(Fallback, FB_10, link_exchanged_before_it_is_read) {
    const auto exchange = [&] {
        ASSERT_EQ(
            ::renameat2(AT_FDCWD, ws("in").c_str(), AT_FDCWD, ws("out").c_str(), RENAME_EXCHANGE),
            0);
    };
    const Root jail = root(walking());
    bool exchanged = false;
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kReadlink && !exchanged) {
            exchanged = true;
            exchange();
        }
        return sys::Fault{};
    });
    EXPECT_EQ(jail.read_file("in"), "inside");
    EXPECT_TRUE(exchanged);
    EXPECT_EQ(stdfs::read_symlink(ws("in")), "../OUT/secret") << "read by name it leads outside";
    expect_naive_leak("in");
}

ATTACK_F(Fallback, FB_13, forced_user_space_resolver) {
    const Root jail = root(walking());
    EXPECT_EQ(jail.resolver(), ResolverKind::kWalk);
    const int by_kernel = count_calls(
        [&] {
            expect_usual_answers(jail);
            EXPECT_OK(root(walking()).sub_root("d"));
        },
        sys::Call::kOpenat2);
    EXPECT_EQ(by_kernel, 0);
}

// An older openat ignores what it does not know; only flags as old as the oldest kernel served.
ATTACK_F(Fallback, FB_14, only_flags_that_every_openat_knows) {
    constexpr std::uint32_t kLargeFile = 0100000;
    constexpr std::uint32_t kKnown = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND |
                                     O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_PATH |
                                     kLargeFile;
    constexpr int kUnknown = 1 << 30;
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        expect_survival(
            {{SYS_openat, {{2, ~kKnown, 0, false}}, kDie}},
            [&] { ::syscall(SYS_openat, AT_FDCWD, ws("f").c_str(), O_CLOEXEC | kUnknown, 0); },
            [&] { expect_usual_answers(jail); });
    }
}

ATTACK_F(Fallback, FB_15, interrupted_open) {
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        int interruptions = 0;
        int opens = 0;
        const CallHook hook([&](sys::Call call) {
            if (call != sys::Call::kOpenat && call != sys::Call::kOpenat2) return sys::Fault{};
            const bool interrupt = ++opens % 4 != 0;
            interruptions += interrupt ? 1 : 0;
            return sys::Fault{.error = interrupt ? EINTR : 0};
        });
        expect_usual_answers(jail);
        EXPECT_GT(interruptions, 0);
    }
}

ATTACK_F(Fallback, FB_16, single_eagain) {
    const Root jail = root();
    for (const sys::Call which : {sys::Call::kOpenat2, sys::Call::kOpenat}) {
        int calls = 0;
        const CallHook hook([&](sys::Call call) {
            return sys::Fault{.error = call == which && ++calls == 1 ? EAGAIN : 0};
        });
        EXPECT_EQ(jail.read_file("in"), "inside");
    }
}

ATTACK_F(Fallback, FB_17, einval_is_no_reason_to_change_resolver) {
    const Root jail = root();
    if (jail.resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "openat2 is not in use";
    int others = 0;
    {
        const CallHook hook([&](sys::Call call) {
            if (call == sys::Call::kOpenat2) return sys::Fault{.error = EINVAL};
            ++others;
            return sys::Fault{};
        });
        EXPECT_CODE(jail.read_file("f"), Code::kInvalidArgument);
        EXPECT_CODE(jail.stat("d/g"), Code::kInvalidArgument);
    }
    EXPECT_EQ(others, 0);
    EXPECT_EQ(jail.resolver(), ResolverKind::kOpenat2);
    EXPECT_EQ(jail.read_file("f"), "inside");
}

ATTACK_F(Fallback, FB_18, kernel_that_takes_only_the_short_structure) {
    const Root jail = root();
    if (jail.resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "openat2 is not in use";
    in_child([&] {
        constexpr std::uint32_t kShort = 24;
        ASSERT_TRUE(
            filter_calls({{kOpenat2, {{3, kAnyBit, kShort, false}}, SECCOMP_RET_ERRNO | E2BIG}}));
        const auto probed = Root::open(ws());
        ASSERT_TRUE(probed);
        EXPECT_EQ(probed->resolver(), ResolverKind::kOpenat2);
        expect_usual_answers(*probed);
    });
}

ATTACK_F(Fallback, FB_19, modes_that_reach_the_kernel) {
    const std::vector<FilterRule> rules = {
        {SYS_openat, {{2, O_CREAT, 0}, {3, kAnyBit, 0, false}}, kDie},
        {SYS_openat, {{3, ~07777U, 0, false}}, kDie},
        {SYS_mkdirat, {{2, ~07777U, 0, false}}, kDie}};
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        expect_survival(
            rules,
            [&] { ::syscall(SYS_openat, AT_FDCWD, ws("f").c_str(), O_RDONLY | O_CLOEXEC, 0644); },
            [&] {
                expect_usual_answers(jail);
                EXPECT_OK(jail.create("new", 0640));
                EXPECT_CODE(jail.create("newer", 010640), Code::kInvalidArgument);
                EXPECT_CODE(jail.mkdir("newer", 010750), Code::kInvalidArgument);
                EXPECT_CODE(jail.chmod("new", 010640), Code::kInvalidArgument);
                EXPECT_OK(jail.remove("new"));
            });
    }
}

}  // namespace
}  // namespace paddock::testing
