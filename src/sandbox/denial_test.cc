#include "sandbox/denial.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>

#include <paddock/unique_fd.h>

#include "sys/io.h"

namespace paddock::sandbox {
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

DenialRecord record_of(Wall wall, Deed deed, std::string_view target) {
    DenialRecord record{wall, deed, static_cast<std::uint16_t>(target.size()), {}};
    std::memcpy(record.target.data(), target.data(), target.size());
    return record;
}

TEST(DenialLog, reads_what_has_come_and_then_the_end) {
    Line line;
    DenialLog log;
    EXPECT_EQ(log.read(line.log.get()).value(), false);
    line.send(record_of(Wall::kView, Deed::kCreate, "/etc/new"));
    line.send(record_of(Wall::kView, Deed::kCreate, "/etc/new"));
    line.send(record_of(Wall::kNetwork, Deed::kConnect, "192.0.2.1:443"));
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
              "- connect to 192.0.2.1:443: a direct way out is closed, and it ignored HTTPS_PROXY; "
              "reach the host over HTTPS, or with --net host "
              "(layer: "
              "network_namespace, operator setting: bash.network)\n"
              "- and more\n");
}

TEST(DenialLog, is_bounded_and_says_so) {
    DenialLog log;
    EXPECT_EQ(log.text({"a", "b"}), "");
    for (std::size_t i = 0; i < limits::kDenialsMax; ++i) {
        log.add({Wall::kRule, Deed::kRemove, std::to_string(i)});
    }
    EXPECT_FALSE(log.more());
    log.add({Wall::kRule, Deed::kRemove, "0"});
    EXPECT_FALSE(log.more()) << "known already";
    log.add({Wall::kRule, Deed::kRename, "0"});
    EXPECT_TRUE(log.more());
    EXPECT_EQ(log.denials().size(), limits::kDenialsMax);
    log.add({Wall::kLimit, Deed::kExceed, "memory"});
    EXPECT_EQ(log.denials().size(), limits::kDenialsMax + 1) << "there is room for other walls";
}

TEST(DenialLog, takes_the_words_of_layers_that_know_for_themselves) {
    DenialLog log;
    log.add({Wall::kProxy, Deed::kConnect, "other.test:80", "is not on the allow list"});
    log.add({Wall::kLimit, Deed::kExceed, "memory", "it was used up", "cgroup",
             "bash.limits.memory_bytes"});
    log.add({Wall::kLimit, Deed::kExceed, "output", "it printed too much"});
    log.add({Wall::kNetwork, Deed::kLookUp, "127.0.0.1:53"});
    EXPECT_EQ(log.text({"mount_namespace", "network_namespace"}),
              "Denied by the sandbox:\n"
              "- connect to other.test:80: is not on the allow list (layer: proxy, operator "
              "setting: bash.network_allow)\n"
              "- exceed the limit of memory: it was used up (layer: cgroup, operator setting: "
              "bash.limits.memory_bytes)\n"
              "- exceed the limit of output: it printed too much (layer: limits, operator setting: "
              "none)\n"
              "- look up a host name at 127.0.0.1:53: a direct way out is closed, and it ignored "
              "HTTPS_PROXY; reach the host over HTTPS, or with --net host (layer: "
              "network_namespace, operator setting: bash.network)\n");
}

TEST(DenialLog, gives_the_same_as_values) {
    DenialLog log;
    log.add(
        {Wall::kProxy, Deed::kConnect, "other.test:80", "no", {}, {}, "--allow-host other.test"});
    log.add({Wall::kRule, Deed::kWrite, ".env\n"});
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
    log.add({Wall::kReadOnly, Deed::kWrite, "/a\n- write \x1b[31m/b\xff"});
    EXPECT_EQ(log.text({"landlock", "seccomp"}),
              "Denied by the sandbox:\n"
              "- write /a\\x0a- write \\x1b[31m/b\\xff: the workspace is read-only (layer: "
              "landlock, operator setting: bash.read_only)\n");
}

TEST(DenialLog, refuses_malformed_records) {
    for (const auto spoil :
         {+[](DenialRecord& r) { r.size = 65535; }, +[](DenialRecord& r) { r.wall = Wall::kProxy; },
          +[](DenialRecord& r) { r.wall = static_cast<Wall>(9); },
          +[](DenialRecord& r) { r.deed = Deed::kExceed; },
          +[](DenialRecord& r) { r.deed = static_cast<Deed>(9); }}) {
        const Line line;
        DenialRecord record = record_of(Wall::kView, Deed::kWrite, "/x");
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
}  // namespace paddock::sandbox
