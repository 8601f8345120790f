#include "git/tracked.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "git/objects.h"
#include "testing/git_pack.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::git {
namespace {

using testing::big_endian;
using testing::forge_pack;
using testing::PackedObject;

// An id whose 20 bytes are alike.
ObjectId id_of(std::uint8_t byte) {
    ObjectId id{};
    id.fill(byte);
    return id;
}

std::string text_of(const ObjectId& id) { return {id.begin(), id.end()}; }

// A text of many lines; each revision has changed a few more of them.
std::string revision(int number) {
    std::string text;
    for (int line = 0; line < 300; ++line) {
        const bool is_changed = line < number * 7;
        text += "KEY_" + std::to_string(line) + "=" +
                std::to_string(line * (is_changed ? 104729 : 7919)) + "\n";
    }
    return text;
}

class Tracked : public testing::Jail {
protected:
    Tracked() {
        tree({"ROOT/"});
        if (!testing::has_program("git")) throw std::runtime_error("there is no git");
    }

    void shell(const std::string& command) {
        EXPECT_EQ(testing::run_shell(ws(), "exec >/dev/null 2>&1; " + command), 0) << command;
    }

    // In the workspace, or in `directory` of it.
    void git(const std::string& words, const std::string& directory = ".") {
        shell("cd " + directory +
              " && git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "
              "-c protocol.file.allow=always -c gc.auto=0 " +
              words);
    }
    bool git_agrees(const std::string& words) {
        return testing::run_shell(ws(), "git " + words + " >/dev/null 2>&1") == 0;
    }

    void commit(const std::string& directory = ".") {
        git("add -A .", directory);
        git("commit -qm x", directory);
    }

    void make_repository() {
        git("init -q");
        os_write(ws(".env"), "TOKEN=1\n");
        shell("mkdir -p a/b");
        os_write(ws("a/b/key.pem"), "key\n");
        commit();
    }

    bool holds(std::string_view path) const {
        return is_tracked_unchanged(root().linkless(), path);
    }

    std::string only_file(const std::string& directory, const std::string& ending) const {
        for (const std::string& name : testing::os_list(ws(directory))) {
            if (name.ends_with(ending)) return ws(directory + "/" + name);
        }
        ADD_FAILURE() << "no " << ending << " in " << directory;
        return {};
    }

    // A repository whose ".env" is the object `id`, which is not there.
    void track(const ObjectId& id, const std::string& content) {
        git("init -q");
        os_write(ws(".env"), content);
        std::string index = "DIRC" + big_endian(2, 4) + big_endian(1, 4);
        index += std::string(24, '\0') + big_endian(0100644, 4) + std::string(12, '\0') +
                 text_of(id) + big_endian(4, 2) + ".env" + std::string(6, '\0');
        os_write(ws(".git/index"), index + std::string(20, '\0'));
    }

    void write_pack(const std::vector<PackedObject>& objects) {
        const auto forged = forge_pack(objects);
        os_write(ws(".git/objects/pack/pack-1.pack"), forged.pack);
        os_write(ws(".git/objects/pack/pack-1.idx"), forged.index);
    }

