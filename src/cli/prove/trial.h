// Runs one attack on fresh ground, and judges. Whoever hands over the secret, changes anything
// outside, or leaves behind what the row forbids, has leaked: the careless tool and plain bash by
// the same measure as paddock. Everything but paddock's own calls uses the plain OS.
//
// What cannot be set up is kSkipped; nothing throws but Ground and judge(). For processes with a
// single thread.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root_options.h>

#include "cli/prove/attacks.h"
#include "cli/prove/prove.h"

namespace paddock::cli::prove {

// The content of outside/secret and ws-evil/secret.
inline constexpr std::string_view kSecret = "decoy-behind-the-fence";

// Where an attack is tried: a workspace, and an outside full of decoys.
//
//   base/ws             the workspace
//   base/outside        decoys: whoever reads or changes one has got out
//   base/ws-evil        more decoys; its name begins like the workspace's
//
// A Ground makes all of it and removes it. What cannot be made throws std::system_error.
class Ground {
public:
    explicit Ground(std::string base);
    ~Ground();
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;

    std::string at(std::string_view name) const { return base_ + "/" + std::string(name); }
    std::string ws(std::string_view name) const { return at("ws/" + std::string(name)); }

    // The path of a row: a leading "@" stands for base.
    std::string spelled(std::string_view path) const;

    // Makes the entries, each written as one string; names are relative to the workspace, parents
    // are made:
    //   "d/"        a directory         "f=text"          a file ("f=@" holds the secret)
    //   "l->target" a link, verbatim    "p|"              a FIFO
    //   "f%4755"    sets the mode       "h&../outside/x"  a hard link
    void plant(const std::vector<std::string_view>& tree) const;

    // Plants again a tree that lies below one directory of the workspace, while others exchange
    // names in there: the old one leaves, and the new one appears, by a single rename.
    void replant(const std::vector<std::string_view>& tree) const;

    // All that can be changed outside: names, modes, sizes, times and content.
    std::string outside() const;

private:
    std::string base_;
};

// What came of one try, as the one who tried sees it.
struct Attempt {
    std::string got;                   // the bytes that were handed over
    std::optional<Code> refused = {};  // paddock said no
    bool would_block = false;          // the tool would now wait for ever
};

// Judges what `act` does on a ground that has been planted. A race ends with the first leak, or
// after so many rounds: a tenth of them where each try uses up the tree.
Verdict judge(const Ground& ground, const PathAttack& attack, const std::function<Attempt()>& act,
              int rounds);

// In `scratch`, a directory of ours, a trial makes and removes "ground". Without a resolver the
// careless tool is tried, in a race for up to four times as many rounds.
Verdict try_path(const PathAttack& attack, std::optional<ResolverKind> resolver,
                 const std::string& scratch, int rounds);

enum class Runner : bool { kPlainBash, kPaddock };
Verdict try_command(const CommandAttack& attack, Runner runner, const std::string& scratch);

// Plain bash and the level of the sandbox in `scratch` ("full", "low"), or why there is none.
Group command_contenders(const std::string& scratch);

// Signals that end the run; prove.cc holds them back. Has one come?
sigset_t ending_signals() noexcept;
bool is_interrupted() noexcept;

}  // namespace paddock::cli::prove
