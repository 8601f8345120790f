#include "mcp/tool_host.h"

#include <map>
#include <regex>

#include "mcp/protocol.h"
#include "mcp/recorder.h"
#include "testing/jail.h"
#include "text/encoding.h"
#include "tools/call.h"

namespace paddock::mcp {
namespace {

using testing::at;
using testing::text_at;

class WorkspaceToolsTest : public testing::Jail {
protected:
    Workspace workspace(WorkspaceOptions options = {}) {
        options.root = ws();
        return *Workspace::open(std::move(options));
    }

    json::Value call(WorkspaceTools& tools, const std::string& name,
                     const json::Object& arguments) {
        const auto peer = std::make_shared<testing::Recorder>();
        const auto context = std::make_shared<RequestContext>(RequestContext::Parts{
            parse_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})"), Era::kLegacy,
            nullptr, std::make_shared<Conversation>(Transport::kStdio), peer});
        EXPECT_FALSE(tools.find(name)->call(context, arguments).error);
        context->succeed("{}");
        return at(peer->messages().front(), "result");
    }
};

// "readOnly idempotent": the hints that are true; the others must be said to be false.
std::string hints_of(const json::Value& tool) {
    std::string hints;
    for (const char* hint : {"readOnly", "destructive", "idempotent", "openWorld"}) {
        const std::string said = text_at(tool, "annotations." + std::string(hint) + "Hint");
        EXPECT_TRUE(said == "true" || said == "false") << hint << ": " << json::to_text(tool);
        if (said == "true") hints += (hints.empty() ? "" : " ") + std::string(hint);
    }
    return hints;
}

TEST_F(WorkspaceToolsTest, every_hint_is_said_and_true) {
    std::map<std::string, std::string> expected{
        {"read_file", "readOnly idempotent"},
        {"read_files", "readOnly idempotent"},
        {"write_file", "destructive idempotent"},
        {"edit_file", "destructive"},
        {"patch", "destructive"},
        {"glob", "readOnly idempotent"},
        {"grep", "readOnly idempotent"},
        {"list_directory", "readOnly idempotent"},
        {"bash", "destructive"},
        {"bash_output", "readOnly"},
        {"bash_input", "destructive"},
        {"bash_kill", "destructive idempotent"},
        {"move_path", "destructive"},
        {"copy_path", "destructive"},
        {"remove_path", "destructive idempotent"},
        {"make_directory", "idempotent"},
        {"file_info", "readOnly idempotent"},
        {"workspace_info", "readOnly idempotent"},
    };
    WorkspaceOptions options;
    options.shell.emplace();
    const auto hints = [&] {
        std::map<std::string, std::string> found;
        for (const std::string& text : WorkspaceTools(workspace(options)).list()) {
            const json::Value tool = json::parse(text).value;
            found[*at(tool, "name").as_string()] = hints_of(tool);
        }
        return found;
    };
    EXPECT_EQ(hints(), expected);
    expected["bash"] = "destructive openWorld";
    expected["bash_input"] = "destructive openWorld";
    options.shell->network_allow = {"example.org:443"};
    EXPECT_EQ(hints(), expected);
    options.shell->network_allow.clear();
    options.shell->host_network = permit::HostNetwork{"a test"};
    EXPECT_EQ(hints(), expected);
}

TEST_F(WorkspaceToolsTest, a_tool_is_listed_with_all_that_clients_read) {
    const WorkspaceTools tools(workspace());
    const auto listed = tools.list();
    ASSERT_GT(listed.size(), 10U);
    for (const std::string& text : listed) {
        const json::Value tool = json::parse(text).value;
        EXPECT_EQ(text_at(tool, "annotations.title"), text_at(tool, "title"));
        EXPECT_EQ(text_at(tool, "inputSchema.type"), R"("object")");
        EXPECT_NE(at(tool, "inputSchema.properties").as_object(), nullptr);
        EXPECT_TRUE(at(tool, "outputSchema").is_null());
        EXPECT_EQ(text.find("x-mcp-header"), text.npos) << "daemon::check_headers knows of none";
        const json::Object* meta = at(tool, "_meta").as_object() == nullptr
                                       ? nullptr
                                       : tool.as_object()->find("_meta")->as_object();
        ASSERT_NE(meta, nullptr);
        EXPECT_EQ(json::to_text(*meta),
                  R"({"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":200000})");
    }
}

