// What people and programs get is made of rows, which must be as free of secrets as the text.
#include "cli/view.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "json/write.h"
#include "testing/jail.h"
#include "tools/call.h"

namespace paddock::testing {
namespace {

class Shapes : public Jail {
protected:
    Workspace open() const {
        WorkspaceOptions options;
        options.root = ws();
        return Workspace::open(std::move(options)).value();
    }

    // The text for a model, JSON, lines in a pipe, columns on a terminal.
    static std::vector<std::string> all_of(const Workspace& workspace, std::string_view tool,
                                           const json::Object& arguments) {
        const json::Value value(arguments);
        const tools::Answer answer = tools::call(workspace, tool, json::to_text(value));
        EXPECT_FALSE(answer.error) << answer.text();
        const cli::Call call{tools::find_tool(tool), value, answer};
        const cli::Paint paint(STDOUT_FILENO, cli::Colours::kNever);
        std::vector<std::string> texts{answer.text(), json::to_text(cli::as_data(call))};
        for (const bool terminal : {false, true}) {
            texts.push_back(cli::shown(call, {.terminal = terminal, .paint = paint}).out);
        }
        return texts;
    }

    static void expect_hidden(const std::vector<std::string>& texts, const std::string& mark,
                              const std::vector<std::string>& parts) {
        for (const std::string& text : texts) {
            EXPECT_NE(text.find(mark), text.npos) << text;
            for (const std::string& part : parts) EXPECT_EQ(text.find(part), text.npos) << text;
        }
    }
};

TEST_F(Shapes, a_secret_of_several_rows_is_in_none_of_them) {
    const std::string half = "aB3dE5gH7jK9mN1pQ2r";
    const std::string line = "MIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aozN3tihPmljnnudb9G3HECdnH";
    const std::string begin = "-----BEGIN RSA PRIVATE";
    tree({"ROOT/key=x", "ROOT/token=x"});
    os_write(ws("key"), "one\n" + begin + " KEY-----\n" + line + "\n" + line +
                            "\n-----END RSA PRIVATE KEY-----\nlast\n");
    os_write(ws("token"), "one ghp_" + half + "\\\n" + half.substr(2) + " end\nlast\n");
    const Workspace workspace = open();
    for (const json::Object& arguments :
         {json::Object{{"path", "key"}}, json::Object{{"path", "key"}, {"offset", 2}}}) {
        const auto texts = all_of(workspace, "read_file", arguments);
        expect_hidden(texts, "[REDACTED:private-key]", {line, "BEGIN", "END"});
        EXPECT_NE(texts[1].find(R"({"number":2,"text":"[REDACTED:private-key]"},{"number":6,)"),
                  std::string::npos)
            << texts[1];
    }
    for (const std::string path : {"key", "token"}) {
        const auto texts = all_of(workspace, "grep",
                                  {{"pattern", "."}, {"path", path}, {"output_mode", "content"}});
        expect_hidden(texts, path == "key" ? "[REDACTED:private-key]" : "[REDACTED:github-token]",
                      {line, half, half.substr(2)});
        for (const std::string& text : texts) EXPECT_NE(text.find("last"), text.npos) << text;
    }
    expect_hidden(all_of(workspace, "read_file", {{"path", "token"}}), "[REDACTED:github-token]",
                  {half, half.substr(2)});
}

TEST_F(Shapes, a_secret_in_a_name_is_in_no_row) {
    const std::string token = "ghp_aB3dE5gH7jK9mN1pQ2raB3dE5gH7jK9mN1pQ";
    tree({"ROOT/d/" + token + "=x", "ROOT/link->" + token});
    const Workspace workspace = open();
    const std::vector<std::pair<std::string_view, json::Object>> calls{
        {"glob", {{"pattern", "**/ghp*"}}},
        {"grep", {{"pattern", "x"}}},
        {"grep", {{"pattern", "x"}, {"output_mode", "content"}}},
        {"grep", {{"pattern", "x"}, {"output_mode", "count"}}},
        {"list_directory", {{"path", "d"}}},
        {"list_directory", {}},
        {"file_info", {{"path", "link"}}},
        {"file_info", {{"path", "d/" + token}}}};
    for (const auto& [tool, arguments] : calls) {
        expect_hidden(all_of(workspace, tool, arguments), "[REDACTED:github-token]",
                      {token.substr(4)});
    }
}

TEST_F(Shapes, an_empty_file_and_a_search_without_a_match_say_so_aside) {
    tree({"ROOT/empty="});
    const Workspace workspace = open();
    const auto aside = [&](std::string_view tool, const json::Object& arguments) {
        const json::Value value(arguments);
        const tools::Answer answer = tools::call(workspace, tool, json::to_text(value));
        const cli::Paint paint(STDOUT_FILENO, cli::Colours::kNever);
        const cli::Shown shown =
            cli::shown({tools::find_tool(tool), value, answer}, {.paint = paint});
        EXPECT_EQ(shown.out, "");
        EXPECT_EQ(shown.is_nothing, tool != "read_file");
        return shown.aside;
    };
    EXPECT_EQ(aside("read_file", {{"path", "empty"}}), "empty is empty.");
    EXPECT_EQ(aside("glob", {{"pattern", "none"}, {"hidden", true}, {"ignored", true}}),
              "No files match.");
    EXPECT_EQ(aside("glob", {{"pattern", "*"}, {"offset", 9}}), "No more files match.");
    EXPECT_EQ(aside("grep", {{"pattern", "x"}, {"hidden", true}, {"ignored", true}}),
              "No matches in 1 files searched.");
}

}  // namespace
}  // namespace paddock::testing
