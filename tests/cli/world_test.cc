// The user's world inside: toolchains of the home, who commits, umask, language and time zone.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "cli/world.h"
#include "policy/toolchains.h"

namespace paddock::testing {
namespace {

// One toolchain as developers have it, made of scripts, with decoys of credentials beside it.
struct Row {
    const char* name;
    std::vector<const char*> search_path;                    // below the home, as the following
    const char* program;                                     // asked by this name
    std::vector<std::pair<const char*, const char*>> files;  // "->" before a text: a link
    std::vector<const char*> credentials;
};

#define SH "#!/bin/sh\n"

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {"nvm",
         {".nvm/versions/node/v20.1.0/bin"},
         "node",
         {{".nvm/versions/node/v20.1.0/bin/node", SH "echo node 20.1.0"},
          {".nvm/nvm.sh", "nvm() { :; }"}},
         {".npmrc", ".nvm/versions/node/v20.1.0/etc/npmrc", ".nvm/.git/config"}},
        {"fnm",
         {".local/state/fnm_multishells/1_2/bin"},
         "node",
         {{".local/share/fnm/node-versions/v20.2.0/installation/bin/node", SH "echo node 20.2.0"},
          {".local/state/fnm_multishells/1_2",
           "->../../share/fnm/node-versions/v20.2.0/installation"}},
         {".npmrc", ".local/share/fnm/node-versions/v20.2.0/installation/etc/npmrc"}},
        {"volta",
         {".volta/bin"},
         "node",
         {{".volta/bin/node", SH "exec \"${VOLTA_HOME:-$HOME/.volta}/tools/image/node/20.3.0/bin/"
                                 "node\""},
          {".volta/tools/image/node/20.3.0/bin/node", SH "echo node 20.3.0"}},
         {".npmrc", ".volta/tools/image/node/20.3.0/etc/npmrc"}},
        {"cargo",
         {".cargo/bin"},
         "cargo",
         {{".cargo/bin/cargo", SH "echo cargo 1.80.0"}},
         {".cargo/credentials.toml", ".cargo/credentials", ".cargo/config.toml"}},
        {"rustup",
         {".cargo/bin"},
         "rustc",
         {{".cargo/bin/rustc", SH "r=${RUSTUP_HOME:-$HOME/.rustup}\n. \"$r/settings.toml\"\n"
                                  "[ -d \"$r/update-hashes\" ] || exit 1\n"
                                  "exec \"$r/toolchains/$default_toolchain/bin/rustc\""},
          {".rustup/settings.toml", "default_toolchain='stable'\n"},
          {".rustup/update-hashes/stable", "0123456789abcdef"},
          {".rustup/toolchains/stable/bin/rustc", SH "echo rustc 1.80.0"}},
         {".cargo/credentials.toml", ".rustup/downloads/token"}},
        {"go",
         {"go/bin"},
         "gopls",
         {{"go/bin/gopls", SH "echo gopls 0.16"}},
         {".netrc", "go/pkg/mod/cache/private", "go/src/private/main.go"}},
        {"go",
         {"sdk/go1.22/bin"},
         "go",
         {{"sdk/go1.22/bin/go", SH "cat \"$(dirname \"$0\")/../VERSION\""},
          {"sdk/go1.22/VERSION", "go1.22\n"},
          {"sdk/go1.22/pkg/tool/linux_amd64/compile", SH}},
         {".config/go/env"}},
        {"pyenv",
         {".pyenv/shims", ".pyenv/bin"},
         "python",
         {{".pyenv/shims/python",
           SH "exec \"${PYENV_ROOT:-$HOME/.pyenv}/versions/3.12/bin/python\""},
          {".pyenv/bin/pyenv", SH "echo pyenv"},
          {".pyenv/versions/3.12", "->3.12.4"},
          {".pyenv/versions/3.12.4/bin/python", SH "echo Python 3.12.4"}},
         {".pypirc", ".config/pip/pip.conf", ".pyenv/versions/3.12.4/pip.conf",
          ".pyenv/versions/3.12.4/envs/mine/pip.conf"}},
        {"uv",
         {".local/bin"},
         "ruff",
         {{".local/bin/ruff", "->../share/uv/tools/ruff/bin/ruff"},
          {".local/share/uv/tools/ruff/bin/ruff", SH "echo ruff 0.5; uv"},
          {".local/bin/uv", SH "echo uv 0.4"}},
         {".local/share/uv/credentials/credentials.toml",
          ".local/share/uv/tools/ruff/uv-receipt.toml", ".local/bin/my-script-with-a-token"}},
        {"pipx",
         {".local/bin"},
         "black",
         {{".local/bin/black", "->../share/pipx/venvs/black/bin/black"},
          {".local/share/pipx/venvs/black/bin/black", SH "echo black 24"},
          {".local/share/pipx/venvs/black/pyvenv.cfg", "version = 3.12\n"}},
         {".local/share/pipx/venvs/black/pipx_metadata.json",
          ".local/share/pipx/venvs/black/pip.conf", ".pypirc"}},
        {"asdf",
         {".asdf/shims"},
         "ruby",
         {{".asdf/shims/ruby",
           SH "exec \"${ASDF_DATA_DIR:-$HOME/.asdf}/installs/ruby/3.3.0/bin/ruby\""},
          {".asdf/installs/ruby/3.3.0/bin/ruby", SH "echo ruby 3.3.0"},
          {".tool-versions", "ruby 3.3.0\n"}},
         {".gem/credentials", ".asdf/installs/rust/1.80/credentials.toml",
          ".asdf/plugins/ruby/.git/config"}},
        {"mise",
         {".local/share/mise/installs/node/20/bin"},
         "node",
         {{".local/share/mise/installs/node/20", "->./20.4.0"},
          {".local/share/mise/installs/node/20.4.0/bin/node", SH "echo node 20.4.0"}},
         {".config/mise/config.toml", ".local/share/mise/installs/node/20.4.0/etc/npmrc"}},
        {"sdkman",
         {".sdkman/candidates/java/current/bin"},
         "java",
         {{".sdkman/candidates/java/current", "->21.0.3"},
          {".sdkman/candidates/java/21.0.3/bin/java",
           SH "cat \"$(dirname \"$(readlink -f \"$0\")\")/../conf/security\""},
          {".sdkman/candidates/java/21.0.3/conf/security", "java 21.0.3\n"}},
         {".m2/settings.xml", ".sdkman/candidates/maven/3.9/conf/settings.xml",
          ".gradle/gradle.properties"}},
        {"deno",
         {".deno/bin"},
         "deno",
         {{".deno/bin/deno", SH "echo deno 1.45"}},
         {".deno/credentials.json", ".config/gh/hosts.yml"}},
        {"bun",
         {".bun/bin"},
         "cowsay",
         {{".bun/bin/cowsay", "->../install/global/node_modules/cowsay/cli"},
          {".bun/install/global/node_modules/cowsay/cli", SH "echo cowsay 1.6"}},
         {".bunfig.toml", ".bun/install/global/bunfig.toml"}},
        {"homebrew",
         {".linuxbrew/bin"},
         "jq",
         {{".linuxbrew/bin/jq", "->../Cellar/jq/1.7/bin/jq"},
          {".linuxbrew/Cellar/jq/1.7/bin/jq", SH "echo jq 1.7"}},
         {".linuxbrew/etc/gitconfig", ".linuxbrew/etc/redis.conf", ".ssh/id_ed25519"}},
        {"homebrew",
         {"homebrew/bin"},
         "fd",
         {{"homebrew/bin/fd", "->../Cellar/fd/10/bin/fd"},
          {"homebrew/Cellar/fd/10/bin/fd", SH "echo fd 10"}},
         {"homebrew/etc/gitconfig", "homebrew/var/db/password"}},
    };
    return all;
}

