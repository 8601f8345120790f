#include "text/lf_view.h"

#include <gtest/gtest.h>

namespace paddock::text {
namespace {

TEST(LfView, is_the_text_itself_where_there_is_no_crlf) {
    const std::string raw = "a\nb\rc\r";
    const LfView view(raw);
    EXPECT_EQ(view.text().data(), raw.data());
    EXPECT_FALSE(view.has_crlf());
    EXPECT_EQ(view.raw_offset(5), 5U);
}

TEST(LfView, never_splits_a_crlf) {
    const std::string raw = "a\r\n\r\nb\nc\r\r\n";
    const LfView view(raw);
    EXPECT_EQ(view.text(), "a\n\nb\nc\r\n");
    EXPECT_EQ(view.raw_offset(0), 0U);
    EXPECT_EQ(view.raw_offset(1), 1U) << "the CR of the first CRLF";
    EXPECT_EQ(view.raw_offset(2), 3U);
    EXPECT_EQ(view.raw_offset(3), 5U) << "b";
    EXPECT_EQ(view.raw_offset(6), 8U) << "the lone CR";
    EXPECT_EQ(view.raw_offset(7), 9U);
    EXPECT_EQ(view.raw_offset(8), raw.size());
}

}  // namespace
}  // namespace paddock::text
