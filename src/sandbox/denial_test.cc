#include "sandbox/denial.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "sys/io.h"
#include "testing/jail.h"

namespace paddock::sandbox {
namespace {

std::string read_own(const char* path, int directory = AT_FDCWD) {
    ForeignPath foreign;
    if (!foreign.read(::getpid(), directory, reinterpret_cast<std::uint64_t>(path))) return "-";
    EXPECT_EQ(std::strlen(foreign.c_str()), foreign.view().size());
    return std::string(foreign.view());
}

TEST(ForeignPath, is_absolute_and_without_dots) {
    EXPECT_EQ(read_own("/"), "/");
    EXPECT_EQ(read_own("/a/b"), "/a/b");
    EXPECT_EQ(read_own("//a///b/"), "/a/b");
    EXPECT_EQ(read_own("/a/./b/../c/."), "/a/c");
    EXPECT_EQ(read_own("/../../a"), "/a");
    EXPECT_EQ(read_own("/a/.."), "/");
    EXPECT_EQ(read_own("/a/...b/..c"), "/a/...b/..c");
    EXPECT_EQ(read_own(""), "-");
}

TEST(ForeignPath, relative_ones_begin_at_the_directory_of_the_process) {
    const testing::ScratchDir scratch;
    const UniqueFd directory(::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(read_own("f", directory.get()), scratch.path() + "/f");
    EXPECT_EQ(read_own("./d/../f", directory.get()), scratch.path() + "/f");
    EXPECT_EQ(read_own("/f", directory.get()), "/f");
    EXPECT_EQ(read_own("f", 9999), "-");
    char here[4096];
    ASSERT_NE(::getcwd(here, sizeof here), nullptr);
    EXPECT_EQ(read_own("f"), (std::string(here) == "/" ? "" : std::string(here)) + "/f");
}

TEST(ForeignPath, ends_with_the_memory_behind_it) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto* memory = static_cast<char*>(
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(::munmap(memory + page, page), 0);
    std::memcpy(memory + page - 5, "/end", 5);
    EXPECT_EQ(read_own(memory + page - 5), "/end") << "the last bytes of a mapping";
    std::memset(memory, 'x', page);
    memory[0] = '/';
    EXPECT_EQ(read_own(memory + page - 5), "-") << "no end";
    ASSERT_EQ(::munmap(memory, page), 0);
    EXPECT_EQ(read_own(nullptr), "-");
}

TEST(ForeignPath, may_be_as_long_as_the_kernel_takes_and_no_longer) {
    std::string path = "/";
    path.append(4094, 'x');
    EXPECT_EQ(read_own(path.c_str()), path);
    path += 'x';
    EXPECT_EQ(read_own(path.c_str()), "-");
    std::string relative(4095, 'y');
    EXPECT_TRUE(read_own(relative.c_str()).ends_with("/" + relative));
}

}  // namespace

namespace {

struct Line {
    Line() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        observer.reset(ends[0]);
        log.reset(ends[1]);
    }
    void send(const DenialRecord& record) const {
        EXPECT_TRUE(
            sys::send_now(observer.get(), {reinterpret_cast<const char*>(&record), sizeof record}));
    }
    UniqueFd observer;
    UniqueFd log;
};

DenialRecord record_of(Wall wall, DeniedOperation operation, std::string_view target) {
    DenialRecord record{wall, operation, static_cast<std::uint16_t>(target.size()), {}};
    std::memcpy(record.target.data(), target.data(), target.size());
    return record;
}

TEST(DenialLog, reads_what_has_come_and_then_the_end) {
    Line line;
    DenialLog log;
    EXPECT_EQ(log.read(line.log.get()).value(), false);
    line.send(record_of(Wall::kView, DeniedOperation::kCreate, "/etc/new"));
    line.send(record_of(Wall::kView, DeniedOperation::kCreate, "/etc/new"));
    line.send(record_of(Wall::kNetwork, DeniedOperation::kConnect, "192.0.2.1:443"));
    EXPECT_EQ(log.read(line.log.get()).value(), false);
    ASSERT_EQ(log.denials().size(), 2U);
    EXPECT_FALSE(log.more());
    line.send({});
    line.observer.reset();
    EXPECT_EQ(log.read(line.log.get()).value(), true);
    EXPECT_TRUE(log.more());
    EXPECT_EQ(log.text({"mount_namespace", "network_namespace"}),
              "Denied by the sandbox:\n"
              "- create /etc/new: outside of the workspace (layer: mount_namespace, operator "
              "setting: workspace.root)\n"
              "- connect to 192.0.2.1:443: direct connections are closed, and the program ignored "
              "HTTPS_PROXY; use HTTPS, or --net host (layer: network_namespace, operator setting: "
              "bash.network)\n"
              "- and more\n");
}

TEST(DenialLog, is_bounded_and_says_so) {
    DenialLog log;
    EXPECT_EQ(log.text({"a", "b"}), "");
    for (std::size_t i = 0; i < limits::kDenialsMax; ++i) {
        log.add({Wall::kRule, DeniedOperation::kRemove, std::to_string(i)});
    }
    EXPECT_FALSE(log.more());
    log.add({Wall::kRule, DeniedOperation::kRemove, "0"});
    EXPECT_FALSE(log.more()) << "known already";
    log.add({Wall::kRule, DeniedOperation::kRename, "0"});
    EXPECT_TRUE(log.more());
    EXPECT_EQ(log.denials().size(), limits::kDenialsMax);
    log.add({Wall::kLimit, DeniedOperation::kExceed, "memory"});
    EXPECT_EQ(log.denials().size(), limits::kDenialsMax + 1) << "there is room for other walls";
}

TEST(DenialLog, takes_the_words_of_layers_that_know_for_themselves) {
    DenialLog log;
    log.add({Wall::kProxy, DeniedOperation::kConnect, "other.test:80", "is not on the allow list"});
    log.add({Wall::kLimit, DeniedOperation::kExceed, "memory", "it was used up", "cgroup",
             "bash.limits.memory_bytes"});
    log.add({Wall::kLimit, DeniedOperation::kExceed, "output", "it printed too much"});
    log.add({Wall::kNetwork, DeniedOperation::kLookUp, "127.0.0.1:53"});
    EXPECT_EQ(log.text({"mount_namespace", "network_namespace"}),
              "Denied by the sandbox:\n"
              "- connect to other.test:80: is not on the allow list (layer: proxy, operator "
              "setting: bash.network_allow)\n"
              "- exceed the limit of memory: it was used up (layer: cgroup, operator setting: "
              "bash.limits.memory_bytes)\n"
              "- exceed the limit of output: it printed too much (layer: limits, operator setting: "
              "none)\n"
              "- look up a host name at 127.0.0.1:53: direct connections are closed, and the "
              "program ignored HTTPS_PROXY; use HTTPS, or --net host (layer: network_namespace, "
              "operator setting: bash.network)\n");
}

TEST(DenialLog, gives_the_same_as_values) {
    DenialLog log;
    log.add({Wall::kProxy,
             DeniedOperation::kConnect,
             "other.test:80",
             "no",
             {},
             {},
             "--allow-host other.test"});
    log.add({Wall::kRule, DeniedOperation::kWrite, ".env\n"});
    const auto failed = log.explained({"landlock", "seccomp"});
    ASSERT_EQ(failed.size(), 2U);
    EXPECT_EQ(failed[0].operation, "connect to");
    EXPECT_EQ(failed[0].layer, "proxy");
    EXPECT_EQ(failed[0].option, "--allow-host other.test");
    EXPECT_TRUE(failed[0].needed);
    EXPECT_EQ(failed[1].target, ".env\\x0a");
    EXPECT_EQ(failed[1].reason, "the path is protected");
    EXPECT_EQ(failed[1].setting, "workspace.rules");
    const auto succeeded = log.explained({"landlock", "seccomp"}, true);
    EXPECT_FALSE(succeeded[0].needed);
    EXPECT_TRUE(succeeded[1].needed);
}

TEST(DenialLog, shows_untrusted_bytes_safely) {
    DenialLog log;
    log.add({Wall::kReadOnly, DeniedOperation::kWrite, "/a\n- write \x1b[31m/b\xff"});
    EXPECT_EQ(log.text({"landlock", "seccomp"}),
              "Denied by the sandbox:\n"
              "- write /a\\x0a- write \\x1b[31m/b\\xff: the workspace is read-only (layer: "
              "landlock, operator setting: bash.read_only)\n");
}

TEST(DenialLog, refuses_malformed_records) {
    for (const auto spoil :
         {+[](DenialRecord& r) { r.size = 65535; }, +[](DenialRecord& r) { r.wall = Wall::kProxy; },
          +[](DenialRecord& r) { r.wall = static_cast<Wall>(9); },
          +[](DenialRecord& r) { r.operation = DeniedOperation::kExceed; },
          +[](DenialRecord& r) { r.operation = static_cast<DeniedOperation>(9); }}) {
        const Line line;
        DenialRecord record = record_of(Wall::kView, DeniedOperation::kWrite, "/x");
        spoil(record);
        line.send(record);
        DenialLog log;
        EXPECT_FALSE(log.read(line.log.get()));
        EXPECT_TRUE(log.denials().empty());
    }
    const Line line;
    ASSERT_TRUE(sys::send_now(line.observer.get(), "short"));
    DenialLog log;
    EXPECT_FALSE(log.read(line.log.get()));
}

}  // namespace

namespace {

TEST(WriteMap, the_nearest_entry_above_decides) {
    WriteMap map;
    ASSERT_TRUE(map.set("/home/me/project", Wall::kNone));
    ASSERT_TRUE(map.set("/home/me/project/.git/hooks", Wall::kRule));
    ASSERT_TRUE(map.set("/home/me/project/.git/hooks/open", Wall::kNone));
    EXPECT_EQ(map.wall_before("/home/me/project"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/a/b"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/index"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks"), Wall::kRule);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks/pre-commit"), Wall::kRule);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks/open/x"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me"), Wall::kView);
    EXPECT_EQ(map.wall_before("/home/me/project2"), Wall::kView) << "names, not prefixes";
    EXPECT_EQ(map.wall_before("/home/me/project-"), Wall::kView);
    EXPECT_EQ(map.wall_before("/"), Wall::kView);
    EXPECT_EQ(map.wall_before("/etc/passwd"), Wall::kView);
    EXPECT_EQ(map.wall_before(""), Wall::kView);
}