class Toolchain : public World {
protected:
    void make(const Row& row) {
        for (const auto& [path, text] : row.files) place(path, text);
        for (const char* path : row.credentials) place(path, "decoy-credential");
        std::string search_path;
        for (const char* each : row.search_path) search_path += home(each) + ":";
        setting().variables["PATH"] = search_path + "/usr/bin:/bin";
    }
    void place(const std::string& path, const std::string& text) {
        const std::filesystem::path whole = home(path);
        std::filesystem::create_directories(whole.parent_path());
        if (text.starts_with("->")) {
            std::filesystem::create_symlink(text.substr(2), whole);
            return;
        }
        std::ofstream(whole) << text;
        if (text.starts_with("#!"))
            std::filesystem::permissions(whole, std::filesystem::perms(0755));
    }
    bool leaks(const std::string& path) {
        return inside({"cat", path}).out.find("decoy-credential") != std::string::npos;
    }
};

class EachToolchain : public Toolchain, public ::testing::WithParamInterface<std::size_t> {};

ATTACK_P(EachToolchain, WD_01, runs_and_keeps_its_credentials) {
    const Row& row = rows()[GetParam()];
    make(row);
    const std::string ask = std::string(row.program) + " --version";
    const std::string outside_answer = outside(ask);
    ASSERT_FALSE(outside_answer.empty()) << "the toolchain is no good for this test";
    const Ran ran = inside({"sh", "-c", ask});
    EXPECT_EQ(ran.out, outside_answer) << ran.err;
    for (const char* credential : row.credentials) {
        EXPECT_EQ(outside("cat '" + home(credential) + "'"), "decoy-credential")
            << "the decoy cannot be read at all: " << credential;
        EXPECT_FALSE(leaks(home(credential))) << credential;
    }
    const std::string program = home(row.search_path[0]) + "/planted";
    (void)inside({"sh", "-c", "echo > '" + program + "'"});
    EXPECT_FALSE(os_exists(program));

    // Without the setting it is not there at all.
    const Ran narrowed = inside({"sh", "-c", ask}, {"--toolchain", "none"});
    EXPECT_NE(narrowed.out, outside_answer);
    const char* other = std::string_view(row.name) == "deno" ? "bun" : "deno";
    EXPECT_NE(inside({"sh", "-c", ask}, {"--toolchain", other}).out, outside_answer);
    if (std::string_view(row.name) == "rustup") return;  // needs cargo
    EXPECT_EQ(inside({"sh", "-c", ask}, {"--toolchain", row.name}).out, outside_answer);
}