    void write_loose(const ObjectId& id, const std::string& stream) {
        static constexpr const char* kDigits = "0123456789abcdef";
        const std::string byte{kDigits[id[0] >> 4U], kDigits[id[0] & 15U]};
        std::string name;
        for (std::size_t i = 1; i < id.size(); ++i) name += byte;
        shell("mkdir -p .git/objects/" + byte);
        os_write(ws(".git/objects/" + byte + "/" + name), stream);
    }
};

TEST_F(Tracked, holds_what_was_committed_and_nothing_else) {
    make_repository();
    os_write(ws("new.pem"), "key\n");
    EXPECT_TRUE(holds(".env"));
    EXPECT_TRUE(holds("./a//b/key.pem"));
    EXPECT_FALSE(holds("new.pem"));
    EXPECT_FALSE(holds("a"));
    EXPECT_FALSE(holds("."));
    EXPECT_FALSE(holds("absent"));
    EXPECT_FALSE(holds("../OUT/secret"));
    EXPECT_FALSE(holds(".git/config"));
    os_write(ws(".env"), "TOKEN=2\n");
    EXPECT_FALSE(holds(".env"));
    os_write(ws(".env"), "TOKEN=1\n\n");
    EXPECT_FALSE(holds(".env"));
    os_write(ws(".env"), "");
    EXPECT_FALSE(holds(".env"));
    os_write(ws(".env"), "TOKEN=1\n");
    EXPECT_TRUE(holds(".env"));
}

TEST_F(Tracked, needs_a_repository) {
    tree({"ROOT/.env=x", "ROOT/.git/"});
    EXPECT_FALSE(holds(".env"));
    os_write(ws(".git/index"), "");
    EXPECT_FALSE(holds(".env"));
}

TEST_F(Tracked, asks_the_index_and_not_the_last_commit) {
    make_repository();
    os_write(ws(".env"), "TOKEN=staged\n");
    git("add .env");
    EXPECT_TRUE(git_agrees("show :.env"));
    EXPECT_TRUE(holds(".env"));
    git("rm -q --cached a/b/key.pem");
    EXPECT_FALSE(holds("a/b/key.pem"));
    EXPECT_TRUE(holds(".env"));
}

TEST_F(Tracked, reads_the_index_in_each_version) {
    make_repository();
    for (int i = 0; i < 50; ++i) os_write(ws("a/file-" + std::to_string(i)), std::to_string(i));
    os_write(ws("a/" + std::string(200, 'n')), "long");
    commit();
    for (const char* version : {"2", "4"}) {
        git("update-index --index-version " + std::string(version));
        for (const char* path : {".env", "a/b/key.pem", "a/file-0", "a/file-49"}) {
            EXPECT_TRUE(holds(path)) << version << " " << path;
        }
        EXPECT_TRUE(holds("a/" + std::string(200, 'n'))) << version;
        // Entries with more flags make version 3 of 2.
        git("update-index --skip-worktree .env a/file-7");
        EXPECT_TRUE(holds(".env")) << version;
        EXPECT_TRUE(holds("a/file-8")) << version;
        git("update-index --no-skip-worktree .env a/file-7");
    }
}

TEST_F(Tracked, answers_about_many_files) {
    make_repository();
    shell("mkdir -p lib c/d");
    git("init -q lib");
    os_write(ws("lib/.env"), "LIB=1\n");
    git("add .env", "lib");
    os_write(ws("c/d/.env"), "new");
    const Root linkless = root().linkless();
    TrackedFiles files(linkless);
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(files.holds(".env"));
        EXPECT_TRUE(files.holds("lib/.env"));
        EXPECT_TRUE(files.holds("a/b/key.pem"));
        EXPECT_FALSE(files.holds("c/d/.env"));
        EXPECT_FALSE(files.holds("c/d/e/f/.env"));
    }
}

// Every revision of a file, most of them deltas.
TEST_F(Tracked, reads_packs) {
    make_repository();
    constexpr int kRevisions = 40;
    for (int i = 0; i < kRevisions; ++i) {
        os_write(ws(".env"), revision(i));
        commit();
    }
    const auto expect_all = [&](const std::string& how) {
        for (int i = 0; i < kRevisions; ++i) {
            git("checkout -q HEAD~" + std::to_string(kRevisions - 1 - i) + " -- .env");
            ASSERT_TRUE(os_read(ws(".env")) == revision(i)) << how;
            EXPECT_TRUE(holds(".env")) << how << ": " << i;
            EXPECT_TRUE(holds("a/b/key.pem")) << how;
            os_write(ws(".env"), revision(i) + "x");
            EXPECT_FALSE(holds(".env")) << how << ": " << i;
        }
    };
    git("gc -q");
    ASSERT_TRUE(git_agrees("count-objects | grep -q \"^0 \""));
    ASSERT_TRUE(git_agrees(
        "verify-pack -v .git/objects/pack/*.idx | grep -q \"^chain length = [0-9][0-9]:\""));
    expect_all("offsets");
    git("-c repack.useDeltaBaseOffset=false repack -qadf");
    expect_all("ids");
    const std::string pack = only_file(".git/objects/pack", ".pack");
    const std::string index = pack.substr(0, pack.size() - 4) + "idx";
    shell("rm -f " + index + " && git index-pack --index-version=2,0x40 -o " + index + " " + pack);
    expect_all("large offsets");
    shell("rm -f " + index + " && git index-pack --index-version=1 -o " + index + " " + pack);
    git("checkout -q HEAD -- .env");
    EXPECT_FALSE(holds(".env")) << "version 1";
}

