// Many threads on one Root and few names: every answer is one that the others can have caused, and
// a file that is only ever replaced is only ever seen whole. Meant to run under TSan as well.
#include <atomic>
#include <latch>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "fault/budget.h"
#include "testing/jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

constexpr int kThreads = 64;

// One of the contents that writers give: a letter, repeated as often as only it is.
std::string content_of(unsigned number) {
    const unsigned letter = number % 16;
    return std::string(1000 + 97 * letter, static_cast<char>('a' + letter));
}

bool is_content(const std::string& text) {
    return !text.empty() && text == content_of(static_cast<unsigned>(text[0] - 'a'));
}

class Worker {
public:
    Worker(const Root& root, unsigned seed) : root_(root), random_(seed) {}

    void act();

    const std::set<std::string>& surprises() const { return surprises_; }
    long successes() const { return successes_; }
    long failures() const { return failures_; }

private:
    unsigned number() { return static_cast<unsigned>(random_()); }
    std::string file() { return "f" + std::to_string(number() % 4); }
    std::string directory() { return "d" + std::to_string(number() % 4); }

    template <class T>
    void note(const char* what, const Result<T>& result) {
        result ? ++successes_ : ++failures_;
        if (result || is_expected(result.error().code)) return;
        surprises_.insert(std::string(what) + ": " + result.error().message());
    }

    // Others remove, make and replace what this thread names.
    static bool is_expected(Code code) {
        return code == Code::kNotFound || code == Code::kAlreadyExists || code == Code::kRace ||
               code == Code::kNotADirectory || code == Code::kIsADirectory;
    }

    void read_whole(const std::string& path);
    void act_on_files();
    void act_on_directories();

    Root root_;
    std::mt19937 random_;
    std::set<std::string> surprises_;
    long successes_ = 0;
    long failures_ = 0;
};

void Worker::read_whole(const std::string& path) {
    const auto content = root_.read_file(path);
    note("read", content);
    if (content && !is_content(*content)) surprises_.insert("half a content: " + *content);
}

void Worker::act_on_files() {
    WriteOptions options;
    options.durability = Durability::kNone;
    switch (number() % 8) {
        case 0:
        case 1: return read_whole(file());
        case 2: return read_whole("link");
        case 3: return note("write", root_.write_file(file(), content_of(number()), options));
        case 4: return note("write link", root_.write_file("link", content_of(number()), options));
        case 5: return note("remove", root_.remove(file()));
        case 6: return note("rename", root_.rename(file(), file()));
        default: return note("append", root_.append_file("log", "line\n"));
    }
}

void Worker::act_on_directories() {
    const auto visit = [](const WalkEntry&) { return WalkAction::kContinue; };
    WriteOptions options;
    options.durability = Durability::kNone;
    options.make_parents = true;
    switch (number() % 8) {
        case 0: return note("mkdir_all", root_.mkdir_all(directory() + "/x/y/z"));
        case 1: return note("remove_all", root_.remove_all(directory()));
        case 2: return note("rename", root_.rename(directory(), directory()));
        case 3: return note("list", root_.list(number() % 2 == 0 ? "." : directory()));
        case 4: return note("walk", root_.walk(directory(), visit));
        case 5: return note("stat", root_.stat(directory() + "/x"));
        case 6: return note("resolve", root_.resolve(directory() + "/x/y/z/new"));
        default:
            return note("write below",
                        root_.write_file(directory() + "/x/f", content_of(number()), options));
    }
}

void Worker::act() { number() % 2 == 0 ? act_on_files() : act_on_directories(); }

TEST_F(Jail, threads_share_a_root) {
    tree({"ROOT/link->f0", "ROOT/log="});
    for (unsigned i = 0; i < 4; ++i) os_write(ws("f" + std::to_string(i)), content_of(i));
    const Root root = this->root();
    const std::size_t descriptors = open_descriptors();
    const long rounds = budget("PADDOCK_THREAD_ROUNDS", 500, 200);
    std::vector<Worker> workers;
    for (unsigned i = 0; i < kThreads; ++i) workers.emplace_back(root, i);
    {
        std::latch start(kThreads);
        std::vector<std::jthread> threads;
        for (Worker& worker : workers) {
            threads.emplace_back([&worker, &start, rounds] {
                start.arrive_and_wait();
                for (long i = 0; i < rounds; ++i) worker.act();
            });
        }
    }
    long successes = 0;
    long failures = 0;
    std::set<std::string> surprises;
    for (const Worker& worker : workers) {
        successes += worker.successes();
        failures += worker.failures();
        surprises.insert(worker.surprises().begin(), worker.surprises().end());
    }
    for (const std::string& surprise : surprises) ADD_FAILURE() << surprise;
    std::printf("%d threads: %ld successes, %ld failures\n", kThreads, successes, failures);
    EXPECT_GT(successes, 0);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(secret(), kSecret);
    EXPECT_OK(root.walk(".", [](const WalkEntry& entry) {
        EXPECT_FALSE(entry.name.starts_with(".paddock-")) << entry.path;
        return WalkAction::kContinue;
    }));
    // Appending threads never lose or split a line.
    const std::string log = os_read(ws("log")).value_or("");
    EXPECT_EQ(log.size() % 5, 0U);
    for (std::size_t at = 0; at < log.size(); at += 5) ASSERT_EQ(log.substr(at, 5), "line\n");
}

}  // namespace
