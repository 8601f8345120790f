// Searching a source tree, against ripgrep and fd: each search is one process on either side, with
// two threads and a warm cache, and both must have found the same before they are timed.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness.h"
#include "process.h"

namespace {

using paddock::bench::Command;
using paddock::bench::Contender;
using paddock::bench::Group;
using paddock::bench::Measure;
using paddock::bench::Settings;
namespace fs = std::filesystem;

constexpr int kRounds = 11;
constexpr std::chrono::seconds kTimeMax{12};

struct Stage {
    std::string tree;   // to search
    std::string large;  // a directory with one large file
    std::string scratch;
    std::string programs;  // where this program and its like were built
};

struct Search {
    std::string tool;  // "grep" or "glob"
    std::string name;
    Command peer;
    Command ours;
    double at_most = 1;     // times the peer
    Command floor{};        // bare C
    Command peer_sorted{};  // the peer's way to our order
};

Command rg(Command words) {
    words.insert(words.begin(), {"rg", "-j2", "--no-config", "--color=never"});
    return words;
}

Command worker(const Stage& stage, const std::string& what, const std::string& directory,
               Command words) {
    words.insert(words.begin(), {stage.programs + "/bench/search_worker", what, directory});
    return words;
}

// A grep that counts in every file, with the options of both that mean the same.
Search counting(const Stage& stage, const std::string& name, const std::string& pattern,
                double at_most = 1, const Command& options = {}) {
    Command peer = {"--count"};
    peer.insert(peer.end(), options.begin(), options.end());
    peer.insert(peer.end(), {"-e", pattern});
    Command ours = {pattern};
    ours.insert(ours.end(), options.begin(), options.end());
    return {"grep", name, rg(peer), worker(stage, "count", stage.tree, ours), at_most};
}

std::vector<Search> greps(const Stage& stage) {
    return {
        counting(stage, "rare literal", "kmem_cache_alloc_bulk", 0.85),
        counting(stage, "common literal", "int"),
        counting(stage, "literal, ignoring case", "pm_resume", 1, {"-i"}),
        counting(stage, "simple regex", "[A-Z]+_SUSPEND"),
        counting(
            stage, "ten literals",
            "kmalloc|kzalloc|vmalloc|kcalloc|krealloc|kmemdup|kstrdup|vzalloc|kvmalloc|kvfree"),
        counting(stage, "regex without a literal", "[a-z]{3}[0-9]{5}[a-z]"),
        counting(stage, "whole word", "pm_runtime", 1, {"-w"}),
        counting(stage, "Unicode class", "\\p{Greek}"),
    };
}

Search in_large_file(const Stage& stage) {
    const char* const kRare = "kmem_cache_alloc_bulk";
    return {"grep", "one file of 1 GB", rg({"--line-number", "-e", kRare, "large.c"}),
            worker(stage, "lines", stage.large, {kRare, "--path=large.c"})};
}

// What fd does, in the order of paths.
Search finding(const Stage& stage, const std::string& name) {
    return {"glob",
            "**/" + name + ", in the order of paths",
            {"fdfind", "--threads=2", "--color=never", "--type=f", "--type=l", "--glob", name},
            worker(stage, "paths", stage.tree, {"**/" + name}),
            0.5,
            {stage.programs + "/bench/find_floor", name.substr(name.find_first_not_of('*'))}};
}

// As the tool answers. fd asks for no times and does less; for that order it hands what it finds to
// another program (docs/decisions/0005).
Search finding_newest(const Stage& stage, const std::string& name) {
    Search search = finding(stage, name);
    search.name = "**/" + name + ", newest first";
    search.peer_sorted = search.peer;
    search.peer_sorted.insert(search.peer_sorted.end(),
                              {"--strip-cwd-prefix", "--exec-batch", "ls", "-td"});
    search.ours = worker(stage, "newest", stage.tree, {"**/" + name});
    return search;
}

std::string directory_of(const Stage& stage, const Search& search) {
    return search.name == in_large_file(stage).name ? stage.large : stage.tree;
}

// False, with a message, unless both find the same. Also warms the cache.
bool agree(const Stage& stage, const Search& search, std::size_t& lines) {
    const std::string directory = directory_of(stage, search);
    const auto peer = paddock::bench::output_of(directory, search.peer, stage.scratch);
    const auto ours = paddock::bench::output_of(directory, search.ours, stage.scratch);
    if (!peer || !ours) {
        std::fprintf(stderr, "bench: %s: %s failed\n", search.name.c_str(),
                     (peer ? search.ours : search.peer)[0].c_str());
        return false;
    }
    lines = ours->lines;
    if (*peer == *ours) return true;
    std::fprintf(stderr, "bench: %s: %s finds %zu, paddock finds %zu\n", search.name.c_str(),
                 search.peer[0].c_str(), peer->lines, ours->lines);
    return false;
}

Measure time_of(const std::string& directory, const Command& command) {
    return [directory, command](int) -> std::optional<double> {
        const auto ran = paddock::bench::run(directory, command);
        return ran ? std::optional(ran->ms) : std::nullopt;
    };
}

Measure time_until(const std::string& directory, const Command& command, std::size_t lines) {
    return [directory, command, lines](int) -> std::optional<double> {
        const auto ran = paddock::bench::run_until(directory, command, lines);
        return ran ? std::optional(ran->ms) : std::nullopt;
    };
}

Measure memory_of(const std::string& directory, const Command& command) {
    return [directory, command](int) -> std::optional<double> {
        const auto ran = paddock::bench::run(directory, command);
        return ran ? std::optional(ran->peak_mb) : std::nullopt;
    };
}

std::string peer_of(const Search& search) {
    return search.peer.front() == "rg" ? "rg" : "fd";
}

std::string title_of(const Search& search) { return search.tool + ", " + search.name; }

Group timed(const Stage& stage, const Search& search, std::size_t lines) {
    const std::string directory = directory_of(stage, search);
    const std::string peer = peer_of(search);
    Group group{title_of(search) + ": " + std::to_string(lines) + " found",
                {{peer, time_of(directory, search.peer)},
                 {"paddock", time_of(directory, search.ours), peer, search.at_most}},
                "ms",
                kTimeMax};
    if (!search.peer_sorted.empty()) {
        group.contenders.push_back({"fd, ls -t", time_of(directory, search.peer_sorted), peer});
    }
    if (!search.floor.empty()) {
        group.contenders.push_back(
            {"C: getdents64 + statx", time_of(directory, search.floor), peer});
    }
    return group;
}

// The program itself, as a person or a script calls it; rg ends when nobody reads on.
Group first_hundred(const Stage& stage, const std::string& name, const std::string& pattern) {
    constexpr std::size_t kLines = 100;
    const Command ours = {stage.programs + "/paddock", "grep", "--head-limit=100", "--", pattern};
    return {"grep, first 100 lines, " + name,
            {{"rg", time_until(stage.tree, rg({"--line-number", "-e", pattern}), kLines)},
             {"paddock", time_until(stage.tree, ours, SIZE_MAX), "rg", 1}},
            "ms",
            kTimeMax};
}

Group memory(const Stage& stage, const std::vector<Search>& searches) {
    Group group{"peak memory", {}, "MB", kTimeMax};
    for (const Search& search : searches) {
        const std::string directory = directory_of(stage, search);
        const std::string peer = peer_of(search) + ", " + search.name;
        group.contenders.push_back({peer, memory_of(directory, search.peer)});
        group.contenders.push_back(
            {"paddock, " + search.name, memory_of(directory, search.ours), peer, 1});
    }
    return group;
}

// Something of everything that is searched for, to see that the comparison runs.
void make_small_tree(const std::string& directory) {
    fs::create_directories(directory + "/.git");  // else the others pay no heed to .gitignore
    for (const std::string sub : {"/a", "/a/b", "/c"}) {
        fs::create_directories(directory + sub);
        std::ofstream(directory + sub + "/x.c") << "int kmem_cache_alloc_bulk(void);\nPM_RESUME "
                                                   "abc12345d kmalloc\npm_runtime \xce\xb1\n";
        std::ofstream(directory + sub + "/Makefile") << "obj-y += x.o\n";
        std::ofstream(directory + sub + "/.gitignore") << "*.o\n";
        std::ofstream(directory + sub + "/x.o") << "int\n";
    }
}

Stage stage_for(const Settings& settings, const std::string& scratch) {
    Stage stage{settings.corpus + "/linux", settings.corpus + "/large", scratch,
                fs::canonical("/proc/self/exe").parent_path().parent_path().string()};
    if (!settings.corpus.empty()) return stage;
    stage.tree = scratch + "/tree";
    stage.large = scratch + "/large";
    make_small_tree(stage.tree);
    fs::create_directories(stage.large);
    fs::copy_file(stage.tree + "/c/x.c", stage.large + "/large.c");
    return stage;
}

bool is_installed(const char* program) {
    return paddock::bench::run("/", {program, "--version"}).has_value();
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = paddock::bench::read_arguments(argc, argv, kRounds);
    for (const char* program : {"rg", "fdfind"}) {
        if (is_installed(program)) continue;
        std::fprintf(stderr, "bench: %s is not installed\n", program);
        return paddock::bench::kSkipped;
    }
    const paddock::bench::Scratch scratch(settings);
    const Stage stage = stage_for(settings, scratch.path());
    std::vector<Search> searches = greps(stage);
    searches.push_back(in_large_file(stage));
    for (const std::string name : {"*.c", "Makefile"}) {
        searches.push_back(finding(stage, name));
        searches.push_back(finding_newest(stage, name));
    }
    std::vector<Group> groups;
    for (const Search& search : searches) {
        if (title_of(search).find(settings.only) == std::string::npos) continue;
        std::size_t lines = 0;
        if (!agree(stage, search, lines)) return 2;
        groups.push_back(timed(stage, search, lines));
    }
    groups.push_back(first_hundred(stage, "common literal", "int"));
    groups.push_back(first_hundred(stage, "no literal", "[a-z]{3}[0-9]{5}[a-z]"));
    groups.push_back(memory(stage, searches));
    return paddock::bench::compare(groups, settings);
}
