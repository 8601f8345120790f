#include "tools/registry.h"

#include <array>

namespace paddock::tools {

std::span<const Declaration* const> all_tools() {
    static const std::array kAll{&read_file(), &read_files(),    &write_file(),  &edit_file(),
                                 &patch(),     &glob(),          &grep(),        &list_directory(),
                                 &move_path(), &copy_path(),     &remove_path(), &make_directory(),
                                 &file_info(), &workspace_info()};
    return kAll;
}

const Declaration* find_tool(std::string_view name, bool read_only) {
    for (const Declaration* tool : all_tools()) {
        if (tool->name != name) continue;
        return read_only && tool->changes_files() ? nullptr : tool;
    }
    return nullptr;
}

}  // namespace paddock::tools
