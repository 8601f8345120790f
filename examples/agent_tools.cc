// The tools of an agent, from the operator's configuration: agent_tools [CONFIGURATION]
//
// Lists the tools with their JSON schemas as a model needs them, then calls some as a model would.
// What the agent may do is what the configuration says; nothing here can widen it.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <paddock/config.h>
#include <paddock/tools.h>

namespace {

std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
    return variables;
}

void call(const paddock::Workspace& workspace, const char* tool, const char* arguments) {
    const paddock::tools::Answer answer = paddock::tools::call(workspace, tool, arguments);
    std::printf("%s %s\n%s\n", tool, arguments, answer.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    paddock::config::Source source{.environment = environment()};
    if (argc > 1) source.file = argv[1];
    // An application has the last word: no shell for this agent, whatever the file says.
    source.overrides.push_back({"bash.enabled", "no", "agent_tools"});
    auto loaded = paddock::config::load(source);
    if (!loaded) {
        for (const auto& problem : loaded.error()) {
            std::fprintf(stderr, "%s\n", problem.message().c_str());
        }
        return 2;
    }
    const auto workspace = paddock::Workspace::open(std::move(loaded->workspace));
    if (!workspace) {
        std::fprintf(stderr, "%s\n", workspace.error().message().c_str());
        return 2;
    }
    for (const paddock::tools::ToolInfo& tool : paddock::tools::list(*workspace)) {
        std::printf("%s: %s\n", tool.name.c_str(), tool.input_schema.c_str());
    }
    call(*workspace, "write_file", R"({"path": "notes/plan.txt", "content": "1. look around\n"})");
    call(*workspace, "read_file", R"({"path": "notes/plan.txt"})");
    call(*workspace, "read_file", R"({"path": "../outside.txt"})");
}
