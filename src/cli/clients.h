// The agents that `paddock install` knows: where each keeps its servers, and how it writes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace paddock::cli {

enum class Scope : std::uint8_t { kUser, kProject };

struct Place {
    std::string variable{};  // of the environment, names the directory instead of the home
    std::string file;        // below it, or below the directory of the variable
    std::string in_variable{};
};

struct Client {
    std::string name;   // "claude"
    std::string title;  // "Claude Code"
    bool toml = false;  // else JSON
    Place user;
    std::string project_file;
    std::vector<std::string> path;  // to the server's entry
    std::string root;               // where the client's project is, as it writes that

    // What starts the server: the entry.
    json::Object (*entry)(const std::string& program, const std::vector<std::string>& words);
};

const std::vector<Client>& clients();

// nullptr: there is none.
const Client* find_client(std::string_view name);

}  // namespace paddock::cli
