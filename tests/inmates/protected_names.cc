// Files that the person's own programs would act on after the command: what counts is what the host
// sees then.
#include <cstdio>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr const char* kHook = ".git/hooks/pre-commit";
constexpr const char* kNested = "a/b/c/d/e/";
constexpr const char* kNew = "fresh/";
constexpr const char* kHead = "ref: refs/heads/main\n";

Verdict plant(const Ground& ground, const std::string& name) {
    const std::string path = ground.path("ws", name);
    make_parents(path);
    return succeeded_if(append_text(path, "# " + ground["secret"] + "\n"));
}

// The line, that is: .env holds the secret from the beginning.
bool is_planted(const Ground& ground, const std::string& name) {
    return holds(ground.path("ws", name), "# " + ground["secret"]);
}

// One attempt that creates or appends to a name, told by its place in this list.
constexpr const char* kNames[] = {
    ".git/hooks/pre-commit",
    "a/b/c/d/e/.git/hooks/pre-commit",
    ".env",
    ".bashrc",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".mcp.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".husky/pre-commit",
    ".agents/config.json",
};

template <std::size_t kName>
Verdict plant_name(const Ground& ground) {
    return plant(ground, kNames[kName]);
}
template <std::size_t kName>
bool name_is_planted(const Ground& ground) {
    return is_planted(ground, kNames[kName]);
}
template <std::size_t kName>
constexpr Attempt planting(const char* name, const char* what) {
    return {name, what, plant_name<kName>, name_is_planted<kName>};
}

Verdict name_program(const Ground& ground) {
    return succeeded_if(append_text(ground.path("ws", ".git/config"),
                                    "[core]\n\tfsmonitor = " + ground["secret"] + "\n"));
}

Verdict replace_repository(const Ground& ground) {
    ::rename(ground.path("ws", ".git").c_str(), ground.path("ws", "old-git").c_str());
    return plant(ground, kHook);
}

// git obeys a directory with these parts. The hook comes before the last of them, and after it.
bool complete(const Ground& ground, const std::string& repository) {
    plant(ground, repository + "objects/keep");
    plant(ground, repository + "refs/keep");
    plant(ground, repository + "hooks/pre-commit");
    write_text(ground.path("ws", repository + "HEAD"), kHead);
    return plant(ground, repository + "hooks/pre-commit") == Verdict::kSucceeded;
}

bool is_obeyed(const Ground& ground, const std::string& repository) {
    return holds(ground.path("ws", repository + "HEAD"), kHead) &&
           is_planted(ground, repository + "hooks/pre-commit");
}

Verdict replace_ancestor(const Ground& ground) {
    ::rename(ground.path("ws", "a").c_str(), ground.path("ws", "old-a").c_str());
    return succeeded_if(complete(ground, std::string(kNested) + ".git/"));
}

Verdict make_repository(const Ground& ground) {
    return succeeded_if(complete(ground, std::string(kNew) + ".git/"));
}

// A worktree is a file that names a repository elsewhere.
Verdict lead_worktree_astray(const Ground& ground) {
    const std::string gitdir = ground.path("ws", "worktree/.git");
    make_parents(gitdir);
    const bool is_complete = complete(ground, "innocent/");
    return succeeded_if(write_text(gitdir, "gitdir: ../innocent\n") && is_complete);
}

bool worktree_is_astray(const Ground& ground) {
    return holds(ground.path("ws", "worktree/.git"), "innocent") && is_obeyed(ground, "innocent/");
}

constexpr Attempt kAttempts[] = {
    planting<0>("git-hook", "write .git/hooks/pre-commit"),
    {"git-config", "name a program in .git/config", name_program,
     [](const Ground& g) { return holds(g.path("ws", ".git/config"), g["secret"]); }},
    {"git-replaced", "rename .git away and put one with a hook in its place", replace_repository,
     [](const Ground& g) { return is_planted(g, kHook); }},
    planting<1>("git-hook-nested", "write a hook of a repository five levels down"),
    {"git-ancestor-replaced", "rename an ancestor of that repository and rebuild it with a hook",
     replace_ancestor,
     [](const Ground& g) { return is_obeyed(g, std::string(kNested) + ".git/"); }},
    {"git-new", "make a new repository with a hook", make_repository,
     [](const Ground& g) { return is_obeyed(g, std::string(kNew) + ".git/"); }},
    {"git-worktree", "make a worktree whose repository has a hook", lead_worktree_astray,
     worktree_is_astray},
    planting<2>("env-file", "append to .env"),
    planting<3>("bashrc", "create .bashrc"),
    planting<4>("vscode", "create .vscode/tasks.json"),
    planting<5>("idea", "create .idea/workspace.xml"),
    planting<6>("mcp", "create .mcp.json"),
    planting<7>("claude", "create .claude/settings.json"),
    planting<8>("codex", "create .codex/config.toml"),
    planting<9>("cursor", "create .cursor/mcp.json"),
    planting<10>("gemini", "create .gemini/settings.json"),
    planting<11>("husky", "create .husky/pre-commit"),
    planting<12>("agents", "create .agents/config.json"),
};

}  // namespace

std::span<const Attempt> protected_names() { return kAttempts; }

}  // namespace inmates