INSTANTIATE_TEST_SUITE_P(Table, EachToolchain, ::testing::Range(std::size_t{0}, rows().size()),
                         [](const auto& row) {
                             return std::string(rows()[row.param].name) + "_" +
                                    rows()[row.param].program;
                         });

TEST(Toolchains, each_has_a_row) {
    std::set<std::string_view> tested;
    for (const Row& row : rows()) tested.insert(row.name);
    for (const policy::Toolchain& each : policy::all_toolchains()) {
        EXPECT_TRUE(tested.contains(each.name)) << each.name;
    }
}

// May every user enter the directories above it?
bool is_open_to_all(std::string path) {
    struct stat raw;
    for (auto end = path.rfind('/'); end != 0 && end != path.npos; end = path.rfind('/')) {
        path.resize(end);
        if (::stat(path.c_str(), &raw) != 0 || (raw.st_mode & 1U) == 0) return false;
    }
    return true;
}

// Not the scripts of this test, but what whoever runs it has installed.
TEST_F(Toolchain, of_whoever_runs_this_answers_as_outside) {
    for (const char* name : {"HOME", "PATH"}) {
        if (const char* value = std::getenv(name)) setting().variables[name] = value;
    }
    // There are no mounts there, and commands of root are another user's.
    const std::string level = paddock({"doctor"}, setting()).out;
    const bool is_anothers = is_root() && level.find("the low level") != level.npos;
    int asked = 0;
    for (const std::string program :
         {"node", "npm", "pnpm", "cargo", "rustc", "go version", "python3", "pip", "uv", "java",
          "mvn", "ruby", "deno", "bun"}) {
        const std::string ask = program + " --version";
        const std::string answer = outside(ask);
        if (answer.empty()) continue;  // not installed
        const std::string program_name = program.substr(0, program.find(' '));
        if (is_anothers && !is_open_to_all(outside("command -v " + program_name))) continue;
        const Ran ran = inside({"sh", "-c", ask});
        EXPECT_EQ(ran.out, answer) << ask << ran.err;
        ++asked;
    }
    if (asked == 0) GTEST_SKIP() << "no toolchain is installed";
}

