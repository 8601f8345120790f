#include "cli/prove/ground.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "sys/dir.h"

namespace paddock::cli::prove {
namespace {

namespace stdfs = std::filesystem;

void must(bool done, const std::string& what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
}

void put(const std::string& path, std::string_view content) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    must(file.valid(), path);
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    must(written == static_cast<ssize_t>(content.size()), path);
}

void append_content(std::string& text, int directory, const char* name) {
    const UniqueFd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 512> block;
    const ssize_t got = file.valid() ? ::read(file.get(), block.data(), block.size()) : -1;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
}

// Runs in every round of a race, hence bare system calls.
void describe(std::string& text, int parent, const char* name) {
    struct stat stat;
    if (::fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) != 0) return;
    text.append(name).append(" ");
    for (const auto number : {static_cast<long>(stat.st_mode), static_cast<long>(stat.st_size),
                              stat.st_mtim.tv_sec, stat.st_mtim.tv_nsec}) {
        text.append(std::to_string(number)).append(" ");
    }
    if (S_ISREG(stat.st_mode)) append_content(text, parent, name);
    text += '\n';
    if (!S_ISDIR(stat.st_mode)) return;
    const UniqueFd directory(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::vector<std::string> children;
    sys::DirReader reader;
    for (auto entry = reader.next(directory.get()); entry && *entry != nullptr;
         entry = reader.next(directory.get())) {
        children.emplace_back((*entry)->name);
    }
    std::sort(children.begin(), children.end());
    for (const std::string& child : children) describe(text, directory.get(), child.c_str());
}

}  // namespace

Ground::Ground(std::string base) : base_(std::move(base)) {
    for (const std::string& directory : {base_, ws(), out(), out("tree"), base_ + "/ws-evil"}) {
        must(::mkdir(directory.c_str(), 0755) == 0, directory);
    }
    put(out("secret"), kSecret);
    put(out(kSecret), "");
    put(out("tree/leaf"), "outside leaf");
    put(base_ + "/ws-evil/secret", kSecret);
}

Ground::~Ground() {
    std::error_code ignored;
    stdfs::remove_all(base_, ignored);
}

std::string Ground::ws(std::string_view name) const {
    return base_ + "/ws" + (name.empty() ? "" : "/") + std::string(name);
}

std::string Ground::out(std::string_view name) const {
    return base_ + "/outside" + (name.empty() ? "" : "/") + std::string(name);
}

void Ground::plant(const std::vector<std::string_view>& tree) const { plant_in(ws(), tree); }

void Ground::plant_in(const std::string& directory,
                      const std::vector<std::string_view>& tree) const {
    for (const std::string_view entry : tree) {
        const std::size_t end = entry.find_first_of("-=|%&");
        const std::string_view name = entry.substr(0, end);
        const std::string path = directory + "/" + std::string(name);
        const std::string rest(end == std::string_view::npos ? "" : entry.substr(end));
        stdfs::create_directories(stdfs::path(path).parent_path());
        if (rest.empty()) {
            stdfs::create_directories(path);
        } else if (rest.starts_with("->@")) {
            must(::symlink((base_ + rest.substr(3)).c_str(), path.c_str()) == 0, path);
        } else if (rest.starts_with("->")) {
            must(::symlink(rest.c_str() + 2, path.c_str()) == 0, path);
        } else if (rest[0] == '=') {
            put(path, rest == "=@" ? std::string(kSecret) : rest.substr(1));
        } else if (rest[0] == '|') {
            must(::mkfifo(path.c_str(), 0644) == 0, path);
        } else if (rest[0] == '%') {
            const auto mode = std::strtoul(rest.c_str() + 1, nullptr, 8);
            must(::chmod(path.c_str(), static_cast<mode_t>(mode)) == 0, path);
        } else {
            must(::link((directory + "/" + rest.substr(1)).c_str(), path.c_str()) == 0, path);
        }
    }
}

void Ground::replant(const std::vector<std::string_view>& tree) const {
    const std::string_view top = tree.front().substr(0, tree.front().find('/'));
    std::vector<std::string_view> below;
    below.reserve(tree.size());
    for (const std::string_view entry : tree) below.push_back(entry.substr(top.size() + 1));
    std::error_code absent;
    stdfs::rename(ws(top), ws(".old"), absent);
    stdfs::remove_all(ws(".old"));
    plant_in(ws(".new"), below);
    stdfs::rename(ws(".new"), ws(top));
}

std::string Ground::outside() const {
    std::string text;
    text.reserve(1024);
    describe(text, AT_FDCWD, out().c_str());
    describe(text, AT_FDCWD, (base_ + "/ws-evil").c_str());
    return text;
}

UniqueFd Ground::open_secret() const {
    UniqueFd secret(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    must(secret.valid(), out("secret"));
    return secret;
}

}  // namespace paddock::cli::prove
