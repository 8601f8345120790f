// The indentation of lines that a patch adds, where its other lines match the file's only without
// theirs: as the file has it, else what is added would stand at another depth than its neighbours.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::text {

class Indentation {
public:
    // A line of the patch and the one of the file that it stands for. False: they do not fit to
    // those before, and nothing can be said of other lines.
    bool learn(std::string_view of_patch, std::string_view of_file);

    // The line as the file would have it. Nothing if its depth is not known: neither was a line of
    // the same indentation learned, nor do all differ by the same beginning.
    std::optional<std::string> translated(std::string_view line) const;

private:
    std::map<std::string, std::string, std::less<>> known_;
};

}  // namespace paddock::text
