// What the walk of glob and grep passes over is what git ignores, on trees that exist: random rules
// in .gitignore at any depth, .git/info/exclude, core.excludesFile, repositories in repositories.
// And .ignore files mean what they mean to ripgrep.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <paddock/tools.h>

#include "escape/in_memory.h"
#include "json/write.h"
#include "reference/drafts.h"
#include "search/find.h"
#include "text/lines.h"
#include "text/names.h"

namespace paddock::reference {
namespace {

using Names = std::vector<std::string>;
using Paths = std::set<std::string>;

const std::string& pick_name(Random& random, const Names& from) {
    return from[random() % from.size()];
}

const Names kNames = {"a",   "b",    "ab",   "ba",   "a.c", "b.o", "ab.c",    ".h",
                      "a b", "#x",   "!x",   "a ",   "A",   "a*b", "b\\a",    "[a]",
                      "-",   "\xFF", "a\tb", "a\nb", "1.c", "]",   "\xC3\xA9"};

const Names kPieces = {"a",       "b",        "*",     "?",       "*.c",       "*.o",
                       "[ab]",    "[!a]",     "a*",    "*b",      "\\a",       "*a**",
                       ".h",      "a.c",      "[a-c]", "[]b]",    "a\\ b",     "[[:alpha:]]",
                       "ab",      "\\#x",     "\\!x",  "#x",      "a b",       "[[:digit:]a]",
                       "[^.]",    "\xC3\xA9", "[z-a]", "a**",     "b***",      "\\*",
                       "a\\*b",   "[\\]]",    "[!]a]", "[a-]",    "[]-a]",     "[[:upper:]-b]",
                       "\\[a\\]", "b\\\\a",   "\xFF",  "[\xC3]?", "?\t?",      "[[:space:]]",
                       "[!!]",    "[a\\-c]",  "*.?",   "[[.a.]]", "[\\a-\\c]", "!x"};

const Names kOdd = {"",          "# a",   "!",    "/",       "//",   " ",          "a[",
                    "a\\",       "**",    "/**",  "**/",     "a//b", "/*",         "!/*/",
                    "\\",        "[",     "[!",   "[]",      "a/",   "!**",        "[[:no:]]",
                    "!!a",       "#",     "\\ ",  "a\\ \\ ", "/ ",   "a/**/",      "**/**",
                    "a/**/**/b", "a**/b", "b**/", "/a**",    "[a-",  "[[:alpha:]", "***/a"};

std::string rule(Random& random) {
    const auto name = [&] {
        const std::string first = pick_name(random, kPieces);
        return random() % 8 == 0 ? first + pick_name(random, kPieces) : first;
    };
    if (random() % 8 == 0) return pick_name(random, kOdd);
    std::string rule = random() % 4 == 0 ? "!" : "";
    if (random() % 6 == 0) rule += "/";
    if (random() % 8 == 0) rule += "**/";
    rule += name();
    while (random() % 4 == 0) rule += "/" + (random() % 3 == 0 ? "**" : name());
    if (random() % 5 == 0) rule += "/";
    if (random() % 12 == 0) rule += pick_name(random, {"  ", "\\ ", "\\  ", "\t", " \\"});
    return rule;
}

std::string rules(Random& random, unsigned most) {
    std::string text = random() % 16 == 0 ? "\xEF\xBB\xBF" : "";
    const std::string end = random() % 8 == 0 ? "\r\n" : "\n";
    for (auto left = 1 + random() % most; left > 0; --left) text += rule(random) + end;
    if (random() % 8 == 0) text.pop_back();
    return text;
}

// Paths as git reads and prints them with -z.
std::string with_nuls(const Paths& paths) {
    std::string text;
    for (const std::string& path : paths) text.append(path).push_back('\0');
    return text;
}

Paths split_at_nuls(const std::string& text) {
    Paths paths;
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
        paths.insert(text.c_str() + at);
    }
    return paths;
}

class IgnoreReference : public testing::InMemory {
protected:
    // A repository with a few trees in it, some of them with repositories of their own.
    void grow(Random& random) {
        std::filesystem::remove_all(ws());
        std::filesystem::create_directories(ws());
        files_.clear();
        repositories_.clear();
        global_ = rules(random, 2);
        spill(out("global"), global_);
        make_repository(random, "");
        directories_.clear();
        for (int i = 0; i < 20; ++i) grow_below(random, "t" + std::to_string(i));
    }

    // What git does not ignore, below `start`.
    Paths kept_by_git(const std::string& start) const {
        Paths kept;
        for (const std::string& file : files_) {
            if (!start.empty() && !file.starts_with(start + "/")) continue;
            if (!is_ignored(file)) kept.insert(file);
        }
        return kept;
    }

