// grep finds what ripgrep finds: the same lines of the same files, in the same order, for random
// patterns in every mode, on made-up trees and on real ones.
//
// A binary file that matches before its first NUL is named by us always, by ripgrep only if the NUL
// comes in a later buffer than the match. Counts are not compared for matches across lines: ripgrep
// counts matches there, we count lines. Nor are such matches asked to begin at a border: where one
// ended, ripgrep takes the rest of the line for a line. Globs and types only narrow a search here;
// in ripgrep they also bring back what is hidden or ignored, so they are compared where nothing is.
//
// PADDOCK_REFERENCE_TREE is the real tree, the headers of Linux if it is not given.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <paddock/tools.h>

#include "json/write.h"
#include "reference/patterns.h"
#include "search/grep.h"
#include "testing/jail.h"
#include "text/lines.h"

namespace paddock::reference {
namespace {

using search::GrepFile;
using search::GrepLine;
using search::GrepMode;
using search::GrepQuery;
using search::Line;
using search::Next;

// Standard output of a program started in `directory`; nothing if it could not be started.
std::optional<std::string> run(const std::string& directory, Words words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int pipe[2];
    if (::pipe(pipe) != 0) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::chdir(directory.c_str()) == 0 && ::dup2(pipe[1], 1) == 1) {
            ::close(pipe[0]);
            ::execvp(arguments[0], arguments.data());
        }
        ::_exit(127);
    }
    ::close(pipe[1]);
    std::string output;
    char block[65536];
    for (ssize_t got = 0; (got = ::read(pipe[0], block, sizeof block)) > 0;) {
        output.append(block, static_cast<std::size_t>(got));
    }
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (child < 0 || WEXITSTATUS(status) == 127) return std::nullopt;
    return output;
}

Words lines_of(const std::string& text) {
    Words lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

struct Question {
    GrepQuery query;
    Words flags;
};

// What a mode adds to the question, and to ripgrep's flags.
struct Mode {
    const char* name;
    void (*ask)(Random& random, Question& question);
};

void set_mode(Question& question, GrepMode mode) {
    question.query.mode = mode;
    question.flags.emplace_back(mode == GrepMode::kCount              ? "-c"
                                : mode == GrepMode::kFilesWithMatches ? "-l"
                                                                      : "-n");
}

void ask_all(Question& question) {
    question.query.walk.hidden = question.query.walk.ignored = true;
    question.flags.insert(question.flags.end(), {"--hidden", "--no-ignore"});
}

void ignore_case(Question& question) {
    question.query.match.ignore_case = true;
    question.flags.emplace_back("-i");
}

void words_only(Question& question) {
    question.query.match.words = true;
    question.flags.emplace_back("-w");
}

void add_glob(Question& question, const std::string& glob) {
    question.query.globs.push_back(glob);
    question.flags.push_back("-g" + glob);
}

constexpr Mode kModes[] = {
    {"content", [](Random&, Question& it) { set_mode(it, GrepMode::kContent); }},
    {"files", [](Random&, Question& it) { set_mode(it, GrepMode::kFilesWithMatches); }},
    {"count", [](Random&, Question& it) { set_mode(it, GrepMode::kCount); }},
    {"any case",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kContent);
         ignore_case(it);
     }},
    {"context",
     [](Random& random, Question& it) {
         set_mode(it, GrepMode::kContent);
         it.query.before = random() % 4;
         it.query.after = random() % 4;
         it.flags.push_back("-B" + std::to_string(it.query.before));
         it.flags.push_back("-A" + std::to_string(it.query.after));
     }},
    {"words",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kContent);
         words_only(it);
     }},
    {"multiline",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kContent);
         it.query.match.multiline = true;
         it.flags.emplace_back("-U");
         // Of a file that it holds as a whole ripgrep looks for NUL only at the beginning.
         add_glob(it, "!late.bin");
     }},
    {"glob",
     [](Random& random, Question& it) {
         set_mode(it, GrepMode::kContent);
         ask_all(it);
         add_glob(it, pick(random, {"*.{c,py,h}", "**/a*", "[a-m]*", "src/**/*.c", "*"}));
     }},
    {"all but a glob",
     [](Random& random, Question& it) {
         set_mode(it, GrepMode::kCount);
         add_glob(it, pick(random, {"!*.c", "!src", "!**/a*.h", "![a-m]*"}));
     }},
    {"type",
     [](Random& random, Question& it) {
         set_mode(it, GrepMode::kContent);
         ask_all(it);
         it.query.types.push_back(pick(random, {"py", "c", "txt", "h"}));
         it.flags.push_back("-t" + it.query.types.back());
     }},
    {"literal",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kContent);
         it.query.match.literal = true;
         it.flags.emplace_back("-F");
     }},
    {"all files, any case",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kFilesWithMatches);
         ask_all(it);
         ignore_case(it);
     }},
    {"count of words, any case",
     [](Random&, Question& it) {
         set_mode(it, GrepMode::kCount);
         words_only(it);
         ignore_case(it);
     }},
};

