// What a command printed, kept to be read again: the whole of it up to a bound, secrets already
// replaced, so that no later cut can divide one.
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

namespace paddock::tools {

class KeptOutput {
public:
    // Without a filter nothing is replaced.
    explicit KeptOutput(std::optional<search::SecretScanner> filter);

    // Returns what became certain by it: that holds no half of a secret.
    std::string add(std::string_view piece);

    // True once something did not fit: that and all that follows is lost.
    bool is_full() const;

    // Nothing more comes. Returns what the filter had held back.
    std::string finish();

    // The command has ended. Until then what may be the beginning of a secret is not shown; now
    // whoever goes on printing is not waited for.
    void settle();

    // What the filter holds back, as it looks now.
    std::string rest() const;

    // Offsets count bytes of what is kept, secrets replaced. Whoever goes on at `end` each time
    // misses nothing, and sees again only what was not certain yet.
    struct Part {
        std::string text;
        std::uint64_t end = 0;
        std::uint64_t total = 0;  // so far
    };
    // At most `bytes_max` from `begin` on, whole characters, and whole lines if they are not long.
    Part part(std::uint64_t begin, std::size_t bytes_max) const;

    // All of it, or its beginning and its end around a mark that says what is left out and, with an
    // `id`, how to read it.
    std::string excerpt(std::size_t bytes_max, std::string_view id) const;

    // At most `bytes_max` of its end, whole characters.
    std::string end(std::size_t bytes_max) const;

    std::size_t secrets() const;

private:
    std::string keep(std::string text);
    std::string uncertain() const;
    std::string all() const;

    mutable std::mutex mutex_;
    std::optional<search::SecretStream> filter_;
    std::string kept_;
    bool full_ = false;
    bool over_ = false;
    bool settled_ = false;
};

}  // namespace paddock::tools