TEST_F(Tracked, finds_an_object_in_any_of_several_packs) {
    git("init -q");
    for (int i = 0; i < 5; ++i) {
        os_write(ws(std::to_string(i) + ".pem"), std::string(static_cast<std::size_t>(i), 'k'));
        commit();
        git("repack -qd");
    }
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(holds(std::to_string(i) + ".pem")) << i;
}

TEST_F(Tracked, follows_pointers_inside_the_root) {
    shell("mkdir main");
    git("init -q", "main");
    os_write(ws("main/.env"), "TOKEN=1\n");
    commit("main");
    git("worktree add -q ../other", "main");
    EXPECT_TRUE(holds("other/.env"));
    os_write(ws("other/.env"), "TOKEN=2\n");
    EXPECT_FALSE(holds("other/.env"));
    git("add .env", "other");
    EXPECT_TRUE(holds("other/.env"));
    EXPECT_TRUE(holds("main/.env"));

    shell("mkdir top");
    git("init -q", "top");
    git("submodule add -q ../main sub", "top");
    EXPECT_EQ(os_read(ws("top/sub/.git")), "gitdir: ../.git/modules/sub\n");
    EXPECT_TRUE(holds("top/sub/.env"));
    os_write(ws("top/sub/.env"), "TOKEN=3\n");
    EXPECT_FALSE(holds("top/sub/.env"));
}

TEST_F(Tracked, follows_nothing_that_leads_out) {
    make_repository();
    shell("cp -r .git ../OUT/.git");
    EXPECT_TRUE(holds(".env"));

    shell("rm -rf .git && echo \"gitdir: " + out(".git") + "\" >.git");
    EXPECT_TRUE(git_agrees("diff --quiet"));
    EXPECT_FALSE(holds(".env"));
    shell("echo \"gitdir: ../OUT/.git\" >.git");
    EXPECT_TRUE(git_agrees("diff --quiet"));
    EXPECT_FALSE(holds(".env"));
    shell("rm .git && ln -s ../OUT/.git .git");
    EXPECT_TRUE(git_agrees("diff --quiet"));
    EXPECT_FALSE(holds(".env"));
    shell(
        "rm .git && cp -r ../OUT/.git . && rm -r .git/objects && "
        "ln -s ../../OUT/.git/objects .git/objects");
    EXPECT_TRUE(git_agrees("show :.env"));
    EXPECT_FALSE(holds(".env"));
    shell(
        "rm .git/objects && mkdir -p .git/objects/info && "
        "echo " +
        out(".git/objects") + " >.git/objects/info/alternates");
    EXPECT_TRUE(git_agrees("show :.env"));
    EXPECT_FALSE(holds(".env"));
    shell("cp -r ../OUT/.git/objects .git && echo ../../OUT/.git >.git/commondir");
    EXPECT_TRUE(git_agrees("show :.env"));
    EXPECT_FALSE(holds(".env"));
    shell("rm .git/commondir");
    EXPECT_TRUE(holds(".env"));
}

