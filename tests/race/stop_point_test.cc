// Races without luck: the names are changed just before a chosen system call, and every choice is
// tried.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "race/naive.h"
#include "race/race.h"
#include "race/stop_point.h"

namespace paddock::testing {
namespace {

using sys::Call;
using sys::Fault;

struct StoppedOperation {
    std::string name;
    std::function<Status(const Root&)> act;
    std::string gone = {};  // what must not exist after a success
};

// Below "d", a directory or a link to one.
std::vector<StoppedOperation> operations_below_a_directory() {
    const auto ignore = [](const WalkEntry&) { return WalkAction::kContinue; };
    const OpenOptions truncating{.write = true, .truncate = true, .mode = {}};
    return {
        {"read_file", [](const Root& r) { return status(r.read_file("d/f")); }},
        {"open_file", [=](const Root& r) { return status(r.open_file("d/f", truncating)); }},
        {"create", [](const Root& r) { return status(r.create("d/new")); }},
        {"create_exclusive",
         [](const Root& r) { return status(r.create_exclusive("d/new", 0600)); }},
        {"write_file", [](const Root& r) { return r.write_file("d/f", "new", kFast); }},
        {"write_file, new", [](const Root& r) { return r.write_file("d/new", "new", kFast); }},
        {"append_file", [](const Root& r) { return r.append_file("d/f", "more"); }},
        {"copy_file", [](const Root& r) { return r.copy_file("d/f", "d/new"); }},
        {"temp_file", [](const Root& r) { return status(r.temp_file("d")); }},
        {"open_directory", [](const Root& r) { return status(r.open_directory("d/sub")); }},
        {"sub_root", [](const Root& r) { return status(r.sub_root("d/sub")); }},
        {"mkdir", [](const Root& r) { return r.mkdir("d/new", 0700); }},
        {"mkdir_all", [](const Root& r) { return r.mkdir_all("d/new/x", 0700); }},
        {"list", [](const Root& r) { return status(r.list("d")); }},
        {"walk", [=](const Root& r) { return r.walk("d", ignore); }},
        {"walk above", [=](const Root& r) { return r.walk(".", ignore); }},
        {"remove", [](const Root& r) { return r.remove("d/f"); }},
        {"remove_all", [](const Root& r) { return r.remove_all("d/sub"); }},
        {"remove_all itself", [](const Root& r) { return r.remove_all("d"); }, "d"},
        {"rename", [](const Root& r) { return r.rename("d/f", "d/new"); }},
        {"rename in", [](const Root& r) { return r.rename("top", "d/new"); }},
        {"hard_link", [](const Root& r) { return r.hard_link("d/f", "d/new"); }},
        {"symlink", [](const Root& r) { return r.symlink("f", "d/new"); }},
        {"readlink", [](const Root& r) { return status(r.readlink("d/s")); }},
        {"lstat", [](const Root& r) { return status(r.lstat("d/f")); }},
        {"stat", [](const Root& r) { return status(r.stat("d/f")); }},
        {"exists", [](const Root& r) { return status(r.exists("d/f")); }},
        {"resolve", [](const Root& r) { return status(r.resolve("d/f")); }},
        {"chmod", [](const Root& r) { return r.chmod("d/f", 0600); }},
        {"utimes", [](const Root& r) { return r.utimes("d/f", {.accessed = {}, .modified = {}}); }},
    };
}

// On "f", a file or a link to one.
std::vector<StoppedOperation> operations_on_a_file() {
    const OpenOptions truncating{.write = true, .truncate = true, .mode = {}};
    return {
        {"read_file", [](const Root& r) { return status(r.read_file("f")); }},
        {"open_file", [=](const Root& r) { return status(r.open_file("f", truncating)); }},
        {"create", [](const Root& r) { return status(r.create("f")); }},
        {"write_file", [](const Root& r) { return r.write_file("f", "new", kFast); }},
        {"append_file", [](const Root& r) { return r.append_file("f", "more"); }},
        {"copy_file from", [](const Root& r) { return r.copy_file("f", "new"); }},
        {"copy_file to", [](const Root& r) { return r.copy_file("top", "f", true); }},
        {"remove", [](const Root& r) { return r.remove("f"); }, "f"},
        {"remove_all", [](const Root& r) { return r.remove_all("f"); }, "f"},
        {"rename", [](const Root& r) { return r.rename("f", "new"); }},
        {"rename onto", [](const Root& r) { return r.rename("top", "f"); }},
        {"hard_link", [](const Root& r) { return r.hard_link("f", "new"); }},
        {"lstat", [](const Root& r) { return status(r.lstat("f")); }},
        {"stat", [](const Root& r) { return status(r.stat("f")); }},
        {"resolve", [](const Root& r) { return status(r.resolve("f")); }},
        {"chmod", [](const Root& r) { return r.chmod("f", 0600); }},
        {"utimes", [](const Root& r) { return r.utimes("f", {.accessed = {}, .modified = {}}); }},
    };
}

class StopPoints : public Race {
protected:
    void build() {
        naive::remove_all(ws());
        naive::remove_all(out());
        tree({"ROOT/d/f=inside", "ROOT/d/s->f", "ROOT/d/sub/x=inside", "ROOT/e/f=inside",
              "ROOT/e/s->f", "ROOT/e/sub/x=inside", "ROOT/out->@/OUT", "ROOT/in->e",
              "ROOT/f=inside", "ROOT/g=inside", "ROOT/fout->@/OUT/f", "ROOT/fin->g",
              "ROOT/top=inside", "OUT/f=outside", "OUT/s->f", "OUT/sub/x=outside",
              "OUT/secret=outside-secret"});
    }

