#include "fs/copy.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "sys/io.h"
#include "sys/stat.h"

namespace paddock::fs {
namespace {

bool is_for_user_space(int error) {
    return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

// Copies from where both files stand.
class Copier {
public:
    Copier(int from, int to, const std::stop_token& cancel)
        : from_(from), to_(to), cancel_(cancel) {}

    // How much there was, at most `size`.
    Outcome<std::uint64_t> stretch(std::uint64_t size) {
        std::uint64_t done = 0;
        while (done < size) {
            if (cancel_.stop_requested()) return refuse(Code::kCancelled);
            PADDOCK_ASSIGN(moved, move(size - done));
            if (moved == 0) break;
            done += moved;
        }
        return done;
    }

private:
    Outcome<std::size_t> move(std::uint64_t size) {
        constexpr std::uint64_t kChunk = std::uint64_t{16} << 20;  // one call is not interrupted
        if (in_kernel_) {
            auto copied = sys::copy_range(from_, to_, std::min(size, kChunk));
            if (copied || !is_for_user_space(copied.error().os_error)) return copied;
            in_kernel_ = false;
        }
        const std::size_t part = std::min<std::uint64_t>(size, buffer_.size());
        PADDOCK_ASSIGN(got, sys::read(from_, buffer_.data(), part));
        PADDOCK_TRY(sys::write_all(to_, {buffer_.data(), got}));
        return got;
    }

    int from_;
    int to_;
    const std::stop_token& cancel_;
    bool in_kernel_ = true;
    std::array<char, 65536> buffer_;
};

}  // namespace

Done copy_content(int from, std::uint64_t size, int to, const std::stop_token& cancel) {
    Copier copier(from, to, cancel);
    std::uint64_t end = 0;
    while (end < size) {
        PADDOCK_ASSIGN(data, sys::next_data(from, end));
        if (!data || data->begin >= size) break;
        end = std::min(data->end, size);
        PADDOCK_TRY(sys::seek(from, data->begin));
        PADDOCK_TRY(sys::seek(to, data->begin));
        PADDOCK_ASSIGN(copied, copier.stretch(end - data->begin));
        // It is shorter than it was, or than it says.
        if (copied < end - data->begin) return sys::truncate(to, data->begin + copied);
    }
    PADDOCK_ASSIGN(now, sys::fstat(from));
    return sys::truncate(to, std::min(size, now.size));
}

}  // namespace paddock::fs
