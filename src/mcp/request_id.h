// The id of a request that cannot be parsed or is too long to be held: so it is still answered, and
// its client does not wait for a timeout.
//
// Reads any text in parts, and keeps no more of it than an id. An id counts if all before it has
// the shape of a message, if it is the only one, and if a "method" stands beside it: the ids of
// responses are the server's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace paddock::mcp {

// JSON text. Nothing: it is neither a string nor an integer, or too long to be repeated in every
// answer.
std::optional<std::string> id_text(const json::Value& id);

class RequestId {
public:
    void read(std::string_view part);

    // JSON text; empty: there is none.
    std::string found() const;

private:
    // What comes next.
    enum class Next : std::uint8_t {
        kObject,
        kName,
        kColon,
        kValue,
        kRestOfScalar,
        kComma,
        kNothing,  // the end of the message, or no message
    };

    void read(char c);
    void read_in_string(char c);
    void read_nested(char c);
    void begin_value(char c);
    void begin_string(char c);
    void end_value();

    Next next_ = Next::kObject;
    bool in_string_ = false;
    bool escaped_ = false;
    std::size_t nested_ = 0;  // brackets open in the present value
    std::string name_;        // of the present member, quoted
    std::string text_;        // being read: a name, or a value that is no container
    std::string id_;
    std::size_t ids_ = 0;
    bool has_method_ = false;
};

}  // namespace paddock::mcp