TEST_F(Tracked, does_not_believe_the_index) {
    make_repository();
    os_write(ws(".env"), "TOKEN=secret\n");
    git("update-index --assume-unchanged .env");
    EXPECT_TRUE(git_agrees("diff --quiet"));
    EXPECT_FALSE(holds(".env"));

    git("update-index --no-assume-unchanged .env");
    git("update-index --cacheinfo 100644,$(git rev-parse :a/b/key.pem),.env");
    EXPECT_TRUE(git_agrees("ls-files --error-unmatch .env"));
    EXPECT_FALSE(holds(".env"));

    track(id_of(0x11), "TOKEN=secret\n");
    EXPECT_FALSE(holds(".env"));
    write_loose(id_of(0x11), testing::deflated(std::string("blob 7\0guessed", 14)));
    EXPECT_FALSE(holds(".env"));
    write_loose(id_of(0x11), testing::deflated(std::string("blob 13\0TOKEN=secret\n", 21)));
    EXPECT_TRUE(holds(".env"));
}

TEST_F(Tracked, holds_only_regular_files_and_blobs) {
    git("init -q");
    os_write(ws("f"), "target");
    git("add f");
    git("update-index --add --cacheinfo 120000,$(git rev-parse :f),f");
    EXPECT_FALSE(holds("f"));
    shell("rm f; ln -s target f");
    EXPECT_FALSE(holds("f"));

    track(id_of(0x22), "tree");
    write_loose(id_of(0x22), testing::deflated(std::string("tree 4\0tree", 11)));
    EXPECT_FALSE(holds(".env"));
    write_pack({{.id = id_of(0x22), .type = 2, .content = "tree"}});
    EXPECT_FALSE(holds(".env"));
    write_pack({{.id = id_of(0x22), .content = "tree"}});
    EXPECT_TRUE(holds(".env"));
}

TEST_F(Tracked, compares_bytes_as_they_are) {
    git("init -q");
    git("config core.autocrlf true");
    os_write(ws(".env"), "TOKEN=1\r\n");
    git("add .env");
    EXPECT_TRUE(git_agrees("diff --quiet"));
    EXPECT_FALSE(holds(".env"));
}

TEST_F(Tracked, does_not_read_sha256) {
    git("init -q --object-format=sha256");
    os_write(ws(".env"), "TOKEN=1\n");
    commit();
    EXPECT_FALSE(holds(".env"));
}

TEST_F(Tracked, has_a_bound_on_the_size_of_a_file) {
    git("init -q");
    os_write(ws("most.pem"), std::string(kObjectBytesMax, 'k'));
    os_write(ws("more.pem"), std::string(kObjectBytesMax + 1, 'k'));
    commit();
    EXPECT_TRUE(holds("most.pem"));
    EXPECT_FALSE(holds("more.pem"));
    git("gc -q");
    EXPECT_TRUE(holds("most.pem"));
    EXPECT_FALSE(holds("more.pem"));
}

// A file that changed is never held, whatever is damaged; one that did not is only where the damage
// does not matter.
TEST_F(Tracked, survives_damage) {
    make_repository();
    for (int i = 0; i < 10; ++i) {
        os_write(ws(".env"), revision(i));
        commit();
    }
    git("gc -q");
    git("checkout -q HEAD~5 -- .env");
    ASSERT_TRUE(holds(".env"));
    os_write(ws("a/b/key.pem"), "changed\n");
    const std::string pack = only_file(".git/objects/pack", ".pack");
    for (const std::string& file :
         {ws(".git/index"), pack, pack.substr(0, pack.size() - 4) + "idx"}) {
        ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
        const std::string whole = os_read(file).value();
        const auto expect_safe = [&](const std::string& damaged, std::size_t at) {
            os_write(file, damaged);
            TrackedFiles files(root().linkless());
            files.holds(".env");
            EXPECT_FALSE(files.holds("a/b/key.pem")) << file << " " << at;
        };
        const std::size_t step = std::max<std::size_t>(whole.size() / 200, 1);
        for (std::size_t at = 0; at < whole.size(); at += step) {
            expect_safe(whole.substr(0, at), at);
            for (const char bits : {'\x01', '\x80', '\xff'}) {
                std::string damaged = whole;
                damaged[at] = static_cast<char>(damaged[at] ^ bits);
                expect_safe(damaged, at);
            }
        }
        os_write(file, whole.substr(0, whole.size() / 4));
        EXPECT_FALSE(holds(".env")) << file;
        os_write(file, whole);
        ASSERT_TRUE(holds(".env"));
    }
}