ATTACK_F(Toolchain, WD_02, that_is_a_link_to_the_home_widens_nothing) {
    place("bin/tool", SH "echo tool");
    place("bin/credential", "decoy-credential");
    place(".cargo", "->.");
    setting().variables["PATH"] = home(".cargo/bin") + ":/usr/bin:/bin";
    EXPECT_EQ(outside("tool"), "tool\n");
    EXPECT_EQ(outside("cat '" + home(".cargo/bin/credential") + "'"), "decoy-credential");
    for (const char* path : {".cargo/bin/credential", "bin/credential"}) {
        EXPECT_FALSE(leaks(home(path))) << path;
    }
    EXPECT_EQ(inside({"tool"}).exit_code, 127);
    const Ran doctor = paddock({"doctor"}, setting());
    EXPECT_NE(doctor.out.find("is a link"), std::string::npos) << doctor.out;
}

TEST_F(Toolchain, that_leads_elsewhere_by_links_widens_nothing) {
    std::filesystem::create_directories(base() + "/elsewhere/bin");
    os_write(base() + "/elsewhere/bin/credential", "decoy-credential");
    place(".deno", "->" + base() + "/elsewhere");          // the toolchain itself
    place(".cargo/bin", "->../../elsewhere/bin");          // a part of it
    place(".bun/install/global/node_modules", "->../..");  // to the toolchain, and all in it
    place(".bun/bin/bun", SH "echo bun");
    place(".bun/credential", "decoy-credential");
    setting().variables["PATH"] =
        home(".deno/bin") + ":" + home(".cargo/bin") + ":" + home(".bun/bin") + ":/usr/bin:/bin";
    // Directories above the home, and the home itself, by the variables that name them.
    setting().variables["NVM_DIR"] = base();
    setting().variables["PYENV_ROOT"] = home();
    EXPECT_EQ(inside({"bun"}).out, "bun\n");
    for (const std::string& path : {home(".deno/bin/credential"), home(".cargo/bin/credential"),
                                    base() + "/elsewhere/bin/credential", home(".bun/credential"),
                                    home(".bun/install/global/node_modules/credential")}) {
        EXPECT_EQ(outside("cat '" + path + "'"), "decoy-credential") << path;
        EXPECT_FALSE(leaks(path)) << path;
    }
}

// Only a directory that has the marker of its kind is one of that kind.
TEST_F(Toolchain, is_found_where_a_variable_says) {
    struct Named {
        const char* variable;
        const char* directory;
        const char* marker;
    };
    for (const Named& row : {Named{"DENO_INSTALL", "tools/deno", "bin/deno"},
                             {"CARGO_HOME", "tools/cargo", "bin/cargo"},
                             {"GOPATH", "tools/gopath", "pkg/mod/cache"},
                             {"GOROOT", "tools/go", "src/runtime/runtime.go"},
                             {"BUN_INSTALL", "tools/bun", "bin/bun"},
                             {"HOMEBREW_PREFIX", "tools/brew", "bin/brew"}}) {
        const std::string directory = row.directory;
        place(directory + "/bin/program", SH "echo " + directory);
        place(directory + "/private/token", "decoy-credential");
        setting().variables[row.variable] = home(directory);
        setting().variables["PATH"] = home(directory + "/bin") + ":/usr/bin:/bin";
        EXPECT_EQ(outside("program"), directory + "\n");
        EXPECT_EQ(inside({"program"}).exit_code, 127) << row.variable << " without a marker";
        place(directory + "/" + row.marker, SH);
        const Ran ran = inside({"program"});
        EXPECT_EQ(ran.out, directory + "\n") << row.variable << ran.err;
        EXPECT_FALSE(leaks(home(directory + "/private/token"))) << row.variable;
        setting().variables[row.variable] = "";
    }
}

