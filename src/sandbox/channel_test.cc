#include "sandbox/channel.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <cstring>
#include <random>

#include <paddock/limits.h>

#include "sys/identity.h"

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

namespace {

using Texts = std::vector<std::string>;

std::string message(const RequestParts& parts) {
    auto bytes = encode(parts);
    EXPECT_TRUE(bytes.has_value());
    return bytes ? *bytes : std::string();
}

Texts all(Strings strings) {
    Texts taken;
    while (strings.left() > 0) taken.emplace_back(strings.take());
    return taken;
}

std::string a_spawn() {
    const Texts arguments = {"/bin/sh", "-c", ""};
    const Texts variables = {"A=b"};
    const Texts paths = {"d/e"};
    return message({.ask = Ask::kSpawn,
                    .id = 7,
                    .number = 9,
                    .flags = kBringsOutput,
                    .arguments = arguments,
                    .variables = variables,
                    .paths = paths});
}

TEST(Channel, a_request_arrives_as_it_was_sent) {
    const std::string bytes = a_spawn();
    const auto request = decode_request(bytes);
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(request->ask, Ask::kSpawn);
    EXPECT_EQ(request->id, 7U);
    EXPECT_EQ(request->number, 9U);
    EXPECT_EQ(request->flags, kBringsOutput);
    EXPECT_EQ(all(request->arguments), (Texts{"/bin/sh", "-c", ""}));
    EXPECT_EQ(all(request->variables), (Texts{"A=b"}));
    EXPECT_EQ(all(request->paths), (Texts{"d/e"}));
}

TEST(Channel, what_is_too_large_or_has_nul_is_not_sent) {
    const Texts long_one = {std::string(kWardenMessageBytes, 'x')};
    EXPECT_EQ(encode(RequestParts{.arguments = long_one}).error().code, Code::kTooLarge);
    const Texts many(kCommandStringsMax + 1);
    EXPECT_EQ(encode(RequestParts{.variables = many}).error().code, Code::kTooLarge);
    const Texts nul = {std::string("a\0b", 3)};
    EXPECT_EQ(encode(RequestParts{.paths = nul}).error().code, Code::kInvalidArgument);
}

TEST(Channel, a_cut_or_padded_message_is_refused) {
    const std::string bytes = a_spawn();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(decode_request(std::string_view(bytes).substr(0, size)).has_value()) << size;
    }
    EXPECT_FALSE(decode_request(bytes + '\0').has_value());
    EXPECT_FALSE(decode_request(bytes + 'x').has_value());
}

// Whatever a byte becomes: an error, or strings that all lie within the message.
TEST(Channel, no_changed_byte_leads_outside_the_message) {
    const std::string bytes = a_spawn();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(value);
            const auto request = decode_request(changed);
            if (!request) continue;
            std::size_t used = 0;
            for (const Strings& list : {request->arguments, request->variables, request->paths}) {
                for (const std::string& text : all(list)) used += text.size() + 1;
            }
            EXPECT_LE(used, changed.size());
        }
    }
}

TEST(Channel, random_bytes_are_refused) {
    std::mt19937 random(4);
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        EXPECT_FALSE(decode_request(bytes).has_value());
        EXPECT_FALSE(decode_reply(bytes).has_value());
    }
}

TEST(Channel, counts_beyond_the_bounds_are_refused) {
    // The counts are the last three numbers of the header.
    for (const std::size_t field : {24U, 28U, 32U}) {
        std::string bytes = a_spawn();
        const std::uint32_t many = 0xffffffff;
        std::memcpy(bytes.data() + field, &many, sizeof many);
        EXPECT_FALSE(decode_request(bytes).has_value());
    }
}

TEST(Channel, a_protection_arrives_as_it_was_sent) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    for (const auto& object : {std::optional<Identity>(), std::optional(Identity{0, 0}),
                               std::optional(Identity{kMost, kMost})}) {
        const std::string text = encode(Protection{"a:b/1.2", Shield::kEmptied, object});
        const auto wanted = decode_protection(text.c_str());
        ASSERT_TRUE(wanted.has_value()) << text;
        EXPECT_STREQ(wanted->path, "a:b/1.2");
        EXPECT_EQ(wanted->shield, Shield::kEmptied);
        EXPECT_EQ(wanted->object, object);
    }
    for (const char* wrong : {"", ":", "1", "1a", "4:a", "/:a", "11:a", "11.:a", "1.1:a", "11.2x:a",
                              "1-1.2:a", "11.99999999999999999999:a", "1 1.2:a"}) {
        EXPECT_FALSE(decode_protection(wrong).has_value()) << wrong;
    }
}

TEST(Channel, a_reply_arrives_as_it_was_sent) {
    const ReplyBytes bytes = encode(Reply{{Stage::kProgram, 2}, 5, 6, true, true, 7});
    const auto reply = decode_reply(bytes);
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->error.stage, Stage::kProgram);
    EXPECT_EQ(reply->error.os_error, 2);
    EXPECT_EQ(reply->id, 5U);
    EXPECT_EQ(reply->value, 6U);
    EXPECT_TRUE(reply->observes);
    EXPECT_TRUE(reply->gated);
    EXPECT_EQ(reply->left, 7U);
    ReplyBytes wrong = bytes;
    wrong[4] = 120;  // no such stage
    EXPECT_FALSE(decode_reply(wrong).has_value());
    EXPECT_FALSE(decode_reply(std::span(bytes).first(31)).has_value());
}

TEST(Stage, every_one_has_a_reason_and_a_remedy) {
    for (std::uint32_t i = 1; i < kStages; ++i) {
        const StageText& text = stage_text(static_cast<Stage>(i));
        EXPECT_FALSE(text.reason.empty()) << i;
        EXPECT_FALSE(text.remedy.empty()) << i;
        EXPECT_TRUE(text.both.starts_with(text.reason) && text.both.ends_with(text.remedy)) << i;
    }
}

}  // namespace
}  // namespace paddock::sandbox
