#include "cli/tool_list.h"

#include <unistd.h>

#include "cli/workspace_options.h"
#include "json/write.h"
#include "tools/registry.h"
#include "tools/schema.h"

namespace paddock::cli {

int run(const ToolListRequest& request) {
    const auto made = configuration(request.settings, StateDirectory::kLeave);
    if (!made) {
        complain(made.error().text);
        return made.error().exit_code;
    }
    json::Array documents;
    std::vector<std::vector<Cell>> rows;
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!tools::is_listed(*tool, made->workspace)) continue;
        rows.push_back({{std::string(tool->name), Tone::kStrong}, {std::string(tool->summary)}});
        documents.emplace_back(json::Object{
            {"name", tool->name},
            {"title", tool->title},
            {"description", std::string(tool->summary) + "\n\n" + std::string(tool->description)},
            {"input_schema", tools::input_schema(*tool)},
            {"changes_files", tool->changes_files()}});
    }
    const Paint paint(STDOUT_FILENO, request.output.colours);
    const std::string text =
        request.output.json ? json::to_text(json::Object{{"tools", std::move(documents)}}) + "\n"
                            : table(rows, paint);
    return print(text) ? 0 : kUsageError;
}

}  // namespace paddock::cli
