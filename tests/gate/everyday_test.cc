// Everyday work (everyday_tasks.h): inside as outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "gate/everyday_tasks.h"
#include "gate/runner.h"

namespace gate {
namespace {

// For every script: an author who is given by hand, and none of the user's own settings.
constexpr const char* kLead = R"sh(set -euo pipefail
export GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000'
export GIT_PAGER=cat GIT_EDITOR=true GIT_ADVICE=0
PATH=$PATH:$(printf '%s:' /usr/lib/postgresql/*/bin)
ls() { command ls --ignore=.paddock "$@"; }
g() { git -c user.name=A -c user.email=a@example.org -c advice.detachedHead=false "$@"; }
)sh";

struct Case {
    const Task* task;
    Place place;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
    return out << one.task->name << " in " << one.place;
}

// From npm (scripts/clients), put where everybody may run it.
void provide_pnpm() {
    namespace fs = std::filesystem;
    const fs::path package = fs::path(PADDOCK_CLIENTS) / "node_modules/pnpm";
    const fs::path to = fs::path(program_folder()) / "pnpm-package";
    if (!fs::exists(package)) return;
    fs::copy(package, to, fs::copy_options::recursive);
    fs::create_symlink("pnpm-package/bin/pnpm.cjs", fs::path(program_folder()) / "pnpm");
}

bool has_programs(const Task& task) {
    static std::map<std::string, bool> known;
    const auto found = known.find(task.needs);
    if (found != known.end()) return found->second;
    const Workspace workspace(plain_place());
    const Ran ran = workspace.outside(std::string(kLead) + "for p in " + std::string(task.needs) +
                                      "; do command -v $p >/dev/null || exit 1; done");
    return known[task.needs] = ran.exit_code == 0;
}

// Empty: it can be done here.
std::string obstacle(const Task& task) {
    if (task.unless == nullptr) return {};
    return Workspace(plain_place()).outside(std::string(kLead) + task.unless).out;
}

Ran do_task(const Task& task, const Place& place) {
    const Workspace workspace(place);
    if (task.before != nullptr) workspace.prepare(std::string(kLead) + task.before);
    Ran ran = workspace.shell(std::string(kLead) + task.script);
    if (ran.exit_code != 0 || task.after == nullptr) return ran;
    const Ran after = workspace.outside(std::string(kLead) + task.after);
    ran.out += "outside, afterwards: " + std::to_string(after.exit_code) + "\n" + after.out;
    if (after.exit_code != 0) ran.err += after.err;
    return ran;
}

const Ran& plain_result(const Task& task) {
    static std::map<std::string, Ran> known;
    const auto found = known.find(task.name);
    if (found != known.end()) return found->second;
    return known[task.name] = do_task(task, plain_place());
}

// Each user and each level once; all four pairs where a level lacks something, and in the full run.
std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const std::span<const Task> tasks : {file_tasks(), world_tasks()}) {
        for (const Task& task : tasks) {
            const bool is_of_full = task.low_lacks != nullptr;
            for (const Place& place : is_of_full ? sandboxed_places() : different_places()) {
                cases.push_back({&task, place});
            }
        }
    }
    return cases;
}

class Everyday : public ::testing::TestWithParam<Case> {
protected:
    static void SetUpTestSuite() { provide_pnpm(); }
};

TEST_P(Everyday, works_as_outside) {
    const auto& [task, place] = GetParam();
    if (!has_programs(*task)) {
        const std::string why = "not installed: one of " + std::string(task->needs);
        if (tries(0, 1) != 0) FAIL() << why << "; the full run needs all";
        GTEST_SKIP() << why;
    }
    if (const std::string why = obstacle(*task); !why.empty()) GTEST_SKIP() << why;
    if (const std::string why = missing(place); !why.empty()) GTEST_SKIP() << why;
    const Ran& outside = plain_result(*task);
    ASSERT_EQ(outside.exit_code, 0) << "the task does not work outside:\n" << outside.all();
    const Ran inside = do_task(*task, place);
    if (task->low_lacks != nullptr && place.level == Level::kLow) {
        EXPECT_TRUE(inside.exit_code != 0 || inside.out != outside.out)
            << "no exception any more: " << task->low_lacks;
        return;
    }
    EXPECT_EQ(inside.exit_code, 0) << inside.all();
    EXPECT_EQ(inside.out, outside.out) << inside.err;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    return std::string(info.param.task->name) + "_" + info.param.place.name;
}

INSTANTIATE_TEST_SUITE_P(Gate, Everyday, ::testing::ValuesIn(all_cases()), case_name);

// The first three cells of each row of the table.
std::vector<std::array<std::string, 3>> documented_exceptions() {
    std::vector<std::array<std::string, 3>> rows;
    std::ifstream file(PADDOCK_EXCEPTIONS);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| ")) continue;
        std::array<std::string, 3> row;
        std::istringstream cells(line.substr(2));
        for (std::string& cell : row) {
            std::getline(cells, cell, '|');
            while (cell.starts_with(' ')) cell.erase(0, 1);
            while (cell.ends_with(' ')) cell.pop_back();
        }
        rows.push_back(row);
    }
    return rows;
}

TEST(EverydayExceptions, stand_in_the_table_with_their_reason) {
    const auto rows = documented_exceptions();
    ASSERT_GT(rows.size(), 1U) << "no table in " PADDOCK_EXCEPTIONS;
    std::set<std::string> wanted;
    for (const std::span<const Task> tasks : {file_tasks(), world_tasks()}) {
        for (const Task& task : tasks) {
            if (task.low_lacks != nullptr) wanted.insert(task.low_lacks);
        }
    }
    EXPECT_FALSE(wanted.empty());
    for (const std::string& what : wanted) {
        const bool stands = std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
            return row[0].starts_with(what) && row[1] == "low level" && !row[2].empty();
        });
        EXPECT_TRUE(stands) << what;
    }
}

// --- what is hidden is not gone ------------------------------------------------------------------

// Secrets of the owner that git does not hold as they are: changed since the commit, or never
// added. Commands cannot read them, so git may refuse to do something; it must not record them as
// removed.
class Hidden : public PlaceTest {
protected:
    void SetUp() override {
        PlaceTest::SetUp();
        const Workspace probe(plain_place());
        if (probe.outside("command -v git").exit_code != 0) GTEST_SKIP() << "git is not installed";
    }
};

constexpr const char* kChangedSecrets = R"sh(
echo K=secret >> .env
echo changed >> certs/server.key
echo own > .env.local
)sh";

TEST_P(Hidden, is_never_recorded_as_removed) {
    for (const char* script :
         {"echo x >> README; g commit -q -a -m work",
          "echo x >> README; git add -A; g commit -q -m work",
          "echo x > new; g stash -q -u; g stash pop -q",
          "echo x >> README; git add .; g commit -m work",
          "git rm -q --cached README; g commit -q -a -m work", "g commit -q -am work --allow-empty",
          "git update-index --refresh; git add -u; g commit -q --allow-empty -m work"}) {
        const Workspace workspace(GetParam());
        workspace.prepare(std::string(kLead) + kTrackedSecrets + kChangedSecrets);
        (void)workspace.shell(std::string(kLead) + "set +e\n" + script);
        const Ran seen = workspace.outside(
            "git log --all --format= --name-status; git diff --cached --name-status; "
            "cat .env certs/server.key .env.local");
        for (const char* name : {"D\t.env\n", "D\tcerts/server.key", "D\t.env.local", "D\t.vscode",
                                 "D\t.claude", "D\t.bashrc", "D\t.envrc"}) {
            EXPECT_EQ(seen.out.find(name), std::string::npos) << script << "\n" << seen.out;
        }
        EXPECT_NE(seen.out.find("K=secret"), std::string::npos) << script << "\n" << seen.out;
        EXPECT_NE(seen.out.find("changed"), std::string::npos) << script << "\n" << seen.out;
        EXPECT_NE(seen.out.find("own"), std::string::npos) << script << "\n" << seen.out;
    }
}

// They stay secret; and what the session makes under such a name elsewhere does not open them.
TEST_P(Hidden, cannot_be_read) {
    if (GetParam().level == Level::kLow) GTEST_SKIP() << "without a mount namespace nothing hides";
    const Workspace workspace(GetParam());
    workspace.prepare(std::string(kLead) + kTrackedSecrets + kChangedSecrets);
    const Ran ran = workspace.shell(
        "cat .env .env.local certs/server.key; cp .env copy; ln .env hard; mv .env moved; "
        "cat copy hard moved; mkdir d; echo mine > d/.env; cat d/.env; git show HEAD:.env; "
        "git stash -u; git stash show -p; git diff; git hash-object -w .env.local");
    EXPECT_EQ(ran.out.find("K=secret"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("changed"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("own"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("mine"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("KEY=value"), std::string::npos) << "git holds it\n" << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Gate, Hidden, ::testing::ValuesIn(different_places()), place_name);

}  // namespace
}  // namespace gate
