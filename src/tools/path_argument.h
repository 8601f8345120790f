// The argument that nearly every tool has, with the spellings that models know.
#pragma once

#include "tools/declaration.h"

namespace paddock::tools {

inline Argument path_argument(std::string_view help) {
    return {
        .name = "path",
        .help = help,
        .required = true,
        .aliases = {"file_path", "filePath", "filepath", "file", "target_file", "relative_path"}};
}

inline Argument directory_argument(std::string_view help) {
    return {.name = "path",
            .help = help,
            .usual = ".",
            .aliases = {"dir_path", "directory", "dir", "dirPath", "file_path", "filePath",
                        "relative_path"}};
}

}  // namespace paddock::tools
