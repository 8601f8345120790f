// Where a search puts the lines that it finds. A sink may say stop; it is called by one thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::search {

enum class Next : bool { kStop, kGoOn };

struct Line {
    enum class Kind : std::uint8_t { kMatch, kContext };

    Kind kind = Kind::kMatch;
    std::uint64_t number = 0;  // 1 for the first line; 0 if numbers were not asked for
    std::uint64_t offset = 0;  // of its first byte
    std::string_view text;     // without the line feed; valid during the call
    std::size_t match = 0;     // in the text: no match was found before
};

class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    // Lines come in order, each once. A gap in the numbers is a gap in the file.
    virtual Next line(const Line& line) = 0;
};

}  // namespace paddock::search
