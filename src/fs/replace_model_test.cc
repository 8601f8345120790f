// The steps of replace.cc in a model: writers that all know the same file, and programs that take
// no lock, in every order of their steps. The real writers follow, held up before each rename.
#include "fs/replace.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "escape/call_hook.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

constexpr int kNone = 0;  // no file
constexpr int kOld = 1;   // the file that every writer knows
constexpr std::size_t kWriters = 3;
constexpr std::size_t kNobody = kWriters;
constexpr int kForeignersMax = 3;

int own_of(std::size_t writer) { return 2 + static_cast<int>(writer); }  // its new file
int foreign_file(int n) { return own_of(kWriters) + n; }  // the n-th of another program

enum class At : std::uint8_t {
    kLock,
    kLook,
    kExchange,
    kLookOut,
    kDrop,
    kGiveBack,
    kLookBack,
    kEnd
};
enum class Result : std::uint8_t { kOpen, kOk, kStale, kKilled };

struct Writer {
    At at = At::kLock;
    Result result = Result::kOpen;
    int temp = kNone;      // what its temporary name has
    int last = kNone;      // what it gave the name last
    int returned = kNone;  // what it has just given back
    auto tie() const { return std::tie(at, result, temp, last, returned); }
    bool operator<(const Writer& other) const { return tie() < other.tie(); }
};

struct State {
    int name = kOld;
    std::size_t holder = kNobody;  // of the lock
    int foreign = 0;               // how many times another program has written
    int written = 0;               // how many writers were told that they did it
    std::array<Writer, kWriters> writers{};
    auto tie() const { return std::tie(name, holder, foreign, written, writers); }
    bool operator<(const State& other) const { return tie() < other.tie(); }
};

struct Setup {
    bool locks = true;
    bool gives_back_newest = true;
    std::size_t writers = kWriters;
    int foreigners = 0;
    bool kills = false;
};

// Every state that can be reached; what is wrong in the worst of them.
class Model {
public:
    explicit Model(const Setup& setup) : setup_(setup) {
        State first;
        for (std::size_t i = 0; i < kWriters; ++i) {
            Writer& writer = first.writers.at(i);
            writer.temp = writer.last = own_of(i);
            if (i >= setup.writers) writer = {.at = At::kEnd, .result = Result::kStale};
            if (!setup.locks && i < setup.writers) writer.at = At::kLook;
        }
        visit(first);
    }

    const std::set<std::string>& faults() const { return faults_; }
    std::size_t states() const { return seen_.size(); }

private:
    void visit(const State& state) {
        if (!seen_.insert(state).second) return;
        if (state.name == kNone) faults_.insert("the name was gone");
        bool ends = true;
        for (std::size_t i = 0; i < setup_.writers; ++i) {
            const Writer& writer = state.writers.at(i);
            const bool waits = writer.at == At::kLock && state.holder != kNobody;
            if (writer.at == At::kEnd || waits) continue;
            ends = false;
            visit(stepped(state, i));
            if (setup_.kills) visit(killed(state, i));
        }
        if (state.foreign < setup_.foreigners) {
            ends = false;
            State next = state;
            next.name = foreign_file(next.foreign++);
            visit(next);
        }
        if (ends) judge(state);
    }

    State stepped(State state, std::size_t i) const {
        Writer& writer = state.writers.at(i);
        const auto end = [&](Result result) {
            writer.at = At::kEnd;
            writer.result = result;
            if (writer.temp == own_of(i)) writer.temp = kNone;  // the draft goes with the writer
            if (state.holder == i) state.holder = kNobody;
            if (result == Result::kOk) ++state.written;
        };
        switch (writer.at) {
            case At::kLock:
                state.holder = i;
                writer.at = At::kLook;
                break;
            case At::kLook:
                if (state.name == kOld)
                    writer.at = At::kExchange;
                else
                    end(Result::kStale);
                break;
            case At::kExchange:
                std::swap(state.name, writer.temp);
                writer.at = At::kLookOut;
                break;
            case At::kLookOut: writer.at = writer.temp == kOld ? At::kDrop : At::kGiveBack; break;
            case At::kDrop:
                writer.temp = kNone;
                end(Result::kOk);
                break;
            case At::kGiveBack:
                writer.returned = writer.temp;
                std::swap(state.name, writer.temp);
                writer.at = At::kLookBack;
                break;
            case At::kLookBack:
                if (setup_.gives_back_newest) {
                    if (writer.temp == writer.last) {
                        writer.temp = kNone;
                        end(Result::kStale);
                    } else {
                        writer.last = writer.returned;
                        writer.at = At::kGiveBack;
                    }
                } else {
                    if (writer.temp != own_of(i)) std::swap(state.name, writer.temp);
                    end(Result::kStale);
                }
                break;
            case At::kEnd: break;
        }
        return state;
    }

    static State killed(State state, std::size_t i) {
        Writer& writer = state.writers.at(i);
        writer.at = At::kEnd;
        writer.result = Result::kKilled;
        if (state.holder == i) state.holder = kNobody;
        return state;
    }

    void judge(const State& state) {
        bool has_killed = false;
        for (const Writer& writer : state.writers) {
            has_killed |= writer.result == Result::kKilled;
            if (writer.result != Result::kKilled && writer.temp != kNone)
                faults_.insert("a temporary file stayed");
        }
        if (state.written > 1) faults_.insert("two writers replaced the same file");
        if (state.written == 0 && state.foreign == 0 && !has_killed)
            faults_.insert("no writer succeeded");
        for (std::size_t i = 0; i < kWriters; ++i) {
            if (state.writers.at(i).result == Result::kOk && state.foreign == 0 &&
                state.name != own_of(i)) {
                faults_.insert("an accepted write was lost");
            }
        }
        if (state.foreign > 0 && !has_killed && state.name != foreign_file(state.foreign - 1))
            faults_.insert("the last write of another program was lost");
    }