class Print final : public search::GrepSink {
public:
    explicit Print(GrepMode mode) : mode_(mode) {}
    Next file(const GrepFile& file) override {
        const std::string path(file.path);
        if (file.binary && mode_ == GrepMode::kContent) lines.push_back(path + ": binary");
        if (file.binary) return Next::kGoOn;
        if (mode_ == GrepMode::kCount) lines.push_back(path + ":" + std::to_string(file.matches));
        if (mode_ == GrepMode::kFilesWithMatches) lines.push_back(path);
        for (const GrepLine& line : file.lines) {
            const std::string mark = line.kind == Line::Kind::kMatch ? ":" : "-";
            lines.push_back(path + mark + std::to_string(line.number) + mark +
                            std::string(line.text));
        }
        return Next::kGoOn;
    }
    Next problem(std::string_view path, const Failure&) override {
        ADD_FAILURE() << path << " could not be searched";
        return Next::kGoOn;
    }
    Words lines;

private:
    GrepMode mode_;
};

Words by_us(const Root& root, GrepQuery query) {
    query.line_bytes_max = SIZE_MAX;
    query.threads = 2;
    Print print(query.mode);
    const auto summary = search::grep(root, query, print);
    if (!summary) return {"error: " + summary.error().message()};
    return print.lines;
}

