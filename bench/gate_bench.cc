// What the gate costs: the same work in the same sandbox with the gate, which judges and records
// each change, and without. And that a command costs the same in a large workspace, and a file tool
// the same after a command.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "harness.h"
#include "journal/journal.h"
#include "policy/path_defaults.h"
#include "sandbox/warden.h"

namespace {

using paddock::bench::Group;
using paddock::bench::Measure;
using paddock::bench::Settings;
namespace fs = std::filesystem;

constexpr const char* kWithout = "without the gate";
constexpr const char* kWith = "with the gate";

// A workspace with a session of its own, which runs already.
class Session {
public:
    Session(std::string path, bool is_gated) : path_(std::move(path)) {
        fs::create_directories(path_);
        if (::geteuid() == 0) (void)!::chown(path_.c_str(), 65534, 65534);
        directory_ = paddock::UniqueFd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        rules_.emplace(
            paddock::policy::PathRules::compile({}, paddock::policy::default_path_rules()).value());
        paddock::sandbox::WardenSpec spec;
        spec.workspace = directory_.get();
        spec.workspace_path = path_;
        if (is_gated) {
            auto journal = paddock::journal::Journal::open(directory_.get(), {.client = "bench"});
            if (!journal) return;
            journal_.emplace(std::move(*journal));
            spec.gate = paddock::sandbox::GateSpec{&*rules_, &*journal_};
        }
        auto warden = paddock::sandbox::Warden::start(spec);
        if (warden && warden->is_gated() == is_gated) warden_.emplace(std::move(*warden));
    }

    bool has_begun() const { return warden_.has_value(); }

    // As the owner does it, in a new directory each time: ext4 does not reuse an inode for five
    // seconds after its removal, and looks for another one by one.
    bool prepare(const std::string& script) {
        round_ = std::to_string(++rounds_);
        const std::string all = "cd '" + path_ + "' && mkdir " + round_ + " && cd " + round_ +
                                " && { " + script + "\n} >/dev/null 2>&1";
        if (std::system(all.c_str()) != 0) return false;
        if (::geteuid() != 0) return true;
        const std::string given = "chown -R 65534:65534 '" + path_ + "'";
        return std::system(given.c_str()) == 0;
    }

