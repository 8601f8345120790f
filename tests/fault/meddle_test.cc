// Every operation, with somebody else changing the tree just before each of its system calls: the
// races that threads hit by luck, each one hit for certain.
#include <filesystem>
#include <system_error>

#include "fault/faults.h"
#include "fault/operations.h"
#include "fault/scene.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

namespace stdfs = std::filesystem;

// The meddler's tools. What fails, fails: the name may be gone or of another kind by now.
void take_away(const std::string& name) {
    std::error_code ignored;
    stdfs::remove(name, ignored);
}

void put_link(const std::string& name, const char* target) {
    take_away(name);
    std::error_code ignored;
    stdfs::create_symlink(target, name, ignored);
}

void put_directory(const std::string& name) {
    take_away(name);
    std::error_code ignored;
    stdfs::create_directory(name, ignored);
}

void move(const std::string& from, const std::string& to) {
    std::error_code ignored;
    stdfs::rename(from, to, ignored);
}

class Meddle : public Scene, public ::testing::WithParamInterface<Operation> {
protected:
    Snapshot outside() const {
        Snapshot all = snapshot();
        std::erase_if(all, [](const auto& entry) { return entry.first.starts_with("ROOT"); });
        return all;
    }

    std::size_t temporaries() const {
        Snapshot all = snapshot();
        return take_temporaries(all);
    }

    // Runs the operation as often as it has calls, each time with `meddle` before another one.
    // (Before some only in the deep tree, where most of them are alike.)
    void expect_nothing_gained(const std::function<void()>& meddle);

    const Root root_ = root();
};

void Meddle::expect_nothing_gained(const std::function<void()>& meddle) {
    const Snapshot outside_before = outside();
    const std::size_t stride = GetParam().name.ends_with("_deep") ? 5 : 1;
    for (std::size_t nth = 1;; nth += stride) {
        restore();
        const std::size_t descriptors = open_descriptors();
        FaultPlan plan;
        plan.nth = nth;
        plan.before = meddle;
        std::optional<sys::Call> struck;
        {
            const Faults faults(plan);
            const auto result = GetParam().run(root_);
            struck = faults.struck();
            if (result) {
                EXPECT_EQ(result->find(kSecret), std::string::npos) << describe(plan, struck);
            } else {
                EXPECT_NE(result.error().code, Code::kInternal) << describe(plan, struck);
            }
        }
        if (!struck) return;
        SCOPED_TRACE(describe(plan, struck));
        EXPECT_EQ(open_descriptors(), descriptors);
        EXPECT_EQ(difference(outside(), outside_before), "");
        EXPECT_EQ(temporaries(), 0U);
    }
}

TEST_P(Meddle, a_directory_becomes_a_link_to_the_outside) {
    const auto swap = [this] {
        move(ws("dir"), ws("aside"));
        put_link(ws("dir"), "../OUT");
    };
    swap();
    expect_naive_leak("dir/sub/b");
    expect_nothing_gained(swap);
}

TEST_P(Meddle, files_become_links_to_the_outside) {
    const std::string target = out("secret");
    const auto swap = [&] {
        for (const char* name : {"file", "dir/a", "dir/target", "dir/new", "dir/sub/b"}) {
            put_link(ws(name), target.c_str());
        }
    };
    swap();
    expect_naive_leak("dir/sub/b");
    expect_nothing_gained(swap);
}

TEST_P(Meddle, files_become_directories) {
    expect_nothing_gained([this] {
        for (const char* name : {"file", "dir/a", "dir/target", "dir/sub/b", "link"}) {
            put_directory(ws(name));
        }
    });
}