TEST_F(Tracked, is_not_kept_busy_by_bombs) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string zeros(std::size_t{64} << 20, '\0');
    const ObjectId id = id_of(0x33);
    track(id, "TOKEN=1\n");
    using namespace std::string_literals;
    // Larger than it says, much larger than any file, and a stream that never yields a byte.
    write_loose(id, testing::deflated("blob 8\0TOKEN=1\n"s + zeros));
    EXPECT_FALSE(holds(".env"));
    write_loose(id, testing::deflated("blob " + std::to_string(zeros.size()) + "\0"s + zeros));
    EXPECT_FALSE(holds(".env"));
    write_loose(id, testing::deflated("blob 18446744073709551616\0TOKEN=1\n"s));
    EXPECT_FALSE(holds(".env"));
    write_loose(id, testing::deflated("blob " + std::string(1000, '0') + "8\0TOKEN=1\n"s));
    EXPECT_FALSE(holds(".env"));
    std::string empty_blocks = "\x78\x9c";
    for (int i = 0; i < 4'000'000; ++i) empty_blocks.append("\0\0\0\xff\xff", 5);
    write_loose(id, empty_blocks);
    EXPECT_FALSE(holds(".env"));

    // A delta of itself, and deltas that each make a megabyte of the one before.
    write_pack({{.id = id, .type = 7, .base = text_of(id), .content = "\x08\x08\x90\x08"}});
    EXPECT_FALSE(holds(".env"));
    const std::string megabyte(kObjectBytesMax, 'm');
    const std::string size = testing::size_number(megabyte.size());
    std::string copies = size + size;
    for (std::size_t i = 0; i < megabyte.size(); i += 0x10000) copies += '\x80';
    std::vector<PackedObject> chain{{.id = id_of(0), .content = megabyte}};
    for (std::uint8_t i = 1; i < 100; ++i) {
        chain.push_back({id_of(i), 7, text_of(id_of(static_cast<std::uint8_t>(i - 1))), copies});
    }
    write_pack(chain);
    track(id_of(99), megabyte);
    EXPECT_TRUE(holds(".env"));
    chain[50].content.back() = '\0';
    write_pack(chain);
    EXPECT_FALSE(holds(".env"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(Tracked, does_not_wait_for_a_fifo) {
    make_repository();
    shell("rm -f .git/index && mkfifo .git/index");
    EXPECT_FALSE(holds(".env"));
}

TEST(Index, has_a_bound_on_its_names) {
    std::string bytes = "DIRC" + big_endian(4, 4) + big_endian(1000, 4);
    for (int i = 0; i < 1000; ++i) {
        bytes += std::string(24, '\0') + big_endian(0100644, 4) + std::string(32, '\0');
        bytes += big_endian(i < 4 ? 1000U * (static_cast<unsigned>(i) + 1) : 4000U, 2);
        bytes += std::string(1, '\0') + std::string(i < 4 ? 1000U : 0U, 'n') + '\0';
    }
    WorkBudget enough(4'000'000);
    EXPECT_TRUE(Index::parse(bytes, enough).has_value());
    WorkBudget little(3'000'000);
    EXPECT_FALSE(Index::parse(bytes, little).has_value());
    EXPECT_EQ(little.left(), 0U);
}

// Git takes the entry of a directory apart to names that nobody has judged.
TEST(Index, names_files_and_no_directories) {
    EXPECT_TRUE(is_name_in_worktree("a/b"));
    for (const char* name : {"a/", "a//b", ".git/x", "a/.GIT/x", "../x", ""}) {
        EXPECT_FALSE(is_name_in_worktree(name)) << name;
    }
}

TEST(Index, is_in_order) {
    const auto entry = [](const std::string& name) {
        return std::string(24, '\0') + big_endian(0100644, 4) + std::string(32, '\0') +
               big_endian(name.size(), 2) + name + std::string(8 - (62 + name.size()) % 8, '\0');
    };
    const std::string head = "DIRC" + big_endian(2, 4) + big_endian(2, 4);
    WorkBudget budget(1000);
    const auto index = Index::parse(head + entry("a") + entry("b"), budget);
    ASSERT_TRUE(index.has_value());
    EXPECT_NE(index->find("a"), nullptr);
    EXPECT_NE(index->find("b"), nullptr);
    EXPECT_EQ(index->find("c"), nullptr);
    EXPECT_EQ(index->find(""), nullptr);
    EXPECT_FALSE(Index::parse(head + entry("b") + entry("a"), budget).has_value());
    EXPECT_FALSE(Index::parse(head + entry("a"), budget).has_value());
}

// Git begins where the tables say, and takes the lengths as they stand.
TEST(Index, says_the_same_in_all_its_parts) {
    const auto entry = [](const std::string& name, std::size_t length) {
        return std::string(24, '\0') + big_endian(0100644, 4) + std::string(32, '\0') +
               big_endian(length, 2) + name + std::string(8 - (62 + name.size()) % 8, '\0');
    };
    const auto is_true = [&](std::size_t length, std::size_t second, std::size_t end) {
        const std::string entries = entry("a", length) + entry("b", 1);
        const std::string bytes = "DIRC" + big_endian(2, 4) + big_endian(2, 4) + entries + "IEOT" +
                                  big_endian(20, 4) + big_endian(1, 4) + big_endian(12, 4) +
                                  big_endian(1, 4) + big_endian(second, 4) + big_endian(1, 4) +
                                  "EOIE" + big_endian(24, 4) + big_endian(end, 4) +
                                  std::string(20, 'h') + std::string(20, 'c');
        return visit_index_names(bytes, 20, [](std::string_view) { return true; });
    };
    EXPECT_TRUE(is_true(1, 76, 140));
    EXPECT_FALSE(is_true(2, 76, 140)) << "a length";
    EXPECT_FALSE(is_true(1, 84, 140)) << "the beginning of a block";
    EXPECT_FALSE(is_true(1, 76, 148)) << "the end of the entries";
}

TEST(Delta, copies_and_inserts_within_bounds) {
    using namespace std::string_literals;
    const auto apply = [](const std::string& instructions, std::size_t size) {
        return apply_delta("0123456789", "\x0a" + testing::size_number(size) + instructions);
    };
    EXPECT_EQ(apply("\x91\x02\x03"s + "\x02-x"s, 5), "234-x");
    EXPECT_EQ(apply("\x90\x0a"s, 10), "0123456789");
    EXPECT_EQ(apply("", 0), "");
    EXPECT_EQ(apply("\x91\x02\x09"s, 9), std::nullopt);  // past the end of the base
    EXPECT_EQ(apply("\x9f\xff\xff\xff\xff\x01"s, 1), std::nullopt);
    EXPECT_EQ(apply("\x80"s, 10), std::nullopt);   // 65536 bytes
    EXPECT_EQ(apply("\x03-x"s, 3), std::nullopt);  // past the end of the delta
    EXPECT_EQ(apply("\x02-x"s, 1), std::nullopt);  // more than it says
    EXPECT_EQ(apply("\x02-x"s, 3), std::nullopt);  // less
    EXPECT_EQ(apply("\0"s, 0), std::nullopt);      // reserved
    EXPECT_EQ(apply("", std::size_t{1} << 60), std::nullopt);
    EXPECT_EQ(apply_delta("", std::string(20, '\xff')), std::nullopt);
    EXPECT_EQ(apply_delta("", ""), std::nullopt);
    EXPECT_EQ(apply_delta("other", "\x0a\x00"s), std::nullopt);
}

}  // namespace
}  // namespace paddock::git