    // Exchanges `a` and `b` before the call number `first`, and again before `second` if not 0.
    // Returns how many system calls the operation made.
    int run(const StoppedOperation& operation, const std::string& a, const std::string& b,
            int first, int second, std::initializer_list<Code> allowed) {
        build();
        const Root root = this->root();
        const UniqueFd outside = hold(out());
        const Snapshot before = take_snapshot(outside.get());
        StopPoint stop([&](Call, int number) {
            if (number == first || number == second) exchange_once(a, b);
            return Fault{};
        });
        const Status done = operation.act(root);
        const int calls = stop.calls();
        SCOPED_TRACE(operation.name + ", exchanged before call " + std::to_string(first) +
                     (second == 0 ? "" : " and " + std::to_string(second)) + " of " +
                     std::to_string(calls));
        EXPECT_EQ(differences(before, take_snapshot(outside.get())), 0U);
        if (done) {
            ++ok_;
            EXPECT_TRUE(operation.gone.empty() || !os_exists(ws(operation.gone)))
                << "said to be removed, and still there";
        } else {
            ++refused_;
            EXPECT_TRUE(std::find(allowed.begin(), allowed.end(), done.error().code) !=
                        allowed.end())
                << done.error().message();
        }
        return calls;
    }

    // Every choice of one stop, and of two.
    void run_everywhere(const std::vector<StoppedOperation>& operations, const std::string& a,
                        const std::string& b, std::initializer_list<Code> allowed) {
        for (const StoppedOperation& operation : operations) {
            for (int first = 1; run(operation, a, b, first, 0, allowed) >= first; ++first) {
                for (int second = first + 1; run(operation, a, b, first, second, allowed) >= second;
                     ++second) {
                }
            }
        }
    }

    void report(const char* what) const {
        std::printf("race RACE_38 %s: stops %d, ok %d, refused %d\n", what, ok_ + refused_, ok_,
                    refused_);
    }

private:
    int ok_ = 0;
    int refused_ = 0;
};

ATTACK_F(StopPoints, RACE_38, parent_becomes_an_outward_link_at_any_call) {
    run_everywhere(operations_below_a_directory(), ws("d"), ws("out"), {Code::kPathEscape});
    report("parent, outward");
    // The control needs no luck either: checked, exchanged, opened.
    build();
    ASSERT_TRUE(naive::looks_inside(ws(), ws("d/f")));
    ASSERT_TRUE(exchange_once(ws("d"), ws("out")));
    EXPECT_EQ(os_read(ws("d/f")), "outside");
}

TEST_F(StopPoints, parent_becomes_an_inward_link_at_any_call) {
    run_everywhere(operations_below_a_directory(), ws("d"), ws("in"), {});
    report("parent, inward");
}

TEST_F(StopPoints, file_becomes_an_outward_link_at_any_call) {
    run_everywhere(operations_on_a_file(), ws("f"), ws("fout"), {Code::kPathEscape});
    report("file, outward");
}

TEST_F(StopPoints, file_becomes_an_inward_link_at_any_call) {
    run_everywhere(operations_on_a_file(), ws("f"), ws("fin"), {});
    report("file, inward");
}

}  // namespace
}  // namespace paddock::testing
