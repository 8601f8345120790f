// The repository as text, for tests that keep its rules.
#pragma once

#include <string>
#include <vector>

namespace paddock::tidy {

struct SourceFile {
    std::string path;  // relative to the repository
    std::string text;
    std::vector<std::string> lines;
};

// Every file below the given folders (or the files themselves) whose name ends in one of `endings`;
// an empty list takes all. Sorted by path.
std::vector<SourceFile> files_of(const std::vector<std::string>& folders,
                                 const std::vector<std::string>& endings = {});

std::string path_of(const std::string& relative);

}  // namespace paddock::tidy
