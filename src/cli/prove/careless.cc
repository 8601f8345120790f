#include "cli/prove/careless.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace paddock::cli::prove::careless {
namespace {

namespace stdfs = std::filesystem;

constexpr std::string_view kGraffiti = "written by the attacker\n";

// Deep enough for any decoy; a link that leads back up must not be followed for ever.
constexpr int kDepthMax = 8;

std::string normal(const Ground& ground, std::string_view path) {
    return stdfs::path(*joined(ground, path)).lexically_normal();
}

bool below(const Ground& ground, const std::string& path) {
    return path == ground.ws() || path.starts_with(ground.ws() + "/");
}

std::string real_path(const std::string& path) {
    std::array<char, PATH_MAX> resolved;
    return ::realpath(path.c_str(), resolved.data()) == nullptr ? "" : resolved.data();
}

Attempt put(const Checked& path, int flags) {
    if (!path) return {};
    const UniqueFd file(
        ::open(path->c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, 0644));
    if (!file.valid()) return {};
    [[maybe_unused]] const ssize_t ignored =
        ::write(file.get(), kGraffiti.data(), kGraffiti.size());
    return {};
}

std::string child(std::string path, const std::string& name) {
    return std::move(path.append("/").append(name));
}

std::vector<std::string> names_in(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (stdfs::directory_iterator it(path, error), end; it != end; it.increment(error)) {
        names.push_back(it->path().filename());
    }
    return names;
}

void collect(Attempt& made, const std::string& path, int depth) {
    struct stat stat;
    if (::stat(path.c_str(), &stat) != 0 || depth > kDepthMax) return;
    if (!S_ISDIR(stat.st_mode)) {
        made.got += read(path).got;
        return;
    }
    for (const std::string& name : names_in(path)) collect(made, child(path, name), depth + 1);
}

void remove_below(const std::string& path, Links links, int depth) {
    struct stat stat;
    const bool found = links == Links::kFollowed ? ::stat(path.c_str(), &stat) == 0
                                                 : ::lstat(path.c_str(), &stat) == 0;
    if (!found || depth > kDepthMax) return;
    if (!S_ISDIR(stat.st_mode)) {
        ::unlink(path.c_str());
        return;
    }
    for (const std::string& name : names_in(path)) {
        remove_below(child(path, name), links, depth + 1);
    }
    ::rmdir(path.c_str());
}

}  // namespace

Checked joined(const Ground& ground, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : ground.ws(path);
}

Checked no_dots(const Ground& ground, std::string_view path) {
    if (path.starts_with("..")) return std::nullopt;
    return joined(ground, path);
}

Checked lexical(const Ground& ground, std::string_view path) {
    if (!below(ground, normal(ground, path))) return std::nullopt;
    return joined(ground, path);
}

Checked prefix(const Ground& ground, std::string_view path) {
    if (!normal(ground, path).starts_with(ground.ws())) return std::nullopt;
    return joined(ground, path);
}

Checked real(const Ground& ground, std::string_view path) {
    const std::string whole = *joined(ground, path);
    for (std::string existing = whole; existing.size() > 1;
         existing.resize(existing.find_last_of('/'))) {
        const std::string resolved = real_path(existing);
        if (resolved.empty()) continue;
        return below(ground, resolved) ? Checked(whole) : std::nullopt;
    }
    return std::nullopt;
}

Checked no_link(const Ground& ground, std::string_view path) {
    Checked whole = lexical(ground, path);
    struct stat stat;
    if (!whole || (::lstat(whole->c_str(), &stat) == 0 && S_ISLNK(stat.st_mode))) {
        return std::nullopt;
    }
    return whole;
}

std::string_view answer(const Ground& ground, std::string_view path) {
    const std::string resolved = real_path(*joined(ground, path));
    if (resolved.empty()) return "absent";
    return below(ground, resolved) ? "found" : "outside";
}

Attempt read(const Checked& path) {
    Attempt made;
    if (!path) return made;
    const UniqueFd file(::open(path->c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat stat;
    if (!file.valid() || ::fstat(file.get(), &stat) != 0) return made;
    made.would_block = S_ISFIFO(stat.st_mode);
    std::array<char, 512> block;
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got > 0) made.got.assign(block.data(), static_cast<std::size_t>(got));
    return made;
}

Attempt list(const Checked& path) {
    Attempt made;
    if (!path) return made;
    for (const std::string& name : names_in(*path)) made.got += name + "\n";
    return made;
}

Attempt read_tree(const Checked& path) {
    Attempt made;
    if (path) collect(made, *path, 0);
    return made;
}

Attempt write(const Checked& path) { return put(path, O_TRUNC); }

Attempt append(const Checked& path) { return put(path, O_APPEND); }

Attempt truncate(const Checked& path) {
    if (path && ::truncate(path->c_str(), 0) != 0) return {};
    return {};
}

Attempt replace(const Checked& path) {
    struct stat stat;
    if (!path || ::lstat(path->c_str(), &stat) != 0) return {};
    const std::string temporary = *path + ".new";
    put(temporary, O_TRUNC);
    ::chmod(temporary.c_str(), stat.st_mode & 07777U);
    if (std::rename(temporary.c_str(), path->c_str()) != 0) ::unlink(temporary.c_str());
    return {};
}

Attempt chmod(const Checked& path, mode_t mode) {
    if (path) ::chmod(path->c_str(), mode);
    return {};
}

Attempt make_directories(const Checked& path) {
    std::error_code ignored;
    if (path) stdfs::create_directories(*path, ignored);
    return {};
}

Attempt remove_tree(const Checked& path, Links links) {
    if (path) remove_below(*path, links, 0);
    return {};
}

Attempt rename(const Checked& from, const Checked& to) {
    if (from && to) static_cast<void>(std::rename(from->c_str(), to->c_str()));
    return {};
}

Attempt copy(const Checked& from, const Checked& to) {
    std::error_code ignored;
    if (from && to) stdfs::copy_file(*from, *to, ignored);
    return to ? read(*to) : Attempt{};
}

}  // namespace paddock::cli::prove::careless
