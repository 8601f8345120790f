// The attacks of `paddock prove`, as data: two tables in attacks.cc.
//
// A path attack makes one call with one path, twice: by a careless tool, which checks the path and
// then uses it by name, and by paddock. A command attack runs one script, in plain bash and in
// paddock's sandbox. trial.h runs both sides and judges them alike.
//
// To add an attack, add a row. The id of a path attack is in tests/escape/catalogue.tsv, that of a
// command in tests/inmates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/shell.h>

namespace paddock::cli::prove {

// What the careless tool checks before it acts.
enum class Check : std::uint8_t {
    kNothing,   // joins the path to the workspace; an absolute path wins
    kNoDots,    // refuses a path that begins with ".."
    kDenylist,  // refuses a path that ends with the name "keys"
    kLexical,   // normalises the text, and knows no links
    kPrefix,    // the same, but "/ws-evil" begins with "/ws"
    kNoLink,    // lexical, and lstat finds no link
    kRealPath,  // realpath of the part that exists
};

// What both sides then do with the path. The careless tool uses the calls that come to mind first.
enum class Call : std::uint8_t {
    kRead,
    kSearch,     // reads all files below; the careless tool follows links
    kWrite,      // the careless tool truncates and writes
    kReplace,    // the careless tool writes a new file, copies the old mode and renames
    kRemoveAll,  // in a race, the tree is planted again for each try
};

// Two names in the workspace that a second thread exchanges all the time, while the call is made
// again and again.
struct Race {
    std::string_view first;
    std::string_view second;
};

struct PathAttack {
    std::string_view id;
    std::string_view title;
    std::vector<std::string_view> tree;  // planted in the workspace, see Ground::plant
    Check check;
    Call call;
    std::string_view path;          // see Ground::spelled
    std::optional<Code> must;       // paddock refuses with it; if absent, paddock does no harm
    std::string_view mounted = {};  // directory in the workspace on which the outside is mounted
    std::optional<Race> race = {};
};

struct CommandAttack {
    std::string_view id;
    std::string_view title;
    // Runs in the workspace, which holds .env with the secret, a git repository and a FIFO `held`.
    // $OUT is the outside. $HOST is a process of the host that sends the secret from port $PORT.
    std::string_view script;
    std::string_view planted = {};    // must not contain "evil" afterwards
    std::optional<Layer> needs = {};  // without it paddock promises nothing: skipped
};

const std::vector<PathAttack>& path_attacks();
const std::vector<CommandAttack>& command_attacks();

}  // namespace paddock::cli::prove
