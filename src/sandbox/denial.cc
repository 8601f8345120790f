#include "sandbox/denial.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <paddock/limits.h>

#include "base/display.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {
namespace {

constexpr std::size_t kPage = 4096;  // or a multiple of it

char* write_text(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

// "/proc/PROCESS/cwd" or "/proc/PROCESS/fd/DIRECTORY".
std::array<char, 48> link_in_proc(int process, int directory) {
    std::array<char, 48> path{};
    char* const end = path.data() + path.size() - 1;
    char* at = write_text(path.data(), "/proc/");
    at = std::to_chars(at, end, process).ptr;
    if (directory == AT_FDCWD) {
        write_text(at, "/cwd");
    } else {
        at = write_text(at, "/fd/");
        std::to_chars(at, end, directory);
    }
    return path;
}

}  // namespace

std::size_t read_foreign(int process, std::uint64_t address, std::span<char> buffer) noexcept {
    const auto size = sys::seccomp::read_memory(process, address, buffer.data(), buffer.size());
    return size ? *size : 0;
}

Done ForeignPath::read(int process, int directory, std::uint64_t address) {
    std::array<char, limits::kPathBytesMax> raw;
    std::size_t size = 0;
    while (size < raw.size()) {
        // To the end of a page: the next may not be mapped.
        const std::size_t in_page = kPage - (address + size) % kPage;
        const std::size_t part = std::min(in_page, raw.size() - size);
        const std::size_t got = read_foreign(process, address + size, {raw.data() + size, part});
        if (got == 0) return Failure::from_errno(EFAULT);
        const auto* begin = raw.data() + size;
        if (const void* end = std::memchr(begin, '\0', got); end != nullptr) {
            size += static_cast<std::size_t>(static_cast<const char*>(end) - begin);
            return set(process, directory, {raw.data(), size});
        }
        size += got;
    }
    return Failure::from_errno(ENAMETOOLONG);
}

Done ForeignPath::set(int process, int directory, std::string_view path) {
    size_ = 0;
    text_[0] = '\0';
    if (path.empty()) return Failure::from_errno(ENOENT);
    if (path.front() != '/') {
        std::array<char, limits::kPathBytesMax> base;
        PADDOCK_ASSIGN(size, sys::read_link(link_in_proc(process, directory).data(), base));
        if (size == 0 || base[0] != '/') return Failure::from_errno(ENOENT);
        append({base.data(), size});
    }
    append(path);
    if (size_ == 0) {
        text_[0] = '/';
        text_[1] = '\0';
        size_ = 1;
    }
    return {};
}

void ForeignPath::shorten(std::size_t size) noexcept {
    size_ = size;
    text_[size_] = '\0';
}

void ForeignPath::append(std::string_view path) noexcept {
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name == "..") {
            const std::size_t slash = view().rfind('/');
            size_ = slash == std::string_view::npos ? 0 : slash;
        } else {
            text_[size_] = '/';
            write_text(text_.data() + size_ + 1, name);
            size_ += 1 + name.size();
        }
    }
    text_[size_] = '\0';
}

