#include "tools/registry.h"

#include <algorithm>
#include <array>

namespace paddock::tools {
namespace {

constexpr std::string_view kCore = "core";
constexpr std::string_view kFull = "full";

// Reading, changing, finding and running: the rest can be had from bash, or by several calls.
bool is_core(const Declaration& tool) {
    static constexpr std::array<std::string_view, 11> kTools{
        "read_file",      "write_file", "edit_file",   "patch",      "glob",     "grep",
        "list_directory", "bash",       "bash_output", "bash_input", "bash_kill"};
    return std::find(kTools.begin(), kTools.end(), tool.name) != kTools.end();
}

bool is_wanted(const Declaration& tool, const std::vector<std::string>& wanted) noexcept {
    if (wanted.empty()) return true;
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return name == tool.name || name == kFull || (name == kCore && is_core(tool));
    });
}

}  // namespace

std::span<const Declaration* const> all_tools() {
    static const std::array kAll{&read_file(), &read_files(),    &write_file(),  &edit_file(),
                                 &patch(),     &glob(),          &grep(),        &list_directory(),
                                 &bash(),      &bash_output(),   &bash_input(),  &bash_kill(),
                                 &move_path(), &copy_path(),     &remove_path(), &make_directory(),
                                 &file_info(), &workspace_info()};
    return kAll;
}

std::span<const Code> common_errors() {
    static constexpr std::array kAll{
        Code::kInvalidArgument, Code::kInvalidPath,   Code::kPathEscape,    Code::kAbsolutePath,
        Code::kMountCrossing,   Code::kNotFound,      Code::kNotADirectory, Code::kPermissionDenied,
        Code::kDeniedByRule,    Code::kReadOnly,      Code::kLimitReached,  Code::kRace,
        Code::kRateLimited,     Code::kQuotaExceeded, Code::kNotAvailable,  Code::kIoError,
        Code::kInternal};
    return kAll;
}

const Declaration* find_tool(std::string_view name) {
    for (const Declaration* tool : all_tools()) {
        if (tool->name == name) return tool;
    }
    return nullptr;
}

std::vector<std::string> listable_names() {
    std::vector<std::string> names{std::string(kCore), std::string(kFull)};
    for (const Declaration* tool : all_tools()) names.emplace_back(tool->name);
    return names;
}

bool is_listed(const Declaration& tool, const WorkspaceOptions& options) noexcept {
    if (!is_wanted(tool, options.tools)) return false;
    if (tool.manners.needs_shell) return options.shell && !options.read_only;
    return !options.read_only || !tool.changes_files();
}

}  // namespace paddock::tools
