#include "sandbox/caller.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <paddock/limits.h>

#include "base/within.h"
#include "sandbox/foreign_path.h"
#include "sys/io.h"
#include "sys/open.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {
namespace {

// The beginning of a file of /proc, as far as anything of it is asked for.
std::string proc_text(const std::string& path) {
    std::string text(2048, '\0');
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    const auto size =
        file ? sys::read(file->get(), text.data(), text.size()) : Outcome<std::size_t>(0U);
    text.resize(size ? *size : 0);
    return text;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view field, int base) {
    const std::size_t at = text.find(field);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + field.size());
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::string proc_of(int process) { return "/proc/" + std::to_string(process); }

std::optional<std::uint64_t> proc_number(int process, const std::string& file,
                                         std::string_view field, int base) {
    return number_after(proc_text(proc_of(process) + '/' + file), field, base);
}

mode_t umask_of(int process) {
    constexpr std::uint64_t kUsual = 022;
    return static_cast<mode_t>(proc_number(process, "status", "Umask:", 8).value_or(kUsual) & 0777);
}

int thread_group(int thread) {
    return static_cast<int>(proc_number(thread, "status", "Tgid:", 10).value_or(0));
}

bool is_signalled(int thread) {
    const std::string status = proc_text(proc_of(thread) + "/status");
    const auto set = [&](std::string_view field) {
        return number_after(status, field, 16).value_or(0);
    };
    return ((set("SigPnd:") | set("ShdPnd:")) & set("SigCgt:") & ~set("SigBlk:")) != 0;
}

std::string as_caller_sees(std::string path, int thread) {
    if (!path.starts_with("/proc/") && !path.starts_with("/dev/")) return path;
    const std::string own = proc_of(thread_group(thread));
    const auto replace = [&](std::string_view prefix, const std::string& with) {
        if (!is_within(path, prefix)) return false;
        path = with + path.substr(prefix.size());
        return true;
    };
    replace("/proc/self", own) || replace("/proc/thread-self", proc_of(thread)) ||
        replace("/dev/fd", own + "/fd") || replace("/dev/stdin", own + "/fd/0") ||
        replace("/dev/stdout", own + "/fd/1") || replace("/dev/stderr", own + "/fd/2");
    return path;
}

bool is_own_proc(std::string_view path, const Caller& caller) {
    return is_within(path, proc_of(thread_group(caller.process))) ||
           is_within(path, proc_of(caller.process));
}

bool is_descriptor_link(std::string_view path, const Caller& caller) {
    constexpr std::string_view kProc = "/proc/";
    if (!path.starts_with(kProc)) return false;
    std::string_view rest = path.substr(kProc.size());
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));
    return rest.starts_with("/fd/") && is_number(rest.substr(4)) && is_own_proc(path, caller);
}

Outcome<std::string> read_path(const Caller& caller, std::uint64_t address) {
    std::string text;
    constexpr std::size_t kPart = 4096;  // a page
    std::array<char, kPart> part;
    while (text.size() < limits::kPathBytesMax) {
        // To the end of a page: the next may not be mapped.
        const std::size_t wanted = kPart - (address + text.size()) % kPart;
        const std::size_t got =
            read_foreign(caller.process, address + text.size(), {part.data(), wanted});
        // A process that may not be looked at: the kernel refuses what it must.
        if (got == 0) return Failure::from_errno(EFAULT);
        const void* end = std::memchr(part.data(), '\0', got);
        if (end == nullptr) {
            text.append(part.data(), got);
            continue;
        }
        text.append(part.data(),
                    static_cast<std::size_t>(static_cast<const char*>(end) - part.data()));
        if (text.size() >= limits::kPathBytesMax) break;
        // The memory was read of that process only if it still waits.
        if (!sys::seccomp::is_waiting(caller.listener, caller.id)) {
            return Failure::from_errno(ESRCH);
        }
        return text;
    }
    return Failure::from_errno(ENAMETOOLONG);
}

}  // namespace paddock::sandbox
