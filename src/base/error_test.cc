#include <paddock/error.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

using namespace paddock;

namespace {

Error error_of(Code code, std::string_view path, std::string_view reason = {}) {
    Error error;
    error.code = code;
    error.operation = "open";
    error.path = path;
    error.reason = reason;
    return error;
}

TEST(Errors, every_code_has_a_name_of_its_own) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
        names.insert(code_name(static_cast<Code>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::kInternal) + 1);
    EXPECT_EQ(code_name(Code::kPathEscape), "path_escape");
    EXPECT_EQ(code_name(Code::kInternal), "internal");
}

TEST(Errors, a_message_says_what_where_why_and_what_next) {
    EXPECT_EQ(error_of(Code::kPathEscape, "../x").message(),
              "path_escape: open '../x': is outside the workspace. Use a path inside it.");
    EXPECT_EQ(error_of(Code::kLimitReached, "a", "too many files are open").message(),
              "limit_reached: open 'a': too many files are open. Ask for less at once.");
    Error without_operation = error_of(Code::kPathEscape, "../x");
    without_operation.operation = {};
    EXPECT_EQ(without_operation.message(),
              "path_escape: '../x' is outside the workspace. Use a path inside it.");
    without_operation.reason = "too many files are open";
    EXPECT_EQ(without_operation.message(),
              "path_escape: '../x': too many files are open. Use a path inside it.");
    EXPECT_EQ(error_of(Code::kNotFound, "").message(),
              "not_found: open: does not exist. Check the name by listing its directory.");
}

TEST(Errors, a_message_is_one_line_whatever_the_path) {
    const std::string message = error_of(Code::kNotFound, "a\nb\x1b[31m").message();
    EXPECT_NE(message.find("'a\\x0ab\\x1b[31m'"), std::string::npos) << message;
}

TEST(Errors, an_errno_has_a_code_and_none_is_internal) {
    EXPECT_EQ(Failure::from_errno(ENOENT).code, Code::kNotFound);
    EXPECT_EQ(Failure::from_errno(EXDEV).code, Code::kMountCrossing);
    EXPECT_EQ(Failure::from_errno(EAGAIN).code, Code::kRace);
    EXPECT_EQ(Failure::from_errno(EDQUOT).code, Code::kQuotaExceeded);
    EXPECT_EQ(Failure::from_errno(EMFILE).code, Code::kLimitReached);
    for (int number = 1; number < 134; ++number) {
        EXPECT_NE(Failure::from_errno(number).code, Code::kInternal) << number;
        EXPECT_EQ(Failure::from_errno(number).os_error, number);
    }
}

TEST(Errors, only_a_lost_race_is_worth_the_same_call_again) {
    EXPECT_TRUE(error_of(Code::kRace, "a").can_retry());
    EXPECT_FALSE(error_of(Code::kNotFound, "a").can_retry());
}

}  // namespace
