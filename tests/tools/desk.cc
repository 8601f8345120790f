#include "tools/desk.h"

#include <stdexcept>

#include "json/write.h"

namespace paddock::testing {

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
    return tools::call(workspace(), tool, json::to_text(arguments));
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

}  // namespace paddock::testing
