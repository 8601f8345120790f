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

// One line per row, each column as wide as its widest cell, two spaces between columns.
std::string table(const std::vector<std::vector<Cell>>& rows, const Paint& paint);

// Writes all of it to standard output. False, after a message on standard error, if that fails.
// What must not reach a terminal has been taken out by the caller.
bool print(std::string_view text);

// "paddock: " and the text, on standard error; on a terminal only what is displayable.
void complain(std::string_view text);

// A line on standard error that is drawn over and over; nothing at all if that is no terminal.
class Progress {
public:
    explicit Progress(std::size_t steps);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, std::string_view what);
    void clear();

private:
    std::size_t steps_;
    bool terminal_;
};

}  // namespace paddock::cli
