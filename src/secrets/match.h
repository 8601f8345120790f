// Confirms or rejects one candidate: the second stage of the secret scanner.
//
// A matcher sees a bounded piece of the text before and after the candidate and nothing else, so
// the answer does not depend on how the text was cut into chunks. A secret may be longer than what
// is seen; the rest of it is named by a set of bytes (Tail), which the scanner goes on swallowing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <paddock/limits.h>

#include "secrets/lead_filter.h"
#include "secrets/pattern.h"
#include "secrets/rules.h"
#include "text/byte_set.h"

namespace paddock::secrets {

// What stands in the place of a secret begins so: "[REDACTED:kind]".
inline constexpr std::string_view kMarkStart = "[REDACTED:";

// How much more belongs to a secret, more than nothing unless it has ended.
struct TailStep {
    std::size_t length = 0;
    bool ended = false;
};

struct Tail {
    text::ByteSet bytes;  // what follows and is in here still belongs to the secret
    // Or what this says does, which sees limits::kSecretAheadMax bytes or all that is left.
    TailStep (*pass)(std::string_view text) noexcept = nullptr;
};

struct FoundSecret {
    std::size_t behind = 0;  // where it begins: so many bytes before the candidate
    std::size_t begin = 0;   // or after it
    std::size_t end = 0;     // after the candidate
    std::string_view kind;
    const Tail* tail = nullptr;  // outlives everything
};

// What stands around a candidate, at most limits::kSecretBehindMax and limits::kSecretAheadMax
// bytes of it.
struct Surroundings {
    std::string_view before;
    std::string_view after;  // begins with the candidate
};

class SecretMatcher {
public:
    SecretMatcher();

    std::span<const Lead> leads() const noexcept { return leads_; }
    // Where in a match its lead stands.
    std::size_t offset(std::size_t lead) const noexcept { return offsets_[lead]; }
    // A secret may go on behind a backslash at the end of a line.
    std::optional<FoundSecret> match(std::size_t lead, const Surroundings& around) const noexcept;

private:
    struct Shape {
        std::string_view kind;
        SecretPattern pattern;
        std::optional<SecretPattern> before;
        secrets::SecretShape::Start start;
        Tail tail;
    };
    using Other = std::optional<FoundSecret> (*)(const Surroundings&);

    std::optional<FoundSecret> match_lines(std::size_t lead,
                                           const Surroundings& around) const noexcept;

    void add_lead(const SecretPattern& pattern);
    std::optional<FoundSecret> match_shape(const Shape& shape,
                                           const Surroundings& around) const noexcept;

    std::vector<Shape> shapes_;  // the first leads are theirs, in order; then those of others_
    std::vector<Other> others_;
    std::vector<Lead> leads_;
    std::vector<std::size_t> offsets_;
};

// Not after a letter, digit, "_" or "-", or after an escape that ends like that: "\n", "\u003d",
// "\001", "%3D", the colours of a terminal.
bool begins_word(std::string_view before) noexcept;

// From a name to its value: the ways in which files, programs and logs write "name is value".
struct Binding {
    enum class Sign : std::uint8_t {
        kEqual,    // name=value, name = "value", name => 'value', name == "value"
        kColon,    // name: value, "name": "value"
        kComma,    // 'name', 'value'
        kElement,  // name>value<
    };

    Sign sign = Sign::kEqual;
    bool tight = false;     // no space on either side of the sign
    char quote = 0;         // what opens the value, or 0
    bool escaped = false;   // the quote follows a backslash
    std::size_t value = 0;  // where the value begins
};

// What stands behind a name, which ends where `text` begins.
std::optional<Binding> binding_at(std::string_view text) noexcept;

struct Value {
    std::string_view examined;  // its start, at most kValueExaminedMax bytes
    const Tail* tail;           // all of it
    bool alone;                 // what follows is the end of a line or element, not of a statement
};
inline constexpr std::size_t kValueExaminedMax = 64;

// The value at the start of `text`. `shell`: only spaces, quotes and what a shell would stop at end
// it, if it has no quotes.
Value value_at(std::string_view text, const Binding& binding, bool shell) noexcept;

// True if `text` begins with `lower_case` in any case.
bool begins_with(std::string_view text, std::string_view lower_case) noexcept;

// Variables with the name of a secret: GITHUB_TOKEN=..., "db_password": "...", config['apiKey'] =
// '...', <password>...</password>, define('SECRET_KEY', '...').
// The candidate is the start of one of the words of secrets::secret_words(), in any case. Only the
// value is found; the name and the quotes stay.
std::optional<FoundSecret> match_assignment(const Surroundings& around) noexcept;

// Passwords that have no sign before them, known by the words around them.
// The candidate is an option in a command line: curl -u user:PASSWORD, mysql -pPASSWORD,
// sshpass -p PASSWORD, docker login -p PASSWORD, redis-cli -a PASSWORD, ldapsearch -w PASSWORD. A
// random password of -u is found without "curl" too.
std::optional<FoundSecret> match_option(const Surroundings& around) noexcept;

// The same for "-user ", which ends "--user" and "--proxy-user", and for "-su " of curl.
std::optional<FoundSecret> match_long_user_option(const Surroundings& around) noexcept;
std::optional<FoundSecret> match_joined_options(const Surroundings& around) noexcept;

// The candidate is "password " in a line of .netrc: machine HOST login USER password PASSWORD.
std::optional<FoundSecret> match_netrc(const Surroundings& around) noexcept;

// The candidate is a port in a line of .pgpass: HOST:5432:DATABASE:USER:PASSWORD.
std::optional<FoundSecret> match_pgpass(const Surroundings& around) noexcept;

// What belongs to an access key of AWS that ends where the text begins: the rest of it, and a bare
// secret key of 40 characters in the next column or line.
TailStep pass_aws_key(std::string_view text) noexcept;

// Credentials on the wire: in URLs and in Authorization headers.
// The candidate is "://" of "scheme://user:password@host" or "scheme://token@host". What stands
// before the "@" is found.
std::optional<FoundSecret> match_url(const Surroundings& around) noexcept;

// The candidate is "auth" of "Authorization: Basic dXNlcjpwYXNz", or of "_auth=dXNlcjpwYXNz" and
// "auth": "dXNlcjpwYXNz" in the configuration of package managers and registries.
std::optional<FoundSecret> match_authorization(const Surroundings& around) noexcept;

// The candidate is "sig=" of a shared access signature of Azure: 32 bytes in base64, whose marks
// may be percent-encoded.
std::optional<FoundSecret> match_signature(const Surroundings& around) noexcept;

// The candidate is "bearer" of "Bearer abc...", wherever it stands.
std::optional<FoundSecret> match_bearer(const Surroundings& around) noexcept;

}  // namespace paddock::secrets
