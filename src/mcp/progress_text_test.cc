#include "mcp/progress_text.h"

#include "mcp/recorder.h"

namespace paddock::mcp {
namespace {

using std::chrono::milliseconds;
using testing::at;
using testing::text_at;

class ProgressTextTest : public ::testing::Test {
protected:
    ProgressText::Clock::time_point now{std::chrono::hours(1)};
    std::shared_ptr<testing::Recorder> peer = std::make_shared<testing::Recorder>();
    Exchange exchange{{parse_message(R"({"jsonrpc":"2.0","id":1,"method":"m",)"
                                     R"("params":{"_meta":{"progressToken":7}}})"),
                       Era::kLegacy, nullptr, std::make_shared<Conversation>(Transport::kStdio),
                       peer}};
    ProgressText progress{exchange};
};

TEST_F(ProgressTextTest, counts_bytes_and_tells_what_was_printed) {
    progress.add("one\n", now);
    progress.add("two", now + milliseconds(1));
    const auto messages = peer->messages();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(text_at(messages[0], "params"),
              R"({"progressToken":7,"progress":4,"message":"one\n"})");
    EXPECT_EQ(text_at(messages[1], "params"),
              R"({"progressToken":7,"progress":7,"message":"two"})");
}

TEST_F(ProgressTextTest, a_flood_is_told_in_few_messages_with_its_end) {
    for (int i = 0; i < 100'000; ++i) {
        progress.add("line " + std::to_string(i) + "\n", now += std::chrono::microseconds(10));
    }
    const std::size_t during_flood = peer->messages().size();
    EXPECT_LE(during_flood, 45U) << "a burst, and so many in one second";
    EXPECT_GE(during_flood, 20U);
    progress.add("last\n", now + std::chrono::seconds(1));
    const auto messages = peer->messages();
    EXPECT_EQ(messages.size(), during_flood + 1);
    const std::string text = *at(messages.back(), "params.message").as_string();
    EXPECT_TRUE(text.ends_with("line 99999\nlast\n")) << text;
    EXPECT_LE(text.size(), limits::kMcpProgressBytesMax);
    double before = 0;
    for (const json::Object& message : messages) {
        const json::Value done = at(message, "params.progress");
        const double value = done.as_integer() != nullptr ? static_cast<double>(*done.as_integer())
                                                          : *done.as_double();
        EXPECT_GT(value, before);
        before = value;
    }
}

TEST_F(ProgressTextTest, characters_are_not_cut) {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "\xe2\x82\xac";
    progress.add(text, now);
    const std::string shown = *at(peer->messages().front(), "params.message").as_string();
    EXPECT_TRUE(shown.starts_with("\xe2\x82\xac"));
    EXPECT_EQ(shown.find("\xef\xbf\xbd"), shown.npos) << "no replacement characters";
}

}  // namespace
}  // namespace paddock::mcp
