// Cuts what a matcher finds out of a text that arrives in pieces: the loop that the secret scanner
// runs once for known values and once for shapes.
//
// A Matcher has a LeadFilter `filter()`; knows how far in a match each lead stands, `offset(lead)`,
// at most kLeadOffsetMax; looks at no more than `ahead()` bytes from the start of the match, and at
// limits::kSecretBehindMax before it; and decides: `match(lead, Surroundings)` gives a FoundSecret
// or nothing. A candidate is decided only when all that the matcher may look at has arrived, and
// what was cut out counts as a border afterwards. So the result does not depend on the pieces, and
// a second pass finds nothing new.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "secrets/match.h"

namespace paddock::secrets {

struct Cut {
    std::size_t place = 0;  // of the lead that led to it
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view kind;
    const Tail* tail = nullptr;
};

// What a pass over a text cut out: these bytes of the text before it became a mark of this length.
struct Replacement {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t length = 0;
};
using Replacements = std::vector<Replacement>;  // in order

// A part of a text. An edge that falls into a secret moves to the side of the mark in its place on
// which more is in the part.
struct TextPart {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Takes parts of a text to where they are after a pass. They come in order and do not overlap.
class CarryOver {
public:
    explicit CarryOver(const Replacements& replaced) noexcept : replaced_(replaced) {}

    TextPart moved(const TextPart& part) noexcept;

    // Of the part that was moved last: a secret took all that is between `end` and its beginning.
    bool is_joined_to(std::size_t end) const noexcept { return joined_from_ <= end; }

private:
    const Replacement* reach(std::size_t place) noexcept;

    const Replacements& replaced_;
    std::size_t next_ = 0;   // those before end before the place
    std::size_t shift_ = 0;  // what these added to the text, modulo 2^n
    std::size_t joined_from_ = 0;
};

struct Progress {
    std::size_t given = 0;             // the text before was written or cut out
    std::size_t decided = 0;           // candidates before were decided
    const Tail* tail = nullptr;        // of the secret that ends at `given`, if it may go on
    std::optional<Cut> pending;        // a value whose name may hold a secret of its own
    std::size_t count = 0;             // secrets cut out
    Replacements* replaced = nullptr;  // of the whole text

    void cut_out(const Cut& cut, std::string_view text, std::string& out);

    // The last secret ends at `given`.
    void end_tail();
};

// Passes over what belongs to the last secret. False: more text is needed to say where it ends.
bool swallow_tail(std::string_view text, bool last, Progress& progress) noexcept;

// The first match with a candidate in [progress.decided, ready).
template <class Matcher>
std::optional<Cut> next_cut(const Matcher& matcher, std::string_view text, std::size_t ready,
                            const Progress& progress) noexcept {
    for (std::size_t from = progress.decided; from < ready;) {
        const auto [place, leads] = matcher.filter().find(text, from, ready);
        if (leads.empty()) break;
        for (const LeadFilter::Entry& entry : leads) {
            const std::size_t offset = matcher.offset(entry.lead);
            if (place - progress.given < offset) continue;
            const std::size_t at = place - offset;
            const std::size_t behind = std::min(limits::kSecretBehindMax, at - progress.given);
            const auto found = matcher.match(
                entry.lead, {text.substr(at - behind, behind), text.substr(at, matcher.ahead())});
            if (!found) continue;
            return Cut{place, at - found->behind + found->begin, at + found->end, found->kind,
                       found->tail};
        }
        from = place + 1;
    }
    return std::nullopt;
}

// Writes what is certain to `out` and moves `progress`. If this is not the `last` text, the rest
// from progress.given on must be there again at the next call, with more behind it.
template <class Matcher>
void redact_some(const Matcher& matcher, std::string_view text, bool last, Progress& progress,
                 std::string& out) {
    const std::size_t unseen = last ? 0 : matcher.ahead();
    const std::size_t ready = text.size() > unseen ? text.size() - unseen : 0;
    std::optional<Cut>& pending = progress.pending;
    while (progress.tail == nullptr || swallow_tail(text, last, progress)) {
        progress.decided = std::max(progress.decided, progress.given);
        const std::size_t stop = pending ? std::min(ready, pending->begin) : ready;
        auto cut = next_cut(matcher, text, stop, progress);
        if (cut && cut->begin > cut->place) {
            progress.decided = cut->place + 1;
            if (!pending) pending = cut;
            continue;
        }
        if (!cut) {
            progress.decided = std::max(progress.decided, stop);
            if (!pending || progress.decided < pending->begin) break;
            cut = std::exchange(pending, std::nullopt);
        }
        progress.cut_out(*cut, text, out);
    }
}

// The whole text at once. Untouched, and not copied, if nothing is found.
template <class Matcher>
std::size_t redact_all(const Matcher& matcher, std::string& text,
                       Replacements* replaced = nullptr) {
    Progress progress;
    progress.replaced = replaced;
    std::string out;
    redact_some(matcher, text, true, progress, out);
    if (progress.count == 0) return 0;
    out.append(text, progress.given);
    text = std::move(out);
    return progress.count;
}

// A text in pieces. Holds the end of what it was fed, kBehind + ahead() bytes of it.
template <class Matcher>
class RedactionStream {
public:
    void feed(const Matcher& matcher, std::string_view piece, std::string& out) {
        for (std::size_t at = 0; at < piece.size(); at += kPieceMax) {
            held_.append(piece.substr(at, kPieceMax));
            redact_some(matcher, held_, false, progress_, out);
            const std::size_t behind = std::min(kBehind, progress_.decided);
            give(std::max(progress_.given, progress_.decided - behind), out);
        }
    }

    void finish(const Matcher& matcher, std::string& out) {
        redact_some(matcher, held_, true, progress_, out);
        give(held_.size(), out);
        progress_ = Progress{0, 0, nullptr, std::nullopt, progress_.count};
    }

    std::size_t count() const noexcept { return progress_.count; }

private:
    static constexpr std::size_t kBehind = limits::kSecretBehindMax + kLeadOffsetMax;
    static constexpr std::size_t kPieceMax = std::size_t{64} << 10;

    void give(std::size_t end, std::string& out) {
        out.append(held_, progress_.given, end - progress_.given);
        held_.erase(0, end);
        progress_.given = 0;
        progress_.decided -= std::min(end, progress_.decided);
        if (!progress_.pending) return;
        progress_.pending->begin -= std::min(end, progress_.pending->begin);
        progress_.pending->end -= std::min(end, progress_.pending->end);
    }

    std::string held_;
    Progress progress_;
};

}  // namespace paddock::secrets
