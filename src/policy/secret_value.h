// Is this value, found where a secret is expected, one? Pure decisions on text.
//
// Names alone do not decide: source code is full of `password = get_password()`, `"token":
// "string"` and `SECRET=changeme`. What these let through looks random (secret_randomness.h), or is
// at least not a word.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::policy {

// How the value is written, from the surest sign of data to the surest sign of code.
enum class ValueForm : std::uint8_t {
    kShell,   // NAME=value, an upper-case name and no spaces: environment files, shells, logs
    kQuoted,  // "name": "value", name = 'value', <name>value</name>
    kBare,    // name: value, name = value, name=value
};

// True for the value of a variable whose name is that of a secret.
bool is_secret_value(std::string_view value, ValueForm form) noexcept;

// True for words and numbers joined by "-": "monkey-dragon-42". Only what is called a password can
// be one; anything else so written is a name.
bool is_passphrase(std::string_view value) noexcept;

// True for what no one would call a variable or write by hand.
bool is_random(std::string_view value) noexcept;

// True for names joined by dots, the first of them a word: "crypto.keys.Ed25519Key".
bool is_dotted_name(std::string_view text) noexcept;

// True for what stands for a value: "${TOKEN}", "<token>", "xxxx", "changeme", "" and marks of the
// scanner itself. Text that looks random is one only if it is clearly a template.
bool is_placeholder(std::string_view value) noexcept;

// True if text in the shape of a token is made up for documentation: "AKIA...EXAMPLE", "ghp_xxxx".
bool is_sample_token(std::string_view token) noexcept;

}  // namespace paddock::policy
