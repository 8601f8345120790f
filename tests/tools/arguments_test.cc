// What a declaration is made into: decoding with its complaints, and JSON Schema.
#include "tools/declaration.h"

#include <gtest/gtest.h>

#include <set>

#include "json/parse.h"
#include "json/write.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class Calls : public Desk {
protected:
    // What is said of a call that makes no sense, without the code before it.
    std::string complaint(std::string_view tool, std::string_view arguments) {
        const tools::Answer answer = tools::call(workspace(), tool, arguments);
        EXPECT_EQ(answer.error, Code::kInvalidArgument) << answer.text();
        const std::string prefix = "invalid_argument: ";
        EXPECT_TRUE(answer.text().starts_with(prefix));
        return answer.text().substr(prefix.size());
    }
};

TEST_F(Calls, all_problems_are_told_at_once) {
    EXPECT_EQ(complaint("read_file", R"({"pth": "a", "limit": "many", "offset": 1.5})"),
              "read_file: 'pth' is not an argument (did you mean 'path'?); 'limit' must be an "
              "integer, not the string 'many'; 'offset' must be an integer, not 1.5; 'path' is "
              "required. It takes 'path' (required), 'offset', 'limit', 'line_numbers'.");
    EXPECT_EQ(complaint("edit_file", R"({"path": 1, "edits": [{"old": "a"}, 7], "dry_run": "no"})"),
              "edit_file: 'path' must be a string, not 1; 'edits[0].old' is not an argument (did "
              "you mean 'old_string'?); 'edits[0].old_string' is required; 'edits[0].new_string' "
              "is required; 'edits[1]' must be an object, not 7; 'dry_run' must be true or false, "
              "not the string 'no'. It takes 'path' (required), 'old_string', 'new_string', "
              "'replace_all', 'dry_run', 'edits'.");
}

TEST_F(Calls, values_out_of_bounds_name_the_bounds_and_the_value) {
    EXPECT_EQ(complaint("read_file", R"({"path": "a", "limit": 99999})"),
              "read_file: 'limit' must be from 1 to 2000, not 99999. Correct the call.");
    EXPECT_EQ(complaint("grep", R"({"pattern": "a", "output_mode": "files"})"),
              "grep: 'output_mode' must be one of 'content', 'files_with_matches', 'count', not "
              "'files'. Correct the call.");
    EXPECT_EQ(complaint("read_files", R"({"paths": []})"),
              "read_files: 'paths' must have from 1 to 64 items, not 0. Correct the call.");
    EXPECT_EQ(complaint("read_files", R"({"paths": 7})"),
              "read_files: 'paths' must be an array of strings, not 7. Correct the call.");
    EXPECT_EQ(complaint("grep", R"({"pattern": "a", "type": "pyton"})"),
              "grep: there is no type 'pyton'. Did you mean 'python'? Name the files instead, "
              "such as glob='*.txt'.");
}

// Models write these; the schema does not offer them.
TEST_F(Calls, numbers_and_flags_in_strings_and_one_string_for_a_list_are_taken) {
    tree({"ROOT/a=1\n2\n3\n", "ROOT/b=x", "ROOT/c=x"});
    const auto read = [this](std::string_view part) {
        const std::string all = R"({"path": "a", )" + std::string(part) + "}";
        return tools::call(workspace(), "read_file", all).text();
    };
    const std::string plain = read(R"("offset": 2, "limit": 1, "line_numbers": false)");
    EXPECT_TRUE(plain.starts_with("2\n")) << plain;
    EXPECT_EQ(read(R"("offset": "2", "limit": "1", "line_numbers": "false")"), plain);
    EXPECT_EQ(read(R"("offset": 2.0, "limit": 1e0, "line_numbers": false)"), plain);
    EXPECT_EQ(read(R"("offset": "-1")"), read(R"("offset": -1)"));
    EXPECT_EQ(read(R"("line_numbers": "true")"), read(R"("line_numbers": true)"));
    EXPECT_EQ(tools::call(workspace(), "read_files", R"({"paths": "a"})").text(),
              tools::call(workspace(), "read_files", R"({"paths": ["a"]})").text());
    EXPECT_EQ(tools::call(workspace(), "list_directory", R"({"ignore": "[ab]"})").text(),
              "./\nc\n");
}

TEST_F(Calls, other_strings_are_no_numbers_and_no_flags) {
    for (const std::string text : {"", " 2", "2 ", "2.0", "2.5", "1e1", "+2", "0x2", "two",
                                   "99999999999999999999", "2\\u0000", "null"}) {
        EXPECT_NE(complaint("read_file", R"({"path": "a", "limit": ")" + text + "\"}")
                      .find("'limit' must be an integer, not the string '"),
                  std::string::npos)
            << text;
    }
    for (const std::string text : {"", "True", " true", "yes", "1", "null"}) {
        EXPECT_NE(complaint("read_file", R"({"path": "a", "line_numbers": ")" + text + "\"}")
                      .find("'line_numbers' must be true or false, not the string '"),
                  std::string::npos)
            << text;
    }
    EXPECT_EQ(
        complaint("read_file", R"({"path": "a", "limit": "99999"})"),
        "read_file: 'limit' must be from 1 to 2000, not the string '99999'. Correct the call.");
}

TEST_F(Calls, what_is_no_object_gets_an_example) {
    const std::string example = R"({"path": "src/main.c"})";
    EXPECT_EQ(complaint("file_info", "[]"),
              "file_info: the arguments must be an object, not an array. Give an object such as " +
                  example + ".");
    EXPECT_EQ(complaint("file_info", "{path: 1}"),
              "file_info: the arguments are not valid JSON: syntax error (byte 1). Give an object "
              "such as " +
                  example + ".");
    EXPECT_EQ(complaint("workspace_info", R"({"x": 1})"),
              "workspace_info: 'x' is not an argument. It takes no arguments.");
}

