// A decoy of a person's home, a workspace, and the same command outside and inside.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {

class World : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        std::filesystem::create_directory(home());
        std::filesystem::create_directory(base() + "/state");
        // On the low level root's commands run as the owner of the workspace.
        ::chmod(base().c_str(), 0755);
        if (is_root()) (void)!::chown(ws().c_str(), kOwner, kOwner);
        setting_.variables = {{"HOME", home()},
                              {"XDG_STATE_HOME", base() + "/state"},
                              {"XDG_CONFIG_HOME", ""},
                              {"PATH", "/usr/bin:/bin"}};
        for (const char* name :
             {"NVM_DIR", "FNM_DIR", "VOLTA_HOME", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT",
              "PYENV_ROOT", "PIPX_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR",
              "DENO_INSTALL", "BUN_INSTALL", "HOMEBREW_PREFIX", "JAVA_HOME", "LC_ALL"}) {
            setting_.variables[name] = "";
        }
        const Ran probe = inside({"true"});
        if (probe.exit_code == 125) GTEST_SKIP() << probe.err;
        ASSERT_EQ(probe.exit_code, 0) << probe.err;
    }

    static constexpr uid_t kOwner = 65534;

    std::string home(const std::string& name = {}) const {
        return base() + "/user" + (name.empty() ? "" : "/" + name);
    }
    Setting& setting() { return setting_; }

    Ran inside(const std::vector<std::string>& command,
               const std::vector<std::string>& options = {}, const std::string& root = {}) {
        std::vector<std::string> words{"run", "--root", root.empty() ? ws() : root};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), command.begin(), command.end());
        return paddock(words, setting_);
    }

    // What a plain shell prints with the same variables.
    std::string outside(const std::string& command) const {
        std::string whole = "exec env";
        std::string set;
        for (const auto& [name, value] : setting_.variables) {
            if (value.empty()) {
                whole += " -u " + name;
            } else {
                set += " " + name + "='" + value + "'";
            }
        }
        whole += set;
        std::string quoted = command;
        for (std::size_t at = 0; (at = quoted.find('\'', at)) != quoted.npos; at += 4) {
            quoted.replace(at, 1, "'\\''");
        }
        whole += " sh -c '" + quoted + "' 2>/dev/null";
        std::FILE* pipe = ::popen(whole.c_str(), "r");
        std::string text;
        std::array<char, 4096> block{};
        while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
            text.append(block.data(), got);
        }
        ::pclose(pipe);
        return text;
    }

private:
    Setting setting_;
};

}  // namespace paddock::testing
