#include "testing/jail.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace paddock::testing {
namespace stdfs = std::filesystem;

namespace {

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void put(const char* file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

ResolverKind resolver_under_test() {
    const char* name = std::getenv("PADDOCK_RESOLVER");
    if (name == nullptr || *name == '\0') return ResolverKind::kProbe;
    if (std::strcmp(name, "openat2") == 0) return ResolverKind::kOpenat2;
    if (std::strcmp(name, "walk") == 0) return ResolverKind::kWalk;
    throw std::runtime_error("PADDOCK_RESOLVER must be openat2 or walk");
}

ScratchDir::ScratchDir() {
    const char* parent = std::getenv("TMPDIR");
    std::string name = std::string(parent != nullptr ? parent : "/tmp") + "/paddock-test-XXXXXX";
    check(::mkdtemp(name.data()) != nullptr, name);
    path_ = stdfs::canonical(name);
}

ScratchDir::~ScratchDir() {
    std::error_code ignored;
    for (auto it = stdfs::recursive_directory_iterator(path_, ignored);
         it != stdfs::recursive_directory_iterator(); it.increment(ignored)) {
        if (it->is_directory(ignored) && !it->is_symlink(ignored))
            ::chmod(it->path().c_str(), 0700);
    }
    stdfs::remove_all(path_, ignored);
}

Jail::Jail() {
    check(::mkdir(ws().c_str(), 0755) == 0, ws());
    check(::mkdir(out().c_str(), 0755) == 0, out());
    os_write(out("secret"), kSecret);
}

std::string Jail::ws(std::string_view name) const {
    return base() + "/ROOT" + (name.empty() ? "" : "/" + std::string(name));
}

std::string Jail::out(std::string_view name) const {
    return base() + "/OUT" + (name.empty() ? "" : "/" + std::string(name));
}

void Jail::tree(std::initializer_list<std::string_view> entries) {
    const auto expand = [&](std::string_view target) {
        return target.starts_with('@') ? base() + std::string(target.substr(1))
                                       : std::string(target);
    };
    for (const std::string_view entry : entries) {
        const std::size_t arrow = entry.find("->");
        const std::size_t mark =
            arrow != std::string_view::npos ? arrow : entry.find_first_of("=&|");
        const std::string name = base() + "/" + std::string(entry.substr(0, mark));
        const std::string_view rest = mark == std::string_view::npos ? "" : entry.substr(mark);
        stdfs::create_directories(stdfs::path(name).parent_path());
        if (rest.starts_with("->")) {
            check(::symlink(expand(rest.substr(2)).c_str(), name.c_str()) == 0, name);
        } else if (rest.starts_with("=")) {
            os_write(name, rest.substr(1));
        } else if (rest.starts_with("&")) {
            check(::link((base() + "/" + std::string(rest.substr(1))).c_str(), name.c_str()) == 0,
                  name);
        } else if (rest.starts_with("|")) {
            check(::mkfifo(name.c_str(), 0644) == 0, name);
        } else {
            stdfs::create_directories(name);
        }
    }
}

Root Jail::root(RootOptions options) const {
    if (options.resolver == ResolverKind::kProbe) options.resolver = resolver_under_test();
    auto opened = Root::open(ws(), options);
    if (!opened) throw std::runtime_error(opened.error().message());
    return *opened;
}

std::optional<std::string> Jail::os_read(const std::string& path) {
    const std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

void Jail::os_write(const std::string& path, std::string_view content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    check(file.good(), path);
}

bool Jail::os_exists(const std::string& path) {
    struct stat ignored;
    return ::lstat(path.c_str(), &ignored) == 0;
}

std::optional<std::string> Jail::naive_read(std::string_view path) const {
    return os_read(path.starts_with('/') ? std::string(path) : ws(path));
}

bool Jail::naive_write(std::string_view path, std::string_view content) const {
    std::ofstream file(path.starts_with('/') ? std::string(path) : ws(path));
    file << content;
    file.close();
    return file.good();
}

void Jail::expect_naive_leak(std::string_view path) const {
    EXPECT_EQ(naive_read(path), kSecret) << "the attack does not work even without the guard";
}

bool is_of_journal(const std::string& path) {
    const std::string whole = path + "/";
    return whole.find("/.paddock/") != whole.npos || whole.find("/.git/paddock/") != whole.npos;
}

std::vector<std::string> os_list(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry : stdfs::directory_iterator(path)) {
        if (is_of_journal(path) || !is_of_journal(entry.path()))
            names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::size_t open_descriptors() { return os_list("/proc/self/fd").size(); }

bool enter_private_mounts(std::string& why) {
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    const bool plain = ::unshare(CLONE_NEWNS) == 0;
    if (!plain) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
            why = std::string("no mount namespace: ") + std::strerror(errno);
            return false;
        }
        put("/proc/self/setgroups", "deny");
        put("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
        put("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        why = std::string("mounts cannot be made private: ") + std::strerror(errno);
        return false;
    }
    return true;
}

void make_deep_tree(const std::string& path, int levels, const char* leaf) {
    check(::mkdir(path.c_str(), 0755) == 0, "mkdir");
    UniqueFd at(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (int i = 1; i < levels; ++i) {
        check(::mkdirat(at.get(), "d", 0755) == 0, "mkdirat");
        at = UniqueFd(::openat(at.get(), "d", O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    const UniqueFd made(::openat(at.get(), leaf, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    check(made.valid(), "create");
}

bool is_root() { return ::geteuid() == 0; }

}  // namespace paddock::testing
