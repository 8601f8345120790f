// Finding a name while directories on the way are exchanged, moved up, moved out, or while the
// whole host is busy renaming and mounting. Dot-dots are put into links: those of a caller's path
// are taken out before anything is looked up.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "race/mounter.h"
#include "race/naive.h"
#include "race/race.h"
#include "race/stop_point.h"
#include "sys/uapi.h"

namespace paddock::testing {
namespace {

// What a single openat2, neither retried nor explained, says: 0 or an errno.
int bare_openat2(const UniqueFd& directory, const char* path) {
    sys::uapi::OpenHow how;
    how.flags = O_RDONLY | O_CLOEXEC;
    how.resolve = sys::uapi::kResolveBeneath;
    const long fd = ::syscall(sys::uapi::kNrOpenat2, directory.get(), path, &how, sizeof how);
    const int error = fd < 0 ? errno : 0;
    UniqueFd(static_cast<int>(fd)).reset();
    return error;
}

bool has_openat2(const UniqueFd& directory) { return bare_openat2(directory, ".") == 0; }

// Opens the directory, then a path from there: two steps, between which the directory may move.
std::optional<std::string> read_in_two_steps(const std::string& directory, const char* path) {
    const UniqueFd start(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd file(::openat(start.get(), path, O_RDONLY | O_CLOEXEC));
    std::array<char, 64> buffer;
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) return std::nullopt;
    return std::string(buffer.data(), static_cast<std::size_t>(size));
}

std::string repeated(std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
}

// The controls of the kernel's own races get a long way to go, so that they lose soon even where
// both sides share a core.
constexpr int kLongWay = 100;

// Two links in the root to "f", "way" by 18 times "d/.." and "long" by many more.
void plant_winding_links(const std::string& root) {
    ASSERT_EQ(::symlink((repeated("d/../", 18) + "f").c_str(), (root + "/way").c_str()), 0);
    ASSERT_EQ(::symlink((repeated("d/../", kLongWay) + "f").c_str(), (root + "/long").c_str()), 0);
}

ATTACK_F(Race, RACE_05, directory_that_becomes_a_file) {
    tree({"ROOT/d/e/f=inside", "ROOT/x=file"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("x")));
    repeat([&] {
        const auto content = root.read_file("d/e/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({Code::kNotADirectory});
    control([&] {
        struct stat found {};
        const bool is_directory = ::stat(ws("d").c_str(), &found) == 0 && S_ISDIR(found.st_mode);
        return is_directory && !os_read(ws("d/e/f"));
    });
}

ATTACK_F(Race, RACE_06, directory_that_becomes_a_dangling_link) {
    tree({"ROOT/d/e/f=inside", "ROOT/l->nowhere"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("d/e/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({Code::kNotFound});
    control([&] { return os_exists(ws("d/e/f")) && !os_read(ws("d/e/f")); });
}

ATTACK_F(Race, RACE_07, directory_that_becomes_a_link_going_in_and_out_of_itself) {
    tree({"ROOT/a/b/c/d/e=inside", "ROOT/b/c/d/", "ROOT/l->../b/../b/../b/../b/../b"});
    const Root root = this->root();
    attack(exchange(ws("a/b"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("a/b/c/d/../d/../d/e");
        if (count(content)) note_outside(*content != "inside");
        const auto found = root.resolve("a/b/c/d/../d/../d/e");
        if (count(found)) {
            EXPECT_TRUE(found->path == "a/b/c/d/e" || found->path == "b/c/d/e");
        }
    });
    verdict({Code::kNotFound, Code::kRace});
    control([&] { return os_exists(ws("a/b/c/d/e")) && !os_read(ws("a/b/c/d/e")); });
}

ATTACK_F(Race, RACE_09, directories_that_are_moved_up_during_a_climb) {
    // From p/a/a/a/a five steps up lead to the root; from b/a/a/a, which it becomes, one above it.
    tree({"ROOT/p/a/a/a/a/", "ROOT/x/f=public", "ROOT/way->p/a/a/a/a/../../../../../x/f",
          "x/f=outside"});
    const Root root = this->root();
    attack(move_to_and_fro(ws("p/a"), ws("b")));
    repeat([&] {
        const auto content = root.read_file("way");
        if (count(content)) note_outside(*content != "public");
    });
    verdict({Code::kNotFound, Code::kRace});
    control([&] { return read_in_two_steps(ws("p/a/a/a/a"), "../../../../../x/f") == "outside"; });
}

ATTACK_F(Race, RACE_10, directory_that_is_moved_out_of_the_root) {
    tree({"ROOT/a/b/c/f=inside", "ROOT/a/b/way->../../a/b/c/f", "PARK/b/c/f=inside",
          "PARK/b/way->../../a/b/c/f", "a/b/c/f=outside"});
    const Root root = this->root();
    attack(exchange(ws("a/b"), base() + "/PARK/b"));
    repeat([&] {
        for (const char* path : {"a/b/way", "a/b/../../a/b/c/f"}) {
            const auto content = root.read_file(path);
            if (count(content)) note_outside(*content != "inside");
        }
    });
    verdict({Code::kPathEscape, Code::kNotFound, Code::kRace});
    control([&] { return read_in_two_steps(ws("a/b"), "../../a/b/c/f") == "outside"; });
}

ATTACK_F(Race, RACE_13, renames_elsewhere_on_the_host) {
    tree({"ROOT/d/", "ROOT/f=inside", "ELSEWHERE/a/", "ELSEWHERE/b/"});
    plant_winding_links(ws());
    const Root root = this->root();
    const UniqueFd top = hold(ws());
    attack(exchange(base() + "/ELSEWHERE/a", base() + "/ELSEWHERE/b"));
    repeat([&] { count(root.read_file("way")); });
    verdict({});
    if (!has_openat2(top)) GTEST_SKIP() << "no openat2, so no control";
    control([&] { return bare_openat2(top, "long") == EAGAIN; });
}

ATTACK_F(Race, RACE_14, mounts_in_another_namespace) {
    tree({"ROOT/d/", "ROOT/f=inside", "MOUNT/"});
    plant_winding_links(ws());
    const Root root = this->root();
    const UniqueFd top = hold(ws());
    const Mounter mounter(base() + "/MOUNT");
    if (!mounter.works()) GTEST_SKIP() << "no mounts can be made here";
    constexpr std::uint64_t kMounts = 20;
    repeat_against([&] { return mounter.mounts(); }, race_rounds(), kMounts,
                   [&] { count(root.read_file("way")); });
    verdict({});
    if (!has_openat2(top)) GTEST_SKIP() << "no openat2, so no control";
    control([&] { return bare_openat2(top, "long") == EAGAIN; });
}

// What comes in by the exchange is inside while it is there: either content is right, and no call
// has a reason to fail. A link that really leads out is not tried over and over.
ATTACK_F(Race, RACE_16, directory_that_flips_in_and_out) {
    const std::string deep = "d/" + repeated("d/", kLongWay) + "f";
    const std::string inside = "ROOT/" + deep + "=inside";
    const std::string parked = "PARK/" + deep + "=inside";
    tree({inside, parked, "ROOT/d/f=inside", "PARK/d/f=inside", "ROOT/l->@/OUT"});
    const Root root = this->root();
    const UniqueFd top = hold(ws());
    {
        int lookups = 0;
        const StopPoint counter([&](sys::Call call, int) {
            lookups += call == sys::Call::kOpenat2 || call == sys::Call::kOpenat ? 1 : 0;
            return sys::Fault{};
        });
        EXPECT_CODE(root.read_file("l/secret"), Code::kPathEscape);
        EXPECT_LE(lookups, 8);
    }
    attack(exchange(ws("d"), base() + "/PARK/d"));
    repeat([&] {
        const auto content = root.read_file("d/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({});
    if (!has_openat2(top)) GTEST_SKIP() << "no openat2, so no control";
    control([&] { return bare_openat2(top, deep.c_str()) == EXDEV; });
}

}  // namespace
}  // namespace paddock::testing