TEST(WriteMap, knows_where_a_wall_was_set) {
    WriteMap map;
    ASSERT_TRUE(map.set("/ws", Wall::kNone));
    ASSERT_TRUE(map.set("/ws/.git/hooks", Wall::kRule));
    EXPECT_EQ(map.behind("/ws/.git/hooks/a/b"), "/ws/.git/hooks");
    EXPECT_EQ(map.behind("/ws/.git/hooks"), "/ws/.git/hooks");
    EXPECT_EQ(map.behind("/ws/.git/hooks2"), "/ws");
    EXPECT_EQ(map.behind("/usr/lib"), "/");
}

TEST(WriteMap, an_entry_can_be_changed) {
    WriteMap map;
    ASSERT_TRUE(map.set("/ws", Wall::kNone));
    ASSERT_TRUE(map.set("/ws", Wall::kReadOnly));
    EXPECT_EQ(map.wall_before("/ws/file"), Wall::kReadOnly);
}

TEST(WriteMap, devices_and_the_own_process_are_open) {
    const WriteMap map;
    for (const char* path : {"/dev/null", "/dev/pts/0", "/proc/self/fd/1", "/proc/7/comm"}) {
        EXPECT_EQ(map.wall_before(path), Wall::kNone) << path;
    }
    EXPECT_EQ(map.wall_before("/proc/sys/kernel/core_pattern"), Wall::kView);
}

