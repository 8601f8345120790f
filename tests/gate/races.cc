// races NAME TRIES [naive]: one call again and again while another thread changes what it names.
// Prints how often something sealed was changed, and how often the call did something harmless: a
// judge that refuses everything loses too, and without a refusal there was no race. It goes on
// until it has seen both. `naive` puts a careless judge before the call, one that looks and then
// lets the kernel act on what is there by then: the control, outside. It stops at its first leak.
//
// Runs in a repository of the owner whose hook "pre-commit" is not executable.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace {

bool is_naive = false;

constexpr const char* kHooks = ".git/hooks";
constexpr const char* kHook = ".git/hooks/x";
constexpr const char* kOwnHook = ".git/hooks/pre-commit";
constexpr const char* kConfig = ".git/config";
constexpr const char* kEvil = "[core]\n\tfsmonitor = evil\n";
constexpr const char* kSafe = "[core]\n\tbare = false\n#########";
constexpr long kPatience = 100;  // until calls have succeeded and were refused
constexpr int kFirst = 50;       // descriptors that are exchanged

bool exists(const char* path) {
    struct stat status {};
    return ::lstat(path, &status) == 0;
}

ino_t inode(const char* path) {
    struct stat status {};
    return ::lstat(path, &status) == 0 ? status.st_ino : 0;
}

std::string link_text(const char* path) {
    std::array<char, 4096> text{};
    (void)!::readlink(path, text.data(), text.size() - 1);
    return text.data();
}

std::string content(const char* path) {
    std::array<char, 4096> text{};
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    (void)!::read(file, text.data(), text.size() - 1);
    ::close(file);
    return text.data();
}

void put(const char* path, const char* text) {
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    (void)!::write(file, text, std::strlen(text));
    ::close(file);
}

