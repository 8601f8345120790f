// Reading a file of /proc whose lines are many. Allocates nothing.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/kernel_text.h"
#include "sys/io.h"
#include "sys/open.h"

namespace paddock::sandbox {

// A file of /proc, line by line. The longest line has a path whose every byte is escaped.
class KernelLines {
public:
    KernelLines(int proc, const char* path) : file_(sys::openat(proc, path, O_RDONLY)) {}

    bool is_open() const noexcept { return file_.has_value(); }

    // False: there is no other.
    bool next(std::string_view& line) {
        if (!is_open()) return false;
        for (;;) {
            const std::string_view rest(block_ + begin_, end_ - begin_);
            const std::size_t size = rest.find('\n');
            if (size != rest.npos) {
                line = rest.substr(0, size);
                begin_ += size + 1;
                return true;
            }
            std::memmove(block_, block_ + begin_, rest.size());
            begin_ = 0;
            end_ = rest.size();
            const auto more = sys::read(file_->get(), block_ + end_, sizeof block_ - end_);
            if (!more || *more == 0) return false;
            end_ += *more;
        }
    }

private:
    Outcome<UniqueFd> file_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    char block_[32768];
};

template <class Number>
Number next_number(std::string_view& rest) {
    Number number = 0;
    return parse_number(next_word(rest), number) ? number : 0;
}

}  // namespace paddock::sandbox