TEST_F(Calls, a_flood_of_mistakes_is_cut_and_counted) {
    std::string arguments = R"({"path": ")" + std::string(9, 'x') + "\"";
    for (int i = 0; i < 30; ++i)
        arguments += ",\"" + std::string(5000, 'k') + std::to_string(i) + "\":1";
    const std::string text = complaint("read_file", arguments + "}");
    EXPECT_LT(text.size(), 3000U);
    EXPECT_NE(text.find("; and 20 more. It takes"), std::string::npos) << text;
}

TEST_F(Calls, an_alias_beside_its_name_is_told) {
    EXPECT_EQ(complaint("read_file", R"({"path": "a", "file_path": "b"})"),
              "read_file: 'file_path' is another name of 'path', which is also given; give only "
              "one. Correct the call.");
}

TEST_F(Calls, an_unknown_tool_gets_the_list) {
    options.read_only = true;
    const std::string text = call("Read", {}).text();
    EXPECT_TRUE(
        text.starts_with("not_available: There is no tool 'Read' here. The tools are "
                         "read_file, read_files, glob, grep, "))
        << text;
    EXPECT_EQ(text.find("write_file"), std::string::npos) << "not listed, not told";
}

TEST_F(Calls, no_message_tells_how_to_turn_a_guard_off) {
    tree({"ROOT/.env=x", "ROOT/f=x", "ROOT/.git/config=x"});
    const std::vector<std::string> told = {
        call("read_file", {{"path", ".env"}}).text(),
        call("read_file", {{"path", "../OUT/secret"}}).text(),
        call("write_file", {{"path", "f"}, {"content", "y"}}).text(),
        call("write_file", {{"path", ".git/config"}, {"content", "y"}}).text(),
        call("workspace_info", {}).text()};
    for (const std::string& text : told) {
        for (const char* guard : {"track_reads", "default_rules", "redact_secrets", "unconfined",
                                  "--", "config.toml", "PADDOCK_"}) {
            EXPECT_EQ(text.find(guard), std::string::npos) << text;
        }
    }
}

// Every spelling stands for the declared argument, on its own.
TEST_F(Calls, every_alias_is_taken_silently) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        std::set<std::string_view> names(tool->passed_over.begin(), tool->passed_over.end());
        const json::Parsed example = json::parse(tool->example);
        ASSERT_EQ(example.problem, "") << tool->name;
        EXPECT_TRUE(tools::decode(*tool, example.value)) << tool->name;
        for (const tools::Argument& argument : tool->arguments) {
            EXPECT_TRUE(names.insert(argument.name).second) << tool->name << " " << argument.name;
            const json::Value* value = example.value.as_object()->find(argument.name);
            for (const std::string_view alias : argument.aliases) {
                EXPECT_TRUE(names.insert(alias).second) << tool->name << " " << alias << " twice";
                if (value == nullptr) continue;
                json::Object other;
                for (const auto& [name, each] : *example.value.as_object()) {
                    other[name == argument.name ? alias : std::string_view(name)] = each;
                }
                const auto decoded = tools::decode(*tool, other);
                EXPECT_TRUE(decoded && decoded->has(argument.name)) << tool->name << " " << alias;
            }
        }
    }
    EXPECT_EQ(ok("grep", {{"pattern", "x"}, {"-n", true}}).substr(0, 10), "No matches");
}

// What some client or model cannot take disables the whole server for it.
void check_schema(const json::Value& schema, const std::string& where) {
    static const std::set<std::string> known = {"type",    "properties", "required", "description",
                                                "default", "enum",       "items",    "minimum",
                                                "maximum", "minItems",   "maxItems"};
    ASSERT_NE(schema.as_object(), nullptr) << where;
    const json::Object& object = *schema.as_object();
    for (const auto& [name, value] : object) EXPECT_TRUE(known.contains(name)) << where << name;
    ASSERT_NE(object.find("type"), nullptr) << where;
    ASSERT_NE(object.find("type")->as_string(), nullptr) << where << ": a union";
    const std::string& type = *object.find("type")->as_string();
    if (type == "array") check_schema(*object.find("items"), where + "[]");
    if (type != "object") return;
    ASSERT_NE(object.find("properties"), nullptr) << where;
    const json::Object& properties = *object.find("properties")->as_object();
    for (const auto& [name, value] : properties) {
        check_schema(value, where + "." + name);
        EXPECT_NE(value.as_object()->find("description"), nullptr) << where << "." << name;
    }
    if (object.find("required") == nullptr) return;
    for (const json::Value& name : *object.find("required")->as_array()) {
        EXPECT_NE(properties.find(*name.as_string()), nullptr) << where;
    }
}

TEST_F(Calls, schemas_use_what_every_client_knows) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        const json::Value schema = tools::input_schema(*tool);
        check_schema(schema, std::string(tool->name));
        EXPECT_EQ(*schema.as_object()->find("type")->as_string(), "object");
        EXPECT_LE(tool->name.size(), 40U) << "a client puts its own name before it";
    }
    EXPECT_EQ(json::to_text(tools::input_schema(tools::make_directory())),
              R"({"type":"object","properties":{"path":{"type":"string","description":"The )"
              R"(directory to make"}},"required":["path"]})");
}

}  // namespace
}  // namespace paddock::testing