TEST_P(Meddle, files_vanish) {
    expect_nothing_gained([this] {
        for (const char* name : {"file", "dir/a", "dir/target", "dir/sub/b", "dir/escape"}) {
            take_away(ws(name));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(All, Meddle, ::testing::ValuesIn(operations()),
                         [](const auto& test) { return test.param.name; });

// What walks or empties a tree that somebody else removes has less to do, or finds nothing.
class MeddledTree : public Scene {
protected:
    void expect_done_or_gone(const std::function<Status(const Root&)>& act) {
        const Root root = this->root();
        for (std::size_t nth = 1;; ++nth) {
            restore();
            FaultPlan plan;
            plan.nth = nth;
            plan.before = [this] {
                std::error_code ignored;
                stdfs::remove_all(ws("dir"), ignored);
            };
            const Faults faults(plan);
            const auto done = act(root);
            if (!faults.struck()) return;
            EXPECT_TRUE(done || done.error().code == Code::kNotFound)
                << describe(plan, faults.struck()) << ": " << done.error().message();
        }
    }
};

TEST_F(MeddledTree, is_walked) {
    expect_done_or_gone([](const Root& root) {
        return root.walk("dir", [](const WalkEntry&) { return WalkAction::kContinue; });
    });
}

TEST_F(MeddledTree, is_removed) {
    expect_done_or_gone([](const Root& root) { return root.remove_all("dir"); });
}

// A write makes the file if it is absent, so losing it midway is no reason to fail.
class MeddledWrite : public Scene {
protected:
    void expect_written(std::string_view path, const std::function<void()>& meddle,
                        const std::function<Status(const Root&)>& write) {
        const Root root = this->root();
        for (std::size_t nth = 1;; ++nth) {
            restore();
            FaultPlan plan;
            plan.nth = nth;
            plan.before = meddle;
            const Faults faults(plan);
            const auto done = write(root);
            SCOPED_TRACE(describe(plan, faults.struck()));
            EXPECT_OK(done);
            if (!faults.struck()) return;
            const std::string content = os_read(ws(path)).value_or("");
            // The meddler may have come after the write was done.
            EXPECT_TRUE(content.ends_with(kNew) || !os_exists(ws(path)) || content == kOld)
                << content;
        }
    }
};

TEST_F(MeddledWrite, replaces_a_file_that_vanishes) {
    expect_written(
        "dir/a", [this] { take_away(ws("dir/a")); },
        [](const Root& root) { return root.write_file("dir/a", kNew); });
}

TEST_F(MeddledWrite, replaces_a_file_that_is_replaced) {
    expect_written(
        "dir/a", [this] { move(ws("file"), ws("dir/a")); },
        [](const Root& root) { return root.write_file("dir/a", kNew); });
}

TEST_F(MeddledWrite, replaces_a_file_that_becomes_a_link_inside) {
    expect_written(
        "dir/a", [this] { put_link(ws("dir/a"), "target"); },
        [](const Root& root) { return root.write_file("dir/a", kNew); });
}

TEST_F(MeddledWrite, creates_a_file_that_appears) {
    expect_written(
        "dir/new", [this] { move(ws("file"), ws("dir/new")); },
        [](const Root& root) { return root.write_file("dir/new", kNew); });
}

TEST_F(MeddledWrite, appends_to_a_file_that_vanishes) {
    expect_written(
        "dir/a", [this] { take_away(ws("dir/a")); },
        [](const Root& root) { return root.append_file("dir/a", kNew); });
}

// Whoever makes a file exclusively learns that it did, even if another writer replaces it at once.
TEST_F(MeddledWrite, a_file_just_made_is_not_reported_as_found) {
    const Root root = this->root();
    WriteOptions options;
    options.must_create = true;
    std::optional<sys::Call> struck = sys::Call::kOpenat;
    for (std::size_t nth = 1; struck; ++nth) {
        restore();
        bool made = false;
        FaultPlan plan;
        plan.nth = nth;
        plan.before = [&] {
            made = os_exists(ws("dir/new"));
            move(ws("file"), ws("dir/new"));
        };
        const Faults faults(plan);
        const auto done = root.write_file("dir/new", kNew, options);
        struck = faults.struck();
        SCOPED_TRACE(describe(plan, struck));
        if (!struck || made) {
            EXPECT_TRUE(done || done.error().code == Code::kRace) << done.error().message();
        } else {
            EXPECT_CODE(done, Code::kAlreadyExists);
        }
    }
}

}  // namespace
