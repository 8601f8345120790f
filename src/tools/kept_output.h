// What a command printed, kept to be read again: as a terminal would show it (text/screen.h), and
// secrets replaced in that, so that no later cut can divide one. Up to a bound all of it is kept;
// beyond, its beginning and its end, and the middle is dropped.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "search/secret_scanner.h"
#include "text/screen.h"

namespace paddock::tools {

class KeptOutput {
public:
    // Without a filter nothing is replaced.
    explicit KeptOutput(std::optional<search::SecretScanner> filter, text::Screen screen = {});

    // Returns what became certain by it: that changes no more, and holds no half of a secret.
    std::string add(std::string_view piece);

    // Nothing more comes. Returns what the filter had held back.
    std::string finish();

    // The command has ended. Until then what may be the beginning of a secret is not shown; now
    // whoever goes on printing is not waited for.
    void settle();

    // What is not certain yet, as it looks now.
    std::string rest() const;

    bool has_application_keys() const;  // see text::Screen

    // Offsets count bytes of all that was printed, secrets replaced. Whoever goes on at `end` each
    // time misses nothing that is kept, and sees again only what was not certain yet.
    struct Part {
        std::string text;
        std::uint64_t begin = 0;  // larger than asked for: what is between was dropped
        std::uint64_t end = 0;
        std::uint64_t total = 0;  // so far
    };
    // At most `bytes_max` from `begin` on, whole characters, and whole lines if they are not long.
    // A part ends where bytes were dropped.
    Part part(std::uint64_t begin, std::size_t bytes_max) const;

    // All of it, or its beginning and its end around a mark that says what is left out, what of it
    // was dropped and, with an `id`, how to read the rest.
    std::string excerpt(std::size_t bytes_max, std::string_view id) const;

    // At most `bytes_max` of its end, whole characters.
    std::string end(std::size_t bytes_max) const;

    std::size_t secrets() const;

private:
    std::string keep(std::string text);
    std::string uncertain() const;
    std::uint64_t certain() const { return head_.size() + dropped_ + tail_.size(); }
    // What is kept from `begin` on, to the gap or to the end; `begin` moves out of the gap.
    std::string from(std::uint64_t& begin) const;

    mutable std::mutex mutex_;
    text::Screen screen_;
    std::optional<search::SecretStream> filter_;
    std::string head_;
    std::uint64_t dropped_ = 0;  // between the two
    std::string tail_;
    bool over_ = false;
    bool settled_ = false;
};

// Of `all`, what whoever has seen `seen` has not: what follows it, or, if that has changed since,
// the lines from the first that is another.
std::string_view beyond(std::string_view seen, std::string_view all);

}  // namespace paddock::tools