TEST_F(WorkspaceToolsTest, the_list_is_the_same_every_time) {
    EXPECT_EQ(WorkspaceTools(workspace()).list(), WorkspaceTools(workspace()).list());
}

TEST_F(WorkspaceToolsTest, answers_are_content_and_failures_say_so) {
    tree({"ROOT/a.txt=say \"hi\"\n"});
    WorkspaceTools tools(workspace());
    const json::Value read = call(tools, "read_file", {{"path", "a.txt"}});
    EXPECT_EQ(json::to_text(read),
              R"({"content":[{"type":"text","text":"     1\tsay \"hi\"\n"}]})");
    const json::Value missing = call(tools, "read_file", {{"path", "b.txt"}});
    EXPECT_EQ(text_at(missing, "isError"), "true");
    const json::Value wrong = call(tools, "read_file", {{"path", 5}});
    EXPECT_EQ(text_at(wrong, "isError"), "true");
    EXPECT_NE(json::to_text(wrong).find("invalid_argument"), std::string::npos);
}

TEST_F(WorkspaceToolsTest, media_are_blocks_in_base64) {
    const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0", 29);
    os_write(ws("p.png"), png);
    WorkspaceTools tools(workspace());
    const json::Value content = at(call(tools, "read_file", {{"path", "p.png"}}), "content");
    EXPECT_NE(json::to_text(content).find(R"({"type":"image","data":")" + text::base64(png) +
                                          R"(","mimeType":"image/png"})"),
              std::string::npos)
        << json::to_text(content);
}

TEST_F(WorkspaceToolsTest, instructions_are_short_and_name_no_tool_that_is_missing) {
    WorkspaceOptions with_shell;
    with_shell.shell.emplace();
    WorkspaceOptions read_only;
    read_only.read_only = true;
    std::vector<WorkspaceOptions> cases{{}, with_shell, read_only};
    for (const std::vector<std::string>& chosen : std::vector<std::vector<std::string>>{
             {"core"}, {"read_file"}, {"glob", "grep"}, {"edit_file"}, {"bash"}}) {
        cases.push_back(with_shell);
        cases.back().tools = chosen;
    }
    for (const WorkspaceOptions& options : cases) {
        const Workspace opened = workspace(options);
        const std::string text = instructions_for(opened);
        EXPECT_LT(text.size(), 2048U);
        EXPECT_GT(text.size(), 500U);
        const WorkspaceTools tools(opened);
        for (const tools::Declaration* tool : tools::all_tools()) {
            const std::regex name("\\b" + std::string(tool->name) + "\\b");
            EXPECT_TRUE(tools.find(tool->name) != nullptr || !std::regex_search(text, name))
                << tool->name << ": " << text;
        }
    }
}

TEST_F(WorkspaceToolsTest, instructions_speak_of_placeholders_only_where_there_are_any) {
    WorkspaceOptions options;
    EXPECT_NE(instructions_for(workspace(options)).find("[REDACTED:kind]"), std::string::npos);
    options.redact_secrets = false;
    EXPECT_EQ(instructions_for(workspace(options)).find("REDACTED"), std::string::npos);
}

}  // namespace

namespace {

using std::chrono::milliseconds;

class ProgressTextTest : public ::testing::Test {
protected:
    ProgressText::Clock::time_point now{std::chrono::hours(1)};
    std::shared_ptr<testing::Recorder> peer = std::make_shared<testing::Recorder>();
    RequestContext context{{parse_message(R"({"jsonrpc":"2.0","id":1,"method":"m",)"
                                          R"("params":{"_meta":{"progressToken":7}}})"),
                            Era::kLegacy, nullptr,
                            std::make_shared<Conversation>(Transport::kStdio), peer}};
    ProgressText progress{context};
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
    EXPECT_LE(text.size(), kMcpProgressBytesMax);
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
