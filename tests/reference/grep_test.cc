// grep finds what ripgrep finds: the same lines of the same files, in the same order, for random
// patterns, options and trees.
//
// Patterns keep to what RE2 and Rust's regex mean alike. \w, \d, \s and \b are ASCII here and
// Unicode there, so ripgrep gets them as (?-u:\w); \W, \D and \S are left out, because then one
// means a character and the other a byte. A binary file that matches before its first NUL is named
// by us always, by ripgrep only if the NUL comes in a later buffer than the match. Counts are not
// compared for matches across lines: ripgrep counts matches there, we count lines. Globs and types
// only narrow a search here; in ripgrep they also bring back what is hidden or ignored, so they are
// compared where nothing is.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "search/grep.h"
#include "testing/jail.h"

namespace paddock::search {
namespace {

using Words = std::vector<std::string>;
using Random = std::mt19937;

const std::string& pick(Random& random, const Words& from) { return from[random() % from.size()]; }

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

// One pattern, in both spellings.
struct Pattern {
    std::string ours;
    std::string theirs;

    void add(const std::string& text) { add(text, text); }
    void add(const std::string& our_text, const std::string& their_text) {
        ours += our_text;
        theirs += their_text;
    }
};

const Words kWords = {"alpha",        "beta",   "Gamma", "static", "int",    "foo_bar",
                      "sk",           "KELVIN", "x1",    "42",     "return", "\xce\xb1\xce\xb2",
                      "na\xc3\xafve", "(a)",    "a.b",   "\t",     "==",     "__init"};

void add_atom(Random& random, Pattern& pattern, int depth) {
    switch (random() % (depth > 0 ? 12 : 10)) {
        case 0: return pattern.add(".");
        case 1: return pattern.add("\\w", "(?-u:\\w)");
        case 2: return pattern.add("\\d", "(?-u:\\d)");
        case 3: return pattern.add("\\s", "(?-u:\\s)");
        case 4:
            return pattern.add(
                pick(random, {"[a-m]", "[^a-z ]", "[_A-Z]", "[0-9x]", "[\xce\xb1-\xcf\x89]",
                              "[[:alpha:]]", "\\p{Greek}", "[sk]"}));
        case 5: return pattern.add(pick(random, {"\\.", "\\(", "=", "_", " "}));
        case 10:
        case 11: {
            pattern.add(pick(random, {"(", "(?:"}));
            const auto branches = 1 + random() % 3;
            for (std::size_t i = 0; i < branches; ++i) {
                if (i > 0) pattern.add("|");
                add_atom(random, pattern, depth - 1);
                if (random() % 2 == 0) add_atom(random, pattern, depth - 1);
            }
            return pattern.add(")");
        }
        default: {
            std::string word = pick(random, kWords);
            if (word.find_first_of(".()") != word.npos) word = "foo";
            const bool plain = static_cast<unsigned char>(word[0]) < 0x80;
            if (plain && random() % 3 == 0) word = word.substr(0, 1 + random() % word.size());
            while (static_cast<unsigned char>(word.back()) >= 0xc0) word.pop_back();
            return pattern.add(word.empty() ? "a" : word);
        }
    }
}

Pattern random_pattern(Random& random) {
    Pattern pattern;
    if (random() % 8 == 0) pattern.add(pick(random, {"^", "\\b"}), "");
    pattern.theirs = pattern.ours == "\\b" ? "(?-u:\\b)" : pattern.ours;
    const auto atoms = 1 + random() % 4;
    for (std::size_t i = 0; i < atoms; ++i) {
        add_atom(random, pattern, 2);
        // A word before a repetition repeats its last letter only, in both.
        if (random() % 4 == 0)
            pattern.add(pick(random, {"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"}));
    }
    if (random() % 8 == 0) pattern.add("$");
    if (random() % 10 == 0) pattern.add("|" + pick(random, {"alpha", "Gamma", "zzz"}));
    return pattern;
}

std::string random_text(Random& random) {
    std::string text;
    const std::string feed = random() % 5 == 0 ? "\r\n" : "\n";
    for (auto lines = random() % 40; lines > 0; --lines) {
        for (auto words = random() % 7; words > 0; --words) {
            text += pick(random, kWords);
            if (random() % 3 != 0) text += ' ';
        }
        if (random() % 40 == 0) text += "\xff\xfe";
        text += feed;
    }
    if (random() % 4 == 0 && !text.empty()) text.pop_back();
    return text;
}

class Reference : public testing::Jail {
protected:
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
        tree({"ROOT/.gitignore=*.o\n/build/\n!keep.o\n", "ROOT/keep.o=alpha static\n",
              "ROOT/src/.ignore=test_*\n!test_1*\n", "ROOT/lib/.gitignore=*.py\n",
              "ROOT/link->src/early.bin", "ROOT/dirlink->src", "ROOT/out->@/OUT/secret",
              "ROOT/pipe|", "ROOT/dangling->nowhere"});
    }

