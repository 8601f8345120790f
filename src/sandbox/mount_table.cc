#include "sandbox/mount_table.h"

#include <fcntl.h>

#include "sandbox/kernel_text.h"

namespace paddock::sandbox {
namespace {

// Paths in /proc/self/mountinfo have spaces and the like as three octal digits.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                       (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

}  // namespace

Outcome<std::vector<MountedHere>> mounts_here() {
    PADDOCK_ASSIGN(text, read_text(AT_FDCWD, "/proc/self/mountinfo"));
    std::vector<MountedHere> mounts;
    for (const std::string& line : split(text, '\n')) {
        const auto fields = split(line, ' ');
        MountedHere mount;
        if (fields.size() < 5 || !parse_number(fields[0], mount.id)) continue;
        mount.device = fields[2];
        mount.root = unescaped(fields[3]);
        mount.point = unescaped(fields[4]);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

Outcome<MountedHere> mount_of(int fd) {
    PADDOCK_ASSIGN(about, read_text(AT_FDCWD, ("/proc/self/fdinfo/" + std::to_string(fd)).c_str()));
    std::uint64_t id = 0;
    for (const std::string& line : split(about, '\n')) {
        std::string_view rest = line;
        if (next_word(rest) == "mnt_id:" && !parse_number(next_word(rest), id)) break;
    }
    PADDOCK_ASSIGN(mounts, mounts_here());
    for (MountedHere& each : mounts) {
        if (each.id == id) return std::move(each);
    }
    return refuse(Code::kNotAvailable, "this mount is out of sight");
}

}  // namespace paddock::sandbox
