// Takes secrets out of what leaves paddock: results, errors, background output, audit records.
//
// FoundSecret are tokens of a known shape, variables with the name of a secret, private keys in
// armour, credentials in URLs and Authorization headers (rules.h has the tables), and
// the exact values that the operator names, also encoded (known_values.h). Each is replaced by
// "[REDACTED:kind]", a value that was learned by "[REDACTED:denied-file]". Text without secrets
// passes unchanged, byte for byte, and redacting twice changes nothing more. Takes time linear in
// the text, whatever it is.
//
// Not found: what was changed before it got here (encrypted, reversed, cut up, in hexadecimal),
// passwords that look like words or code, the middle of a private key without its first line.
// Only for what goes out: what comes in is never altered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "secrets/known_values.h"
#include "secrets/redaction.h"

namespace paddock::secrets {

// All the rules, compiled; copies share them, and what they learn. Any number of threads may use
// one.
class SecretScanner {
public:
    // Errors: those of KnownSecrets::compile.
    static Outcome<SecretScanner> create(std::span<const KnownSecret> known = {});

    // Makes what all scanners share, which takes a millisecond; else whoever is the first to need
    // it does.
    static void prepare();

    // What the shapes find in a text.
    static std::vector<std::string_view> secrets_in(std::string_view text);

    // From now on these values of denied files are found too, by this scanner and its copies. A
    // stream learns them when it is new or finished. At most limits::kKnownSecretsMax values are
    // known together with the operator's; further ones are passed over.
    void learn(std::span<const std::string> values) const;

    // Returns how many were replaced. `passes` gets what each pass over the text replaced.
    std::size_t redact(std::string& text, std::vector<Replacements>* passes = nullptr) const;

    // `part`: where that part of the text is afterwards, secrets that reach into it included.
    std::size_t redact(std::string& text, TextPart* part) const;

    // How much there must be behind a part of a text, so that a secret is known which begins in it.
    std::size_t reach() const noexcept;

private:
    friend class SecretStream;
    struct Rules;
    explicit SecretScanner(std::shared_ptr<Rules> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const KnownSecrets> known() const;

    std::shared_ptr<Rules> rules_;
};

// The same for a text that arrives in pieces, however it is cut. Holds back as much as is not yet
// certain: a few hundred bytes, or the length of the longest known value when it is escaped. One
// thread at a time.
class SecretStream {
public:
    explicit SecretStream(SecretScanner scanner);
    ~SecretStream();
    SecretStream(SecretStream&&) noexcept;
    SecretStream& operator=(SecretStream&&) noexcept;
    SecretStream(const SecretStream&) = delete;
    SecretStream& operator=(const SecretStream&) = delete;

    // Appends to `out` what is now safe to emit.
    void feed(std::string_view piece, std::string& out);

    // Appends the rest; the stream is then as new, but goes on counting.
    void finish(std::string& out);

    // What finish() would append if `more` came now and nothing else. The stream goes on as before,
    // and may judge otherwise when something has come.
    std::string rest(std::string_view more = {}) const;

    // The same up to where a secret may have begun of which more is to come: without the last word
    // if something looks like one, and without the beginning of a known value. A secret that has
    // blanks is shown up to the last of them as long as it is not known for one.
    std::string settled_rest(std::string_view more = {}) const;

    std::size_t count() const noexcept;

private:
    struct State;
    enum class More : std::uint8_t { kNone, kMayCome };
    std::string rest_before(More end, std::string_view more) const;

    std::unique_ptr<State> state_;
};

}  // namespace paddock::secrets
