// Arguments that are not what a tool asked for.
#include <string>
#include <vector>

#include "escape/operations.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class ToolsCall : public Desk {
protected:
    ToolsCall() { options.limits.calls_per_second.reset(); }

    std::string code_of(std::string_view tool, const std::string& arguments) {
        const tools::Answer answer = tools::call(workspace(), tool, arguments);
        return answer.error ? std::string(code_name(*answer.error)) : "ok";
    }
};

// JSON that gives every argument of the tool, the one named `broken` as `value`.
std::string call_with(const tools::Declaration& tool, std::string_view broken,
                      const std::string& value) {
    std::string text;
    for (const tools::Argument& argument : tool.arguments) {
        if (!argument.required && argument.name != broken) continue;
        const bool is_list = argument.type == tools::Type::kTexts;
        text += (text.empty() ? "\"" : ",\"") + std::string(argument.name) + "\":" +
                (argument.name == broken ? value
                 : is_list               ? "[\"f\"]"
                                         : "\"f\"");
    }
    return "{" + text + "}";
}

ATTACK_F(ToolsCall, NM_24, text_that_is_no_valid_string) {
    tree({"ROOT/f=x"});
    const std::string broken[] = {R"("\ud800")",
                                  R"("\udc00f")",
                                  R"("a\ud83d/b")",
                                  R"("\ud800\ud800")",
                                  "\"\xed\xa0\x80\"",
                                  "\"\xff\"",
                                  "\"\xc0\xaf\"",
                                  "\"a\nb\"",
                                  "7",
                                  "1.5",
                                  "true",
                                  R"({"a":"f"})",
                                  R"([["f"]])",
                                  "NaN",
                                  R"('f')",
                                  R"("f)",
                                  R"("\x2e\x2e")"};
    const Unchanged inside(ws());
    std::size_t tried = 0;
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (tool->traits.needs_shell) continue;  // not listed here
        for (const tools::Argument& argument : tool->arguments) {
            const bool is_list = argument.type == tools::Type::kTexts;
            if (argument.type != tools::Type::kText && !is_list) continue;
            for (const std::string& value : broken) {
                for (const std::string& given : {value, "[" + value + "]"}) {
                    ++tried;
                    EXPECT_EQ(code_of(tool->name, call_with(*tool, argument.name, given)),
                              "invalid_argument")
                        << tool->name << " " << argument.name << " " << given;
                }
            }
        }
    }
    EXPECT_GT(tried, 300U);
    EXPECT_EQ(code_of("read_file", R"({"path":"\u0066"})"), "ok") << "an escape is a letter";
    EXPECT_EQ(code_of("read_file", R"({"path":"f\u0000"})"), "invalid_path");
    EXPECT_EQ(code_of("read_file", R"({"path":"\u002e\u002e/OUT/secret"})"), "path_escape");
    EXPECT_EQ(code_of("read_file", R"({"path":""})"), "invalid_path");
    EXPECT_EQ(code_of("read_file", R"({"path":null})"), "invalid_argument");
}

ATTACK_F(ToolsCall, DOS_07, counts_beyond_reason) {
    tree({"ROOT/f=1\n2\n3\n"});
    const std::string never[] = {"NaN",
                                 "Infinity",
                                 "-Infinity",
                                 "1e400",
                                 "9223372036854775808",
                                 "1.5",
                                 "\"1.5\"",
                                 "\" 1\"",
                                 "\"9223372036854775808\"",
                                 "\"one\"",
                                 "-9223372036854775809",
                                 "1e19",
                                 "18446744073709551616",
                                 "true",
                                 "[1]",
                                 "-9223372036854775808",
                                 "0x10",
                                 "-1e300"};
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (tool->traits.needs_shell) continue;  // not listed here
        for (const tools::Argument& argument : tool->arguments) {
            if (argument.type != tools::Type::kInteger) continue;
            for (const std::string& value : never) {
                EXPECT_EQ(code_of(tool->name, call_with(*tool, argument.name, value)),
                          "invalid_argument")
                    << tool->name << " " << argument.name << " " << value;
            }
        }
    }
    const auto read = [&](const std::string& rest) {
        return code_of("read_file", R"({"path":"f",)" + rest + "}");
    };
    for (const char* limit : {"0", "-1", "2001", "9223372036854775807", "-9007199254740993"}) {
        EXPECT_EQ(read(std::string("\"limit\":") + limit), "invalid_argument") << limit;
    }
    // A negative first line counts from the end, within a bound.
    for (const char* offset : {"0", "4", "9223372036854775807", "-10001", "9007199254740992.0"}) {
        EXPECT_EQ(read(std::string("\"offset\":") + offset), "invalid_argument") << offset;
    }
    for (const char* offset : {"1", "3", "-1", "-3", "-10000", "1e0"}) {
        EXPECT_EQ(read(std::string("\"offset\":") + offset), "ok") << offset;
    }
    EXPECT_EQ(code_of("grep", R"({"pattern":"1","offset":9223372036854775807})"), "ok");
}

}  // namespace
}  // namespace paddock::testing
