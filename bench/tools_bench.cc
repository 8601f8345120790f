// What a tool costs above the bare work, and how fast the secrets filter is.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <paddock/tools.h>

#include "harness.h"
#include "read_floor.h"
#include "secrets/scanner.h"
#include "write_floor.h"

namespace {

using paddock::Workspace;
using paddock::bench::Contender;
using paddock::bench::Group;
using paddock::bench::Measure;
using paddock::bench::repeat;
using paddock::secrets::SecretScanner;

constexpr std::size_t kSmallFile = 4096;
constexpr std::size_t kLargeFile = std::size_t{1} << 20;
constexpr std::size_t kScannedText = std::size_t{64} << 20;

// What stands in for a source tree where none is given.
constexpr std::string_view kLines =
    "static int find_entry(struct table *t, const char *name)\n{\n\tint i;\n\n"
    "\tfor (i = 0; i < t->count; i++)\n\t\tif (!strcmp(t->entries[i].name, name))\n"
    "\t\t\treturn t->entries[i].value;\n\treturn -ENOENT; /* nothing there */\n}\n\n";

struct Stage {
    std::string directory;
    int fd;
    Workspace workspace;
    SecretScanner scanner;
    std::string source;  // text to scan, and to make files of
};

std::string text_of(const paddock::bench::Settings& settings) {
    std::string text;
    if (settings.corpus.empty()) {
        while (text.size() < kLargeFile) text += kLines;
        return text;
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(settings.corpus + "/linux/")) {
        if (!entry.is_regular_file() || entry.is_symlink() || entry.path().extension() != ".c") {
            continue;
        }
        std::ostringstream content;
        content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        text += content.str();
        if (text.size() >= kScannedText) break;
    }
    return text;
}

// Whole lines, about so many bytes.
std::string beginning(const std::string& text, std::size_t bytes) {
    return text.substr(0, text.find('\n', bytes) + 1);
}

void make_file(const Stage& stage, const std::string& name, const std::string& content) {
    std::ofstream(stage.directory + "/" + name, std::ios::binary) << content;
}

bool succeeds(const Stage& stage, const char* tool, const std::string& arguments) {
    return !paddock::tools::call(stage.workspace, tool, arguments).error;
}

constexpr const char* kReadFloor = "C: open, read, number lines";

Group reading(const Stage& stage) {
    make_file(stage, "small.c", beginning(stage.source, kSmallFile));
    return {"read_file, 4 kB",
            {{kReadFloor, repeat([&stage] {
                  char* shown = nullptr;
                  const long bytes = floor_show(stage.fd, "small.c", &shown);
                  std::free(shown);
                  return bytes > 0;
              })},
             {"paddock: tools::call",
              repeat([&stage] { return succeeds(stage, "read_file", R"({"path": "small.c"})"); }),
              kReadFloor, 2.5}}};
}

constexpr const char* kWriteFloor = "C: temp, write, sync, rename";

// What git makes of a directory, as far as the tools look at it.
void make_repository(const std::string& directory) {
    for (const char* name : {"hooks", "info", "objects/info", "objects/pack", "refs/heads"}) {
        std::filesystem::create_directories(directory + "/.git/" + name);
    }
    std::ofstream(directory + "/.git/HEAD") << "ref: refs/heads/main\n";
    std::ofstream(directory + "/.git/config") << "[core]\n\trepositoryformatversion = 0\n";
}

// Two contents in turn: writing what is there already would be no writing. Both write in the same
// directory, which the disk may place anywhere. In a repository there is more to look at
// (docs/decisions/0006).
Group writing(const Stage& stage, const std::string& title, const std::string& directory) {
    const std::string at = stage.directory + "/" + directory;
    std::filesystem::create_directories(at);
    const int fd = ::open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::string content(kSmallFile, 'x');
    return {title,
            {{kWriteFloor, repeat([fd, content] {
                  return floor_replace(fd, "floor", content.data(), content.size(),
                                       FLOOR_SYNC_FILE) == 0;
              })},
             {"paddock: tools::call",
              repeat([&stage, directory, content = content, turn = 0]() mutable {
                  content.front() = ++turn % 2 == 0 ? 'x' : 'y';
                  return succeeds(
                      stage, "write_file",
                      R"({"path": ")" + directory + R"(/written", "content": ")" + content + "\"}");
              }),
              kWriteFloor, 1.2}}};
}

// Megabytes a second over the whole text.
template <class Scan>
Measure speed_of(const std::string& text, Scan scan) {
    return [&text, scan](int) -> std::optional<double> {
        const auto ns = repeat(scan)(1);
        if (!ns) return std::nullopt;
        return static_cast<double>(text.size()) * 1000 / *ns;
    };
}

Group scanning(const Stage& stage, std::string& text) {
    const char* const kMemchr = "C: memchr of a byte that is not there";
    return {"secrets filter on source text, one core",
            {{kMemchr,
              speed_of(text,
                       [&text] { return std::memchr(text.data(), 0x01, text.size()) == nullptr; })},
             {"paddock, all patterns",
              speed_of(text,
                       [&stage, &text] {
                           stage.scanner.redact(text);
                           return true;
                       }),
              {},
              {},
              300}},
            "MB/s"};
}

// Which share of a call the filter takes: its time on the answer of that call.
Group share_of_filter(const Stage& stage, const std::string& title, const char* tool,
                      const std::string& arguments) {
    std::string answer = paddock::tools::call(stage.workspace, tool, arguments).text();
    const auto scan = [&stage, answer]() mutable {
        stage.scanner.redact(answer);
        return !answer.empty();
    };
    const char* const kCall = "paddock: tools::call";
    return {
        title,
        {{kCall, repeat([&stage, tool, arguments] { return succeeds(stage, tool, arguments); })},
         {"paddock: secrets filter on its answer", repeat(scan), kCall, 0.15}}};
}

paddock::WorkspaceOptions options_for(const std::string& directory) {
    paddock::WorkspaceOptions options;
    options.root = directory;
    options.limits = {.calls_per_second = {}, .calls_in_flight = {}};
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = paddock::bench::read_arguments(argc, argv, 300);
    const paddock::bench::Scratch scratch(settings);
    auto workspace = Workspace::open(options_for(scratch.path()));
    const auto scanner = SecretScanner::create();
    const int fd = ::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!workspace || !scanner || fd < 0) return 2;
    const Stage stage{scratch.path(), fd, *workspace, *scanner, text_of(settings)};
    std::string scanned = stage.source;
    stage.scanner.redact(scanned);  // what is found would be replaced once and then be gone
    make_file(stage, "large.c", beginning(stage.source, kLargeFile));
    make_repository(stage.directory + "/repository");
    return paddock::bench::compare(
        {reading(stage), writing(stage, "write_file, 4 kB", "plain"),
         writing(stage, "write_file, 4 kB, in a git repository", "repository"),
         scanning(stage, scanned),
         share_of_filter(stage, "read_file, 1 MB", "read_file", R"({"path": "large.c"})"),
         share_of_filter(stage, "grep, 5000 lines", "grep",
                         R"({"pattern": "i", "output_mode": "content", "head_limit": 5000})")},
        settings);
}
