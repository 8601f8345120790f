#include "cli/git_excludes.h"

#include <algorithm>

#include "cli/host_environment.h"
#include "cli/input.h"
#include "text/fold.h"

namespace paddock::cli {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
    return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Quotes and escapes taken off, and what stands behind a comment's mark.
std::string value_of(std::string_view written) {
    std::string value;
    bool quoted = false;
    std::size_t end = 0;  // of what is not just space before a comment
    for (std::size_t i = 0; i < written.size(); ++i) {
        const char c = written[i];
        if (!quoted && (c == '#' || c == ';')) break;
        if (c == '"') {
            quoted = !quoted;
        } else {
            if (c == '\\' && i + 1 < written.size()) ++i;
            value += written[i];
        }
        if (quoted || (c != ' ' && c != '\t')) end = value.size();
    }
    value.resize(end);
    return value;
}

std::string content_of(const std::string& path) { return read_input(path).value_or(""); }

}  // namespace

std::string excludes_file_in(std::string_view config) {
    std::string found;
    bool in_core = false;
    while (!config.empty()) {
        const std::size_t end = std::min(config.find('\n'), config.size());
        const std::string_view line = trimmed(config.substr(0, end));
        config.remove_prefix(std::min(end + 1, config.size()));
        if (line.starts_with('[')) {
            in_core = text::fold_case(line.substr(0, line.find(']') + 1)) == "[core]";
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!in_core || equals == line.npos) continue;
        if (text::fold_case(trimmed(line.substr(0, equals))) != "excludesfile") continue;
        found = value_of(trimmed(line.substr(equals + 1)));
    }
    return found;
}

std::string git_excludes() {
    const std::string home(host_variable("HOME"));
    if (home.empty()) return {};
    const std::string xdg(host_variable("XDG_CONFIG_HOME"));
    const std::string usual = (xdg.empty() ? home + "/.config" : xdg) + "/git/";
    std::string file;
    for (const std::string& config : {usual + "config", home + "/.gitconfig"}) {
        const std::string named = excludes_file_in(content_of(config));
        if (!named.empty()) file = named;
    }
    if (file.empty()) return content_of(usual + "ignore");
    if (file.starts_with("~/")) file = home + file.substr(1);
    return file.starts_with('/') ? content_of(file) : std::string();
}

}  // namespace paddock::cli