namespace {

struct WallText {
    std::string_view why;
    std::string_view setting;
};

WallText text_of(Wall wall) {
    switch (wall) {
        case Wall::kReadOnly: return {"the workspace is read-only", "bash.read_only"};
        case Wall::kRule: return {"the path is protected", "workspace.rules"};
        case Wall::kSeen: return {"this directory is read-only", "workspace.also"};
        case Wall::kNetwork:
            return {
                "direct connections are closed, and the program ignored HTTPS_PROXY; use HTTPS, or "
                "--net host",
                "bash.network"};
        case Wall::kProxy: return {"it is not allowed", "bash.network_allow"};
        case Wall::kLimit: return {"it was reached", "none"};
        case Wall::kView:
        case Wall::kNone: break;
    }
    return {"outside of the workspace", "workspace.root"};
}

std::string_view name_of(DeniedOperation operation) {
    switch (operation) {
        case DeniedOperation::kCreate: return "create";
        case DeniedOperation::kRemove: return "remove";
        case DeniedOperation::kRename: return "rename";
        case DeniedOperation::kConnect: return "connect to";
        case DeniedOperation::kLookUp: return "look up a host name at";
        case DeniedOperation::kExceed: return "exceed the limit of";
        case DeniedOperation::kRead: return "read";
        case DeniedOperation::kResolve: return "look up";
        case DeniedOperation::kWrite: break;
    }
    return "write";
}

std::string_view layer_of(const Denial& denial, const WallLayers& layers) {
    if (!denial.layer.empty()) return denial.layer;
    switch (denial.wall) {
        case Wall::kNetwork: return layers.network;
        case Wall::kProxy: return "proxy";
        case Wall::kLimit: return "limits";
        // Only the gate says why.
        case Wall::kRule: return denial.why.empty() ? layers.files : "gate";
        default: return layers.files;
    }
}

bool same(const Denial& a, const Denial& b) {
    return a.wall == b.wall && a.operation == b.operation && a.target == b.target;
}

bool is_of_network(const Denial& denial) {
    return denial.wall == Wall::kNetwork || denial.wall == Wall::kProxy;
}

CommandDenial explained(const Denial& denial, const WallLayers& layers, bool succeeded) {
    const WallText wall = text_of(denial.wall);
    const std::string_view setting = denial.setting.empty() ? wall.setting : denial.setting;
    return {.operation = std::string(name_of(denial.operation)),
            .target = displayable(denial.target),
            .reason = denial.why.empty() ? std::string(wall.why) : displayable(denial.why),
            .layer = std::string(layer_of(denial, layers)),
            .setting = std::string(setting),
            .option = denial.option,
            .needed = !succeeded || !is_of_network(denial)};
}

std::string line_of(const CommandDenial& denial) {
    std::string text = "- " + denial.operation + " " + denial.target + ": " + denial.reason;
    if (!denial.option.empty()) text += "; allow it with " + denial.option;
    return text + " (layer: " + denial.layer + ", operator setting: " + denial.setting + ")\n";
}

bool is_sound(const DenialRecord& record) {
    return record.wall <= Wall::kNetwork && record.operation <= DeniedOperation::kLookUp &&
           record.size <= record.target.size() && record.why_size <= record.why.size();
}

}  // namespace

Outcome<bool> DenialLog::read(int report) {
    for (;;) {
        DenialRecord record;
        const auto size = sys::receive_now(report, reinterpret_cast<char*>(&record), sizeof record);
        if (!size && size.error().os_error == EAGAIN) return false;
        if (!size) return size.error();
        if (*size == 0) return true;
        if (*size != sizeof record || !is_sound(record)) {
            return refuse(Code::kInternal, "a report of denials is malformed");
        }
        if (record.wall == Wall::kNone) {
            more_ = true;
            continue;
        }
        add({record.wall, record.operation, std::string(record.target.data(), record.size),
             std::string(record.why.data(), record.why_size)});
    }
}

void DenialLog::add(Denial denial) {
    const auto known = std::find_if(denials_.begin(), denials_.end(),
                                    [&](const Denial& other) { return same(denial, other); });
    if (known != denials_.end()) return;
    const auto of_wall = std::count_if(denials_.begin(), denials_.end(), [&](const Denial& other) {
        return other.wall == denial.wall;
    });
    if (static_cast<std::size_t>(of_wall) >= limits::kDenialsMax) {
        more_ = true;
        return;
    }
    denials_.push_back(std::move(denial));
}

bool DenialLog::has_target(std::string_view target) const {
    return std::any_of(denials_.begin(), denials_.end(),
                       [target](const Denial& denial) { return denial.target == target; });
}

void DenialLog::add(const DenialLog& other) {
    for (const Denial& denial : other.denials_) add(denial);
    more_ = more_ || other.more_;
}