    void ask_git() {
        ignored_.clear();
        std::map<std::string, Paths> questions;
        for (const std::string& file : files_) {
            for (std::size_t slash = file.find('/');; slash = file.find('/', slash + 1)) {
                const std::string path = file.substr(0, slash);
                const std::string& repository = repository_of(path);
                questions[repository].insert(
                    repository.empty() ? path : path.substr(repository.size() + 1));
                if (slash == file.npos) break;
            }
        }
        for (int number = 0; const auto& [repository, paths] : questions) {
            const std::string name = out("q" + std::to_string(number++));
            spill(name, with_nuls(paths));
            spill(name + ".directory", ws(repository));
        }
        // Directories have any name, so they travel as bytes and not in the script.
        std::string script;
        for (std::size_t number = 0; number < questions.size(); ++number) {
            const std::string name = out("q" + std::to_string(number));
            script += "d=$(cat '" + name + ".directory'; echo x); cd \"${d%x}\"\n" +
                      "git -c core.excludesFile='" + out("global") +
                      "' check-ignore --no-index --stdin -z <'" + name + "' >'" + name +
                      ".answer' || [ $? = 1 ]\n";
        }
        ASSERT_TRUE(shell(base() + "/OUT", script));
        for (int number = 0; const auto& [repository, paths] : questions) {
            const std::string name = out("q" + std::to_string(number++));
            for (const std::string& path : split_at_nuls(slurp(name + ".answer"))) {
                ignored_.insert(repository.empty() ? path : repository + "/" + path);
            }
        }
    }

    // Nothing below an ignored directory is looked at, whichever repository it is in.
    bool is_ignored(const std::string& path) const {
        for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
            if (ignored_.contains(path.substr(0, slash))) return true;
            if (slash == path.npos) return false;
        }
    }

    Paths found(const std::string& start) {
        search::FindQuery query{.pattern = "**",
                                .path = start.empty() ? "." : start,
                                .walk = {.hidden = true},
                                .order = search::FindQuery::Order::kPath};
        query.walk.global_rules.in_repositories =
            std::make_shared<const text::IgnoreFile>(text::IgnoreFile::parse(global_).value());
        const auto result = search::find(root(), query);
        Paths paths;
        for (std::size_t i = 0; i < result.value().found.size(); ++i) {
            const std::string path(result.value().found[i].path);
            if (("/" + path).find("/.git/") == std::string::npos) paths.insert(path);
        }
        return paths;
    }

    // The same by the tool, as an agent sees it.
    Paths globbed(const Workspace& workspace, const std::string& start) {
        const json::Object arguments{{"pattern", "**"},
                                     {"path", text::quote_if_needed(start)},
                                     {"hidden", true},
                                     {"limit", 5000}};
        const tools::Answer answer = tools::call(workspace, "glob", json::to_text(arguments));
        EXPECT_FALSE(answer.error) << answer.text();
        Paths paths;
        const std::string text = answer.text();
        if (text.starts_with("No files match.\n")) return paths;
        const text::Lines lines(text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string line(text::body_of(lines[i]));
            if (line.empty()) continue;
            const auto path = text::unquote(line);
            paths.insert(path ? *path : line);
        }
        std::erase_if(paths, [](const std::string& path) {
            return ("/" + path).find("/.git/") != std::string::npos;
        });
        return paths;
    }

    // What decides about a path: for the message of a failure.
    std::string rules_on(const std::string& path) const {
        std::string all = "global:\n" + global_;
        for (std::size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1)) {
            const std::string directory = ws(path.substr(0, slash)) + "/";
            for (const char* name : {".git/info/exclude", ".gitignore"}) {
                const std::string text = slurp(directory + name);
                if (!text.empty()) all += directory + name + ":\n" + text;
            }
        }
        return all;
    }

    // Empty if they are equal, else the first difference.
    std::string difference(const Paths& ours, const Paths& git) const {
        for (const std::string& path : files_) {
            if (ours.contains(path) == git.contains(path)) continue;
            return ::testing::PrintToString(path) +
                   (git.contains(path) ? " is not found\n" : " is ignored by git\n") +
                   rules_on(path);
        }
        return ours.size() == git.size() ? "" : "a file that was never made";
    }

    Workspace open_workspace() const {
        WorkspaceOptions options;
        options.root = ws();
        options.paths.resolver = testing::resolver_under_test();
        options.git_excludes = global_;
        options.limits.calls_per_second.reset();
        return Workspace::open(options).value();
    }

    Paths files_;
    Names directories_;

