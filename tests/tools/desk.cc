#include "tools/desk.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "json/write.h"
#include "tools/call.h"

namespace paddock::testing {

bool takes_a_path(const tools::Declaration& tool) {
    static constexpr std::array<std::string_view, 6> kNames{"path",        "paths", "source",
                                                            "destination", "patch", "cwd"};
    return std::any_of(
        tool.arguments.begin(), tool.arguments.end(), [](const tools::Argument& argument) {
            return std::find(kNames.begin(), kNames.end(), argument.name) != kNames.end();
        });
}

Workspace& Desk::workspace() {
    if (workspace_) return *workspace_;
    options.root = ws();
    options.paths.resolver = resolver_under_test();
    auto opened = Workspace::open(options);
    if (!opened) throw std::runtime_error(opened.error().message());
    workspace_ = std::move(*opened);
    return *workspace_;
}

tools::Answer Desk::call(std::string_view tool, const json::Object& arguments) {
    tools::Answer answer = tools::call(workspace(), tool, json::to_text(arguments));
    const tools::Declaration* declared = tools::find_tool(tool);
    if (!answer.error || declared == nullptr) return answer;
    const auto has = [&](std::span<const Code> codes) {
        return std::find(codes.begin(), codes.end(), *answer.error) != codes.end();
    };
    EXPECT_TRUE(has(tools::common_errors()) || has(declared->errors))
        << tool << " does not declare that it may answer " << answer.text();
    return answer;
}

std::string Desk::ok(std::string_view tool, const json::Object& arguments) {
    const tools::Answer answer = call(tool, arguments);
    EXPECT_FALSE(answer.error) << answer.text();
    return answer.text();
}

std::string Desk::refused(std::string_view tool, const json::Object& arguments) {
    const tools::Answer answer = call(tool, arguments);
    EXPECT_TRUE(answer.error) << answer.text();
    const std::string code = answer.error ? std::string(code_name(*answer.error)) : "ok";
    EXPECT_TRUE(!answer.error || answer.text().starts_with(code + ": ")) << answer.text();
    return code;
}

void Desk::begin_journal() {
    (void)ok("make_directory", {{"path", "a directory for a moment"}});
    (void)ok("remove_path", {{"path", "a directory for a moment"}});
}

}  // namespace paddock::testing
