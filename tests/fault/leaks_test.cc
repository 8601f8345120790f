// A million successes and failures, faults among them, leave the number of open descriptors as it
// was. PADDOCK_LEAK_ROUNDS sets another number.
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "fault/budget.h"
#include "fault/faults.h"
#include "fault/operations.h"
#include "fault/scene.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

using Act = bool (*)(const Root&);

constexpr auto kVisit = [](const WalkEntry&) { return WalkAction::kContinue; };

// Cheap ones mostly, so that a million of them are soon done; about half of them fail.
constexpr Act kActs[] = {
    [](const Root& r) { return r.open_file("dir/sub/b").has_value(); },
    [](const Root& r) { return r.open_file("dir/sub/absent").has_value(); },
    [](const Root& r) { return r.open_file("dir/escape").has_value(); },
    [](const Root& r) { return r.read_file("abs/sub/b").has_value(); },
    [](const Root& r) { return r.read_file("dir").has_value(); },
    [](const Root& r) { return r.read_file("../OUT/secret").has_value(); },
    [](const Root& r) { return r.read_file("file/x").has_value(); },
    [](const Root& r) { return r.stat("loop").has_value(); },
    [](const Root& r) { return r.stat("link").has_value(); },
    [](const Root& r) { return r.lstat("dir/escape").has_value(); },
    [](const Root& r) { return r.resolve("abs/x/y").has_value(); },
    [](const Root& r) { return r.readlink("dir/escape").has_value(); },
    [](const Root& r) { return r.list("dir").has_value(); },
    [](const Root& r) { return r.list("file").has_value(); },
    [](const Root& r) { return r.walk("dir", kVisit).has_value(); },
    [](const Root& r) { return r.open_file("pipe").has_value(); },
    [](const Root& r) { return r.create_exclusive("file").has_value(); },
    [](const Root& r) { return r.append_file("dir/sub", "x").has_value(); },
    [](const Root& r) { return r.append_file("shared", "x").has_value(); },
    [](const Root& r) { return r.write_file("dir", "x").has_value(); },
    [](const Root& r) { return r.write_file("absent/x", "x").has_value(); },
    [](const Root& r) { return r.mkdir("dir").has_value(); },
    [](const Root& r) { return r.remove("dir").has_value(); },
    [](const Root& r) { return r.remove("absent").has_value(); },
    [](const Root& r) { return r.rename("dir", "dir/sub/below").has_value(); },
    [](const Root& r) { return r.hard_link("file", "link").has_value(); },
    [](const Root& r) { return r.symlink("../../OUT", "dir/new").has_value(); },
    [](const Root& r) { return r.chmod("shared", 0600).has_value(); },
    [](const Root& r) { return r.sub_root("dir/sub").has_value(); },
    [](const Root& r) { return r.mkdir_all("made/x/y").has_value(); },
    [](const Root& r) { return r.remove_all("made").has_value(); },
    [](const Root& r) { return r.temp_file("dir").has_value(); },
    [](const Root& r) {
        return r.write_file("file", kNew, {.mode = {}, .durability = Durability::kNone})
            .has_value();
    },
    [](const Root& r) { return r.copy_file("file", "dir/sub").has_value(); },
};

constexpr int kErrors[] = {EMFILE, EIO, ENOSPC, EACCES, ENOSYS, EINTR};

class Leaks : public Scene {
protected:
    // What a fault at the removal of a temporary file left: not to be piled up.
    void remove_temporaries() const {
        for (const std::string directory : {"", "dir/"}) {
            for (const std::string& name : os_list(ws(directory))) {
                if (name.starts_with(".paddock-")) (void)::unlink(ws(directory + name).c_str());
            }
        }
    }
};

TEST_F(Leaks, none_after_a_million_calls) {
    tree({"ROOT/loop->loop", "ROOT/pipe|", "ROOT/shared=x", "ROOT/shared2&ROOT/shared"});
    const Root root = this->root();
    const long rounds = budget("PADDOCK_LEAK_ROUNDS", 1'000'000, 50'000);
    constexpr long kStretch = 10'000;
    constexpr std::size_t kFaultPeriod = 101;  // in system calls
    const std::size_t descriptors = open_descriptors();
    long successes = 0;
    for (long done = 0, stretch = 0; done < rounds; done += kStretch, ++stretch) {
        {
            const Faults faults({.nth = kFaultPeriod,
                                 .period = kFaultPeriod,
                                 .error = kErrors[stretch % std::ssize(kErrors)]});
            for (long i = 0; i < kStretch; ++i) {
                if (kActs[i % std::ssize(kActs)](root)) ++successes;
            }
        }
        remove_temporaries();
        ASSERT_EQ(open_descriptors(), descriptors) << "after " << done + kStretch << " calls";
    }
    std::printf("%ld calls: %ld succeeded, %zu descriptors before and after\n", rounds, successes,
                descriptors);
    EXPECT_GT(successes, rounds / 4);
    EXPECT_LT(successes, rounds - rounds / 4);
    EXPECT_EQ(secret(), kSecret);
}

}  // namespace
