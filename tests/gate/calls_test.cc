// The odd calls of calls.cc, outside and inside: the same results and the same trees, except where
// the table below gives a reason.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "gate/runner.h"

namespace gate {
namespace {

constexpr std::size_t kLeastResults = 165;
constexpr std::size_t kDifferencesShown = 80;

enum class Where { kEverywhere, kFull, kLow };

// `call` and `inside` are patterns for the whole of "group step" and of the result in the sandbox;
// a line that is missing there has the result "(none)".
struct Exception {
    Where where;
    const char* call;
    const char* inside;
    const char* reason;
};

const Exception kExceptions[] = {
    {Where::kEverywhere, "openat2 .*", "ENOSYS|\\(none\\)",
     "no filter can look into its structure, so nobody has it; every caller falls back to openat"},
    {Where::kEverywhere, "open-set-id-modes .*|set-id-chmods file .*", ".*",
     "a program that changes its user is of no use here and of much to an attacker"},
    {Where::kEverywhere, "whiteout-node .*", "EPERM|\\(none\\)", "device files are refused"},
    {Where::kEverywhere, "rename-flags (whiteout.*|see [fw]|leaves [gvw])",
     "EPERM|ENOENT|\\(none\\)|file 644 'old'", "a whiteout is a device file"},
    {Where::kEverywhere, "cwd-over-4k .*", "ENAMETOOLONG|ENOENT|\\(none\\)",
     "/proc does not tell a working directory that is longer than a page"},
    {Where::kEverywhere, "directory-that-is-gone tmpfile", "ENOENT",
     "file systems differ in the error for a directory that is gone"},
    {Where::kEverywhere,
     "(open-legacy-calls|times-of-opens|renames|hard-links|many-hard-links|threads-race) .*",
     ".* links [0-9]+.*", "the journal holds a link to what was removed or replaced"},
    {Where::kEverywhere, "rename-tmp (link in|move in|move out|move a directory in)", "EXDEV",
     "the workspace is a file system of its own"},
    {Where::kEverywhere, "renames ('/' to 'new'|'f' to '/')", "EXDEV|EACCES|EPERM",
     "the workspace is a file system of its own"},
    {Where::kEverywhere, "system-files (comm|mkdir in proc|create in proc)",
     "EROFS|EACCES|EPERM|ENOENT", "nothing outside can be written"},
    {Where::kEverywhere, "(proc-fd|proc-fd-directory|proc-cwd-root) (unlink|rmdir) (it|itself|cwd)",
     "EROFS|EACCES|EPERM", "nothing outside can be written"},
    {Where::kEverywhere, "proc-cwd-root (another process|leaves k)|proc-cwd-child .*",
     "EACCES|\\(none\\)", "the gate may look at every process, so it follows none but the caller"},
    {Where::kEverywhere, "tmpfile-(proc|descriptor) (again|onto|links|leaves [fg])",
     "ENOENT|1|\\(none\\)|file 6[04]0 'text( more)?'",
     "a file whose name the kernel does not tell may be one that the journal keeps"},
    {Where::kEverywhere, "socket-names getsockname.*", "(.*/)?[su]",
     "the supervisor binds in the directory that it holds"},
    {Where::kEverywhere, "watch-removing .*", "(delete|from) (f|dir); ",
     "what is removed is moved to the journal"},
    {Where::kEverywhere, "signals-without-restart interrupted", "[0-9]+",
     "until the supervisor has received a call a signal interrupts it; no user-space cure is "
     "known"},
    {Where::kEverywhere, ".* read lease", "EACCES", "who holds a lease makes the owner wait"},
    {Where::kEverywhere, "lease-after-close still open for writing", "100",
     "who holds a lease makes the owner wait"},
    {Where::kEverywhere, "not-dumpable (create|mkdir)", "EPERM|EACCES",
     "the supervisor cannot read the path of a process that hides its memory"},
    {Where::kEverywhere, "not-dumpable leaves .*", "\\(none\\)",
     "the supervisor cannot read the path of a process that hides its memory"},
    {Where::kLow, "(socket-workspace|socket-names|socket-binds|datagrams|abstract-sockets) .*",
     ".*", "without a network namespace commands have no sockets"},
    {Where::kLow, "passed-descriptor .*", ".*",
     "without a network namespace commands have no sockets"},
    {Where::kLow, "tmpfile-nameless tmpfile\\(\\)", "EACCES",
     "without a mount namespace /tmp is the host's, and TMPDIR another directory"},
};

struct Outcome {
    std::map<std::string, std::string> results;  // by "group step", the repeated ones numbered
    std::vector<std::string> order;
};

Outcome outcome_of(const std::string& text) {
    Outcome outcome;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        std::string key = line.substr(0, colon);
        const std::string first = key;
        for (int n = 2; outcome.results.contains(key); ++n) key = first + " #" + std::to_string(n);
        outcome.results[key] = line.substr(colon + 2);
        outcome.order.push_back(key);
    }
    return outcome;
}

bool is_excepted(const Place& place, const std::string& key, const std::string& inside) {
    for (const Exception& exception : kExceptions) {
        if (exception.where == Where::kFull && place.level != Level::kFull) continue;
        if (exception.where == Where::kLow && place.level != Level::kLow) continue;
        if (std::regex_match(key.substr(0, key.find(" #")), std::regex(exception.call)) &&
            std::regex_match(inside, std::regex(exception.inside))) {
            return true;
        }
    }
    return false;
}

std::vector<std::string> differences(const Place& place, const Outcome& outside,
                                     const Outcome& inside) {
    std::vector<std::string> found;
    const auto compare = [&](const std::string& key) {
        const auto here = outside.results.find(key);
        const auto there = inside.results.find(key);
        const std::string plain = here == outside.results.end() ? "(none)" : here->second;
        const std::string confined = there == inside.results.end() ? "(none)" : there->second;
        if (plain == confined || is_excepted(place, key, confined)) return;
        found.push_back(key + "\n    outside: " + plain + "\n    inside:  " + confined);
    };
    for (const std::string& key : outside.order) compare(key);
    for (const std::string& key : inside.order) {
        if (!outside.results.contains(key)) compare(key);
    }
    return found;
}

Outcome run_calls(const Place& place) {
    const Workspace workspace(place);
    // A set-group-id directory cannot be made in the sandbox.
    workspace.prepare("mkdir -p prepared/setgid && chmod 2775 prepared/setgid");
    const Ran ran = workspace.run({install(PADDOCK_GATE_CALLS)});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return outcome_of(ran.out);
}

const Outcome& plain_calls() {
    static const Outcome outcome = run_calls(plain_place());
    return outcome;
}

void expect_same(const Place& place, const Outcome& inside) {
    const auto found = differences(place, plain_calls(), inside);
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kDifferencesShown); ++i) {
        text += found[i] + "\n";
    }
    EXPECT_EQ(found.size(), 0U) << "of " << plain_calls().order.size() << " results:\n" << text;
}

// What differs between two plain runs says nothing about a sandbox.
TEST(Calls, are_many_and_answer_the_same_twice) {
    EXPECT_GE(plain_calls().order.size(), kLeastResults);
    expect_same(plain_place(), run_calls(plain_place()));
}

TEST(Calls, a_difference_is_noticed) {
    Outcome other = plain_calls();
    other.results["mkdirs 'a'"] = "EACCES";
    other.results.erase("renames 'f' to 'g'");
    EXPECT_EQ(differences(plain_place(), plain_calls(), other).size(), 2U);
}

class CallsInside : public PlaceTest {};

TEST_P(CallsInside, answer_as_outside) { expect_same(GetParam(), run_calls(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Gate, CallsInside, ::testing::ValuesIn(sandboxed_places()), place_name);

}  // namespace
}  // namespace gate
