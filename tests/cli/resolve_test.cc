#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Resolve : public Jail {
protected:
    // The only result of `paddock resolve --json` for one path.
    boost::json::object ask(const std::string& path, std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"resolve", "--json", "--root", ws()});
        options.insert(options.end(), {"--", path});
        const Ran ran = paddock(options);
        const auto document = ran.json();
        if (!document.is_object()) return {};
        const auto& result = document.at("results").as_array().at(0).as_object();
        EXPECT_EQ(ran.exit_code, result.at("accepted").as_bool() ? 0 : 1) << ran.out;
        return result;
    }

    std::string code(const std::string& path, const std::vector<std::string>& options = {}) {
        const auto result = ask(path, options);
        const auto* value = result.if_contains("code");
        return value == nullptr ? "accepted" : text_of(*value);
    }
};

TEST_F(Resolve, says_where_a_path_leads) {
    tree({"ROOT/src/main.c=int", "ROOT/code->src", "ROOT/pipe|"});
    const auto found = ask("code/./x/../main.c");
    EXPECT_EQ(found.at("canonical"), "src/main.c");
    EXPECT_EQ(found.at("type"), "file");
    EXPECT_TRUE(found.at("exists").as_bool());
    EXPECT_EQ(ask(".").at("type"), "directory");
    EXPECT_EQ(ask("pipe").at("type"), "fifo");
    EXPECT_EQ(ask(ws("src")).at("canonical"), "src");
    const auto planned = ask("code/new/notes");
    EXPECT_EQ(planned.at("canonical"), "src/new/notes");
    EXPECT_FALSE(planned.at("exists").as_bool());
    EXPECT_FALSE(planned.contains("type"));
}

TEST_F(Resolve, names_the_rule_that_refuses) {
    tree({"ROOT/file=x", "ROOT/out->../OUT", "ROOT/in->file", "ROOT/loop->loop"});
    EXPECT_EQ(code("../OUT/secret"), "path_escape");
    EXPECT_EQ(code("out/secret"), "path_escape");
    EXPECT_EQ(code(out("secret")), "path_escape");
    EXPECT_EQ(code(""), "invalid_path");
    EXPECT_EQ(code(std::string(5000, 'x')), "invalid_path");
    EXPECT_EQ(code("file/below"), "not_a_directory");
    EXPECT_EQ(code("loop"), "limit_reached");
    EXPECT_EQ(code(ws("file"), {"--absolute", "reject"}), "absolute_path");
    EXPECT_EQ(code("sub/../file", {"--dotdot=reject"}), "path_escape");
    EXPECT_EQ(code("in", {"--symlinks", "reject"}), "path_escape");
    EXPECT_EQ(code("in"), "accepted");
}

// Issue 17, row 2.
TEST_F(Resolve, issue_17_2_says_what_the_path_rules_decide) {
    tree({"ROOT/.env=x", "ROOT/data/a.db=x", "ROOT/.vscode/", "ROOT/link->.env"});
    const auto rule = [&](const std::string& path, std::vector<std::string> options = {}) {
        const auto answer = ask(path, std::move(options));
        if (!answer.contains("rule")) return text_of(answer.at("access"));
        return text_of(answer.at("access")) + " " + text_of(answer.at("rule")) + " " +
               text_of(answer.at("rule_from"));
    };
    EXPECT_EQ(rule("src/main.c"), "allow");
    EXPECT_EQ(rule(".env"), "deny .env default");
    EXPECT_EQ(rule("link"), "deny .env default");
    EXPECT_EQ(rule(".env.example"), "allow");
    EXPECT_EQ(rule(".vscode/tasks.json"), "read_only .vscode default");
    EXPECT_EQ(rule(".env", {"--no-default-rules"}), "allow");
    EXPECT_EQ(rule(".env", {"--rule", "allow .env"}), "allow .env operator");
    EXPECT_EQ(rule("data/a.db", {"--rule", "deny " + ws("data/*.db") + " "}),
              "deny /data/*.db operator");
    const Ran ran = paddock({"resolve", "--root", ws(), ".env", "src"});
    EXPECT_NE(ran.out.find("deny by default rule '.env'\n"), std::string::npos) << ran.out;
    const Ran check =
        paddock({"config", "check", "--root", ws(), "--rule", "deny data", "--path", "data/a.db"});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_NE(check.out.find("deny by operator rule 'data'\n"), std::string::npos) << check.out;
    EXPECT_EQ(paddock({"config", "show", "--path", "x"}).exit_code, 2);
    EXPECT_EQ(paddock({"resolve", "--root", ws(), "--rule", "deny !x", "x"}).exit_code, 2);
}

TEST_F(Resolve, a_mount_is_named_as_such) {
    const Ran ran = paddock({"resolve", "--root", "/dev", "--json", "pts/ptmx"});
    const auto document = ran.json();
    ASSERT_TRUE(document.is_object());
    const auto& result = document.at("results").as_array().at(0);
    if (result.at("accepted").as_bool()) GTEST_SKIP() << "/dev/pts is no mount here";
    EXPECT_EQ(result.at("code"), "mount_crossing");
}

TEST_F(Resolve, paths_are_bytes) {
    for (const std::string path : {"[a,b]", "{}", "++", "%%", "-", "--json", "doctor", " a "}) {
        EXPECT_EQ(text_of(ask(path).at("canonical")), path) << path;
    }
    EXPECT_EQ(ask("a\xff\n").at("canonical"), "a\\xff\\x0a");
}

TEST_F(Resolve, one_refusal_among_many_paths_is_told_by_the_exit_code) {
    tree({"ROOT/a=x"});
    const Setting here{.directory = ws()};
    EXPECT_EQ(paddock({"resolve", "a", "b"}, here).exit_code, 0);
    const Ran mixed = paddock({"resolve", "a", "../b"}, here);
    EXPECT_EQ(mixed.exit_code, 1);
    EXPECT_NE(mixed.out.find("accepted  a"), std::string::npos) << mixed.out;
    EXPECT_NE(mixed.out.find("path_escape: '../b'"), std::string::npos) << mixed.out;
    const Ran with_long = paddock({"resolve", "a", std::string(5000, 'x')}, here);
    EXPECT_TRUE(with_long.out.starts_with("accepted  a  a  (file)\n")) << with_long.out;
}

TEST_F(Resolve, an_unusable_root_is_a_usage_error) {
    EXPECT_EQ(paddock({"resolve", "a", "--root", ws("absent")}).exit_code, 2);
    EXPECT_EQ(paddock({"resolve", "a", "--root", out("secret")}).exit_code, 2);
    EXPECT_EQ(paddock({"resolve", "a", "--root", ""}).exit_code, 2);
}

TEST_F(Resolve, the_resolver_comes_from_the_option_or_the_environment) {
    const auto used = [&](const std::vector<std::string>& options, const std::string& variable) {
        std::vector<std::string> words{"resolve", "--json", "--root", ws(), "."};
        words.insert(words.end(), options.begin(), options.end());
        const Ran ran = paddock(words, {.variables = {{"PADDOCK_RESOLVER", variable}}});
        const auto document = ran.json();
        return document.is_object() ? document.at("resolver") : boost::json::value();
    };
    EXPECT_EQ(used({}, "walk"), "walk");
    EXPECT_EQ(used({"--resolver", "walk"}, ""), "walk");
    EXPECT_EQ(used({"--resolver=walk"}, "openat2"), "walk");
    EXPECT_EQ(paddock({"resolve", "."}, {.variables = {{"PADDOCK_RESOLVER", "x"}}}).exit_code, 2);
}

}  // namespace
}  // namespace paddock::testing