bool create(int directory, const char* path) {
    const int file = ::openat(directory, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    return file >= 0 && ::close(file) == 0;
}

void exchange(const char* one, const char* other) {
    (void)::syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

bool leads_to_hooks(const std::string& path) { return path.find("hooks") != std::string::npos; }

struct Race {
    const char* name;
    std::function<void()> swap;     // again and again, by the other thread
    std::function<bool()> is_free;  // what a careless judge sees
    std::function<bool()> act;      // did it succeed?
    std::function<bool()> leaked;
    std::function<void()> prepare = [] {};  // before each try
};

std::array<char, 64> memory{};  // the path that a call is given

// And leaves it for a moment, or nobody would ever see it whole.
void say(const char* path) {
    auto* bytes = static_cast<volatile char*>(memory.data());
    for (std::size_t i = 0; i <= std::strlen(path); ++i) bytes[i] = path[i];
    for (int i = 0; i < 500; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

bool memory_is(std::string_view path) {
    return std::string_view(memory.data(), ::strnlen(memory.data(), 64)) == path;
}
bool memory_is_free() { return memory_is("free/abcde/x"); }

void say_file_or_hook() {
    say("free/abcde/x");
    say(".git/hooks/pre-commit");
}

bool hook_leaked() {
    const bool is_there = exists(kHook);
    ::unlink(kHook);
    ::unlink("free/x");
    return is_there;
}

bool config_leaked() { return content(kConfig).find("evil") != std::string::npos; }

int lock = -1;
int free_directory = -1;
int hooks_directory = -1;

std::array<Race, 14> races() {
    return {{
        {"path_memory",
         [] {
             say("free/abcde/x");
             say(".git/hooks/x");
         },
         memory_is_free, [] { return create(AT_FDCWD, memory.data()); }, hook_leaked},
        // The gate lets the kernel open the device itself.
        {"device_in_path_memory",
         [] {
             say("/dev/null");
             say(".git/hooks/x");
         },
         [] { return memory_is("/dev/null"); }, [] { return create(AT_FDCWD, memory.data()); },
         hook_leaked},
        {"rename_to_path_memory",
         [] {
             say("free/abcde/x");
             say(".git/hooks/x");
         },
         memory_is_free, [] { return ::rename("moved", memory.data()) == 0; }, hook_leaked,
         [] { put("moved", kSafe); }},
        {"mode_of_path_memory", say_file_or_hook, memory_is_free,
         [] { return ::chmod(memory.data(), 0755) == 0; },
         [] {
             struct stat status {};
             return ::stat(kOwnHook, &status) == 0 && (status.st_mode & 0111) != 0;
         }},
        {"size_of_path_memory", say_file_or_hook, memory_is_free,
         [] { return ::truncate(memory.data(), 1) == 0; },
         [] { return content(kOwnHook) != "evil\n"; }},
        {"attribute_of_path_memory", say_file_or_hook, memory_is_free,
         [] { return ::setxattr(memory.data(), "user.x", "x", 1, 0) == 0; },
         [] { return ::getxattr(kOwnHook, "user.x", nullptr, 0) >= 0; }},
        {"working_directory",
         [] {
             (void)!::fchdir(free_directory);
             (void)!::fchdir(hooks_directory);
         },
         [] { return !leads_to_hooks(link_text("/proc/self/cwd")); },
         [] { return create(AT_FDCWD, "x"); },
         [] {
             const bool is_there = ::faccessat(hooks_directory, "x", F_OK, 0) == 0;
             ::unlinkat(hooks_directory, "x", 0);
             return is_there;
         }},
        {"directory_descriptor",
         [] {
             ::dup2(free_directory, kFirst);
             ::dup2(hooks_directory, kFirst);
         },
         [] { return !leads_to_hooks(link_text("/proc/self/fd/50")); },
         [] { return create(kFirst, "x"); }, hook_leaked},
        {"link_on_the_way", [] { exchange("to-free", "to-hooks"); },
         [] { return !leads_to_hooks(link_text("to-free")); },
         [] { return create(AT_FDCWD, "to-free/x"); }, hook_leaked},
        {"link_at_the_end", [] { exchange("to-free-x", "to-hook"); },
         [] { return !leads_to_hooks(link_text("to-free-x")); },
         [] { return create(AT_FDCWD, "to-free-x"); }, hook_leaked},
        {"directory_exchanged", [] { exchange("p/g", "p/x"); },
         [] { return !exists("p/x/objects"); }, [] { return create(AT_FDCWD, "p/x/hooks/y"); },
         [] {
             bool leaked = false;
             for (const std::string each : {"p/g", "p/x"}) {
                 const int directory = ::open(each.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
                 leaked = leaked || (::faccessat(directory, "objects", F_OK, 0) == 0 &&
                                     ::faccessat(directory, "hooks/y", F_OK, 0) == 0);
                 ::unlinkat(directory, "hooks/y", 0);
                 ::close(directory);
             }
             return leaked;
         }},
        {"config_through_its_lock",
         [] {
             (void)!::pwrite(lock, kEvil, std::strlen(kEvil), 0);
             (void)!::pwrite(lock, kSafe, std::strlen(kSafe), 0);
         },
         [] { return content(".git/config.lock").find("evil") == std::string::npos; },
         [] { return ::rename(".git/config.lock", kConfig) == 0; },
         [] {
             (void)!::pwrite(lock, kEvil, std::strlen(kEvil), 0);
             return config_leaked();
         },
         [] {
             const int made =
                 ::open(".git/config.lock", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
             (void)!::write(made, kSafe, std::strlen(kSafe));
             ::dup2(made, kFirst + 1);
             ::close(made);
             lock = kFirst + 1;
         }},
        {"config_by_a_second_name",
         [] {
             put("y", kEvil);
             put("y", kSafe);
         },
         [] { return content("x").find("evil") == std::string::npos; },
         [] { return ::rename("x", kConfig) == 0; },
         [] {
             put("y", kEvil);
             return config_leaked();
         },
         [] {
             ::unlink("x");
             (void)!::link("y", "x");
         }},
        {"link_of_a_descriptor",
         [] {
             ::dup2(kFirst + 2, kFirst);
             ::dup2(kFirst + 3, kFirst);
         },
         [] {
             struct stat status {};
             return ::fstat(kFirst, &status) == 0 && status.st_ino != inode(kConfig);
         },
         [] {
             return ::linkat(AT_FDCWD, "/proc/self/fd/50", AT_FDCWD, "c", AT_SYMLINK_FOLLOW) == 0;
         },
         [] { return inode("c") == inode(kConfig); }, [] { ::unlink("c"); }},
    }};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    is_naive = argc > 3;
    ::mkdir("free", 0755);
    ::mkdir("free/abcde", 0755);
    // Not while another one exchanges them.
    if (::mkdir("p", 0755) == 0) {
        for (const char* each :
             {"p/g", "p/g/refs", "p/g/objects", "p/g/hooks", "p/x", "p/x/hooks"}) {
            ::mkdir(each, 0755);
        }
    }
    (void)!::symlink("free", "to-free");
    (void)!::symlink(kHooks, "to-hooks");
    (void)!::symlink("free/x", "to-free-x");
    (void)!::symlink(kHook, "to-hook");
    put("y", kSafe);
    put("free/abcde/x", kSafe);
    free_directory = ::open("free", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    hooks_directory = ::open(kHooks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::dup2(free_directory, kFirst);
    ::dup2(::open(kConfig, O_RDONLY), kFirst + 2);
    ::dup2(::open("free/abcde/x", O_RDONLY), kFirst + 3);
    const long tries = std::atol(argv[2]);
    for (const Race& race : races()) {
        if (std::strcmp(race.name, argv[1]) != 0) continue;
        race.prepare();
        std::atomic<bool> over = false;
        std::thread attacker([&] {
            while (!over) race.swap();
        });
        long leaks = 0;
        long acted = 0;
        long harmless = 0;
        const auto is_enough = [&](long i) {
            if (is_naive) return leaks > 0 || i >= tries;
            const bool has_both = harmless > 0 && harmless < acted;
            return i >= tries && (has_both || i >= kPatience * tries);
        };
        for (long i = 0; !is_enough(i); ++i) {
            race.prepare();
            if (is_naive) {
                if (!race.is_free()) continue;
                // It is slow as well: the attacker has its turn, also on a single processor.
                std::this_thread::yield();
            }
            ++acted;
            const bool done = race.act();
            const bool leaked = race.leaked();
            leaks += leaked ? 1 : 0;
            harmless += done && !leaked ? 1 : 0;
        }
        over = true;
        attacker.join();
        std::printf("leaks %ld of %ld\nharmless %ld\n", leaks, acted, harmless);
        return acted > 0 ? 0 : 3;
    }
    return 2;
}
