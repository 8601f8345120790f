// What a command was refused, as far as it was seen: for the person who reads the result.
//
// The observer in the warden sends records through a socket of the command (SOCK_SEQPACKET); the
// log of that command, on the side of the server, reads them. Neither decides anything.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>

#include "base/outcome.h"

namespace paddock::sandbox {

// What stood in the way.
enum class Wall : std::uint8_t {
    kNone,
    kView,      // only the workspace and scratch directories can be changed
    kReadOnly,  // the workspace is read-only as a whole
    kRule,      // a rule protects the path
    kSeen,      // a further directory that may only be read
    kNetwork,   // there is no way out of the own loopback
    kProxy,     // the way out through the proxy leads to listed destinations only
    kLimit,
};

enum class Deed : std::uint8_t {
    kWrite,
    kCreate,
    kRemove,
    kRename,
    kConnect,
    kLookUp,  // the target is the name server
    kExceed,
    kRead,
    kResolve,  // the target is the host
};

struct Denial {
    Wall wall = Wall::kNone;
    Deed deed = Deed::kWrite;
    // A path or an address, as the command had it: untrusted bytes. Of a limit its name.
    std::string target = {};
    std::string why = {};  // instead of the wall's own words
    // Instead of the wall's own, literals.
    std::string_view layer = {};
    std::string_view setting = {};
    std::string option = {};  // of `paddock`, that allows it; empty: none is known
};

// One message of the observer, which knows nothing of the proxy and of limits.
struct DenialRecord {
    Wall wall = Wall::kNone;  // kNone: there were more, and no target
    Deed deed = Deed::kWrite;
    std::uint16_t size = 0;
    std::uint16_t why_size = 0;
    std::array<char, limits::kDenialTargetBytesMax> target{};
    std::array<char, limits::kDenialTargetBytesMax> why{};  // instead of the wall's own words
};

// The layers behind the walls of one session, "mount_namespace" or "landlock" and the like.
struct WallLayers {
    std::string_view files;
    std::string_view network;
};

// "protected by the rule '.env'"
std::string protected_by(std::string_view rule);

// One line each, with the layer and the operator's setting behind it; empty if there are none.
// Those that were not needed share a line. `more`: there were others.
std::string denials_text(const std::vector<CommandDenial>& denials, bool more);

class DenialLog {
public:
    // Reads what has come and does not wait for more. True when the observer is gone.
    Outcome<bool> read(int report);

    // For layers that know for themselves. What is there already is not added again, and of one
    // wall nothing beyond kDenialsMax.
    void add(Denial denial);

    const std::vector<Denial>& denials() const { return denials_; }
    bool has_target(std::string_view target) const;
    bool more() const { return more_; }
    void add(const DenialLog& other);
    void add_more() { more_ = true; }  // there were others, of which nothing is known

    // In the words of people. A command that succeeded needed no place that it did not reach: the
    // look for a newer version that npm takes, for example, decides nothing.
    std::vector<CommandDenial> explained(const WallLayers& layers, bool succeeded = false) const;
    std::string text(const WallLayers& layers, bool succeeded = false) const {
        return denials_text(explained(layers, succeeded), more_);
    }

private:
    std::vector<Denial> denials_;
    bool more_ = false;
};

}  // namespace paddock::sandbox
