#include "policy/backup_name.h"

#include <algorithm>

#include "base/ascii.h"

namespace paddock::policy {
namespace {

// Of people, editors, file managers, package managers and RCS.
constexpr std::string_view kEndings[] = {
    ".backup", ".bak",      ".bck",    ".copy",   ".dpkg-old", ".old", ".orig", ".prev",
    ".rej",    ".rpmsave",  ".save",   ".swo",    ".swp",      ".tmp", "~",     "-backup",
    "-bak",    "-copy",     "-old",    "-orig",   "_backup",   "_bak", "_copy", "_old",
    "_orig",   " (backup)", " (copy)", " backup", " copy",     " old", ",v",
};

// A number or a date may follow: "x.bak2", "x.old.1", "x.~3~".
std::string_view without_number(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && is_digit(name[end - 1])) --end;
    if (end == name.size()) return name;
    if (end > 0 && (name[end - 1] == '.' || name[end - 1] == '-' || name[end - 1] == ' ')) --end;
    return name.substr(0, end);
}

// "x.1", "x-20261119", "x.2026-11-19", "x (2)": what is before that. The name itself if it has
// none.
std::string_view without_count(std::string_view name) {
    if (name.size() > 4 && name.ends_with(')')) {
        const std::string_view inner = name.substr(0, name.size() - 1);
        const std::string_view before = without_number(inner);
        const bool is_counted = before.size() < inner.size() && before.ends_with(" (");
        return is_counted ? before.substr(0, before.size() - 2) : name;
    }
    const std::string_view before = without_number(name);
    const bool is_apart = before.size() < name.size() && !is_digit(name[before.size()]);
    return is_apart && !before.empty() ? before : name;
}

bool ends_with(std::string_view name, std::string_view lower_case) {
    return name.size() > lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), name.end() - lower_case.size(),
                      [](char a, char b) { return a == lowered(b); });
}

// The name itself if it is no backup.
std::string_view original_of(std::string_view name) {
    for (bool changed = true; changed;) {
        changed = false;
        // Emacs: "#x#" is unsaved work, ".#x" a lock.
        if (name.size() > 2 && name.starts_with('#') && name.ends_with('#')) {
            name = name.substr(1, name.size() - 2);
            changed = true;
        } else if (name.size() > 2 && name.starts_with(".#")) {
            name.remove_prefix(2);
            changed = true;
        }
        if (const auto before = without_count(name); before.size() < name.size()) {
            name = before;
            changed = true;
        }
        const std::string_view plain = without_number(name);
        for (const std::string_view ending : kEndings) {
            if (!ends_with(plain, ending)) continue;
            name = plain.substr(0, plain.size() - ending.size());
            if (ending == "~" && name.size() > 2) {  // "x.~3~"
                const std::string_view numbered = without_number(name);
                if (numbered.ends_with(".~")) name = numbered.substr(0, numbered.size() - 2);
            }
            changed = true;
            break;
        }
    }
    return name;
}

// Most names are told by their last byte.
bool may_be_backup(std::string_view name) {
    constexpr std::string_view kLast = "~#)degjkopvy0123456789";
    if (name.size() < 2) return false;
    return kLast.find(lowered(name.back())) != kLast.npos || name.starts_with(".#");
}

}  // namespace

std::optional<std::string> backed_up_path(std::string_view path) {
    std::optional<std::string> made;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        const std::string_view original = may_be_backup(name) ? original_of(name) : name;
        if (!made && original.size() != name.size()) made = std::string(path.substr(0, begin));
        if (made) made->append(original).append(end < path.size() ? "/" : "");
        begin = end + 1;
    }
    return made;
}

}  // namespace paddock::policy
