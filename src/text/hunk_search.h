// Finding the lines of a hunk in a file, exactly or with some differences left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/lines.h"
#include "text/patch.h"

namespace paddock::text {

// Each step leaves out what the ones before it do, and more.
enum class Tolerance : std::uint8_t {
    kExact,          // every byte, and whether the file's last line ends with a newline
    kEndings,        // CR at the end of a line, and the newline at the end of the file
    kTrailingSpace,  // white space at the end of a line
    kOuterSpace,     // white space at both ends of a line
    kPunctuation,    // typographic quotes, dashes and spaces, as fold_punctuation does
};
inline constexpr std::array kTolerances = {Tolerance::kExact, Tolerance::kEndings,
                                           Tolerance::kTrailingSpace, Tolerance::kOuterSpace,
                                           Tolerance::kPunctuation};

class HunkSearch {
public:
    // `content` must outlive it.
    explicit HunkSearch(const Lines& content) : content_(content) {}

    // Marks are not looked at; a search for no lines finds none.
    bool matches(std::span<const HunkLine> wanted, std::size_t at, Tolerance tolerance) const;

    // The first `most` places at or after line `from`, 0-based.
    std::vector<std::size_t> find(std::span<const HunkLine> wanted, std::size_t from,
                                  Tolerance tolerance, std::size_t most);

    // All searches together have taken kPatchStepsMax; the last results may be incomplete.
    bool exhausted() const noexcept;

private:
    const Lines& content_;
    std::array<std::vector<std::uint64_t>, kTolerances.size()> hashes_;  // made when needed
    std::uint64_t steps_ = 0;
};

}  // namespace paddock::text
