#include "cli/outer_programs.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/workspace_options.h"
#include "policy/toolchains.h"
#include "sandbox/toolchains.h"
#include "sys/files.h"
#include "text/glob.h"

namespace paddock::cli {
namespace {

constexpr std::size_t kProgramsMax = 256;  // rules; nobody has as many

// Programs that a project installs for itself, which its package manager changes.
bool is_of_project(const std::string& path) {
    return path.find("/node_modules/") != std::string::npos ||
           sys::stat_path((path + "/../pyvenv.cfg").c_str()).has_value();
}

// `path` lies below `root`.
std::string rule_for(const std::string& path, const std::string& root) {
    std::string pattern = text::literal_pattern(path.substr(root == "/" ? 0 : root.size()));
    std::replace_if(
        pattern.begin(), pattern.end(), [](char c) { return kBlanks.find(c) != kBlanks.npos; },
        '?');
    return pattern;
}

}  // namespace

std::vector<PathRule> rules_of_programs(const std::string& root) {
    const auto top = sys::real_path(root.c_str());
    const auto home = sys::real_path(std::string(host_variable("HOME")).c_str());
    if (!top || !home || !is_within(*home, *top)) return {};
    std::set<std::string> programs;
    const auto add = [&](const std::string& path) {
        const bool is_of_home = path != *home && is_within(path, *home);
        if (is_of_home && programs.size() < kProgramsMax) programs.insert(path);
    };
    std::string_view search_path = host_variable("PATH");
    while (!search_path.empty()) {
        const std::string entry(search_path.substr(0, search_path.find(':')));
        search_path.remove_prefix(std::min(search_path.size(), entry.size() + 1));
        const auto real = sys::real_path(entry.c_str());
        if (real && entry.starts_with('/') && !is_of_project(*real)) add(*real);
    }
    const auto environment = host_environment();
    const std::vector<std::string> names = policy::toolchain_names();
    const auto toolchains = sandbox::find_toolchains(
        {.environment = environment, .workspace = {}, .visible = {}, .names = names});
    for (const sandbox::FoundToolchain& found : toolchains.found) {
        for (const std::string& part : found.tops) add(part);
    }
    std::vector<PathRule> rules;
    rules.reserve(programs.size());
    for (const std::string& path : programs) {
        rules.push_back({rule_for(path, *top), PathAccess::kReadOnly});
    }
    return rules;
}

}  // namespace paddock::cli
