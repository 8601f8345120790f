#include "tools/disk_use.h"

#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

constexpr std::uint64_t kBlock = 4096;

// An empty file takes a block too, so that they cannot be made without end.
std::uint64_t in_blocks(std::uint64_t bytes) {
    const bool has_rest = bytes % kBlock != 0 || bytes == 0;
    return (bytes / kBlock + (has_rest ? 1 : 0)) * kBlock;
}

}  // namespace

DiskUse::DiskUse(Root root, std::string directory, std::optional<std::uint64_t> bytes_max)
    : root_(std::move(root)), directory_(std::move(directory)), bytes_max_(bytes_max) {}

Result<std::uint64_t> DiskUse::measure() const {
    std::uint64_t sum = 0;
    const Status walked = root_.walk(directory_, [&](const WalkEntry& entry) {
        if (entry.failure != nullptr) return WalkAction::kContinue;
        std::uint64_t bytes = 0;
        if (entry.type == FileType::kRegular) {
            const auto node = sys::node_at(entry.directory, std::string(entry.name).c_str());
            if (node) bytes = node->stat.size;
        }
        sum += in_blocks(bytes);
        return WalkAction::kContinue;
    });
    if (!walked) return walked.error();
    return sum;
}

Result<void> DiskUse::claim(std::uint64_t bytes, std::optional<std::uint64_t> replaced) {
    if (!bytes_max_) return {};
    const std::uint64_t more = in_blocks(bytes);
    const std::uint64_t less = replaced ? in_blocks(*replaced) : 0;
    if (more <= less) return {};
    const std::lock_guard lock(mutex_);
    const auto fits = [&] { return used_ <= *bytes_max_ && more - less <= *bytes_max_ - used_; };
    const auto now = Clock::now();
    const bool is_old = !measured_ || now - *measured_ > limits::kDiskMeasureAge;
    if (is_old || !fits()) {
        const auto used = measure();
        if (!used) return used.error();
        used_ = *used;
        measured_ = now;
    }
    if (!fits()) {
        return as_error(refuse(Code::kQuotaExceeded, "the workspace may not grow further"), "write",
                        {});
    }
    used_ += more - less;
    return {};
}

std::uint64_t DiskUse::excess(std::chrono::milliseconds age_max) {
    if (!bytes_max_) return 0;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (!measured_ || now - *measured_ > age_max) {
        const auto used = measure();
        if (!used) return 0;
        used_ = *used;
        measured_ = now;
    }
    return used_ > *bytes_max_ ? used_ - *bytes_max_ : 0;
}

}  // namespace paddock::tools
