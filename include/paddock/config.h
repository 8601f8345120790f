// The operator's configuration: a TOML file, variables of the environment and settings given by a
// program or a command line, into the options of a workspace. docs/configuration.md has them all.
//
//   auto loaded = config::load({.environment = variables});
//   if (!loaded) return loaded.error().front().message();
//   auto workspace = Workspace::open(std::move(loaded->workspace));
//
// Overrides go over the environment, and that over the file. The file is the one that is named,
// else $PADDOCK_CONFIG, else $XDG_CONFIG_HOME/paddock/paddock.toml or ~/.config/paddock/...; there
// may be none. "/dev/null" is none too.
//
// The configuration is the boundary, so it is refused as a whole if anything about it is in doubt:
// a setting that is not known, a file that somebody else than root and the user owns or may write,
// one that lies inside the workspace, where an agent could change it.
//
// Not protected: whoever can set the environment or the command line of the process decides. Only
// what is passed in counts: nothing here reads the environment of the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/workspace.h>

namespace paddock::config {

// For a server of this workspace on HTTP.
struct ServeSettings {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;  // 0: any free one
    std::string token_file{};   // empty: a token is made and shown once
    std::string certificate_file{};
    std::string key_file{};
    std::string plaintext_reason{};  // set: other machines may connect without TLS
    std::vector<std::string> allowed_origins{};
    std::vector<std::string> allowed_hosts{};
    std::uint32_t connections = 1024;  // at once
    std::uint32_t head_bytes = 16'384;
    std::uint64_t body_bytes = std::uint64_t{16} << 20;
    std::uint32_t request_ms = 30'000;  // to send a whole request
    std::uint32_t idle_ms = 60'000;     // between requests
    std::uint32_t write_ms = 30'000;    // to take a part of an answer
    std::uint32_t drain_ms = 10'000;    // for calls under way when the server is told to end
};

// A setting that goes over file and environment.
struct Override {
    std::string key;    // "workspace.read_only"
    std::string value;  // as a variable would hold it; of a list one item, the others follow
    std::string from;   // shown as its origin, for example "--read-only"
};

struct Source {
    std::string file{};                      // empty: the usual places
    std::vector<std::string> environment{};  // "NAME=value", as in environ
    std::vector<Override> overrides{};
    bool make_directories = true;  // the state directory, where a configuration asks for it
};

struct Problem {
    std::string where;  // "paddock.toml:3:7", "$PADDOCK_ROOT", "--root"
    std::string text;

    std::string message() const { return where + ": " + text; }
};

// One setting as it is in force.
struct Item {
    std::string key;
    std::string value;  // in TOML; of secrets and variables for commands only the names
    std::string from;   // "default", or as Problem::where
    bool is_default = true;
};

struct Configuration {
    WorkspaceOptions workspace{};
    ServeSettings serve{};
    std::string file{};  // that was read; empty: none
    std::vector<Item> items{};
};

// Everything that is wrong with it, at once, in the order of the sources.
tl::expected<Configuration, std::vector<Problem>> load(const Source& source);

// A file with every setting, its meaning and its default, all of it commented out.
std::string commented_file();

}  // namespace paddock::config