ATTACK_F(Toolchain, WD_03, that_a_variable_makes_of_the_data_of_others_widens_nothing) {
    for (const char* path :
         {".local/bin/brew", ".config/bin/go", ".config/bin/cargo", "data/bin/brew"}) {
        place(path, SH);
    }
    place(".config/VERSION", "go1.22\n");
    place(".config/src/runtime/runtime.go", "package runtime\n");
    const std::vector<std::string> credentials{
        ".local/share/keyrings/login", ".config/gcloud/credentials", ".config/lib/credential",
        ".config/src/credential",      ".config/bin/credential",     "data/share/credential"};
    for (const std::string& each : credentials) place(each, "decoy-credential");
    auto& variables = setting().variables;
    variables["PATH"] =
        home(".local/bin") + ":" + home(".config/bin") + ":" + home("data/bin") + ":/usr/bin:/bin";
    variables["GOROOT"] = home(".config");
    variables["CARGO_HOME"] = home(".config");
    const std::pair<const char*, const char*> rows[] = {{"HOMEBREW_PREFIX", ".local"},
                                                        {"HOMEBREW_PREFIX", "data"}};
    variables["XDG_DATA_HOME"] = home("data");
    for (const auto& [variable, directory] : rows) {
        variables[variable] = home(directory);
        for (const std::string& each : credentials) {
            EXPECT_EQ(outside("cat '" + home(each) + "'"), "decoy-credential") << each;
            EXPECT_FALSE(leaks(home(each))) << each;
        }
    }
    const Ran doctor = paddock({"doctor"}, setting());
    EXPECT_NE(doctor.out.find("holds the data of many programs"), std::string::npos) << doctor.out;
}

TEST_F(Toolchain, of_another_user_is_not_shown) {
    if (!is_root()) GTEST_SKIP() << "only root makes a file of another user";
    place(".deno/bin/deno", SH "echo deno");
    setting().variables["PATH"] = home(".deno/bin") + ":/usr/bin:/bin";
    EXPECT_EQ(inside({"deno"}).out, "deno\n");
    ASSERT_EQ(::chown(home(".deno").c_str(), 12345, 12345), 0);
    EXPECT_EQ(inside({"deno"}).exit_code, 127);
}

TEST_F(Toolchain, of_a_home_behind_a_link_is_found_as_the_user_spells_it) {
    place(".deno/bin/deno", SH "echo deno");
    place(".pyenv/bin/python", SH "exec \"" + base() + "/linked/.deno/bin/deno\"");
    std::filesystem::create_symlink("user", base() + "/linked");
    setting().variables["HOME"] = base() + "/linked";
    setting().variables["PATH"] =
        base() + "/linked/.deno/bin:" + base() + "/linked/.pyenv/bin:/usr/bin:/bin";
    EXPECT_EQ(inside({"deno"}).out, "deno\n");
    EXPECT_EQ(inside({"python"}).out, "deno\n");
}

TEST_F(Toolchain, is_listed_by_doctor_with_the_reason) {
    make(rows()[0]);
    const Ran text = paddock({"doctor"}, setting());
    EXPECT_NE(text.out.find(home(rows()[0].search_path[0]) + " is on PATH"), std::string::npos)
        << text.out;
    const auto json = paddock({"doctor", "--json"}, setting()).json();
    const auto& list = json.at("toolchains").as_array();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(text_of(list[0].at("name")), "nvm");
    EXPECT_EQ(text_of(list[0].at("directory")), home(".nvm"));
}

// Otherwise commands would find nothing there, or another program of that name, and nobody knew
// why.
TEST_F(Toolchain, that_nobody_knows_is_named_by_doctor) {
    setting().directory = ws();
    place(".local/share/uv/tools/ruff/bin/ruff", SH);
    place(".local/bin/uv", SH);
    place(".local/bin/ruff", "->../share/uv/tools/ruff/bin/ruff");
    place(".local/bin/notes", "no program");
    place("bin/mine", SH "echo mine");
    place("conda/bin/id", SH "echo conda");
    place("links/id", "->../conda/bin/id");
    std::filesystem::create_directories(home("empty"));
    const std::string elsewhere = base() + "/opt";
    std::filesystem::create_directories(elsewhere);
    std::filesystem::copy(home("bin/mine"), elsewhere + "/mine");
    std::string search_path;
    for (const char* name : {".local/bin", "bin", "conda/bin", "links", "empty", "missing"}) {
        search_path += home(name) + ":";
    }
    setting().variables["PATH"] = search_path + elsewhere + ":/usr/bin:/bin";
    EXPECT_EQ(outside("mine; id"), "mine\nconda\n");
    EXPECT_NE(inside({"sh", "-c", "mine; id"}).out, "mine\nconda\n");
    const auto named = [this] {
        std::set<std::string> paths;
        const auto json = paddock({"doctor", "--json"}, setting()).json();
        for (const auto& each : json.at("toolchains_refused").as_array()) {
            EXPECT_NE(text_of(each.at("reason")).find("--see"), std::string::npos);
            paths.insert(text_of(each.at("path")));
        }
        return paths;
    };
    std::set<std::string> all{home("bin"), home("conda/bin"), home("links"), elsewhere};
    EXPECT_EQ(named(), all);
    setting().variables["PADDOCK_SEE"] = home("bin") + "," + elsewhere;
    all = {home("conda/bin"), home("links")};
    EXPECT_EQ(named(), all);
    EXPECT_EQ(inside({"mine"}).out, "mine\n");
    // Its own programs are not those of the toolchain in it.
    place(".local/bin/mine", SH);
    all.insert(home(".local/bin"));
    EXPECT_EQ(named(), all);
}

