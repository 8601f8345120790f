#include "tools/other_sessions.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "sys/io.h"
#include "sys/socket.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

using sys::FileLock;

constexpr Mode kOnlyOwn = 0600;

Result<Handle> open_or_make(const Root& quarantine, const std::string& name) {
    OpenOptions options;
    options.write = true;
    options.create = true;
    options.mode = kOnlyOwn;
    return quarantine.open_file(name, options);
}

// By somebody else; otherwise it is this one's now. A file system without locks has no others.
bool is_taken(const Handle& file) {
    const auto done = sys::try_lock_file(file.fd(), FileLock::kAlone);
    return !done && done.error().code == Code::kRace;
}

}  // namespace

OtherSessions::OtherSessions(const std::optional<Root>& quarantine, const Root& workspace) {
    const auto stat = sys::fstat(workspace.fd());
    if (!quarantine || !stat) return;
    std::array<char, 64> name{};
    (void)std::snprintf(name.data(), name.size(), "workspace-%llx-%llx",
                        static_cast<unsigned long long>(stat->identity.device),
                        static_cast<unsigned long long>(stat->identity.inode));
    auto turn = open_or_make(*quarantine, std::string(name.data()) + ".turn");
    auto work = open_or_make(*quarantine, std::string(name.data()) + ".work");
    if (turn && work) files_.emplace(Files{std::move(*turn), std::move(*work)});
}

bool OtherSessions::are_at_rest() {
    constexpr int kPauseMs = 5;
    if (!files_) return true;
    for (int waited_ms = 0; is_taken(files_->turn); waited_ms += kPauseMs) {
        if (waited_ms >= limits::kOtherSessionPatience.count()) return false;
        (void)sys::wait_ready({}, kPauseMs);
    }
    const bool at_rest = !is_taken(files_->work);
    // Only for that moment alone: who is stopped now keeps its turn, and nobody from working.
    (void)sys::lock_file(files_->work.fd(), FileLock::kShared);
    return at_rest;
}

void OtherSessions::begin() {
    if (!files_) return;
    (void)sys::lock_file(files_->work.fd(), FileLock::kShared);
    (void)sys::lock_file(files_->turn.fd(), FileLock::kNone);
}

void OtherSessions::rest() {
    if (!files_) return;
    (void)sys::lock_file(files_->work.fd(), FileLock::kNone);
    (void)sys::lock_file(files_->turn.fd(), FileLock::kNone);
}

}  // namespace paddock::tools
