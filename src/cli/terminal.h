// Output for people: colours where they are wanted, and columns that line up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

enum class Colours : std::uint8_t { kAuto, kAlways, kNever };

// How the user wants results.
struct Output {
    bool json = false;
    Colours colours = Colours::kAuto;
};

enum class Tone : std::uint8_t {
    kPlain,
    kGood,
    kBad,
    kDoubtful,
    kQuiet,
    kStrong,
    kPath,
    kDirectory,
    kLink,
};

bool is_terminal(int fd) noexcept;

// Colours text, or leaves it alone.
class Paint {
public:
    // kAuto: only if `fd` is a terminal, TERM is not "dumb" and NO_COLOR is absent or empty.
    Paint(int fd, Colours colours);

    std::string operator()(Tone tone, std::string_view text) const;
    bool colours() const noexcept { return colours_; }

private:
    bool colours_;
};

struct Cell {
    std::string text;
    Tone tone = Tone::kPlain;
};

// One line per row, two spaces between columns. A column is as wide as its widest cell, and not
// narrower than `widths` says.
std::string table(const std::vector<std::vector<Cell>>& rows, const Paint& paint,
                  std::vector<std::size_t> widths = {});

// Writes all of it to standard output. False, after a message on standard error, if that fails.
// What must not reach a terminal has been taken out by the caller.
bool print(std::string_view text);

// "paddock: " and the text, on standard error; on a terminal only what is displayable.
void complain(std::string_view text);

}  // namespace paddock::cli