// Lines as ripgrep prints them; binary files as "path: binary".
std::optional<Words> by_ripgrep(const std::string& directory, const Words& flags,
                                const std::string& pattern) {
    constexpr std::string_view kBinary = ": WARNING: stopped searching binary file";
    Words words = {"rg",
                   "--no-config",
                   "--no-heading",
                   "--color=never",
                   "--sort=path",
                   "--no-messages",
                   "--no-ignore-global",
                   "--no-ignore-parent",
                   "--no-context-separator",
                   "-j1"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-e", pattern, "./"});
    const auto output = run(directory, words);
    if (!output) return std::nullopt;
    Words lines = lines_of(*output);
    std::set<std::string> binary;
    for (const std::string& line : lines) {
        const std::size_t mark = line.find(kBinary);
        if (mark != line.npos) binary.insert(line.substr(0, mark));
    }
    Words kept;
    for (std::string& line : lines) {
        if (line.find(kBinary) != line.npos) {
            line = line.substr(0, line.find(kBinary)) + ": binary";
        } else if (std::any_of(binary.begin(), binary.end(), [&](const std::string& path) {
                       return line.starts_with(path + ":") || line.starts_with(path + "-");
                   })) {
            continue;
        }
        if (line.starts_with("./")) line.erase(0, 2);
        kept.push_back(line);
    }
    return kept;
}

json::Object arguments_of(const GrepQuery& query) {
    json::Object arguments{
        {"pattern", query.pattern},
        {"output_mode", query.mode == GrepMode::kCount              ? "count"
                        : query.mode == GrepMode::kFilesWithMatches ? "files_with_matches"
                                                                    : "content"},
        {"-i", query.match.ignore_case},
        {"-w", query.match.words},
        {"literal", query.match.literal},
        {"multiline", query.match.multiline},
        {"-A", static_cast<std::int64_t>(query.after)},
        {"-B", static_cast<std::int64_t>(query.before)},
        {"hidden", query.walk.hidden},
        {"ignored", query.walk.ignored},
        {"head_limit", 5000}};
    if (!query.globs.empty()) arguments["glob"] = query.globs.front();
    if (!query.types.empty()) arguments["type"] = query.types.front();
    return arguments;
}

// What the tool tells an agent, as "path", "path:count", "path:12" and "path-13", binary files left
// out; nothing if it had to cut.
std::optional<Words> by_tool(const Workspace& workspace, const GrepQuery& query) {
    const tools::Answer answer = tools::call(workspace, "grep", json::to_text(arguments_of(query)));
    EXPECT_FALSE(answer.error) << answer.text();
    Words told;
    std::string path;
    for (const std::string& line : lines_of(answer.text())) {
        if (line.starts_with("[")) return std::nullopt;
        if (line.starts_with("No matches in ")) break;
        if (line.ends_with("(binary file matches)") || line == "--") continue;
        if (line.empty()) {
            path.clear();
        } else if (query.mode != GrepMode::kContent) {
            const std::size_t colon = line.find(": ");
            told.push_back(line);
            if (colon != line.npos) told.back().erase(colon + 1, 1);
        } else if (path.empty()) {
            path = line;
        } else {
            const std::size_t mark = line.find_first_not_of("0123456789");
            told.push_back(path + line[mark] + line.substr(0, mark));
        }
    }
    return told;
}

// The same of lines as ripgrep prints them.
Words places_of(const Words& lines, GrepMode mode) {
    Words places;
    for (const std::string& line : lines) {
        if (line.ends_with(": binary")) continue;
        if (mode != GrepMode::kContent) {
            places.push_back(line);
            continue;
        }
        const std::size_t mark = std::min(line.find(':'), line.find('-'));
        const std::size_t end = line.find(line[mark], mark + 1);
        places.push_back(line.substr(0, end));
    }
    return places;
}

// Empty if they are equal, else what is first different.
std::string difference(const Words& ours, const Words& theirs) {
    const auto [mine, its] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    if (mine == ours.end() && its == theirs.end()) return {};
    const auto shown = [](auto at, auto end) {
        return at == end ? "(end)" : ::testing::PrintToString(at->substr(0, 200));
    };
    return "entry " + std::to_string(mine - ours.begin()) + ": ours " + shown(mine, ours.end()) +
           ", not " + shown(its, theirs.end());
}

// Puts patterns to both, each in some of the modes; all of them if it is to take long.
class GrepReference : public testing::Jail {
protected:
    static std::size_t modes_each() { return effort() > 1 ? std::size(kModes) : std::size_t{3}; }

    void compare(Random& random, const std::string& directory, const Root& root,
                 const Words& words) {
        const Pattern usual = random_pattern(random, words);
        for (std::size_t i = 0; i < modes_each(); ++i) {
            Pattern pattern = usual;
            Question question;
            const Mode& mode = kModes[turn_++ % std::size(kModes)];
            mode.ask(random, question);
            if (question.query.match.literal) {
                pattern.ours = pattern.theirs = pick(random, words) + pick(random, {"", " ", "("});
            }
            if (question.query.match.multiline) pattern.leave_border_out();
            if (question.query.match.multiline && random() % 2 == 0) {
                pattern.add(pick(random, {"\\n", "\\n+", "\r?\\n"}));
                const Pattern more = random_pattern(random, words);
                pattern.add(more.ours, more.theirs);
            }
            question.query.pattern = pattern.ours;
            const Words ours = by_us(root, question.query);
            const auto theirs = by_ripgrep(directory, question.flags, pattern.theirs);
            ASSERT_TRUE(theirs.has_value());
            ASSERT_EQ(difference(without_extra_binaries(ours, *theirs), *theirs), "")
                << mode.name << ": '" << pattern.ours << "', rg -e '" << pattern.theirs << "'";
            ++asked_;
            found_ += ours.empty() ? 0 : 1;
            ASSERT_NO_FATAL_FAILURE(compare_cut(random, root, question.query, ours));
            // Names of the other trees have "-", as lines of context do.
            if (directory != ws()) continue;
            ASSERT_NO_FATAL_FAILURE(compare_told(question.query, ours));
        }
    }

    // A limit cuts the same answer.
    static void compare_cut(Random& random, const Root& root, GrepQuery query, const Words& all) {
        if (query.mode != GrepMode::kContent || random() % 4 != 0) return;
        query.limit = 1 + random() % 5;
        query.offset = random() % 3;
        Words cut(all.begin() +
                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), query.offset)),
                  all.end());
        cut.resize(std::min<std::size_t>(cut.size(), query.limit));
        ASSERT_EQ(difference(by_us(root, query), cut), "") << query.pattern;
    }

    // The tool tells of the same places.
    void compare_told(const GrepQuery& query, const Words& all) {
        WorkspaceOptions options;
        options.root = ws();
        const auto told = by_tool(Workspace::open(options).value(), query);
        if (!told) return;
        ++told_;
        ASSERT_EQ(difference(*told, places_of(all, query.mode)), "") << query.pattern;
    }

    static Words without_extra_binaries(Words ours, const Words& theirs) {
        std::erase_if(ours, [&](const std::string& line) {
            return line.ends_with(": binary") &&
                   std::find(theirs.begin(), theirs.end(), line) == theirs.end();
        });
        return ours;
    }

    void grow(Random& random) {
        for (const std::string& name : testing::os_list(ws())) {
            std::filesystem::remove_all(ws(name));
        }
        const Words directories = {"",     "src/",   "src/net/", "lib/",
                                   "a.c/", "build/", ".hidden/", "b/c/d/"};
        const Words endings = {".c", ".py", ".txt", "", ".o"};
        for (int i = 0; i < 60; ++i) {
            std::string name = pick(random, directories) + pick(random, {"a", "b", "test_", ".x"});
            name += std::to_string(random() % 30) + pick(random, endings);
            tree({"ROOT/" + name + "="});
            os_write(ws(name), random_text(random));
        }
        using namespace std::literals;
        os_write(ws("src/early.bin"), "alpha int\n\0more alpha\n"sv);
        os_write(ws("src/nul_first"), "\0alpha int static\n"sv);
        const std::string filler(5000, '\n');
        std::string late = "alpha int\n";
        for (int i = 0; i < 60; ++i) late += filler;
        os_write(ws("late.bin"), late + "\0alpha\n"s);
        os_write(ws("long"), std::string(200000, 'x') + " alpha\nint\n");
        os_write(ws("marked"),
                 "\xef\xbb\xbf"
                 "alpha\nint foo_bar\n");
        os_write(ws("wide"),
                 "\xff\xfe"
                 "a\0l\0p\0h\0a\0\n\0i\0n\0t\0"s);
        os_write(ws("empty"), "");
        os_write(ws("feeds"), "\n\n\n");
        tree({"ROOT/.git/", "ROOT/.gitignore=*.o\n/build/\n!keep.o\n", "ROOT/keep.o=alpha static\n",
              "ROOT/src/.ignore=test_*\n!test_1*\n", "ROOT/lib/.gitignore=*.py\n",
              "ROOT/link->src/early.bin", "ROOT/dirlink->src", "ROOT/out->@/OUT/secret",
              "ROOT/pipe|", "ROOT/dangling->nowhere"});
    }

    std::size_t turn_ = 0;
    int asked_ = 0;
    int found_ = 0;
    int told_ = 0;  // by the tool, uncut
};

