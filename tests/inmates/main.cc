// inmate list                                  every attempt: name, group, what it tries
// inmate NAME GROUND                           tries it; exit code 0: succeeded, 1: blocked,
//                                              2: cannot be tried
// inmate run [OPTIONS] [-- LAUNCHER...]        every attempt under a launcher, with a table
//     --below DIR        where scenes are made (default: the first writable of /srv and /var/tmp)
//     --only NAME        may be repeated
//     --tsv FILE         name, group, what, result, one line each
//     --owner ID         whom the scenes belong to
//     --known NAME       a gap: it succeeds although hostile, or fails although ordinary work;
//                        may be repeated
//     --expect WHAT      "success": of all that can be tried; "walls": nothing hostile succeeds and
//                        all ordinary work does, but what is known. Exit code 1 if it is not so.
//     --least NUMBER     of hostile attempts that can be tried; exit code 1 if there are fewer
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

#include "inmates/scene.h"
#include "inmates/trial.h"

namespace inmates {
namespace {

struct Options {
    std::string below = {};
    std::set<std::string> only = {};
    std::string tsv = {};
    std::string expect = {};
    std::set<std::string> known = {};
    int least = 0;
    std::optional<unsigned> owner = {};
    std::vector<std::string> launcher = {};
};

int usage() {
    std::fputs(
        "usage: inmate list | inmate NAME GROUND | inmate run [--below DIR] [--only NAME] "
        "[--tsv FILE] [--owner ID] [--known NAME] [--expect success|walls] [--least NUMBER] "
        "[-- LAUNCHER...]\n",
        stderr);
    return 64;
}

bool parse(int count, char** words, Options& options) {
    for (int i = 0; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--") {
            options.launcher.assign(words + i + 1, words + count);
            return true;
        }
        if (i + 1 == count) return false;
        const std::string value = words[++i];
        if (word == "--below")
            options.below = value;
        else if (word == "--only")
            options.only.insert(value);
        else if (word == "--tsv")
            options.tsv = value;
        else if (word == "--owner")
            options.owner = static_cast<unsigned>(std::stoul(value));
        else if (word == "--known")
            options.known.insert(value);
        else if (word == "--least")
            options.least = std::stoi(value);
        else if (word == "--expect" && (value == "success" || value == "walls"))
            options.expect = value;
        else
            return false;
    }
    return true;
}

const char* result_text(const Outcome& outcome) {
    if (!outcome.started) return "did not start";
    switch (outcome.verdict) {
        case Verdict::kSucceeded: return "succeeded";
        case Verdict::kBlocked: return "blocked";
        case Verdict::kCannotTry: break;
    }
    return "not tried";
}

bool is_expected(const Options& options, const Group& group, const Attempt& attempt,
                 const Outcome& outcome) {
    if (options.expect.empty() || outcome.verdict == Verdict::kCannotTry) return true;
    if (!outcome.started) return false;
    const bool succeeded = outcome.verdict == Verdict::kSucceeded;
    if (options.expect == "success") return succeeded;
    return succeeded == (group.wanted != options.known.contains(attempt.name));
}

int list() {
    for (const Group& group : all_groups()) {
        for (const Attempt& attempt : group.attempts) {
            std::printf("%s\t%s\t%s%s\n", attempt.name, group.name, attempt.what,
                        attempt.needs == Needs::kRoot ? " (as root)" : "");
        }
    }
    return 0;
}

struct Count {
    int tried = 0;
    int succeeded = 0;
    int unexpected = 0;
};

void run_group(const Group& group, const Options& options, std::ofstream& tsv, Count& hostile,
               Count& wanted) {
    std::printf("\n%s%s\n", group.name, group.wanted ? " (success is wanted)" : "");
    for (const Attempt& attempt : group.attempts) {
        if (!options.only.empty() && !options.only.contains(attempt.name)) continue;
        const Outcome outcome =
            try_attempt(attempt, options.launcher, {options.below, options.owner});
        const bool expected = is_expected(options, group, attempt, outcome);
        std::printf("  %-22s %-13s %s%s%s\n", attempt.name, result_text(outcome), attempt.what,
                    outcome.note.empty() ? "" : (" [" + outcome.note + "]").c_str(),
                    expected ? "" : "  <- NOT AS EXPECTED");
        std::fflush(stdout);
        tsv << attempt.name << '\t' << group.name << '\t' << attempt.what << '\t'
            << result_text(outcome) << '\n';
        Count& count = group.wanted ? wanted : hostile;
        count.tried += outcome.verdict != Verdict::kCannotTry && outcome.started ? 1 : 0;
        count.succeeded += outcome.verdict == Verdict::kSucceeded ? 1 : 0;
        count.unexpected += expected ? 0 : 1;
    }
}

int run(Options options) {
    if (options.below.empty()) options.below = ::access("/srv", W_OK) == 0 ? "/srv" : "/var/tmp";
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::ofstream tsv(options.tsv.empty() ? "/dev/null" : options.tsv);
    Count hostile;
    Count wanted;
    for (const Group& group : all_groups()) run_group(group, options, tsv, hostile, wanted);
    std::printf("\nhostile: %d of %d succeeded; ordinary work: %d of %d\n", hostile.succeeded,
                hostile.tried, wanted.succeeded, wanted.tried);
    if (hostile.tried < options.least) {
        std::printf("that is less than %d\n", options.least);
        return 1;
    }
    return hostile.unexpected + wanted.unexpected == 0 ? 0 : 1;
}

int try_one(const std::string& name, const std::string& ground) {
    const Attempt* attempt = find_attempt(name);
    if (attempt == nullptr) return usage();
    std::printf("inmate: %s\n", attempt->name);
    std::fflush(stdout);
    // Printed too: not every launcher passes the exit code on.
    const int verdict = static_cast<int>(attempt->act(Ground::load(ground)));
    std::printf("verdict: %d\n", verdict);
    return verdict;
}

}  // namespace
}  // namespace inmates

int main(int argc, char** argv) {
    using namespace inmates;
    const std::string word = argc > 1 ? argv[1] : "";
    if (word == "be-victim") return be_victim();
    if (word == "list") return list();
    if (word == "run") {
        Options options;
        return parse(argc - 2, argv + 2, options) ? run(options) : usage();
    }
    return argc == 3 ? try_one(word, argv[2]) : usage();
}