std::vector<CommandDenial> DenialLog::explained(const WallLayers& layers, bool succeeded) const {
    std::vector<CommandDenial> all;
    all.reserve(denials_.size());
    for (const Denial& denial : denials_) {
        all.push_back(sandbox::explained(denial, layers, succeeded));
    }
    return all;
}

std::string protected_by(std::string_view rule) {
    return "protected by the rule '" + std::string(rule) + "'";
}

std::string denials_text(const std::vector<CommandDenial>& denials, bool more) {
    std::string denied;
    std::string unneeded;
    for (const CommandDenial& denial : denials) {
        if (denial.needed) {
            denied += line_of(denial);
        } else {
            unneeded += (unneeded.empty() ? "" : ", ") + denial.target;
            if (!denial.option.empty()) unneeded += " (" + denial.option + ")";
        }
    }
    if (more) denied += "- and more\n";
    if (!denied.empty()) denied.insert(0, "Denied by the sandbox:\n");
    if (!unneeded.empty()) {
        denied += "Blocked, but the command succeeded: " + unneeded + "\n";
    }
    return denied;
}

WriteMap::WriteMap() {
    places_.reserve(kWriteMapPlacesMax);
    text_.reserve(kWriteMapBytesMax);
    set("/", Wall::kView);
    set("/dev", Wall::kNone);
    set("/proc", Wall::kNone);
    for (const char* shared : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq"}) {
        set(shared, Wall::kView);
    }
}

std::string_view WriteMap::path_of(const Place& place) const noexcept {
    return {text_.data() + place.begin, place.size};
}

std::size_t WriteMap::first_not_before(std::string_view path) const noexcept {
    const auto found = std::lower_bound(
        places_.begin(), places_.end(), path,
        [this](const Place& place, std::string_view sought) { return path_of(place) < sought; });
    return static_cast<std::size_t>(found - places_.begin());
}

bool WriteMap::set(std::string_view path, Wall wall) noexcept {
    const std::size_t at = first_not_before(path);
    if (at < places_.size() && path_of(places_[at]) == path) {
        places_[at].wall = wall;
        return true;
    }
    if (places_.size() == places_.capacity()) return false;
    if (text_.capacity() - text_.size() < path.size()) return false;
    const Place place{static_cast<std::uint32_t>(text_.size()),
                      static_cast<std::uint32_t>(path.size()), wall};
    text_.append(path);
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(at), place);
    return true;
}

const WriteMap::Place* WriteMap::nearest(std::string_view path) const noexcept {
    for (;;) {
        const std::size_t at = first_not_before(path);
        if (at < places_.size() && path_of(places_[at]) == path) return &places_[at];
        const std::size_t slash = path.rfind('/');
        if (slash == std::string_view::npos || path.size() <= 1) return nullptr;
        path = path.substr(0, std::max<std::size_t>(slash, 1));
    }
}

Wall WriteMap::wall_before(std::string_view path) const noexcept {
    const Place* place = nearest(path);
    return place == nullptr ? Wall::kView : place->wall;
}

std::string_view WriteMap::behind(std::string_view path) const noexcept {
    const Place* place = nearest(path);
    return place == nullptr ? path : path.substr(0, place->size);
}

Denial as_denial(const proxy::NetworkDenial& denial, bool has_list) {
    const bool is_ipv6 = denial.host.find(':') != std::string::npos;
    std::string place = is_ipv6 ? "[" + denial.host + "]" : denial.host;
    if (denial.port != 0) place += ":" + std::to_string(denial.port);
    return {.wall = Wall::kProxy,
            .operation = denial.is_look_up ? DeniedOperation::kResolve : DeniedOperation::kConnect,
            .target = std::move(place),
            .why = denial.why,
            .setting = has_list ? "" : "bash.network",
            .option = denial.option};
}

}  // namespace paddock::sandbox