ATTACK_F(Toolchain, WD_11, in_a_workspace_that_holds_the_home_is_not_changed) {
    const std::string node = ".nvm/versions/node/v20.1.0/bin/node";
    place(node, SH "echo node");
    place(".nvm/versions/node/v18.1.0/bin/node", SH "echo old");
    place("bin/mine", SH "echo mine");
    place("go/bin/gopls", SH);
    place("go/src/main.go", "package main");
    place("project/tools/tool", SH);
    setting().variables["PATH"] = home(".nvm/versions/node/v20.1.0/bin") + ":" + home("bin") + ":" +
                                  home("go/bin") + ":" + home("project/tools") + ":" +
                                  home("app/node_modules/.bin") + ":" + home("app/env/bin") +
                                  ":/usr/bin:/bin";
    place("app/node_modules/.bin/vite", SH);
    place("app/env/bin/pip", SH);
    place("app/env/pyvenv.cfg", "home = /usr/bin");
    if (inside({"true"}, {}, home()).exit_code == 125) GTEST_SKIP() << "not for the owner here";
    const std::vector<std::string> attacks{
        "echo evil > " + node,
        "rm " + node + "; echo evil > " + node,
        "echo evil > .nvm/versions/node/v18.1.0/bin/node",
        "mv .nvm/versions spare",
        "mv .nvm spare",
        "echo evil > bin/mine",
        "echo evil > bin/new",
        "echo evil > new; mv new bin/new",
        "mkdir -p .nvm/versions/node/v22.0.0/bin",
        "mv bin spare",
        "chmod 777 bin/mine && echo evil > bin/mine",
    };
    const auto here = [this](const std::string& command) {
        return inside({"sh", "-ec", command}, {}, home());
    };
    for (const std::string& attack : attacks) {
        EXPECT_NE(here(attack).exit_code, 0) << attack;
        EXPECT_EQ(outside("cd '" + home() + "'; node; mine; ls bin; ls .nvm/versions/node"),
                  "node\nmine\nmine\nv18.1.0\nv20.1.0\n")
            << attack;
    }
    const std::string arguments = R"({"path": "bin/mine", "content": "evil"})";
    const Ran tool = paddock({"call", "write_file", arguments, "--root", home()}, setting());
    EXPECT_NE(tool.err.find("denied_by_rule"), std::string::npos) << tool.err << tool.out;
    // All else can be changed, as can a project with its own programs on PATH.
    EXPECT_EQ(here("touch app/node_modules/.bin/new app/env/bin/new").exit_code, 0);
    EXPECT_EQ(here("echo x >> go/src/main.go; mkdir other; echo x > .nvm/other").exit_code, 0);
    EXPECT_EQ(inside({"sh", "-c", "echo x > tools/tool"}, {}, home("project")).exit_code, 0);
    // The control: without these rules it can.
    setting().variables["PADDOCK_DEFAULT_RULES"] = "no";
    for (const char* attack : {"echo evil > bin/mine", "mv .nvm spare"}) {
        EXPECT_EQ(here(attack).exit_code, 0) << attack;
    }
    EXPECT_EQ(outside("cat '" + home("bin/mine") + "'; node"), "evil\n");
}