private:
    void make_repository(Random& random, const std::string& directory) {
        repositories_.insert(directory);
        const std::string git = ws(directory) + "/.git/";
        for (const char* name : {"objects", "refs", "info"}) {
            std::filesystem::create_directories(git + name);
        }
        spill(git + "HEAD", "ref: refs/heads/main\n");
        if (random() % 2 == 0) spill(git + "info/exclude", rules(random, 2));
    }

    void grow_below(Random& random, const std::string& top) {
        Names directories{top};
        for (auto left = 2 + random() % 5; left > 0; --left) {
            directories.push_back(pick_name(random, directories) + "/" + pick_name(random, kNames));
        }
        for (const std::string& directory : directories) {
            std::filesystem::create_directories(ws(directory));
            if (directory == top || random() % 2 == 0) {
                spill(ws(directory) + "/.gitignore", rules(random, 6));
                files_.insert(directory + "/.gitignore");
            }
            if (random() % 12 == 0) make_repository(random, directory);
        }
        directories_.insert(directories_.end(), directories.begin(), directories.end());
        for (const std::string& directory : directories) {
            for (const std::string& name : kNames) {
                const std::string path = directory + "/" + name;
                if (std::filesystem::exists(ws(path))) continue;
                spill(ws(path), "");
                files_.insert(path);
            }
        }
    }

    // The repository that decides about a path: not the one that begins there.
    const std::string& repository_of(const std::string& path) const {
        std::string above = path;
        while (above.find('/') != above.npos) {
            above.resize(above.rfind('/'));
            if (const auto it = repositories_.find(above); it != repositories_.end()) return *it;
        }
        return *repositories_.find("");
    }

    Paths repositories_;
    std::string global_;
    Paths ignored_;
};

TEST_F(IgnoreReference, the_walk_passes_over_what_git_ignores) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    Random random = random_cases(31);
    std::size_t files = 0;
    std::size_t kept = 0;
    for (long round = 0; round < times(6); ++round) {
        grow(random);
        ASSERT_NO_FATAL_FAILURE(ask_git());
        const Paths wanted = kept_by_git("");
        ASSERT_EQ(difference(found(""), wanted), "");
        const Workspace workspace = open_workspace();
        for (int i = 0; i < 20; ++i) {
            const std::string& start = pick_name(random, directories_);
            // Whoever asks for an ignored directory by name gets what is in it.
            if (is_ignored(start)) continue;
            ASSERT_EQ(difference(globbed(workspace, start), kept_by_git(start)), "") << start;
        }
        files += files_.size();
        kept += wanted.size();
    }
    EXPECT_GT(kept, files / 10) << "the cases say too little";
    EXPECT_LT(kept, files * 9 / 10) << "the cases say too little";
}

// Which kind of file decides, and which of one kind. ripgrep reads rules in its own way where they
// are odd, so these are plain.
class DotIgnoreReference : public testing::InMemory {
protected:
    static std::string plain_rules(Random& random) {
        static const Names names = {"a", "b", "*.c", "*.o", "x", "d", "e"};
        std::string text;
        for (auto left = 1 + random() % 3; left > 0; --left) {
            text += random() % 3 == 0 ? "!" : "";
            text += random() % 6 == 0 ? "/" : "";
            text += pick_name(random, names);
            if (random() % 6 == 0) text += "/" + pick_name(random, names);
            text += random() % 6 == 0 ? "/\n" : "\n";
        }
        return text;
    }

    void grow(Random& random, const std::string& directory, int depth) {
        for (const char* name : {"a", "b", "a.c", "b.c", "a.o", "x"}) {
            spill(ws(directory) + name, "");
        }
        for (const char* name : {".ignore", ".gitignore"}) {
            if (random() % 2 == 0) spill(ws(directory) + name, plain_rules(random));
        }
        if (random() % 5 == 0) spill(ws(directory) + ".git/info/exclude", plain_rules(random));
        if (depth == 0) return;
        for (const char* name : {"d/", "e/", "f.o/"}) grow(random, directory + name, depth - 1);
    }

    static Paths outside_git(Paths paths) {
        std::erase_if(paths, [](const std::string& path) {
            return ("/" + path).find("/.git/") != std::string::npos;
        });
        return paths;
    }
};

TEST_F(DotIgnoreReference, the_walk_passes_over_what_ripgrep_does) {
    if (!have("rg")) GTEST_SKIP() << "ripgrep (rg) is not installed";
    Random random = random_cases(32);
    std::size_t kept = 0;
    for (long round = 0; round < times(100); ++round) {
        std::filesystem::remove_all(ws());
        grow(random, "", 2);
        ASSERT_TRUE(shell(ws(),
                          "rg --no-config --files --hidden --no-ignore-parent "
                          "--no-ignore-global --null >../files || [ $? = 1 ]\n"));
        const auto ours = search::find(root(), {.pattern = "**", .walk = {.hidden = true}});
        Paths found;
        for (std::size_t i = 0; i < ours.value().found.size(); ++i) {
            found.emplace(ours.value().found[i].path);
        }
        const Paths wanted = split_at_nuls(slurp(base() + "/files"));
        ASSERT_EQ(outside_git(found), outside_git(wanted));
        kept += wanted.size();
    }
    EXPECT_GT(kept, static_cast<std::size_t>(times(1000))) << "the cases say too little";
}

}  // namespace
}  // namespace paddock::reference
