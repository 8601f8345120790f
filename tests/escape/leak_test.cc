// What answers give away about the outside, and how much work or how many descriptors a path can
// cost.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "escape/call_hook.h"
#include "escape/child.h"
#include "escape/in_memory.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "fs/resolver.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;

ATTACK(IL_02, links_to_different_things_outside) {
    tree({"ROOT/f=inside", "OUT/d/", "OUT/locked=x", "ROOT/file->../OUT/secret",
          "ROOT/directory->../OUT/d", "ROOT/missing->../OUT/missing", "ROOT/locked->../OUT/locked",
          "ROOT/abs->@/OUT/secret", "ROOT/far->/missing/a/b"});
    ASSERT_EQ(::chmod(out("locked").c_str(), 0), 0);
    EXPECT_TRUE(naive_read("file"));
    EXPECT_FALSE(naive_read("missing"));

    for (const char* link : {"directory", "missing", "locked", "abs", "far"}) {
        SCOPED_TRACE(link);
        expect_same_refusal(root(), "file", link, following());
        const std::string below = std::string(link) + "/x";
        expect_same_refusal(root(), "file/x", below);
        EXPECT_TRUE(root().readlink(link)->escapes);
    }
}

ATTACK(IL_05, stable_codes) {
    tree({"ROOT/f=x", "ROOT/g=x", "ROOT/h&ROOT/g", "ROOT/d/f=x", "ROOT/loop->loop", "ROOT/p|",
          "ROOT/out->../OUT"});
    const Root jail = root();
    const auto code_of = [](const auto& result) {
        if (result) return std::string("ok");
        EXPECT_TRUE(result.error().message().starts_with(code_name(result.error().code)));
        return std::string(code_name(result.error().code));
    };
    EXPECT_EQ(code_of(jail.read_file("")), "invalid_path");
    EXPECT_EQ(code_of(jail.read_file("out/secret")), "path_escape");
    EXPECT_EQ(code_of(jail.read_file("missing")), "not_found");
    EXPECT_EQ(code_of(jail.read_file("f/x")), "not_a_directory");
    EXPECT_EQ(code_of(jail.read_file("d")), "is_a_directory");
    EXPECT_EQ(code_of(jail.read_file("p")), "not_regular_file");
    EXPECT_EQ(code_of(jail.read_file("loop")), "limit_reached");
    EXPECT_EQ(code_of(jail.read_file("f", 0)), "too_large");
    EXPECT_EQ(code_of(jail.mkdir("d")), "already_exists");
    EXPECT_EQ(code_of(jail.remove("d")), "already_exists");
    EXPECT_EQ(code_of(jail.chmod("h", 0600)), "permission_denied");
    EXPECT_EQ(code_of(jail.remove(".")), "invalid_argument");
    EXPECT_EQ(code_of(jail.read_only().remove("f")), "read_only");
    RootOptions relative;
    relative.absolute = AbsolutePaths::kReject;
    EXPECT_EQ(code_of(root(relative).read_file(ws("f"))), "absolute_path");

    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
        names.insert(code_name(static_cast<Code>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::kInternal) + 1);
}

ATTACK(IL_06, stat_and_errors_name_no_host_path) {
    tree({"ROOT/d/f=four", "ROOT/in->d/f", "ROOT/abs->@/ROOT/d/f", "ROOT/out->@/OUT/secret"});
    const Root jail = root();
    const auto direct = jail.stat("d/f");
    ASSERT_TRUE(direct);
    for (const char* link : {"in", "abs"}) {
        EXPECT_EQ(jail.stat(link)->identity, direct->identity);
        EXPECT_EQ(jail.stat(link)->size, 4U);
        EXPECT_EQ(jail.lstat(link)->type, FileType::kSymlink);
    }
    EXPECT_CODE(jail.stat("out"), Code::kPathEscape);
    EXPECT_EQ(jail.lstat("out")->size, out("secret").size()) << "of the link's own text";
    EXPECT_EQ(jail.resolve("abs")->path, "d/f");
    EXPECT_EQ(jail.canonical_path(*jail.open_file("in")), "d/f");
    EXPECT_EQ(jail.temp_file("d")->path().substr(0, 11), "d/.paddock-");
    const std::string host = base();
    for (const Operation& operation : operations()) {
        for (const char* path : {"out", "missing/x", "d/f/x", "abs/x", ".."}) {
            if (const auto error = operation.run(jail, path)) {
                EXPECT_EQ(error->message().find(host), std::string::npos) << error->message();
            }
        }
    }
}

