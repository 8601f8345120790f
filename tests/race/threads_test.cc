// Many callers at once, a root that is closed while others use it, and children started meanwhile.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

constexpr int kThreads = 64;

// `act` in many threads at once, started together.
template <class Act>
void together(Act act) {
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            act();
        });
    }
    for (std::thread& thread : threads) thread.join();
}

class Crowd : public Race {
protected:
    // Each round is one call of `act` in every thread, after `prepare` in one.
    void repeat_together(const std::function<void()>& prepare, const std::function<Status()>& act) {
        constexpr std::uint64_t kCallsPerRound = 8 * kThreads;
        std::uint64_t calls = 0;
        repeat_against([&] { return calls; }, race_rounds() / kCallsPerRound + 1, 1,
                       [&] {
                           prepare();
                           together([&] {
                               const Status done = act();
                               const std::lock_guard lock(mutex_);
                               count(done);
                               ++calls;
                           });
                       });
    }

    // Was one of many callers of a careless twin told that it failed?
    static bool fails_for_one(const std::function<bool()>& act) {
        std::atomic<bool> failed = false;
        together([&] {
            if (!act()) failed = true;
        });
        return failed;
    }

private:
    std::mutex mutex_;
};

ATTACK_F(Crowd, RACE_18, mkdir_all_of_one_path_in_many_threads) {
    const Root root = this->root();
    const std::string path = "a/b/c/d/e/f";
    const auto prepare = [&] { naive::remove_all(ws("a")); };
    repeat_together(prepare, [&] { return root.mkdir_all(path); });
    verdict({});
    control([&] {
        prepare();
        return fails_for_one(
            [&] { return os_exists(ws("a")) || ::mkdir(ws("a").c_str(), 0755) == 0; });
    });
}

ATTACK_F(Crowd, RACE_20, remove_all_of_one_tree_in_many_threads) {
    const Root root = this->root();
    const auto prepare = [&] {
        tree({"ROOT/t/a/b/c/f=", "ROOT/t/a/b/g=", "ROOT/t/a/h=", "ROOT/t/d/e/f=", "ROOT/t/i="});
    };
    repeat_together(prepare, [&] {
        Status done = root.remove_all("t");
        EXPECT_FALSE(done && os_exists(ws("t")));
        return done;
    });
    verdict({});
    control([&] {
        tree({"ROOT/t/f="});
        return fails_for_one(
            [&] { return !os_exists(ws("t/f")) || ::unlink(ws("t/f").c_str()) == 0; });
    });
}

UniqueFd open_path(const std::string& directory) {
    return UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// A root has no close: the descriptor stays until the last copy is gone. So nobody can be left with
// a number that meanwhile means something else.
ATTACK_F(Race, RACE_30, root_that_is_dropped_while_others_read_through_it) {
    tree({"ROOT/d/f=inside", "OUT/d/f=outside"});
    struct Shared {
        explicit Shared(Root opened) : root(std::move(opened)) {}
        std::mutex mutex;
        Root root;
        UniqueFd outside;  // has the number that was free last
    };
    const auto shared = std::make_shared<Shared>(this->root());
    attack([shared, workspace = ws(), outside = out()] {
        auto fresh = Root::open(workspace, options_under_test());
        if (!fresh) return false;
        {
            const std::lock_guard lock(shared->mutex);
            std::swap(shared->root, *fresh);
        }
        shared->outside.reset();
        fresh = Error{};
        shared->outside = open_path(outside);
        return true;
    });
    repeat([&] {
        std::unique_lock lock(shared->mutex);
        const Root root = shared->root;
        lock.unlock();
        for (int i = 0; i < 4; ++i) {
            const auto content = root.read_file("d/f");
            if (count(content)) note_outside(*content != "inside");
        }
    });
    verdict({});

    struct Careless {
        std::atomic<int> number = -1;
        UniqueFd outside;
    };
    const auto careless = std::make_shared<Careless>();
    attack([careless, workspace = ws(), outside = out()] {
        careless->outside.reset();
        UniqueFd fresh = open_path(workspace);
        careless->number = fresh.get();
        fresh.reset();
        careless->outside = open_path(outside);
        return true;
    });
    control([&] {
        const UniqueFd file(::openat(careless->number, "d/f", O_RDONLY | O_CLOEXEC));
        char first = 0;
        return ::read(file.get(), &first, 1) == 1 && first == 'o';
    });
}

// Starts this program anew, see main.cc: it looks for inherited descriptors of files below `base`.
bool child_inherits_from(const std::string& base) {
    std::string program = "/proc/self/exe";
    std::string option = "--find-descriptors-below";
    std::string path = base;
    char* const arguments[] = {program.data(), option.data(), path.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
        throw std::runtime_error("cannot start this program again");
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int kFound = 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > kFound) throw std::runtime_error("no answer");
    return WEXITSTATUS(status) == kFound;
}

ATTACK_F(Race, RACE_31, children_that_start_during_calls) {
    tree({"ROOT/d/f=inside", "ROOT/d/e/"});
    const Root root = this->root();
    attack([root] {
        const WriteOptions fast{.mode = {}, .durability = Durability::kNone};
        const auto ignore = [](const WalkEntry&) { return WalkAction::kContinue; };
        return root.read_file("d/f") && root.write_file("d/f", "inside", fast) &&
               root.mkdir_all("d/e/x") && root.remove_all("d/e/x") && root.walk(".", ignore) &&
               root.chmod("d/f", 0600) && root.list("d") && root.temp_file("d");
    });
    constexpr std::uint64_t kFewerRounds = 100;  // each round is a new process
    repeat(
        [&] {
            note_outside(child_inherits_from(base()));
            count(root.lstat("d"));
        },
        kFewerRounds);
    verdict({});

    attack([file = ws("d/f")] {
        const UniqueFd opened(::open(file.c_str(), O_RDONLY));
        return ::fcntl(opened.get(), F_SETFD, FD_CLOEXEC) == 0;
    });
    control([&] { return child_inherits_from(base()); });
}

}  // namespace
}  // namespace paddock::testing
