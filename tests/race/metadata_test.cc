// Changing modes and times while names on the way, the file itself or the root are exchanged.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

constexpr Mode kPlain = 0644;  // of every file at the beginning
constexpr Mode kFirst = 0600;
constexpr Mode kSecond = 0640;

mode_t mode_of(const std::string& path) {
    struct stat found {};
    (void)::lstat(path.c_str(), &found);
    return found.st_mode & 07777U;
}

class Metadata : public Race {
protected:
    // Rounds of chmod, to a different mode each time.
    void repeat_chmod(const Root& root, std::string_view path) {
        Mode mode = kFirst;
        repeat([&, path] {
            count(root.chmod(path, mode));
            mode = mode == kFirst ? kSecond : kFirst;
        });
    }
};

TEST_F(Metadata, chmod_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/f=inside", "ROOT/l->../OUT", "OUT/f=outside"});
    ASSERT_EQ(::chmod(out("f").c_str(), kPlain), 0);
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat_chmod(root, "d/f");
    verdict({Code::kPathEscape});
    control([&] {
        if (naive::looks_inside(ws(), ws("d/f"))) naive::chmod(ws("d/f"), kFirst);
        return mode_of(out("f")) != kPlain;
    });
}

TEST_F(Metadata, chmod_of_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/secret"});
    ASSERT_EQ(::chmod(out("secret").c_str(), kPlain), 0);
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat_chmod(root, "f");
    verdict({Code::kPathEscape});
    control([&] {
        naive::chmod(ws("f"), kFirst);
        return mode_of(out("secret")) != kPlain;
    });
}

TEST_F(Metadata, chmod_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/d/f=inside", "SIBLING/d/f=outside"});
    ASSERT_EQ(::chmod((base() + "/SIBLING/d/f").c_str(), kPlain), 0);
    const UniqueFd outside(
        ::open((base() + "/SIBLING/d/f").c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    const Root root = this->root();
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat_chmod(root, "d/f");
    verdict({});
    control([&] {
        if (naive::looks_inside(ws(), ws("d/f"))) naive::chmod(ws("d/f"), kFirst);
        struct stat found {};
        return ::fstat(outside.get(), &found) == 0 && (found.st_mode & 07777U) != kPlain;
    });
}

TEST_F(Metadata, chmod_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->e"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat_chmod(root, "d/f");
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Metadata, chmod_of_a_file_that_becomes_an_inward_link) {
    tree({"ROOT/f=inside", "ROOT/g=inside", "ROOT/l->g"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat_chmod(root, "f");
    verdict({});
    control([&] { return naive::is_link(ws("f")); });
}

// Modes and times are set on what was found; owner, attributes and access lists of a file that is
// rewritten are carried over to the new one. None may reach the file behind an outward link.
ATTACK_F(Metadata, RACE_24, metadata_of_a_file_whose_name_and_parent_become_outward_links) {
    tree({"ROOT/d/f=inside", "ROOT/l->@/OUT", "OUT/f=outside", "ROOT/f=inside",
          "ROOT/m->@/OUT/secret"});
    const Root root = this->root();
    const auto parent = exchange(ws("d"), ws("l"));
    const auto leaf = exchange_with_link(ws("f"), ws("m"), out("secret"));
    attack([=] { return parent() && leaf(); });
    const WriteOptions fast{.mode = {}, .durability = Durability::kNone};
    std::chrono::seconds time{0};  // counts the rounds too
    repeat([&] {
        ++time;
        for (const char* path : {"f", "d/f"}) {
            count(root.utimes(path, {.accessed = time, .modified = time}));
            count(root.chmod(path, time.count() % 2 == 0 ? kFirst : kSecond));
            count(root.write_file(path, "inside", fast));
        }
    });
    verdict({Code::kPathEscape});
    const auto modified = [&](const std::string& path) {
        struct stat found {};
        (void)::lstat(path.c_str(), &found);
        return found.st_mtim.tv_sec;
    };
    const timespec long_ago[2] = {{1, 0}, {1, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, out("secret").c_str(), long_ago, 0), 0);
    control([&] {
        naive::touch(ws("f"));
        return modified(out("secret")) != 1;
    });
}

// A mode that belongs to a file is set by writing and creating; the directory that takes the file's
// name must not get it.
ATTACK_F(Metadata, RACE_34, mode_of_a_file_that_becomes_a_directory) {
    constexpr mode_t kDirectory = 0751;
    tree({"ROOT/f=inside", "ROOT/d/"});
    ASSERT_EQ(::chmod(ws("d").c_str(), kDirectory), 0);
    const UniqueFd directory = hold(ws("d"));
    const auto is_changed = [&] {
        struct stat found {};
        return ::fstat(directory.get(), &found) != 0 || (found.st_mode & 07777U) != kDirectory;
    };
    const Root root = this->root();
    attack(exchange(ws("f"), ws("d")));
    const WriteOptions fast{.mode = kFirst, .durability = Durability::kNone};
    repeat([&] {
        count(root.write_file("f", "written", fast));
        count(root.create("f", kFirst));
        note_outside(is_changed());
    });
    verdict({Code::kIsADirectory});
    control([&] {
        struct stat found {};
        const bool is_file = ::lstat(ws("f").c_str(), &found) == 0 && S_ISREG(found.st_mode);
        if (is_file) (void)::chmod(ws("f").c_str(), kFirst);
        return is_changed();
    });
}

}  // namespace
}  // namespace paddock::testing
