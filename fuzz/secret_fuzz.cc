// The secret scanner on texts made of what matters to it: however the text is cut into chunks the
// result is the same, a second pass changes nothing, and what it does not count it does not change.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "secrets/pattern.h"
#include "secrets/rules.h"
#include "secrets/scanner.h"

namespace {

using paddock::secrets::KnownSecret;
using paddock::secrets::SecretPattern;
using paddock::secrets::SecretScanner;
using paddock::secrets::SecretStream;

// The shortest text that the pattern matches, with different bytes where it allows.
std::string shortest(const SecretPattern& pattern) {
    std::string text;
    for (const auto& item : pattern.items()) {
        std::string members;
        item.set.for_each([&](char c) { members += c; });
        for (std::size_t i = 0; i < item.least; ++i) text += members[(i * 7 + 3) % members.size()];
    }
    return text;
}

std::vector<std::string> make_pieces() {
    std::vector<std::string> pieces = {
        "password",
        "PASSWORD=",
        "\"token\": \"",
        "secret",
        "apiKey",
        "_pass",
        "<pwd>",
        "://",
        "user:",
        "Authorization: ",
        "Bearer ",
        "Basic ",
        "auth",
        "-----BEGIN ",
        "RSA ",
        "PRIVATE KEY",
        "-----END ",
        "-----",
        "Private-Lines: 8\n",
        "example",
        "[REDACTED:token]",
        "${",
        "hunter22",
        "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6",
        "0123456789abcdef0123456789abcdef",
        "known-value-1",
        "a25vd24tdmFsdWUtMQ",
        "\\n",
        "%3D",
        "\x1b[1m",
        " = ",
        ": ",
    };
    for (const auto& shape : paddock::secrets::secret_shapes()) {
        pieces.push_back(shortest(SecretPattern(shape.pattern)));
    }
    return pieces;
}

// Bytes below 128 stand for themselves, the others for a piece, chosen with the byte that follows.
std::string text_of(std::span<const std::uint8_t> bytes) {
    static const std::vector<std::string> kPieces = make_pieces();
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] < 128) {
            text += static_cast<char>(bytes[i]);
        } else {
            const std::size_t next = i + 1 < bytes.size() ? bytes[++i] : 0U;
            text += kPieces[(next) % kPieces.size()];
        }
    }
    return text;
}

std::string streamed(const SecretScanner& scanner, std::string_view text, std::size_t step) {
    SecretStream stream(scanner);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += step) stream.feed(text.substr(at, step), out);
    stream.finish(out);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<KnownSecret> kKnown = {{"KNOWN", "known-value-1"}};
    static const SecretScanner kScanner = SecretScanner::create(kKnown).value();
    const std::span<const std::uint8_t> bytes(data, size);
    const std::string text = text_of(bytes.subspan(bytes.empty() ? 0 : 1));
    std::string once = text;
    const std::size_t count = kScanner.redact(once);
    PADDOCK_CHECK(count > 0 || once == text);
    const std::size_t step = 1 + (bytes.empty() ? 0U : bytes.front());
    PADDOCK_CHECK(streamed(kScanner, text, step) == once);
    PADDOCK_CHECK(text.size() > 1000 || streamed(kScanner, text, 1) == once);
    std::string twice = once;
    kScanner.redact(twice);
    PADDOCK_CHECK(twice == once);
    return 0;
}