ATTACK(IL_07, no_step_is_taken_outside) {
    std::string deep = "../OUT";
    for (int i = 0; i < 50; ++i) deep += "/d";
    stdfs::create_directories(base() + "/ROOT/" + deep);
    tree({"ROOT/f=inside", "ROOT/near->../OUT/secret", "ROOT/deep->" + deep,
          "ROOT/absent->" + deep + "/x/y", "ROOT/climb->../../../../../../../../etc"});
    const Root jail = root();
    for (const Operation& operation : following()) {
        SCOPED_TRACE(operation.name);
        const int near = count_calls([&] { EXPECT_TRUE(operation.run(jail, "near")); });
        for (const char* link : {"deep", "absent", "climb"}) {
            EXPECT_EQ(count_calls([&] { EXPECT_TRUE(operation.run(jail, link)); }), near) << link;
        }
    }
}

ATTACK(DOS_01, endless_paths) {
    constexpr std::size_t kMany = 1'000'000;
    std::string dots;
    std::string climbs;
    for (std::size_t i = 0; i < kMany / 2; ++i) dots += "./";
    for (std::size_t i = 0; i < kMany / 3; ++i) climbs += "a/..";
    tree({"ROOT/f=x"});
    for (const std::string& path : {std::string(kMany, '/'), std::string(kMany, '.'), dots, climbs,
                                    dots + "f", ws() + std::string(kMany, '/') + "f"}) {
        expect_refused_unseen(root(), path, Code::kInvalidPath);
    }
}

ATTACK(DOS_02, links_that_multiply) {
    constexpr int kLinks = 30;
    for (int i = 0; i < kLinks; ++i) {
        const std::string next = "l" + std::to_string(i + 1);
        std::string text = next;
        for (int k = 1; k < 100; ++k) text += "/" + next;
        ASSERT_EQ(::symlink(text.c_str(), ws("l" + std::to_string(i)).c_str()), 0);
    }
    tree({"ROOT/l30->.", "ROOT/f=x"});
    const Root jail = root();
    for (const char* path : {"l0", "l0/f", "l0/l0/l0/f"}) {
        const int calls =
            count_calls([&] { EXPECT_CODE(jail.read_file(path), Code::kLimitReached); });
        EXPECT_LT(calls, 1000);
        EXPECT_CODE(jail.write_file(path, "x"), Code::kLimitReached);
        EXPECT_CODE(jail.mkdir_all(path), Code::kLimitReached);
    }
}

// The kernel steps over tens of thousands of components at no cost worth a bound; in user space
// each step would be a call.
ATTACK(DOS_02, links_of_thousands_of_components) {
    constexpr int kLinks = 39;
    constexpr int kComponents = 1600;
    tree({"ROOT/f=x"});
    for (int i = 0; i < kLinks; ++i) {
        std::string text;
        for (int k = 0; k < kComponents; ++k) text += "./";
        text += i + 1 == kLinks ? "f" : "l" + std::to_string(i + 1);
        ASSERT_EQ(::symlink(text.c_str(), ws("l" + std::to_string(i)).c_str()), 0);
    }
    RootOptions walking;
    walking.resolver = ResolverKind::kWalk;
    const Root jail = root(walking);
    const int calls = count_calls([&] { EXPECT_CODE(jail.read_file("l0"), Code::kLimitReached); });
    EXPECT_LT(calls, 3 * limits::kResolveStepsMax);
    EXPECT_EQ(jail.read_file("l37"), "x");
    const Root asking = root();
    if (asking.resolver() != ResolverKind::kOpenat2) return;
    EXPECT_EQ(asking.read_file("l0"), "x");
    // A mount somewhere in the system makes the kernel count the links twice.
    std::deque<int> answers;
    const CallHook hook([&](sys::Call call) {
        if (call != sys::Call::kOpenat2 || answers.empty()) return sys::Fault{};
        const int answer = answers.front();
        answers.pop_front();
        return sys::Fault{.error = answer};
    });
    // Half of the retries are left for mounts that others really make meanwhile.
    answers.assign(fs::kLinkCountRetriesMax / 2, ELOOP);
    EXPECT_EQ(asking.read_file("l0"), "x");
    answers.assign(fs::kLinkCountRetriesMax + 1, ELOOP);
    EXPECT_CODE(asking.read_file("l0"), Code::kLimitReached);
    // After a second EAGAIN the time since the first would count.
    answers = {ELOOP, EAGAIN, ELOOP};
    EXPECT_EQ(asking.read_file("l0"), "x");
    answers = {ELOOP, ENOENT};
    EXPECT_CODE(asking.read_file("l0"), Code::kNotFound);
}

