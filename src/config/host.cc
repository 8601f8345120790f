#include "config/host.h"

#include <fcntl.h>

#include <cerrno>

#include <paddock/limits.h>

#include "base/display.h"
#include "fs/readable.h"
#include "sys/files.h"
#include "sys/process.h"

namespace paddock::config {
namespace {

constexpr std::uint32_t kWritableByOthers = 0022;

// Never waits: a FIFO is opened, and then refused.
Outcome<UniqueFd> open_to_read(const std::string& path) {
    return sys::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

std::optional<std::string> distrust(const Stat& stat, const std::string& path) {
    if (stat.type != FileType::kRegular) return "is not a regular file";
    if (stat.uid != 0 && stat.uid != sys::effective_user()) {
        return "belongs to another user, who could change the boundary; copy it to a file of "
               "your own";
    }
    if ((stat.mode & kWritableByOthers) != 0) {
        return "can be written by others, who could change the boundary; run 'chmod go-w " +
               displayable(path) + "'";
    }
    if (stat.links > 1) return "has a second name through which it could be changed; copy it";
    if (stat.size > limits::kConfigBytesMax) {
        return "is larger than " + std::to_string(limits::kConfigBytesMax / 1024) + " kB";
    }
    return std::nullopt;
}

tl::unexpected<Problem> unreadable(const std::string& path, const Failure& failure) {
    return tl::unexpected(
        Problem{displayable(path), "cannot be read: " + as_error(failure, "read", {}).message()});
}

bool is_absent(const Failure& failure) {
    return failure.code == Code::kNotFound || failure.code == Code::kNotADirectory;
}

}  // namespace

std::optional<std::string> Variables::find(std::string_view name) const {
    for (const std::string& each : all_) {
        if (each.size() <= name.size() + 1 || each[name.size()] != '=') continue;
        if (each.starts_with(name)) return each.substr(name.size() + 1);
    }
    return std::nullopt;
}

std::vector<std::string> Variables::names() const {
    std::vector<std::string> names;
    names.reserve(all_.size());
    for (const std::string& each : all_) names.push_back(each.substr(0, each.find('=')));
    return names;
}

std::string Variables::base_directory(std::string_view variable, std::string_view below) const {
    if (const auto named = find(variable); named && named->starts_with('/')) return *named;
    const auto home = find("HOME");
    return home && home->starts_with('/') ? *home + "/" + std::string(below) : std::string();
}

tl::expected<std::optional<ConfigFile>, Problem> read_config_file(const std::string& named,
                                                                  const Variables& variables) {
    std::string path = named.empty() ? variables.find("PADDOCK_CONFIG").value_or("") : named;
    const bool is_usual = path.empty();
    if (is_usual) {
        path = variables.base_directory("XDG_CONFIG_HOME", ".config");
        if (path.empty()) return std::nullopt;
        path += "/paddock/paddock.toml";
    }
    if (path == "/dev/null") return std::nullopt;
    const auto fd = open_to_read(path);
    if (!fd && is_usual && is_absent(fd.error())) return std::nullopt;
    if (!fd) return unreadable(path, fd.error());
    const auto stat = sys::fstat(fd->get());
    if (!stat) return unreadable(path, stat.error());
    if (auto why = distrust(*stat, path)) {
        return tl::unexpected(Problem{displayable(path), std::move(*why)});
    }
    auto text = fs::read_content(fd->get(), stat->size, limits::kConfigBytesMax);
    if (!text) return unreadable(path, text.error());
    return ConfigFile{std::move(path), std::move(*text)};
}

Outcome<std::string> read_secret(const std::string& path) {
    PADDOCK_ASSIGN(fd, open_to_read(path));
    PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    // One more for the line end.
    PADDOCK_ASSIGN(text, fs::read_content(fd.get(), stat.size, limits::kKnownSecretBytesMax + 2));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return std::move(text);
}

bool is_below(const std::string& path, const std::string& directory) {
    const auto top = sys::stat_path(directory.c_str());
    auto real = sys::real_path(path.c_str());
    if (!top || !real) return false;
    // By identity: a directory may be mounted at a second place.
    for (std::size_t slash = real->rfind('/'); slash != real->npos; slash = real->rfind('/')) {
        real->resize(slash);
        const auto above = sys::stat_path(real->empty() ? "/" : real->c_str());
        if (above && above->identity == top->identity) return true;
    }
    return false;
}

}  // namespace paddock::config