TEST_F(GrepReference, finds_what_rg_finds_in_made_up_trees) {
    if (!run("/", {"rg", "--version"})) GTEST_SKIP() << "ripgrep (rg) is not installed";
    constexpr int kPatterns = 200;
    constexpr int kPatternsOfTree = 40;
    Random random = random_cases(2024);
    for (int i = 0; i < kPatterns; ++i) {
        if (i % kPatternsOfTree == 0) grow(random);
        ASSERT_NO_FATAL_FAILURE(compare(random, ws(), root(), made_up_words()));
    }
    EXPECT_GT(found_, asked_ / 2);
    EXPECT_GT(told_, asked_ / 2);
}

TEST_F(GrepReference, finds_what_rg_finds_in_a_real_tree) {
    if (!run("/", {"rg", "--version"})) GTEST_SKIP() << "ripgrep (rg) is not installed";
    const char* named = std::getenv("PADDOCK_REFERENCE_TREE");
    const std::string tree = named == nullptr ? "/usr/include/linux" : named;
    const auto root = Root::open(tree);
    if (!root) GTEST_SKIP() << "there is no tree at " << tree;
    Random random = random_cases(2025);
    const int patterns = effort() > 1 ? 200 : 20;
    for (int i = 0; i < patterns; ++i) {
        ASSERT_NO_FATAL_FAILURE(compare(random, tree, *root, header_words()));
    }
    EXPECT_GT(found_, asked_ / 4);
}

}  // namespace
}  // namespace paddock::reference
