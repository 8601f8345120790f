#include "sandbox/exit_record.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <paddock/limits.h>

#include "sys/host.h"

namespace paddock::sandbox {
namespace {

using journal::NameChange;

ExitRecord read_back(const ExitRecord& record, int capacity) {
    auto pipe = sys::pipe();
    EXPECT_TRUE(pipe);
    EXPECT_EQ(::fcntl(pipe->write.get(), F_SETPIPE_SZ, capacity), capacity);
    EXPECT_TRUE(write_exit(pipe->write.get(), record));
    pipe->write.reset();
    const auto read = read_exit(pipe->read.get());
    EXPECT_TRUE(read && *read);
    return read && *read ? **read : ExitRecord();
}

ExitRecord example(std::size_t names, std::size_t path_bytes) {
    ExitRecord record;
    record.exit_code = 7;
    record.changes.changed = names;
    const std::string path(path_bytes, 'p');
    for (std::size_t i = 0; i < names; ++i) {
        record.names.push_back({NameChange::What::kMoved, path + std::to_string(i), "from"});
    }
    return record;
}

TEST(ExitRecord, brings_the_names) {
    ExitRecord record = example(3, 10);
    record.names.push_back({NameChange::What::kRemoved, "gone"});
    const ExitRecord read = read_back(record, 65536);
    EXPECT_EQ(read.exit_code, 7);
    EXPECT_EQ(read.changes.changed, 3U);
    ASSERT_EQ(read.names.size(), 4U);
    EXPECT_EQ(read.names[2].what, NameChange::What::kMoved);
    EXPECT_EQ(read.names[2].path, "pppppppppp2");
    EXPECT_EQ(read.names[2].from, "from");
    EXPECT_EQ(read.names[3].path, "gone");
    EXPECT_EQ(read.names[3].from, "");
}

// Nobody reads while it is written: where it waited, this test would wait for ever.
TEST(ExitRecord, leaves_out_what_does_not_fit) {
    const ExitRecord many = example(limits::kChangedNamesMax, limits::kPathBytesMax);
    EXPECT_EQ(read_back(many, 65536).names.size(), 7U);
    EXPECT_EQ(read_back(many, 4096).names.size(), 0U);
    EXPECT_EQ(read_back(many, 4096).changes.changed, limits::kChangedNamesMax);
    const std::size_t some = read_back(example(100, 60), 4096).names.size();
    EXPECT_GT(some, 50U);
    EXPECT_LT(some, 60U);
}

TEST(ExitRecord, is_none_where_the_session_ended_first) {
    auto pipe = sys::pipe();
    ASSERT_TRUE(pipe);
    pipe->write.reset();
    const auto read = read_exit(pipe->read.get());
    ASSERT_TRUE(read);
    EXPECT_FALSE(*read);
}

}  // namespace
}  // namespace paddock::sandbox