    bool run(const std::string& script) {
        paddock::sandbox::Command command{
            .arguments = {"/bin/sh", "-ec", "cd " + round_ + "; " + script},
            .environment = {"PATH=/usr/bin:/bin", "HOME=/tmp", "GIT_CONFIG_NOSYSTEM=1"}};
        if (journal_) command.call = journal_->begin_call("bash", "bench");
        const auto process = warden_->spawn(command);
        if (!process) return false;
        const auto record = paddock::sandbox::read_exit(process->status.get());
        return record && *record && (*record)->exit_code == 0;
    }

private:
    std::string path_;
    std::string round_;
    int rounds_ = 0;
    paddock::UniqueFd directory_;
    std::optional<paddock::policy::PathRules> rules_;
    std::optional<paddock::journal::Journal> journal_;
    std::optional<paddock::sandbox::Warden> warden_;
};

// Milliseconds of `work` inside, each time after `before` outside.
Measure timed(std::shared_ptr<Session> session, std::string before, std::string work) {
    return [=](int) -> std::optional<double> {
        using Clock = std::chrono::steady_clock;
        if (!session->prepare(before)) return std::nullopt;
        const auto begin = Clock::now();
        if (!session->run(work)) return std::nullopt;
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
}

struct Work {
    const char* title;
    const char* before;
    const char* work;
    double at_most;
};

// Trees of 2,000 files in 100 directories.
constexpr const char* kTree =
    "mkdir a; for d in $(seq 100); do mkdir a/$d; for f in $(seq 20); do echo $d.$f > a/$d/$f; "
    "done; done";

// Thirty packages of forty files, installed from archives beside them.
constexpr const char* kPackages =
    "mkdir packs; for i in $(seq 30); do mkdir -p p/package/lib; for f in $(seq 39); do echo "
    "\"module.exports = $f\" > p/package/lib/$f.js; done; echo '{\"name\": \"p'$i'\", "
    "\"version\": \"1.0.0\"}' > p/package/package.json; tar czf packs/$i.tgz -C p package; mv p "
    "old$i; done; mkdir n; { echo '{\"name\": \"n\", "
    "\"dependencies\": {'; for i in $(seq 30); do [ $i = 1 ] || echo ,; echo \"\\\"p$i\\\": "
    "\\\"file:../packs/$i.tgz\\\"\"; done; echo '}}'; } > n/package.json; cd n; npm install "
    "--offline --no-audit --no-fund --package-lock-only --cache ../cache";

constexpr Work kWorks[] = {
    {"cmake configures, make -j2",
     "mkdir c; printf 'cmake_minimum_required(VERSION 3.20)\\nproject(p "
     "C)\\nfile(GLOB sources *.c)\\nadd_library(p ${sources})\\n' > c/CMakeLists.txt; for i in "
     "$(seq 20); do printf '#include <stdio.h>\\nint f%d(void) { return printf(\"%%d\", %d); "
     "}\\n' $i $i > c/$i.c; done",
     "cmake -S c -B c/b; make -s -C c/b -j2", 1.05},
    {"npm ci of 30 packages", kPackages,
     "cd n; npm ci --offline --no-audit --no-fund --cache /tmp/cache", 1.05},
    {"make -j2 of 40 C files",
     "mkdir m; for i in $(seq 40); do printf '#include <stdio.h>\\n#include "
     "<stdlib.h>\\nint f%d(void) { return printf(\"%%d\", %d); }\\n' $i $i > m/$i.c; done; printf "
     "'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\\n' > m/Makefile",
     "make -s -C m -j2", 1.05},
    {"git: init, 20 commits, branch, clone, status, gc", "true",
     "git init -q g; cd g; git config user.name n; git config user.email e; for i in $(seq 20); do "
     "echo $i > f$i; git add .; git commit -qm $i; done; git branch b; git clone -q . ../h; git "
     "status -s; git gc -q",
     1.3},
    {"cp -r of 2,000 files", kTree, "cp -r a b", 2.3},
    {"tar x of 2,000 files",
     "mkdir a; for d in $(seq 100); do mkdir a/$d; for f in $(seq 20); do echo $d.$f > a/$d/$f; "
     "done; done; tar cf t.tar a; mv a b",
     "tar xf t.tar", 2.3},
    {"rm -rf of 2,000 files", kTree, "rm -rf a", 2.3},
    {"sed -i of 2,000 files", kTree, "find a -type f -exec sed -i s/1/2/ {} +", 2.3},
};

std::shared_ptr<paddock::Workspace> opened(const std::string& root) {
    paddock::WorkspaceOptions options;
    options.root = root;
    options.shell.emplace();
    options.limits.calls_per_second.reset();
    auto workspace = paddock::Workspace::open(std::move(options));
    return workspace ? std::make_shared<paddock::Workspace>(std::move(*workspace)) : nullptr;
}

bool call(const paddock::Workspace& workspace, const char* tool, const char* arguments) {
    return !paddock::tools::call(workspace, tool, arguments).error;
}

Group size_group(const std::string& few, const std::string& many) {
    const auto measure = [](const std::string& root) {
        const auto workspace = opened(root);
        (void)call(*workspace, "bash", R"({"command": "true"})");
        return paddock::bench::repeat(
            [workspace] { return call(*workspace, "bash", R"({"command": "true"})"); });
    };
    return {"bash -c true, as a tool",
            {{"in an empty workspace", measure(few)},
             {"with 500,000 files", measure(many), "in an empty workspace", 1.1}}};
}

// What is hidden is looked for from the opening on; the first command waits for that.
Group first_group(const std::string& many) {
    constexpr const char* kWalk = "a bare walk by two threads";
    const std::string walk = "cd '" + many + "' && '" FIND_FLOOR "' .none >/dev/null";
    return {"the first command, with 500,000 files",
            {{kWalk, paddock::bench::repeat([walk] { return std::system(walk.c_str()) == 0; })},
             {"open the workspace, bash -c true", paddock::bench::repeat([many] {
                  const auto workspace = opened(many);
                  return workspace && call(*workspace, "bash", R"({"command": "true"})");
              }),
              kWalk, 1.3}}};
}

Group tool_group(const std::string& root) {
    constexpr const char* kRead = R"({"path": "src/f"})";
    const auto before = opened(root);
    const auto after = opened(root);
    (void)call(*after, "bash", R"({"command": "echo x > new; git status"})");
    return {"read_file in a repository with a .env",
            {{"before the first command",
              paddock::bench::repeat([=] { return call(*before, "read_file", kRead); })},
             {"after one", paddock::bench::repeat([=] { return call(*after, "read_file", kRead); }),
              "before the first command", 1.1}}};
}

double processor_seconds() {
    struct rusage used {};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// How much of one processor paddock itself uses where an agent runs a command every two seconds:
// each begins another search for what is hidden. The commands are other processes.
Group pace_group(const std::string& few, const std::string& some) {
    const auto measure = [](const std::string& root) -> Measure {
        const auto workspace = opened(root);
        (void)call(*workspace, "bash", R"({"command": "true"})");
        return [workspace](int) -> std::optional<double> {
            using Clock = std::chrono::steady_clock;
            constexpr std::chrono::seconds kPace{2};
            std::this_thread::sleep_for(kPace);
            const auto begin = Clock::now();
            const double before = processor_seconds();
            if (!call(*workspace, "bash", R"({"command": "true"})")) return std::nullopt;
            std::this_thread::sleep_until(begin + kPace);
            return 100 * (processor_seconds() - before) / 2;
        };
    };
    return {
        "a command every two seconds, paddock's share of a processor",
        {{"in an empty workspace", measure(few)}, {"with 200,000 files", measure(some), {}, 10}},
        "%",
        std::chrono::seconds(60)};
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = paddock::bench::read_arguments(argc, argv, 15);
    const paddock::bench::Scratch scratch(settings);
    fs::permissions(scratch.path(), fs::perms(0755));
    const auto without = std::make_shared<Session>(scratch.path() + "/without", false);
    const auto with = std::make_shared<Session>(scratch.path() + "/with", true);
    if (!without->has_begun() || !with->has_begun()) return paddock::bench::kSkipped;
    std::vector<Group> groups;
    for (const Work& each : kWorks) {
        groups.push_back({each.title,
                          {{kWithout, timed(without, each.before, each.work)},
                           {kWith, timed(with, each.before, each.work), kWithout, each.at_most}},
                          "ms",
                          std::chrono::seconds(60)});
    }
    int status = paddock::bench::compare(groups, settings);
    const std::string many = scratch.path() + "/many";
    const std::string made =
        "mkdir -p '" + scratch.path() + "/few' '" + many + "' && cd '" + many +
        "' && git init -q . && mkdir src && echo x > src/f && echo S > .env "
        "&& for d in $(seq 1000); do mkdir $d; (cd $d; touch $(seq 500)); done";
    if (std::system(made.c_str()) != 0) return 2;
    const std::string some = scratch.path() + "/some";
    const std::string made_some = "mkdir '" + some + "' && cd '" + some +
                                  "' && git init -q . && for d in $(seq 2000); do mkdir $d; "
                                  "(cd $d; touch $(seq 100)); done";
    if (std::system(made_some.c_str()) != 0) return 2;
    const std::vector<Group> rest = {first_group(many), size_group(scratch.path() + "/few", many),
                                     tool_group(many), pace_group(scratch.path() + "/few", some)};
    return std::max(status, paddock::bench::compare(rest, settings));
}
