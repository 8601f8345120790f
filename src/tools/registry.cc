#include "tools/registry.h"

#include <array>

namespace paddock::tools {

std::span<const Declaration* const> all_tools() {
    static const std::array kAll{
        &read_file(), &read_files(),    &write_file(),     &edit_file(),   &patch(),
        &glob(),      &grep(),          &list_directory(), &bash(),        &bash_output(),
        &bash_kill(), &move_path(),     &copy_path(),      &remove_path(), &make_directory(),
        &file_info(), &workspace_info()};
    return kAll;
}

std::span<const Code> common_errors() {
    static constexpr std::array kAll{
        Code::kInvalidArgument, Code::kInvalidPath,  Code::kPathEscape,    Code::kAbsolutePath,
        Code::kMountCrossing,   Code::kNotFound,     Code::kNotADirectory, Code::kPermissionDenied,
        Code::kDeniedByRule,    Code::kLimitReached, Code::kRace,          Code::kRateLimited,
        Code::kQuotaExceeded,   Code::kNotAvailable, Code::kIoError,       Code::kInternal};
    return kAll;
}

const Declaration* find_tool(std::string_view name) {
    for (const Declaration* tool : all_tools()) {
        if (tool->name == name) return tool;
    }
    return nullptr;
}

bool is_listed(const Declaration& tool, const WorkspaceOptions& options) noexcept {
    if (tool.manners.needs_shell) return options.shell && !options.read_only;
    return !options.read_only || !tool.changes_files();
}

}  // namespace paddock::tools