ATTACK(DOS_03, rename_storm_on_every_core) {
    tree({"ROOT/a/b/up->../../f", "ROOT/f=inside", "ROOT/x/", "OUT/x/"});
    std::atomic<bool> over = false;
    std::vector<std::thread> storm;
    const unsigned cores = std::max(2U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < cores; ++i) {
        const std::string where = i % 2 == 0 ? ws("x/") : out("x/");
        storm.emplace_back(
            [&over, one = where + std::to_string(i), other = where + "m" + std::to_string(i)] {
                ::mkdir(one.c_str(), 0755);
                while (!over) {
                    ::rename(one.c_str(), other.c_str());
                    ::rename(other.c_str(), one.c_str());
                }
            });
    }
    const Root jail = root();
    constexpr int kLookups = 1000;
    int answered = 0;
    for (int i = 0; i < kLookups; ++i) {
        const auto content = jail.read_file("a/b/up");
        if (content) {
            ++answered;
            EXPECT_EQ(*content, "inside");
        } else {
            EXPECT_EQ(code_name(content.error().code), code_name(Code::kRace));
        }
    }
    over = true;
    for (std::thread& thread : storm) thread.join();
    // The walk goes up along held descriptors, which no rename elsewhere disturbs. The kernel's
    // lookup is disturbed by each, but is so short that in the deadline hundreds are tried, unless
    // the thread had to pause for all of it: which cannot happen in every second lookup, as a turn
    // on a processor lasts for many of them.
    EXPECT_GE(answered, jail.resolver() == ResolverKind::kWalk ? kLookups : kLookups / 2);
}

// Every kind of call, each of which succeeds on the tree that Scarce lays out.
struct Action {
    const char* name;
    std::function<std::optional<Error>(const Root&)> run;
    bool makes_parts = false;  // what was made before the failure stays
};

template <class T>
std::optional<Error> error_of(const Result<T>& result) {
    if (result) return std::nullopt;
    return result.error();
}

rlim_t first_free_descriptor() {
    rlim_t number = 0;
    while (::fcntl(static_cast<int>(number), F_GETFD) >= 0) ++number;
    return number;
}

class Scarce : public InMemory {
protected:
    static constexpr int kDepth = 20;

    Scarce() {
        for (int i = 0; i < kDepth; ++i) deep_ += "d/";
        std::string up = "f";
        for (int i = 0; i < kDepth; ++i) up.insert(0, "../");
        up_ = up;
    }

    void start_anew() {
        for (const std::string& name : os_list(ws())) stdfs::remove_all(ws(name));
        tree({"ROOT/f=inside", "ROOT/" + deep_ + "g=inside", "ROOT/" + deep_ + "up->" + up_,
              "ROOT/abs->@/ROOT/" + deep_ + "up"});
    }

    std::vector<Action> actions() const {
        const std::string d = deep_;
        const std::string g = d + "g";
        const std::string made = d + "made";
        const std::string up = d + "up";
        const OpenOptions in_place{.write = true, .mode = {}};
        const Times epoch{.accessed = {}, .modified = std::chrono::nanoseconds(0)};
        const WalkVisitor look = [](const WalkEntry& entry) {
            if (entry.failure != nullptr) {
                EXPECT_EQ(code_name(entry.failure->code), code_name(Code::kLimitReached));
            }
            return WalkAction::kContinue;
        };
        return {
            {"read", [=](const Root& r) { return error_of(r.read_file(g)); }},
            {"read by link", [=](const Root& r) { return error_of(r.read_file("abs")); }},
            {"open", [=](const Root& r) { return error_of(r.open_file(g, in_place)); }},
            {"create", [=](const Root& r) { return error_of(r.create(made, 0600)); }},
            {"replace", [=](const Root& r) { return error_of(r.write_file("abs", "new")); }},
            {"write", [=](const Root& r) { return error_of(r.write_file(made, "new")); }},
            {"append", [=](const Root& r) { return error_of(r.append_file("abs", "new")); }},
            {"copy", [=](const Root& r) { return error_of(r.copy_file("abs", made)); }},
            {"temp", [=](const Root& r) { return error_of(r.temp_file(d)); }},
            {"directory", [=](const Root& r) { return error_of(r.open_directory(d)); }},
            {"sub-root", [=](const Root& r) { return error_of(r.sub_root(d)); }},
            {"mkdir", [=](const Root& r) { return error_of(r.mkdir(made, 0700)); }},
            {"mkdir_all", [=](const Root& r) { return error_of(r.mkdir_all(made + "/x/y", 0700)); },
             true},
            {"list", [=](const Root& r) { return error_of(r.list(d)); }},
            {"walk", [=](const Root& r) { return error_of(r.walk(".", look)); }},
            {"remove", [=](const Root& r) { return error_of(r.remove(g)); }},
            {"remove_all", [=](const Root& r) { return error_of(r.remove_all("d")); }},
            {"rename", [=](const Root& r) { return error_of(r.rename(g, made)); }},
            {"link", [=](const Root& r) { return error_of(r.hard_link(g, made)); }},
            {"symlink", [=](const Root& r) { return error_of(r.symlink("g", made)); }},
            {"readlink", [=](const Root& r) { return error_of(r.readlink(up)); }},
            {"lstat", [=](const Root& r) { return error_of(r.lstat(g)); }},
            {"stat", [=](const Root& r) { return error_of(r.stat("abs")); }},
            {"exists", [=](const Root& r) { return error_of(r.exists("abs")); }},
            {"resolve", [=](const Root& r) { return error_of(r.resolve("abs")); }},
            {"chmod", [=](const Root& r) { return error_of(r.chmod("abs", 0600)); }},
            {"utimes", [=](const Root& r) { return error_of(r.utimes("abs", epoch)); }},
        };
    }