    const Setup setup_;
    std::set<State> seen_;
    std::set<std::string> faults_;
};

using Faults = std::set<std::string>;

TEST(ReplaceModel, issue_17_7_any_number_of_writers_lose_nothing) {
    for (int foreigners = 0; foreigners <= kForeignersMax; ++foreigners) {
        const Model model({.foreigners = foreigners});
        EXPECT_EQ(model.faults(), Faults()) << foreigners << " other programs";
        EXPECT_GT(model.states(), 30U);
    }
}

TEST(ReplaceModel, issue_17_7_a_killed_writer_harms_no_other) {
    EXPECT_EQ(Model({.kills = true}).faults(), Faults());
}

// The model finds what the steps are there for.
TEST(ReplaceModel, issue_17_7_finds_what_goes_wrong_without_the_lock) {
    EXPECT_EQ(Model({.locks = false, .gives_back_newest = false, .writers = 2}).faults(), Faults());
    const Model without({.locks = false, .gives_back_newest = false});
    EXPECT_TRUE(without.faults().contains("an accepted write was lost"));
    EXPECT_TRUE(without.faults().contains("a temporary file stayed"));
    const Model newest({.locks = false});
    EXPECT_TRUE(newest.faults().contains("an accepted write was lost"))
        << "an exchange is not enough";
    const Model once({.gives_back_newest = false, .foreigners = 3});
    EXPECT_TRUE(once.faults().contains("the last write of another program was lost"));
}

// Lets one of several threads at a time rename something, once all of them want to, wait for the
// lock or are done. Which one, the seed says.
class Stepper {
public:
    Stepper(std::uint32_t seed, bool has_locks) : state_(seed), has_locks_(has_locks) {
        hook_.emplace([this](sys::Call call) { return before(call); });
    }

    void run(std::size_t i, const std::function<void()>& act) {
        current = i;
        act();
        current = kNobody;
        set(i, Where::kDone);
    }

private:
    enum class Where : std::uint8_t { kRuns, kAtRename, kAtLock, kDone };

    sys::Fault before(sys::Call call) {
        if (current == kNobody) return {};
        if (call == sys::Call::kPoll) {
            if (!has_locks_) return {.error = EOPNOTSUPP, .bytes_max = 0};
            set(current, Where::kAtLock);
        }
        if (call == sys::Call::kRename) wait_for_turn(current);
        return {};
    }

    void set(std::size_t i, Where where) {
        const std::lock_guard lock(mutex_);
        where_.at(i) = where;
        choose();
    }

    void wait_for_turn(std::size_t i) {
        std::unique_lock lock(mutex_);
        where_.at(i) = Where::kAtRename;
        choose();
        changed_.wait(lock, [&] { return chosen_ == i; });
        chosen_ = kNobody;
        where_.at(i) = Where::kRuns;
    }

    void choose() {
        std::vector<std::size_t> waiting;
        for (std::size_t i = 0; i < kWriters; ++i) {
            if (where_.at(i) == Where::kRuns) return;
            if (where_.at(i) == Where::kAtRename) waiting.push_back(i);
        }
        if (chosen_ != kNobody || waiting.empty()) return;
        state_ = state_ * 1664525U + 1013904223U;
        chosen_ = waiting[(state_ >> 8) % waiting.size()];
        changed_.notify_all();
    }

    static inline thread_local std::size_t current = kNobody;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::array<Where, kWriters> where_{};
    std::size_t chosen_ = kNobody;
    std::uint32_t state_;
    const bool has_locks_;
    std::optional<CallHook> hook_;
};

class SlowRenames : public Jail {
protected:
    // What was wrong in any of the orders.
    Faults race(bool has_locks) {
        constexpr std::uint32_t kOrders = 60;
        Faults faults;
        for (std::uint32_t seed = 0; seed < kOrders; ++seed) {
            tree({"ROOT/f=old"});
            const Root root = this->root();
            WriteOptions options;
            options.durability = Durability::kNone;
            options.replaces = root.stat("f").value();
            std::array<Status, kWriters> results;
            {
                Stepper stepper(seed, has_locks);
                std::vector<std::thread> threads;
                for (std::size_t i = 0; i < kWriters; ++i) {
                    threads.emplace_back([&, i] {
                        stepper.run(
                            i, [&] { results.at(i) = root.write_file("f", text_of(i), options); });
                    });
                }
                for (std::thread& thread : threads) thread.join();
            }
            int written = 0;
            for (std::size_t i = 0; i < kWriters; ++i) {
                const Status& result = results.at(i);
                if (result && os_read(ws("f")) != text_of(i)) faults.insert("accepted and lost");
                if (!result && result.error().code != Code::kStaleRead)
                    faults.insert(result.error().message());
                if (!result && os_read(ws("f")) == text_of(i)) faults.insert("refused and written");
                written += result ? 1 : 0;
            }
            if (written != 1) faults.insert(std::to_string(written) + " writers succeeded");
            for (const std::string& name : os_list(ws())) {
                if (name == "f") continue;
                faults.insert("a temporary file stayed");
                EXPECT_EQ(::unlink(ws(name).c_str()), 0);
            }
        }
        return faults;
    }

    static std::string text_of(std::size_t i) { return "text of writer " + std::to_string(i); }
};

TEST_F(SlowRenames, issue_17_7_three_writers_of_one_file) { EXPECT_EQ(race(true), Faults()); }

TEST_F(SlowRenames, issue_17_7_control_without_the_lock) {
    EXPECT_TRUE(race(false).contains("accepted and lost")) << "the race shows nothing";
}

}  // namespace
}  // namespace paddock::testing