TEST(WriteMap, a_full_map_says_so_and_keeps_what_it_has) {
    WriteMap map;
    std::size_t taken = 0;
    while (map.set("/ws/" + std::to_string(taken), Wall::kRule)) ++taken;
    EXPECT_GT(taken, kWriteMapPlacesMax - 20);
    EXPECT_LT(taken, kWriteMapPlacesMax);
    EXPECT_TRUE(map.set("/ws/0", Wall::kNone)) << "no new entry";
    EXPECT_EQ(map.wall_before("/ws/0"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/ws/" + std::to_string(taken - 1)), Wall::kRule);
    EXPECT_EQ(map.wall_before("/ws/" + std::to_string(taken)), Wall::kView);

    WriteMap wide;
    const std::string name(kWriteMapBytesMax, 'x');
    EXPECT_FALSE(wide.set("/" + name, Wall::kRule));
}

TEST(Denial, of_the_proxy_keeps_look_ups_apart_from_connections) {
    const proxy::NetworkDenial connection{"a.example", 0, "why", 1, ""};
    proxy::NetworkDenial look_up = connection;
    look_up.is_look_up = true;
    EXPECT_EQ(as_denial(connection, true).operation, DeniedOperation::kConnect);
    EXPECT_EQ(as_denial(look_up, true).operation, DeniedOperation::kResolve);
    EXPECT_EQ(as_denial(look_up, true).target, "a.example");
}

}  // namespace
}  // namespace paddock::sandbox
