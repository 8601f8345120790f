// What a secret looks like: the tables of the secret scanner. Data only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace paddock::secrets {

// A token that is known by its shape. The pattern is the part of regular expressions that needs no
// search: literals, sets ("[a-z_]", "\w", "\d", "\." ...) and counts "{n}", "{n,m}", each item
// taking as much as it can. What follows the match and is in the set of the last item belongs to
// it.
struct SecretShape {
    enum class Start : std::uint8_t {
        kAnywhere,
        kWord,   // not after a letter, digit, "_" or "-"
        kValue,  // nor after "+" or "/": base64 has any four letters somewhere
    };

    std::string_view kind;
    std::string_view pattern;      // its first four bytes should be rare, see LeadFilter
    std::string_view before = {};  // one item with a count that stands before it
    Start start = Start::kAnywhere;
};

std::span<const SecretShape> secret_shapes() noexcept;

// A word that makes the name it stands in the name of a secret: DB_PASSWORD, authToken, api-key.
struct SecretWord {
    enum class Rest : std::uint8_t {
        kAnything,   // whatever stands before it in the name
        kSeparate,   // only after "_", "-" or as a hump of camelCase: "smtp_pass", not "bypass"
        kQualified,  // only after one of secret_qualifiers(): "api_key", not "key"
    };

    std::string_view word;  // lower case
    std::string_view kind;
    Rest rest = Rest::kAnything;
};

// A word that begins another one comes after it.
std::span<const SecretWord> secret_words() noexcept;

// What makes a key a secret one: "api", "private"...
std::span<const std::string_view> secret_qualifiers() noexcept;

// Words that, before "token", make it one that opens nothing: "nextToken", "page_token"...
std::span<const std::string_view> harmless_qualifiers() noexcept;

// Words that, behind a secret word, name something about the secret: "url", "length"...
bool is_about_a_secret(std::string_view lower_case_word) noexcept;

}  // namespace paddock::secrets
