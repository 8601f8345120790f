// Writing to a pipe, socket, terminal or file that somebody else reads, without waiting for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

class Output {
public:
    // Borrows `fd`. A pipe is opened once more, by way of /proc, so that whoever shares `fd` does
    // not feel that it no longer waits; where that cannot be, writing may wait after all.
    static Output on(int fd);

    // Writes what fits now; 0: nothing does. A reader that is gone is EPIPE; SIGPIPE must be
    // ignored.
    Outcome<std::size_t> write_now(std::string_view bytes) const;

    // Until something can be written, the reader is gone, or `wakeup` can be read.
    Done wait(int wakeup) const;

    // Readable, in the sense of wait_readable, once the reader is gone; -1 where that does not
    // show.
    int end_shows_on() const noexcept { return end_shows_ ? fd() : -1; }

private:
    enum class Kind : std::uint8_t { kOther, kPipe, kSocket };

    int fd() const noexcept { return own_.valid() ? own_.get() : fd_; }

    int fd_ = -1;
    Kind kind_ = Kind::kOther;
    bool end_shows_ = false;
    UniqueFd own_;
};

// For the whole process: writing to a pipe without a reader is an error, and no more.
void ignore_broken_pipes() noexcept;

}  // namespace paddock::sys
