#include "reference/drafts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "text/lines.h"

namespace paddock::reference {
namespace {

namespace fs = std::filesystem;

std::string word(Random& random) {
    static constexpr std::string_view kWords[] = {"{",
                                                  "}",
                                                  "",
                                                  "return 0;",
                                                  "-- x",
                                                  "++ y",
                                                  "@@ -1 +1 @@",
                                                  "\\ No newline",
                                                  "  x = 1;",
                                                  "\ty",
                                                  "*** End Patch",
                                                  "diff --git a/x b/x",
                                                  "trailing ",
                                                  "\xC3\xA9t\xC3\xA9"};
    if (random() % 3 == 0) return "line " + std::to_string(random() % 500);
    return std::string(kWords[random() % std::size(kWords)]);
}

std::vector<std::string> split(std::string_view text) {
    const text::Lines lines(text);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < lines.size(); ++i) parts.emplace_back(lines[i]);
    return parts;
}

std::string join(const std::vector<std::string>& lines, bool open_end) {
    std::string text;
    for (const std::string& line : lines) {
        // A last line without an ending is not the last one any more.
        if (!text.empty() && !text.ends_with('\n')) {
            text += text.find("\r\n") == text.npos ? "\n" : "\r\n";
        }
        text += line;
    }
    if (open_end) text.resize(text.size() - text::ending_of(text).size());
    return text;
}

std::string ending(Random& random, Endings endings, bool crlf) {
    if (endings == Endings::kMixed && random() % 4 == 0) crlf = !crlf;
    return crlf ? "\r\n" : "\n";
}

}  // namespace

std::string draft(Random& random, Endings endings) {
    const bool crlf = random() % 4 == 0;
    std::vector<std::string> lines;
    for (std::size_t i = random() % 60; i > 0; --i) {
        lines.push_back(word(random) + ending(random, endings, crlf));
    }
    return join(lines, random() % 4 == 0);
}

std::string revised(Random& random, std::string_view text, Endings endings) {
    std::vector<std::string> lines = split(text);
    const bool crlf = text.find("\r\n") != std::string_view::npos;
    for (std::size_t i = 1 + random() % 5; i > 0; --i) {
        const auto at = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
        const auto place = lines.begin() + at;
        const std::string line = word(random) + ending(random, endings, crlf);
        const bool inside = place != lines.end();
        switch (random() % 4) {
            case 0: lines.insert(place, line); break;
            case 1:
                if (inside) lines.erase(place);
                break;
            case 2:
                if (inside) *place = line;
                break;
            default:
                if (inside) lines.insert(place, std::string(*place));
                break;
        }
    }
    const bool was_open = !text.empty() && !text.ends_with('\n');
    return join(lines, random() % 6 == 0 ? !was_open : was_open);
}

std::string slurp(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return (std::ostringstream() << file.rdbuf()).str();
}

void spill(const std::string& path, std::string_view content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

void write_files(const std::string& directory, const Files& files) {
    fs::create_directories(directory);
    for (const auto& [path, file] : files) {
        const std::string name = directory + "/" + path;
        spill(name, file.content);
        if (file.executable) fs::permissions(name, fs::perms::owner_exec, fs::perm_options::add);
    }
}

Files read_files(const std::string& directory) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        const bool is_of_journal = entry.path().string().find("/.paddock/") != std::string::npos;
        if (!entry.is_regular_file() || is_of_journal) continue;
        const bool executable =
            (entry.status().permissions() & fs::perms::owner_exec) != fs::perms{};
        files[entry.path().lexically_relative(directory)] = {slurp(entry.path()), executable};
    }
    return files;
}

bool have(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

bool shell(const std::string& directory, const std::string& script) {
    spill(directory + ".sh", "export HOME='" + directory +
                                 "' GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\n"
                                 "export GIT_CEILING_DIRECTORIES='" +
                                 directory +
                                 "/..' LC_ALL=C\n"
                                 "cd '" +
                                 directory + "'\n" + script);
    return std::system(("sh -e '" + directory + ".sh'").c_str()) == 0;
}

}  // namespace paddock::reference