    // Lines as ripgrep prints them; binary files as "path: binary".
    std::optional<Words> theirs(Words flags, const std::string& pattern) {
        Words words = {"rg",
                       "--no-config",
                       "--no-heading",
                       "--color=never",
                       "--sort=path",
                       "--no-messages",
                       "--no-require-git",
                       "--no-ignore-global",
                       "--no-ignore-parent",
                       "--no-context-separator",
                       "-j1"};
        words.insert(words.end(), flags.begin(), flags.end());
        words.insert(words.end(), {"-e", pattern, "./"});
        const auto output = run(ws(), words);
        if (!output) return std::nullopt;
        Words lines = lines_of(*output);
        std::set<std::string> binary;
        for (const std::string& line : lines) {
            const std::size_t mark = line.find(": WARNING: stopped searching binary file");
            if (mark != line.npos) binary.insert(line.substr(0, mark));
        }
        Words kept;
        for (std::string& line : lines) {
            if (line.find(": WARNING: stopped searching binary file") != line.npos) {
                line = line.substr(0, line.find(": WARNING")) + ": binary";
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

    class Print final : public GrepSink {
    public:
        explicit Print(GrepMode mode) : mode_(mode) {}
        Next file(const GrepFile& file) override {
            const std::string path(file.path);
            if (file.binary && mode_ == GrepMode::kContent) lines.push_back(path + ": binary");
            if (file.binary) return Next::kGoOn;
            if (mode_ == GrepMode::kCount)
                lines.push_back(path + ":" + std::to_string(file.matches));
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

    Words ours(GrepQuery query) {
        query.line_bytes_max = SIZE_MAX;
        query.threads = 2;
        Print print(query.mode);
        const auto summary = grep(root(), query, print);
        if (!summary) return {"error: " + summary.error().message()};
        return print.lines;
    }
};

// Empty if they are equal, else what is first different.
std::string difference(const Words& ours, const Words& theirs) {
    const auto [mine, its] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    if (mine == ours.end() && its == theirs.end()) return {};
    const auto shown = [](auto at, auto end) {
        return at == end ? "(end)" : ::testing::PrintToString(at->substr(0, 200));
    };
    return "entry " + std::to_string(mine - ours.begin()) + ": ours " + shown(mine, ours.end()) +
           ", rg's " + shown(its, theirs.end());
}

struct Question {
    GrepQuery query;
    Words flags;
    bool multiline = false;
};

Question random_question(Random& random) {
    Question question;
    auto& [query, flags, multiline] = question;
    switch (random() % 4) {
        case 0:
            query.mode = GrepMode::kCount;
            flags = {"-c"};
            break;
        case 1:
            query.mode = GrepMode::kFilesWithMatches;
            flags = {"-l"};
            break;
        default: flags = {"-n"};
    }
    const auto flag = [&](bool on, const char* name) {
        if (on) flags.emplace_back(name);
        return on;
    };
    if (query.mode == GrepMode::kContent && random() % 3 == 0) {
        query.before = random() % 4;
        query.after = random() % 4;
        flags.push_back("-B" + std::to_string(query.before));
        flags.push_back("-A" + std::to_string(query.after));
    }
    query.match.ignore_case = flag(random() % 3 == 0, "-i");
    const bool narrowed = random() % 3 == 0;
    query.walk.hidden = flag(narrowed || random() % 5 == 0, "--hidden");
    query.walk.ignored = flag(narrowed || random() % 5 == 0, "--no-ignore");
    if (query.mode == GrepMode::kContent && random() % 4 == 0) {
        query.match.multiline = multiline = flag(true, "-U");
        // Of a file that it holds as a whole ripgrep looks for NUL only at the beginning.
        query.globs.emplace_back("!late.bin");
        flags.emplace_back("-g!late.bin");
    }
    if (narrowed && random() % 2 == 0) {
        query.globs.emplace_back("*.{c,py}");
        flags.emplace_back("-g*.{c,py}");
    } else if (narrowed) {
        query.types.emplace_back("py");
        flags.emplace_back("-tpy");
    }
    return question;
}

TEST_F(Reference, grep_is_rg) {
    if (!run("/", {"rg", "--version"})) GTEST_SKIP() << "ripgrep (rg) is not installed";
    Random random(2024);
    int found = 0;
    int asked = 0;
    for (int trees = 0; trees < 4; ++trees) {
        grow(random);
        for (int i = 0; i < 60; ++i, ++asked) {
            Question question = random_question(random);
            Pattern pattern = random_pattern(random);
            if (random() % 8 == 0) {
                pattern.ours = pattern.theirs = pick(random, kWords);
                question.query.match.literal = true;
                question.flags.emplace_back("-F");
            }
            question.query.pattern = pattern.ours;
            const Words got = ours(question.query);
            const auto expected = theirs(question.flags, pattern.theirs);
            ASSERT_TRUE(expected.has_value());
            Words comparable;
            for (const std::string& line : got) {
                const bool only_ours =
                    line.ends_with(": binary") &&
                    std::find(expected->begin(), expected->end(), line) == expected->end();
                if (!only_ours) comparable.push_back(line);
            }
            std::string flags;
            for (const std::string& flag : question.flags) flags += flag + " ";
            EXPECT_EQ(difference(comparable, *expected), "")
                << "rg " << flags << "-e '" << pattern.theirs << "'";
            if (HasFailure()) return;
            found += got.empty() ? 0 : 1;
            // A limit cuts the same answer.
            question.query.limit = 1 + random() % 5;
            question.query.offset = random() % 3;
            Words cut(got.begin() + static_cast<std::ptrdiff_t>(
                                        std::min<std::size_t>(got.size(), question.query.offset)),
                      got.end());
            cut.resize(std::min<std::size_t>(cut.size(), question.query.limit));
            if (question.query.mode == GrepMode::kContent) {
                EXPECT_EQ(difference(ours(question.query), cut), "") << flags << pattern.ours;
            }
        }
    }
    EXPECT_GE(asked, 200);
    EXPECT_GT(found, asked / 2);
}

}  // namespace
}  // namespace paddock::search
