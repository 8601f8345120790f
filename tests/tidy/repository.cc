#include "tidy/repository.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace paddock::tidy {
namespace {

SourceFile load(const std::filesystem::path& file) {
    SourceFile source;
    source.path = file.lexically_relative(PADDOCK_SOURCE_DIR);
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    source.text = text.str();
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) source.lines.push_back(line);
    return source;
}

}  // namespace

std::string path_of(const std::string& relative) {
    return std::string(PADDOCK_SOURCE_DIR) + "/" + relative;
}

std::vector<SourceFile> files_of(const std::vector<std::string>& folders,
                                 const std::vector<std::string>& endings) {
    std::vector<std::filesystem::path> found;
    for (const std::string& folder : folders) {
        const std::filesystem::path path = path_of(folder);
        if (std::filesystem::is_regular_file(path)) found.push_back(path);
        if (!std::filesystem::is_directory(path)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
            if (entry.is_regular_file()) found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    std::vector<SourceFile> files;
    for (const auto& file : found) {
        const std::string name = file.filename();
        const bool wanted = std::any_of(endings.begin(), endings.end(),
                                        [&](const auto& ending) { return name.ends_with(ending); });
        if (endings.empty() || wanted) files.push_back(load(file));
    }
    return files;
}

}  // namespace paddock::tidy