TEST_F(Toolchain, keeps_the_order_of_the_search_path) {
    place(".deno/bin/id", SH "echo first");
    setting().variables["PATH"] = home(".deno/bin") + ":/usr/bin:/bin";
    EXPECT_EQ(inside({"id"}).out, "first\n");
    setting().variables["PATH"] = "/usr/bin:" + home(".deno/bin") + ":relative::/bin";
    EXPECT_NE(inside({"id"}).out, "first\n");
    const std::string path = inside({"sh", "-c", "echo $HOME; echo $PATH"}).out;
    const std::string own_home = path.substr(0, path.find('\n'));
    EXPECT_TRUE(
        path.substr(own_home.size() + 1)
            .starts_with("/usr/bin:" + home(".deno/bin") + ":" + own_home + "/.deno/bin:/bin:"))
        << path;
}

// As after `cargo install` or `pip install --user`.
TEST_F(Toolchain, programs_that_a_command_installs_are_found) {
    setting().variables["PATH"] = home(".local/bin") + ":" + home(".cargo/bin") + ":/usr/bin:/bin";
    place(".cargo/bin/cargo", SH);
    const std::string install =
        "mkdir -p ~/.cargo/bin ~/.local/bin; cp $(command -v id) "
        "~/.cargo/bin/installed; cp $(command -v id) ~/.local/bin/mine; ";
    EXPECT_EQ(inside({"sh", "-c", install + "installed -u && mine -u"}).exit_code, 0);
    setting().variables["PATH"] = "/usr/bin:/bin";
    EXPECT_EQ(inside({"sh", "-c", install + "installed -u"}).exit_code, 127);
}

class Person : public World {};

TEST_F(Person, commits_under_the_own_name_unless_the_repository_says_otherwise) {
    os_write(home(".gitconfig"),
             "[user]\n name = \"Ann \\\"A\\\" Author\"\n email = ann@example.org\n"
             "[alias]\n leak = !cat\n[include]\n path = more\n");
    os_write(home("more"), "[user]\n signingkey = decoy\n");
    const std::string commit =
        "git init -q . && git commit -q --allow-empty -m x && git log -1 --format='%an <%ae>'";
    const Ran first = inside({"sh", "-c", commit});
    EXPECT_EQ(first.out, "Ann \"A\" Author <ann@example.org>\n") << first.err;
    EXPECT_EQ(inside({"sh", "-c", "git config alias.leak; git config user.signingkey"}).out, "");
    const Ran own = inside({"sh", "-c",
                            "git config user.email own@example.org && "
                            "git commit -q --allow-empty -m y && "
                            "git log -1 --format='%an <%ae>'"});
    EXPECT_EQ(own.out, "Ann \"A\" Author <own@example.org>\n") << own.err;
    // Nobody changes it for the next session.
    (void)inside({"sh", "-c", "git config --system user.name Mallory"});
    EXPECT_EQ(inside({"git", "config", "user.name"}).out, "Ann \"A\" Author\n");
}

TEST_F(Person, issue_17_13_keeps_umask_language_and_time_zone) {
    for (const mode_t mask : {mode_t{0022}, mode_t{0077}, mode_t{0002}}) {
        const mode_t before = ::umask(mask);
        const Ran ran = inside({"sh", "-c", "umask; : > f; mkdir d; stat -c %a f d; rm -r f d"});
        const std::string plain = outside("cd '" + ws() +
                                          "'; umask; : > f; mkdir d; "
                                          "stat -c %a f d; rm -r f d");
        ::umask(before);
        EXPECT_EQ(ran.out, plain) << ran.err;
    }
    setting().variables["TZ"] = "Asia/Kathmandu";
    setting().variables["LC_TIME"] = "C.UTF-8";
    setting().variables["LC_COLLATE"] = "C.UTF-8";
    const std::string ask = "date -d @0 '+%F %T %z'; locale charmap; echo $LC_TIME $LC_COLLATE";
    EXPECT_EQ(inside({"sh", "-c", ask}).out, outside(ask));
    setting().variables.erase("TZ");
    EXPECT_EQ(inside({"date", "-d", "@0", "+%F %T %z"}).out, outside("date -d @0 '+%F %T %z'"));
}

}  // namespace
}  // namespace paddock::testing
