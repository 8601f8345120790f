#include "text/indentation.h"

#include <algorithm>

namespace paddock::text {
namespace {

std::string_view indent_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

bool Indentation::learn(std::string_view of_patch, std::string_view of_file) {
    if (is_blank(of_patch)) return true;
    const std::string indent(indent_of(of_file));
    return known_.emplace(indent_of(of_patch), indent).first->second == indent;
}

std::optional<std::string> Indentation::translated(std::string_view line) const {
    if (is_blank(line) || known_.empty()) return std::string(line);
    const std::string_view indent = indent_of(line);
    const std::string rest(line.substr(indent.size()));
    if (const auto same = known_.find(indent); same != known_.end()) return same->second + rest;
    const auto& [patch, file] = *known_.begin();
    const std::string_view more = std::string_view(file).ends_with(patch)
                                      ? std::string_view(file).substr(0, file.size() - patch.size())
                                      : std::string_view();
    const std::string_view less =
        std::string_view(patch).ends_with(file)
            ? std::string_view(patch).substr(0, patch.size() - file.size())
            : std::string_view();
    const bool is_even = std::all_of(known_.begin(), known_.end(), [&](const auto& pair) {
        return std::string(less) + pair.second == std::string(more) + pair.first;
    });
    const bool is_known = is_even && (!more.empty() || !less.empty() || patch == file);
    if (!is_known || !indent.starts_with(less)) return std::nullopt;
    return std::string(more) + std::string(indent.substr(less.size())) + rest;
}

}  // namespace paddock::text