    std::string deep_;
    std::string up_;
};

ATTACK_F(Scarce, DOS_04, descriptors_run_out_at_each_step) {
    start_anew();
    const Root jail = root();
    in_child([&] {
        const std::size_t before = open_descriptors();
        const rlim_t lowest = first_free_descriptor();
        for (const Action& action : actions()) {
            start_anew();
            bool succeeded = false;
            for (rlim_t more = 0; !succeeded; ++more) {
                SCOPED_TRACE(std::string(action.name) + " with " + std::to_string(more));
                ASSERT_LT(more, 64U) << "never succeeds";
                ASSERT_TRUE(set_limit(RLIMIT_NOFILE, lowest + more));
                const auto error = action.run(jail);
                ASSERT_TRUE(set_limit(RLIMIT_NOFILE, 1024));
                succeeded = !error;
                if (error) {
                    EXPECT_EQ(code_name(error->code), code_name(Code::kLimitReached))
                        << error->message();
                }
                if (error && !action.makes_parts && os_exists(ws(deep_ + "made"))) {
                    ADD_FAILURE() << "failed, but made something";
                    start_anew();
                }
                EXPECT_EQ(open_descriptors(), before);
                EXPECT_TRUE(leftovers(ws()).empty());
            }
        }
    });
}

// Lack of descriptors says nothing about openat2.
ATTACK_F(Scarce, DOS_04, descriptors_run_out_while_the_root_is_opened) {
    for (const ResolverKind kind : {ResolverKind::kProbe, resolver_under_test()}) {
        RootOptions options;
        options.resolver = kind;
        const auto usual = Root::open(ws(), options);
        ASSERT_TRUE(usual);
        in_child([&] {
            const std::size_t before = open_descriptors();
            const rlim_t lowest = first_free_descriptor();
            for (rlim_t more = 0; more < 4; ++more) {
                SCOPED_TRACE(std::to_string(more) + " more");
                ASSERT_TRUE(set_limit(RLIMIT_NOFILE, lowest + more));
                std::optional<Result<Root>> opened = Root::open(ws(), options);
                ASSERT_TRUE(set_limit(RLIMIT_NOFILE, 1024));
                if (opened->has_value()) {
                    EXPECT_TRUE((*opened)->resolver() == usual->resolver()) << "changed for good";
                } else {
                    EXPECT_CODE(*opened, Code::kLimitReached);
                }
                opened.reset();
                EXPECT_EQ(open_descriptors(), before);
            }
        });
    }
}

thread_local bool stalls_when_reading = false;

ATTACK(DOS_08, read_that_stalls) {
    tree({"ROOT/slow=late", "ROOT/f=inside", "ROOT/d/"});
    const Root jail = root();
    std::promise<void> stalled;
    std::promise<void> released;
    const CallHook hook([&, wait = released.get_future().share()](sys::Call call) {
        if (stalls_when_reading && call == sys::Call::kRead) {
            stalls_when_reading = false;
            stalled.set_value();
            wait.wait();
        }
        return sys::Fault{};
    });
    std::thread reader([&] {
        stalls_when_reading = true;
        EXPECT_EQ(jail.read_file("slow"), "late");
    });
    stalled.get_future().wait();
    EXPECT_EQ(jail.read_file("f"), "inside");
    EXPECT_EQ(jail.read_file("slow"), "late");
    EXPECT_OK(jail.write_file("slow", "new"));
    EXPECT_OK(jail.list("."));
    EXPECT_OK(jail.sub_root("d"));
    EXPECT_OK(jail.remove_all("d"));
    released.set_value();
    reader.join();
}

}  // namespace
}  // namespace paddock::testing
