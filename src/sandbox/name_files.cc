#include "sandbox/name_files.h"

#include <paddock/limits.h>

#include <algorithm>
#include <optional>

#include "sandbox/kernel_text.h"

namespace paddock::sandbox {
namespace {

// Calls `visit` with each line, without its comment, until it returns false.
template <class Visit>
void for_each_line(std::string_view file, std::string_view comment_marks, Visit visit) {
    while (!file.empty()) {
        const std::string_view line = file.substr(0, file.find('\n'));
        file.remove_prefix(std::min(line.size() + 1, file.size()));
        if (!visit(line.substr(0, line.find_first_of(comment_marks)))) return;
    }
}

bool same_name(std::string_view written, std::string_view name) {
    if (written.ends_with('.')) written.remove_suffix(1);
    return std::equal(written.begin(), written.end(), name.begin(), name.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 32 : a) == b; });
}

bool has_name(std::string_view names, std::string_view name) {
    for (std::string_view word = next_word(names); !word.empty(); word = next_word(names)) {
        if (same_name(word, name)) return true;
    }
    return false;
}

}  // namespace

std::vector<policy::IpAddress> addresses_in_hosts(std::string_view file, std::string_view name) {
    std::vector<policy::IpAddress> addresses;
    for_each_line(file, "#", [&](std::string_view line) {
        const std::string_view written = next_word(line);
        // Names first: most lines are about another one.
        if (!has_name(line, name)) return true;
        if (const auto address = policy::parse_address(written)) addresses.push_back(*address);
        return addresses.size() < limits::kNameAddressesMax;
    });
    return addresses;
}

std::vector<policy::IpAddress> name_servers(std::string_view file) {
    std::vector<policy::IpAddress> servers;
    for_each_line(file, "#;", [&](std::string_view line) {
        if (next_word(line) != "nameserver") return true;
        if (const auto address = policy::parse_address(next_word(line))) {
            servers.push_back(*address);
        }
        return servers.size() < limits::kNameServersMax;
    });
    if (servers.empty()) servers.push_back(policy::ipv4(0x7f000001));
    return servers;
}

}  // namespace paddock::sandbox
