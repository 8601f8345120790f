// calls [PREFIX...]: odd file-system calls, each group in a fresh directory below the current one,
// with the result of every call and the tree that is left. `calls --count` says how many groups.
//
// It prints nothing that differs between two runs or two machines: no times, no process ids, no
// absolute paths. So its output outside and inside the sandbox can be compared line by line; see
// calls_test.cc. A group runs in a process of its own: its umask, limits and descriptors go with
// it.
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gate/tree.h"

namespace {

using gate::describe;
using gate::error_name;

constexpr int kReport = 200;           // the descriptor that lines go to, out of every group's way
constexpr int kHangsMs = 20'000;       // only so that a mistake ends some time
constexpr rlim_t kDescriptors = 1024;  // the same outside and inside

std::string program;    // this one, to be run again
std::string workspace;  // where all groups lie, absolute
std::string group;      // the name of the one that runs

std::string without_workspace(std::string text) {
    for (std::size_t at = text.find(workspace); at != std::string::npos;
         at = text.find(workspace)) {
        text.replace(at, workspace.size(), "<ws>");
    }
    return text;
}

void note(const std::string& step, const std::string& text) {
    const std::string line = group + " " + step + ": " + without_workspace(text) + "\n";
    (void)!::write(kReport, line.data(), line.size());
}

// The result of a call, or its error by name.
long say(const std::string& step, long result) {
    const int error = errno;
    note(step, result < 0 ? error_name(error) : std::to_string(result));
    return result;
}

std::string flags_of(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    std::string text;
    switch (flags & O_ACCMODE) {
        case O_RDONLY: text = "RDONLY"; break;
        case O_WRONLY: text = "WRONLY"; break;
        case O_RDWR: text = "RDWR"; break;
        default: text = "3";
    }
    struct Flag {
        int value;
        const char* name;
    };
    for (const Flag& flag :
         {Flag{O_APPEND, "APPEND"}, Flag{O_NONBLOCK, "NONBLOCK"}, Flag{O_DSYNC, "DSYNC"},
          Flag{O_ASYNC, "ASYNC"}, Flag{O_DIRECT, "DIRECT"}, Flag{O_DIRECTORY, "DIRECTORY"},
          Flag{O_NOFOLLOW, "NOFOLLOW"}, Flag{O_NOATIME, "NOATIME"}, Flag{O_PATH, "PATH"},
          Flag{O_TMPFILE & ~O_DIRECTORY, "TMPFILE"}}) {
        if ((flags & flag.value) == flag.value) text += std::string("|") + flag.name;
    }
    if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) text += " cloexec";
    return text;
}

// What F_GETFL and F_GETFD say of a new descriptor, whose number is of no interest here.
int opened(const std::string& step, int fd) {
    const int error = errno;
    note(step, fd < 0 ? error_name(error) : flags_of(fd));
    return fd;
}

// The same for one that is not needed.
void tried(const std::string& step, int fd) {
    if (opened(step, fd) >= 0) ::close(fd);
}

void show(const std::string& name) { note("see " + name, describe(AT_FDCWD, name)); }

void put(const std::string& name, std::string_view text = "old", mode_t mode = 0644) {
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 || ::write(file, text.data(), text.size()) < 0) say("put " + name, -1);
    if (file >= 0) ::close(file);
}

void add(int fd, std::string_view text) { (void)!::write(fd, text.data(), text.size()); }

std::string here() {
    std::array<char, 4096> path;
    return ::getcwd(path.data(), path.size()) == nullptr ? "" : path.data();
}

std::string fd_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

int directory(const std::string& name) {
    (void)::mkdir(name.c_str(), 0755);
    return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// In a child, which leaves with what the function returns.
int in_child(const std::function<int()>& act) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(act());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int run_program(const std::vector<std::string>& words) {
    return in_child([&] {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        ::execv(arguments[0], arguments.data());
        return 100 + (errno == ETXTBSY ? 1 : 0);
    });
}

void each_thread(int count, const std::function<void(int)>& act) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(act, i);
    for (std::thread& thread : threads) thread.join();
}

constexpr char* kBad = nullptr;
char* unmapped() {
    static auto* page =
        static_cast<char*>(::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return page;
}

// The text so that its last byte is the last one before a page that cannot be read.
char* at_page_end(std::string_view text) {
    auto* pages = static_cast<char*>(
        ::mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(pages + 2 * 4096L, 4096, PROT_NONE);
    char* place = pages + 2 * 4096L - text.size();
    std::memcpy(place, text.data(), text.size());
    return place;
}

struct Address {
    sockaddr_un name{};
    socklen_t size = 0;
    explicit Address(const std::string& path) {
        name.sun_family = AF_UNIX;
        const std::size_t length = std::min(path.size(), sizeof name.sun_path);
        std::memcpy(name.sun_path, path.data(), length);
        size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length +
                                      (length < sizeof name.sun_path ? 1 : 0));
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

int unix_socket(int type = SOCK_STREAM) { return ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0); }

int bind_to(const std::string& step, const std::string& path, int type = SOCK_STREAM) {
    const int server = unix_socket(type);
    if (server < 0) {
        say("socket", server);
        return server;
    }
    const Address address(path);
    say(step, ::bind(server, address.get(), address.size));
    return server;
}

// --- open ----------------------------------------------------------------------------------------

struct Flags {
    int value;
    const char* name;
};

constexpr Flags kFlags[] = {
    {O_RDONLY, "RDONLY"},
    {O_WRONLY, "WRONLY"},
    {O_RDWR, "RDWR"},
    {O_ACCMODE, "3"},
    {O_CREAT | O_RDONLY, "CREAT"},
    {O_CREAT | O_WRONLY, "CREAT|WRONLY"},
    {O_CREAT | O_EXCL | O_WRONLY, "CREAT|EXCL"},
    {O_CREAT | O_TRUNC | O_RDWR, "CREAT|TRUNC"},
    {O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_RDWR, "CREAT|EXCL|TRUNC|NOFOLLOW"},
    {O_EXCL | O_WRONLY, "EXCL alone"},
    {O_RDONLY | O_TRUNC, "RDONLY|TRUNC"},
    {O_WRONLY | O_TRUNC, "WRONLY|TRUNC"},
    {O_WRONLY | O_TRUNC | O_APPEND, "TRUNC|APPEND"},
    {O_WRONLY | O_APPEND, "APPEND"},
    {O_RDWR | O_APPEND | O_CREAT, "CREAT|APPEND"},
    {O_WRONLY | O_NOFOLLOW, "NOFOLLOW"},
    {O_WRONLY | O_CREAT | O_NOFOLLOW, "CREAT|NOFOLLOW"},
    {O_RDONLY | O_DIRECTORY, "DIRECTORY"},
    {O_RDWR | O_DIRECTORY, "RDWR|DIRECTORY"},
    {O_CREAT | O_DIRECTORY | O_RDONLY, "CREAT|DIRECTORY"},
    {O_PATH, "PATH"},
    {O_PATH | O_CREAT, "PATH|CREAT"},
    {O_PATH | O_NOFOLLOW, "PATH|NOFOLLOW"},
    {O_WRONLY | O_SYNC, "SYNC"},
    {O_WRONLY | O_DSYNC | O_CREAT, "CREAT|DSYNC"},
    {O_RDWR | O_NOATIME, "NOATIME"},
    {O_RDWR | O_NONBLOCK | O_CREAT, "CREAT|NONBLOCK"},
    {O_RDWR | O_ASYNC, "ASYNC"},
    {O_RDWR | O_CREAT | O_CLOEXEC, "CREAT|CLOEXEC"},
    {O_RDWR | O_NOCTTY, "NOCTTY"},
    {O_RDWR | O_CREAT | 0x40000000, "CREAT|unknown"},
    {O_TMPFILE | O_RDWR, "TMPFILE"},
    {O_TMPFILE | O_WRONLY | O_CLOEXEC, "TMPFILE|WRONLY"},
    {O_TMPFILE | O_RDONLY, "TMPFILE|RDONLY"},
    {O_TMPFILE | O_RDWR | O_CREAT, "TMPFILE|CREAT"},
};

// Every combination on a name that `make` has made anew.
void every_flag(const std::function<void(const std::string&)>& make, int always = 0) {
    int number = 0;
    for (const Flags& flags : kFlags) {
        const std::string name = "t" + std::to_string(++number);
        make(name);
        tried(flags.name, ::open(name.c_str(), flags.value | always, 0640));
    }
}

void open_missing() {
    every_flag([](const std::string&) {});
}
void open_file() {
    every_flag([](const std::string& name) { put(name); });
}
void open_directory() {
    every_flag([](const std::string& name) { ::mkdir(name.c_str(), 0755); });
}
void open_link_to_file() {
    put("target");
    every_flag([](const std::string& name) { (void)!::symlink("target", name.c_str()); });
}
void open_dangling_link() {
    every_flag(
        [](const std::string& name) { (void)!::symlink(("made-" + name).c_str(), name.c_str()); });
}
void open_link_to_directory() {
    ::mkdir("target", 0755);
    every_flag([](const std::string& name) { (void)!::symlink("target", name.c_str()); });
}
void open_fifo_flags() {
    every_flag([](const std::string& name) { ::mkfifo(name.c_str(), 0644); }, O_NONBLOCK);
}
void open_socket_file() {
    every_flag([](const std::string& name) { ::mknod(name.c_str(), S_IFSOCK | 0644, 0); });
}
void open_read_only_file() {
    every_flag([](const std::string& name) { put(name, "old", 0444); });
}
void open_closed_file() {
    every_flag([](const std::string& name) { put(name, "old", 0); });
}
void open_write_only_file() {
    every_flag([](const std::string& name) { put(name, "old", 0200); });
}

void open_writes_where_it_should() {
    put("f", "0123456789");
    const int append = ::open("f", O_WRONLY | O_APPEND);
    const int write = ::open("f", O_WRONLY);
    add(append, "A");
    add(write, "b");
    add(append, "B");
    say("offset", ::lseek(write, 0, SEEK_CUR));
    say("append offset", ::lseek(append, 0, SEEK_CUR));
    ::fcntl(write, F_SETFL, O_APPEND);
    add(write, "C");
    note("flags", flags_of(write));
    show("f");
    const int both = ::open("f", O_RDWR);
    const int same = ::dup(both);
    add(same, "xy");
    say("shared offset", ::lseek(both, 0, SEEK_CUR));
    char text[3] = {};
    say("read", ::read(both, text, 2));
    note("text", text);
}

void open_modes() {
    ::umask(0);
    int number = 0;
    for (const unsigned mode : {0U, 0200U, 0400U, 0444U, 0600U, 0644U, 0666U, 0777U, 01644U}) {
        const std::string name = "m" + std::to_string(++number);
        tried(name, ::open(name.c_str(), O_RDWR | O_CREAT, mode));
        tried(name + " again", ::open(name.c_str(), O_RDWR));
        tried(name + " exists", ::open(name.c_str(), O_RDWR | O_CREAT, 0777));
    }
    // The kernel takes 16 bits of a mode and 32 of flags and directories.
    tried("high mode", static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "high-mode",
                                                  O_WRONLY | O_CREAT, 0xabcd0000UL | 0640UL)));
    tried("high flags", static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "high-flags",
                                                   (1UL << 40) | O_WRONLY | O_CREAT, 0600)));
}

void open_set_id_modes() {
    tried("setuid", ::open("setuid", O_WRONLY | O_CREAT, 04755));
    tried("setgid", ::open("setgid", O_WRONLY | O_CREAT, 02755));
}

void open_legacy_calls() {
#ifdef SYS_open
    tried("open", static_cast<int>(::syscall(SYS_open, "a", O_WRONLY | O_CREAT, 0644)));
    tried("open excl",
          static_cast<int>(::syscall(SYS_open, "a", O_WRONLY | O_CREAT | O_EXCL, 0644)));
    tried("creat", static_cast<int>(::syscall(SYS_creat, "b", 0600)));
    tried("creat again", static_cast<int>(::syscall(SYS_creat, "b", 0644)));
    tried("creat directory", static_cast<int>(::syscall(SYS_creat, ".", 0644)));
    say("mkdir", ::syscall(SYS_mkdir, "d", 0750));
    say("rename", ::syscall(SYS_rename, "a", "d/a"));
    say("link", ::syscall(SYS_link, "b", "c"));
    say("symlink", ::syscall(SYS_symlink, "b", "l"));
    say("mknod", ::syscall(SYS_mknod, "p", S_IFIFO | 0644, 0));
    say("unlink", ::syscall(SYS_unlink, "c"));
    say("rmdir", ::syscall(SYS_rmdir, "d"));
    say("renameat", ::syscall(SYS_renameat, AT_FDCWD, "d/a", AT_FDCWD, "a"));
    say("rmdir now", ::syscall(SYS_rmdir, "d"));
    say("chmod", ::syscall(SYS_chmod, "a", 0600));
#endif
}

void creat_truncates() {
    put("f", "long text");
    const int file = opened("creat", ::creat("f", 0600));
    show("f");
    char byte = 0;
    say("read", ::read(file, &byte, 1));
    add(file, "new");
    tried("creat in nothing", ::creat("no/f", 0600));
    tried("creat of directory", ::creat(".", 0600));
    tried("creat through file", ::creat("f/x", 0600));
}

void openat2_call() {
    struct {
        std::uint64_t flags, mode, resolve;
    } how{O_WRONLY | O_CREAT, 0644, 0};
    tried("openat2", static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, "made", &how, sizeof how)));
}

void trailing_slashes() {
    put("f");
    ::mkdir("d", 0755);
    (void)!::symlink("d", "l");
    (void)!::symlink("nothing", "dangling");
    for (const char* name :
         {"new/",   "f/",       "d/",     "l/",      "dangling/", "d/.",  "d/..", ".",
          "..",     "./",       "f/.",    "f/..",    "f/x",       "no/x", "d//x", "./d/./y",
          "d/../z", "d/../d/w", "l/../v", "no/../u", "f/../u",    "",     "///"}) {
        tried("create '" + std::string(name) + "'", ::open(name, O_WRONLY | O_CREAT, 0644));
    }
    for (const char* name : {"f/", "d/", "l/", "d/.", "f/.", ""}) {
        tried("write '" + std::string(name) + "'", ::open(name, O_WRONLY));
    }
}

void names_of_all_kinds() {
    const std::string long_name(255, 'n');
    for (const std::string& name :
         {std::string("new\nline"), std::string("\xff\xfe"), std::string("-rf"), std::string(" "),
          std::string("..."), std::string("..a"), std::string("a\\b"), std::string("*"),
          std::string("\xc3\xa9"), std::string("e\xcc\x81"), long_name, long_name + "x"}) {
        tried(gate::escaped(name).substr(0, 20), ::open(name.c_str(), O_WRONLY | O_CREAT, 0644));
    }
    say("mkdir too long", ::mkdir((long_name + "x").c_str(), 0755));
    say("rename too long", ::rename("...", (long_name + "x").c_str()));
    say("symlink too long", ::symlink("x", (long_name + "x").c_str()));
    say("unlink too long", ::unlink((long_name + "x").c_str()));
}

void paths_of_all_lengths() {
    std::string path = "f";
    while (path.size() + 2 < 4096) path.insert(0, "./");
    say("length", static_cast<long>(path.size()));
    tried("longest", ::open(path.c_str(), O_WRONLY | O_CREAT, 0644));
    tried("too long", ::open(("/" + path).c_str(), O_WRONLY | O_CREAT, 0644));
    tried("much too long", ::open(std::string(70'000, '/').c_str(), O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir((path.substr(0, path.size() - 1) + "d").c_str(), 0755));
    say("rename", ::rename(path.c_str(), (path.substr(0, path.size() - 1) + "g").c_str()));
    say("target of 4095", ::symlink(std::string(4095, 't').c_str(), "l"));
    say("target of 4096", ::symlink(std::string(4096, 't').c_str(), "l2"));
}

void directory_descriptors() {
    const int d = directory("d");
    put("f");
    const int f = ::open("f", O_RDONLY);
    const int by_path = ::open("d", O_PATH | O_DIRECTORY);
    (void)!::symlink("d", "l");
    const int link = ::open("l", O_PATH | O_NOFOLLOW);
    tried("in d", ::openat(d, "x", O_WRONLY | O_CREAT, 0644));
    tried("above d", ::openat(d, "../y", O_WRONLY | O_CREAT, 0644));
    tried("dot of d", ::openat(d, ".", O_WRONLY | O_CREAT, 0644));
    tried("empty in d", ::openat(d, "", O_WRONLY | O_CREAT, 0644));
    tried("in a file", ::openat(f, "x", O_WRONLY | O_CREAT, 0644));
    tried("by O_PATH", ::openat(by_path, "z", O_WRONLY | O_CREAT, 0644));
    tried("in a link", ::openat(link, "x", O_WRONLY | O_CREAT, 0644));
    tried("bad", ::openat(-1, "x", O_WRONLY | O_CREAT, 0644));
    tried("closed", ::openat(150, "x", O_WRONLY | O_CREAT, 0644));
    tried("bad, empty", ::openat(150, "", O_WRONLY | O_CREAT, 0644));
    tried("bad, absolute", ::openat(150, (here() + "/a").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("high half",
          static_cast<int>(::syscall(SYS_openat, (1UL << 40) | static_cast<unsigned>(d), "high",
                                     O_WRONLY | O_CREAT, 0644)));
    tried("AT_FDCWD", ::openat(AT_FDCWD, "cwd", O_WRONLY | O_CREAT, 0644));
    say("mkdirat", ::mkdirat(d, "dd", 0755));
    say("mkdirat bad", ::mkdirat(150, "dd", 0755));
    say("renameat", ::renameat(d, "x", AT_FDCWD, "moved"));
    say("renameat bad", ::renameat(150, "x", AT_FDCWD, "moved"));
    say("renameat to bad", ::renameat(AT_FDCWD, "moved", 150, "x"));
    say("linkat", ::linkat(AT_FDCWD, "moved", d, "hard", 0));
    say("symlinkat", ::symlinkat("hard", by_path, "soft"));
    say("unlinkat", ::unlinkat(d, "z", 0));
    say("unlinkat in file", ::unlinkat(f, "z", 0));
}

void directory_that_moves() {
    const int d = directory("d");
    ::mkdir("e", 0755);
    say("move", ::rename("d", "e/d2"));
    tried("create", ::openat(d, "x", O_WRONLY | O_CREAT, 0644));
    tried("create above", ::openat(d, "../y", O_WRONLY | O_CREAT, 0644));
    say("replace", ::mkdir("d", 0755));
    tried("create again", ::openat(d, "z", O_WRONLY | O_CREAT, 0644));
}

void directory_that_is_gone() {
    const int d = directory("d");
    say("rmdir", ::rmdir("d"));
    tried("create", ::openat(d, "x", O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdirat(d, "x", 0755));
    tried("dot", ::openat(d, ".", O_RDONLY | O_DIRECTORY));
    tried("tmpfile", ::openat(d, ".", O_TMPFILE | O_RDWR, 0600));
    say("symlink", ::symlinkat("x", d, "y"));
    put("f");
    say("link", ::linkat(AT_FDCWD, "f", d, "x", 0));
    say("rename", ::renameat(AT_FDCWD, "f", d, "x"));
}

void removed_cwd() {
    ::mkdir("d", 0755);
    say("chdir", ::chdir("d"));
    say("rmdir", ::rmdir("../d"));
    tried("create", ::open("x", O_WRONLY | O_CREAT, 0644));
    tried("create dot", ::open("./x", O_WRONLY | O_CREAT, 0644));
    tried("create above", ::open("../above", O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir("y", 0755));
    say("unlink", ::unlink("x"));
    say("rename out", ::rename("x", "../z"));
    say("rename in", ::rename("../above", "x"));
    tried("absolute", ::open((workspace + "/" + group + "/abs").c_str(), O_WRONLY | O_CREAT, 0644));
}

void moved_cwd() {
    ::mkdir("d", 0755);
    ::mkdir("e", 0755);
    say("chdir", ::chdir("d"));
    say("rename", ::rename("../d", "../e/f"));
    tried("create", ::open("x", O_WRONLY | O_CREAT, 0644));
    tried("create above", ::open("../y", O_WRONLY | O_CREAT, 0644));
    note("cwd", here());
}

// The name of the working directory is longer than a path can be.
void cwd_over_4k() {
    const std::string name(200, 'd');
    for (int i = 0; i < 25; ++i) {
        if (::mkdir(name.c_str(), 0755) != 0 || ::chdir(name.c_str()) != 0) {
            say("level " + std::to_string(i), -1);
            return;
        }
    }
    tried("create", ::open("x", O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir("d", 0755));
    say("rename", ::rename("x", "d/y"));
    say("symlink", ::symlink("y", "d/l"));
    tried("through the link", ::open("d/l", O_WRONLY | O_TRUNC));
    tried("above", ::open("../z", O_WRONLY | O_CREAT, 0644));
    say("unlink", ::unlink("d/l"));
    say("unlink file", ::unlink("d/y"));
    say("rmdir", ::rmdir("d"));
    show("x");
}

void deep_directories() {
    std::string path;
    for (int i = 0; i < 200; ++i) {
        path += (i == 0 ? "" : "/") + std::to_string(i % 10);
        if (::mkdir(path.c_str(), 0755) != 0) say("level " + std::to_string(i), -1);
    }
    tried("create", ::open((path + "/x").c_str(), O_WRONLY | O_CREAT, 0644));
    say("rename up", ::rename((path + "/x").c_str(), "x"));
    say("move whole", ::rename("0", "whole"));
    path.replace(0, 1, "whole");
    say("rmdir", ::rmdir(path.c_str()));
    say("rmdir again", ::rmdir(path.c_str()));
}

// --- links on the way ----------------------------------------------------------------------------

void links_last() {
    put("f");
    (void)!::symlink("f", "one");
    (void)!::symlink("one", "two");
    (void)!::symlink((here() + "/f").c_str(), "absolute");
    (void)!::symlink("./d/../f", "winding");
    (void)!::symlink("new", "dangling");
    (void)!::symlink("dangling", "dangling2");
    (void)!::symlink((here() + "/new-abs").c_str(), "dangling-abs");
    (void)!::symlink("no/new", "nowhere");
    (void)!::symlink("f/", "slash");
    (void)!::symlink("new-dir/", "slash-new");
    (void)!::symlink("self", "self");
    (void)!::symlink("pong", "ping");
    (void)!::symlink("ping", "pong");
    ::mkdir("d", 0755);
    for (const char* name : {"one", "two", "absolute", "winding", "dangling", "dangling2",
                             "dangling-abs", "nowhere", "slash", "slash-new", "self", "ping"}) {
        tried("write " + std::string(name), ::open(name, O_WRONLY));
        tried("create " + std::string(name), ::open(name, O_WRONLY | O_CREAT, 0644));
        tried("create anew " + std::string(name), ::open(name, O_WRONLY | O_CREAT | O_EXCL, 0644));
        tried("nofollow " + std::string(name), ::open(name, O_WRONLY | O_NOFOLLOW));
    }
}

void links_on_the_way() {
    ::mkdir("d", 0755);
    ::mkdir("d/e", 0755);
    (void)!::symlink("d", "to-d");
    (void)!::symlink("to-d", "to-to-d");
    (void)!::symlink("../../d", "d/e/up");
    (void)!::symlink((here() + "/d").c_str(), "abs-d");
    (void)!::symlink("loop", "loop");
    (void)!::symlink("nothing", "dangling");
    put("f");
    (void)!::symlink("f", "to-f");
    for (const char* name : {"to-d/a", "to-to-d/b", "d/e/up/c", "abs-d/d", "d/e/up/e/up/f",
                             "loop/x", "dangling/x", "to-f/x", "to-d/../g", "d/e/up/../h"}) {
        tried("create " + std::string(name), ::open(name, O_WRONLY | O_CREAT, 0644));
    }
    tried("nofollow on the way", ::open("to-d/i", O_WRONLY | O_CREAT | O_NOFOLLOW, 0644));
    say("mkdir", ::mkdir("to-d/j", 0755));
    say("rename", ::rename("to-d/a", "abs-d/k"));
    say("unlink", ::unlink("to-to-d/b"));
    say("rmdir", ::rmdir("to-d/j"));
    say("link", ::link("to-d/k", "to-to-d/l"));
    say("symlink", ::symlink("k", "to-d/m"));
    say("mkdir at a link", ::mkdir("to-d", 0755));
    say("mkdir at a link/", ::mkdir("to-d/", 0755));
    say("mkdir at dangling", ::mkdir("dangling", 0755));
    say("mkdir at dangling/", ::mkdir("dangling/", 0755));
    say("rmdir of a link", ::rmdir("to-d"));
    say("rmdir of a link/", ::rmdir("to-d/"));
    say("unlink of a link/", ::unlink("to-d/"));
}

void chain_of_links() {
    put("0");
    for (int i = 1; i <= 42; ++i) {
        (void)!::symlink(std::to_string(i - 1).c_str(), std::to_string(i).c_str());
    }
    // The kernel follows 40. A lookup that it begins anew, up to three times, counts on: between
    // 13 and 40 its answer depends on what it has in memory.
    for (const int length : {1, 13, 41, 42}) {
        tried(std::to_string(length), ::open(std::to_string(length).c_str(), O_WRONLY));
    }
    ::unlink("0");
    tried("13 create", ::open("13", O_WRONLY | O_CREAT, 0644));
    tried("41 create", ::open("41", O_WRONLY | O_CREAT, 0644));
}

void links_out() {
    (void)!::symlink("/dev/null", "null");
    (void)!::symlink("/dev/full", "full");
    (void)!::symlink("/proc/self/cwd/by-cwd", "by-cwd-link");
    const int file = ::open("f", O_RDWR | O_CREAT, 0644);
    (void)!::symlink(fd_path(file).c_str(), "by-fd");
    const int null = opened("null", ::open("null", O_WRONLY));
    say("write to null", ::write(null, "x", 1));
    const int full = opened("full", ::open("full", O_WRONLY | O_CREAT, 0644));
    say("write to full", ::write(full, "x", 1));
    tried("by cwd", ::open("by-cwd-link", O_WRONLY | O_CREAT, 0644));
    const int again = opened("by fd", ::open("by-fd", O_WRONLY | O_TRUNC));
    add(again, "through the link");
    show("f");
    // What the tree shows must not depend on the number.
    ::unlink("by-fd");
}

void up_and_down() {
    ::mkdir("a", 0755);
    ::mkdir("b", 0755);
    tried("a/../b/x", ::open("a/../b/x", O_WRONLY | O_CREAT, 0644));
    tried("a/../../", ::open(("a/../../" + group + "/y").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("above the root", ::open(("/../.." + here() + "/z").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("double slash", ::open(("/" + here() + "//b//w").c_str(), O_WRONLY | O_CREAT, 0644));
    say("mkdir a/../c", ::mkdir("a/../c", 0755));
    say("rename", ::rename("a/../b/x", "c/../a/x"));
    ::chmod("a", 0);
    tried("through a closed one", ::open("a/../b/v", O_WRONLY | O_CREAT, 0644));
    ::chmod("a", 0755);
}

void system_files() {
    for (const char* name : {"/dev/null", "/dev/zero", "/dev/full"}) {
        tried("write " + std::string(name), ::open(name, O_WRONLY));
        tried("create " + std::string(name), ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
        tried("append " + std::string(name), ::open(name, O_RDWR | O_APPEND | O_CLOEXEC));
        tried("exclusive " + std::string(name), ::open(name, O_WRONLY | O_CREAT | O_EXCL, 0644));
    }
    const int dev = ::open("/dev", O_PATH | O_DIRECTORY);
    tried("null by dirfd", ::openat(dev, "null", O_WRONLY));
    tried("comm", ::open("/proc/self/comm", O_WRONLY));
    say("mkdir in proc", ::mkdir("/proc/self/x", 0755));
    tried("create in proc", ::open("/proc/self/x", O_WRONLY | O_CREAT, 0644));
}

// --- by way of /proc and /dev --------------------------------------------------------------------

void stdout_to(const std::function<int()>& make) {
    const int file = make();
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
}

void dev_stdout_file() {
    stdout_to([] { return ::open("out", O_RDWR | O_CREAT | O_APPEND, 0644); });
    add(STDOUT_FILENO, "first ");
    const int file = opened("/dev/stdout", ::open("/dev/stdout", O_WRONLY | O_APPEND));
    add(file, "second ");
    const int other = opened("/dev/fd/1", ::open("/dev/fd/1", O_WRONLY | O_CREAT, 0644));
    add(other, "third");
    show("out");
    tried("truncate", ::open("/dev/stdout", O_WRONLY | O_TRUNC));
    show("out");
    tried("exclusive", ::open("/dev/stdout", O_WRONLY | O_CREAT | O_EXCL, 0644));
    tried("nofollow", ::open("/dev/stdout", O_WRONLY | O_NOFOLLOW));
    say("shell", run_program({"/bin/sh", "-c", "echo by shell > /dev/stdout"}));
    show("out");
}

void dev_stdout_pipe() {
    int ends[2];
    (void)!::pipe(ends);
    stdout_to([&] { return ::dup(ends[1]); });
    const int again = opened("/dev/stdout", ::open("/dev/stdout", O_WRONLY));
    add(again, "text");
    char text[16] = {};
    say("read", ::read(ends[0], text, sizeof text));
    note("text", text);
    tried("create", ::open("/dev/fd/1", O_WRONLY | O_CREAT, 0644));
    tried("read end", ::open(fd_path(ends[0]).c_str(), O_WRONLY | O_NONBLOCK));
    tried("closed", ::open("/dev/fd/150", O_WRONLY));
    tried("closed, create", ::open("/dev/fd/150", O_WRONLY | O_CREAT, 0644));
    tried("stdin null", ::open("/dev/stdin", O_WRONLY));
}

void proc_fd() {
    put("f");
    const int file = ::open("f", O_RDONLY);
    const int again = opened("reopen", ::open(fd_path(file).c_str(), O_RDWR | O_CLOEXEC));
    add(again, "NEW");
    show("f");
    ::chmod("f", 0400);
    tried("read only", ::open(fd_path(file).c_str(), O_WRONLY));
    ::chmod("f", 0600);
    say("rename", ::rename("f", "g"));
    tried("after rename", ::open(fd_path(file).c_str(), O_WRONLY | O_TRUNC));
    show("g");
    ::unlink("g");
    const int gone = opened("after unlink", ::open(fd_path(file).c_str(), O_RDWR));
    say("write", ::write(gone, "x", 1));
    tried("read again", ::open(fd_path(gone).c_str(), O_RDONLY));
    say("unlink it", ::unlink(fd_path(file).c_str()));
    say("link it", ::linkat(AT_FDCWD, fd_path(gone).c_str(), AT_FDCWD, "h", AT_SYMLINK_FOLLOW));
}

void proc_fd_of_a_written_file() {
    const int file = opened("create", ::open("f", O_RDWR | O_CREAT, 0640));
    std::array<char, 4096> path{};
    say("readlink", ::readlink(fd_path(file).c_str(), path.data(), path.size()) > 0 ? 0 : -1);
    note("path", path.data());
    struct stat by_fd {};
    struct stat by_name {};
    say("fstat", ::fstat(file, &by_fd));
    say("stat", ::stat("f", &by_name));
    say("same device", by_fd.st_dev == by_name.st_dev ? 1 : 0);
    say("same inode", by_fd.st_ino == by_name.st_ino ? 1 : 0);
    say("same owner", by_fd.st_uid == by_name.st_uid && by_fd.st_gid == by_name.st_gid ? 1 : 0);
    say("my own", by_fd.st_uid == ::geteuid() ? 1 : 0);
    say("fchmod", ::fchmod(file, 0600));
    say("fchown", ::fchown(file, ::geteuid(), ::getegid()));
    const timespec times[2] = {{1000, 0}, {1000, 0}};
    say("futimens", ::futimens(file, times));
    say("fsetxattr", ::fsetxattr(file, "user.gate", "x", 1, 0));
    say("fallocate", ::fallocate(file, 0, 0, 10));
    say("ftruncate", ::ftruncate(file, 4));
    say("fsync", ::fsync(file));
    say("noatime", ::fcntl(file, F_SETFL, O_NOATIME));
    tried("reopen to read", ::open(fd_path(file).c_str(), O_RDONLY));
    tried("reopen to write", ::open(fd_path(file).c_str(), O_WRONLY));
    void* mapped = ::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    say("mmap", mapped == MAP_FAILED ? -1 : 0);
    if (mapped != MAP_FAILED) std::memcpy(mapped, "mmap", 4);
    show("f");
}

void proc_fd_of_directories() {
    const int d = directory("d");
    tried("create", ::open((fd_path(d) + "/x").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("by /dev/fd",
          ::open(("/dev/fd/" + std::to_string(d) + "/y").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("above", ::open((fd_path(d) + "/../z").c_str(), O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir((fd_path(d) + "/dd").c_str(), 0755));
    say("rename", ::rename((fd_path(d) + "/x").c_str(), "w"));
    say("unlink", ::unlink((fd_path(d) + "/y").c_str()));
    say("rmdir", ::rmdir((fd_path(d) + "/dd").c_str()));
    say("rmdir itself", ::rmdir(fd_path(d).c_str()));
    tried("tmpfile", ::open(fd_path(d).c_str(), O_TMPFILE | O_RDWR, 0600));
    const int held = ::open("d", O_PATH);
    tried("by O_PATH", ::open((fd_path(held) + "/v").c_str(), O_WRONLY | O_CREAT, 0644));
    tried("write a directory", ::open(fd_path(held).c_str(), O_WRONLY));
}

void proc_fd_of_path_descriptors() {
    put("f");
    const int held = ::open("f", O_PATH);
    const int file = opened("reopen", ::open(fd_path(held).c_str(), O_RDWR | O_APPEND));
    add(file, "+");
    say("fchmod", ::fchmod(held, 0600));
    say("chmod by proc", ::chmod(fd_path(held).c_str(), 0600));
    say("truncate by proc", ::truncate(fd_path(held).c_str(), 1));
    (void)!::symlink("f", "l");
    const int link = ::open("l", O_PATH | O_NOFOLLOW);
    tried("reopen a link", ::open(fd_path(link).c_str(), O_RDWR));
    say("write", ::write(held, "x", 1));
}

void proc_cwd_and_root() {
    const std::string id = std::to_string(::getpid());
    const std::string thread = std::to_string(::syscall(SYS_gettid));
    for (const auto& [name, path] : {std::pair<std::string, std::string>{"a", "/proc/self/cwd"},
                                     {"b", "/proc/thread-self/cwd"},
                                     {"c", "/proc/" + id + "/cwd"},
                                     {"d", "/proc/self/task/" + thread + "/cwd"},
                                     {"e", "/proc/self/root" + here()},
                                     {"f", "/proc/thread-self/root" + here()},
                                     {"g", "/proc/self/cwd/../" + group},
                                     {"h",
                                      "/proc/self/root"
                                      "/proc/self/cwd"},
                                     {"i", "/proc/../" + here()}}) {
        tried("create " + name, ::open((path + "/" + name).c_str(), O_WRONLY | O_CREAT, 0644));
    }
    say("mkdir", ::mkdir("/proc/self/cwd/dir", 0755));
    say("rename", ::rename("/proc/self/cwd/a", "/proc/thread-self/cwd/dir/a"));
    say("rmdir cwd", ::rmdir("/proc/self/cwd"));
    say("unlink cwd", ::unlink("/proc/self/cwd"));
    (void)!::symlink("/proc/self/cwd", "here");
    tried("by a link", ::open("here/j", O_WRONLY | O_CREAT, 0644));
    tried("another process",
          ::open(("/proc/" + std::to_string(::getppid()) + "/cwd/" + group + "/k").c_str(),
                 O_WRONLY | O_CREAT, 0644));
}

void proc_cwd_of_a_child() {
    ::mkdir("d", 0755);
    int ready[2];
    int done[2];
    (void)!::pipe(ready);
    (void)!::pipe(done);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(done[1]);
        (void)!::chdir("d");
        add(ready[1], "x");
        char byte = 0;
        (void)!::read(done[0], &byte, 1);
        ::_exit(0);
    }
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    const std::string cwd = "/proc/" + std::to_string(child) + "/cwd";
    tried("create", ::open((cwd + "/x").c_str(), O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir((cwd + "/y").c_str(), 0755));
    ::close(done[1]);
    (void)::waitpid(child, nullptr, 0);
    tried("after its end", ::open((cwd + "/z").c_str(), O_WRONLY | O_CREAT, 0644));
}

// --- O_TMPFILE -----------------------------------------------------------------------------------

void tmpfile_linked_by_proc() {
    ::umask(027);
    const int file = opened("open", ::open(".", O_TMPFILE | O_RDWR, 0666));
    add(file, "text");
    say("link", ::linkat(AT_FDCWD, fd_path(file).c_str(), AT_FDCWD, "f", AT_SYMLINK_FOLLOW));
    say("again", ::linkat(AT_FDCWD, fd_path(file).c_str(), AT_FDCWD, "g", AT_SYMLINK_FOLLOW));
    say("onto", ::linkat(AT_FDCWD, fd_path(file).c_str(), AT_FDCWD, "f", AT_SYMLINK_FOLLOW));
    say("without follow", ::linkat(AT_FDCWD, fd_path(file).c_str(), AT_FDCWD, "h", 0));
    add(file, " more");
    struct stat status {};
    ::fstat(file, &status);
    say("links", static_cast<long>(status.st_nlink));
}

void tmpfile_linked_by_descriptor() {
    const int file = opened("open", ::open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    add(file, "text");
    say("link", ::linkat(file, "", AT_FDCWD, "f", AT_EMPTY_PATH));
    say("again", ::linkat(file, "", AT_FDCWD, "g", AT_EMPTY_PATH));
    say("no flag", ::linkat(file, "", AT_FDCWD, "h", 0));
    put("p");
    const int held = ::open("p", O_PATH);
    say("O_PATH", ::linkat(held, "", AT_FDCWD, "q", AT_EMPTY_PATH));
    const int normal = ::open("p", O_RDONLY);
    say("opened", ::linkat(normal, "", AT_FDCWD, "r", AT_EMPTY_PATH));
}

void tmpfile_that_stays_nameless() {
    const int file = opened("open", ::open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600));
    say("link", ::linkat(AT_FDCWD, fd_path(file).c_str(), AT_FDCWD, "f", AT_SYMLINK_FOLLOW));
    say("link empty", ::linkat(file, "", AT_FDCWD, "f", AT_EMPTY_PATH));
    say("write", ::write(file, "x", 1));
    ::mkdir("d", 0555);
    tried("in a closed directory", ::open("d", O_TMPFILE | O_RDWR, 0600));
    put("p");
    tried("in a file", ::open("p", O_TMPFILE | O_RDWR, 0600));
    tried("in nothing", ::open("no", O_TMPFILE | O_RDWR, 0600));
    (void)!::symlink("d", "l");
    tried("in a link", ::open("l", O_TMPFILE | O_RDWR, 0600));
    (void)!::symlink(".", "l2");
    tried("in a link to here", ::open("l2", O_TMPFILE | O_RDWR, 0600));
    tried("nofollow", ::open("l2", O_TMPFILE | O_RDWR | O_NOFOLLOW, 0600));
    tried("slash", ::open("./", O_TMPFILE | O_RDWR, 0600));
    std::FILE* stream = std::tmpfile();
    say("tmpfile()", stream != nullptr ? 0 : -1);
}

void direct_io() {
    const int file = opened("open", ::open("f", O_RDWR | O_CREAT | O_DIRECT, 0644));
    void* block = nullptr;
    if (::posix_memalign(&block, 4096, 4096) != 0) return;
    std::memset(block, 'x', 4096);
    say("write", ::write(file, block, 4096));
    say("misaligned", ::write(file, static_cast<char*>(block) + 1, 512));
    struct stat status {};
    ::fstat(file, &status);
    say("size", static_cast<long>(status.st_size));
    ::unlink("f");
}

// --- descriptors ---------------------------------------------------------------------------------

void descriptor_numbers() {
    say("first", ::open("a", O_WRONLY | O_CREAT, 0644));
    say("second", ::open("b", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    say("third", ::open("c", O_RDWR | O_CREAT, 0644));
    ::close(4);
    say("lowest", ::open("a", O_WRONLY));
    say("cloexec of it", ::fcntl(4, F_GETFD));
    ::close(3);
    ::close(0);
    say("zero", ::open("d", O_WRONLY | O_CREAT, 0644));
    say("three", ::open("a", O_RDWR | O_CLOEXEC));
    say("cloexec", ::fcntl(3, F_GETFD));
    ::fcntl(5, F_SETFD, FD_CLOEXEC);
    ::close(5);
    say("flag is not left", ::open("c", O_WRONLY));
    say("cloexec of five", ::fcntl(5, F_GETFD));
    say("tmpfile", ::open(".", O_TMPFILE | O_RDWR, 0600));
    say("creat", ::creat("e", 0644));
    say("failed", ::open("no/x", O_WRONLY | O_CREAT, 0644));
    say("next", ::open("a", O_WRONLY));
}

void descriptors_run_out() {
    const rlimit few{12, 12};
    ::setrlimit(RLIMIT_NOFILE, &few);
    int last = -1;
    for (int fd = 0; (fd = ::open(".", O_RDONLY | O_DIRECTORY)) >= 0;) last = fd;
    say("full", -1);
    say("last", last);
    say("create", ::open("new", O_WRONLY | O_CREAT, 0644));
    show("new");
    put("f");
    say("write", ::open(".", O_WRONLY | O_TMPFILE, 0600));
    say("mkdir", ::mkdir("d", 0755));
    say("rename", ::rename("d", "e"));
    say("symlink", ::symlink("x", "l"));
    ::close(last);
    say("one is free", ::open("new", O_WRONLY | O_CREAT | O_EXCL, 0644));
    say("truncating none", ::open("new", O_WRONLY | O_TRUNC));
}

void truncate_without_descriptors() {
    put("f", "precious");
    const rlimit few{12, 12};
    ::setrlimit(RLIMIT_NOFILE, &few);
    while (::open(".", O_RDONLY | O_DIRECTORY) >= 0) {
    }
    say("truncate", ::open("f", O_WRONLY | O_TRUNC));
    struct stat status {};
    ::stat("f", &status);
    say("size", static_cast<long>(status.st_size));
}

// Nothing that was opened with O_CLOEXEC is seen by a program that another thread starts.
void cloexec_races() {
    std::atomic<bool> over{false};
    std::thread opener([&] {
        for (int i = 0; !over; ++i) {
            const int file = ::open(("f" + std::to_string(i % 8)).c_str(),
                                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
            ::close(file);
        }
    });
    int seen = 0;
    for (int i = 0; i < 60; ++i) seen += run_program({program, "--descriptors"});
    over = true;
    opener.join();
    say("seen", seen);
    for (int i = 0; i < 8; ++i) ::unlink(("f" + std::to_string(i)).c_str());
}

void passed_descriptor() {
    int pair[2];
    say("socketpair", ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    const int file = ::open("f", O_WRONLY | O_CREAT, 0644);
    char byte = 'x';
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    say("send", ::sendmsg(pair[0], &message, 0));
    ::close(file);
    ::unlink("f");
    say("receive", ::recvmsg(pair[1], &message, 0));
    int got = -1;
    std::memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
    say("write", ::write(got, "x", 1));
}

// --- umask and modes -----------------------------------------------------------------------------

void make_one_of_each(const std::string& suffix) {
    ::close(::open(("f" + suffix).c_str(), O_WRONLY | O_CREAT, 0666));
    ::close(::open(("x" + suffix).c_str(), O_WRONLY | O_CREAT, 0777));
    ::mkdir(("d" + suffix).c_str(), 0777);
    ::mkfifo(("p" + suffix).c_str(), 0666);
    ::mknod(("n" + suffix).c_str(), S_IFREG | 0666, 0);
    (void)!::symlink("x", ("l" + suffix).c_str());
}

void umasks() {
    for (const unsigned mask : {0U, 022U, 077U, 027U, 0777U, 0333U}) {
        ::umask(mask);
        char suffix[8];
        std::snprintf(suffix, sizeof suffix, "-%03o", mask);
        make_one_of_each(suffix);
        say("now" + std::string(suffix), static_cast<long>(::umask(mask)));
    }
}

void umask_changed_between() {
    std::string made;
    for (int i = 0; i < 40; ++i) {
        ::umask(i % 2 == 0 ? 0 : 077);
        const std::string name = "f" + std::to_string(i);
        ::close(::open(name.c_str(), O_WRONLY | O_CREAT, 0666));
        struct stat status {};
        ::stat(name.c_str(), &status);
        made += (status.st_mode & 0777U) == 0666   ? "a"
                : (status.st_mode & 0777U) == 0600 ? "b"
                                                   : "?";
        ::unlink(name.c_str());
    }
    note("modes", made);
    ::umask(0);
    say("in a child", in_child([] {
            ::close(::open("child", O_WRONLY | O_CREAT, 0666));
            ::umask(0777);
            return 0;
        }));
    ::close(::open("parent", O_WRONLY | O_CREAT, 0666));
    say("shell", run_program({"/bin/sh", "-c", "umask 027; : > by-shell; mkdir dir-by-shell"}));
    ::umask(077);
    say("shell again", run_program({"/bin/sh", "-c", ": > inherited"}));
}

void umask_shared_by_threads() {
    ::umask(022);
    std::thread([] { ::umask(077); }).join();
    ::close(::open("shared", O_WRONLY | O_CREAT, 0666));
    show("shared");
}

void umask_of_a_thread() {
    ::umask(022);
    std::thread([] {
        say("unshare", ::unshare(CLONE_FS));
        ::umask(077);
        ::close(::open("own", O_WRONLY | O_CREAT, 0666));
    }).join();
    ::close(::open("others", O_WRONLY | O_CREAT, 0666));
    show("own");
    show("others");
}

void umask_in_many_threads() {
    std::atomic<int> wrong{0};
    each_thread(6, [&](int number) {
        if (::unshare(CLONE_FS) != 0) return;
        const auto mask = static_cast<mode_t>(number * 011);
        ::umask(mask);
        for (int i = 0; i < 30; ++i) {
            const std::string name = "t" + std::to_string(number) + "-" + std::to_string(i);
            ::close(::open(name.c_str(), O_WRONLY | O_CREAT, 0666));
            struct stat status {};
            ::stat(name.c_str(), &status);
            if ((status.st_mode & 0777U) != (0666U & ~mask)) ++wrong;
            ::unlink(name.c_str());
        }
    });
    say("wrong", wrong);
}

void default_acl() {
    ::mkdir("d", 0755);
    // Version 2: user::rwx group::r-x mask::rwx other::r--, as for new files in the directory.
    struct Entry {
        std::uint16_t tag, permissions;
        std::uint32_t id;
    };
    struct {
        std::uint32_t version = 2;
        Entry entries[4] = {{1, 7, ~0U}, {4, 5, ~0U}, {0x10, 7, ~0U}, {0x20, 4, ~0U}};
    } acl;
    say("set", ::setxattr("d", "system.posix_acl_default", &acl, sizeof acl, 0));
    ::umask(077);
    tried("file", ::open("d/f", O_WRONLY | O_CREAT, 0666));
    say("directory", ::mkdir("d/d", 0777));
    say("fifo", ::mkfifo("d/p", 0666));
}

void closed_directories() {
    ::mkdir("none", 0755);
    ::mkdir("search", 0755);
    ::mkdir("list", 0755);
    for (const char* name : {"none/f", "search/f", "list/f"}) put(name);
    ::chmod("none", 0);
    ::chmod("search", 0111);
    ::chmod("list", 0444);
    for (const std::string at : {"none", "search", "list"}) {
        tried("create in " + at, ::open((at + "/new").c_str(), O_WRONLY | O_CREAT, 0644));
        tried("write in " + at, ::open((at + "/f").c_str(), O_WRONLY | O_TRUNC));
        tried("create over in " + at, ::open((at + "/f").c_str(), O_WRONLY | O_CREAT, 0644));
        say("mkdir in " + at, ::mkdir((at + "/d").c_str(), 0755));
        say("unlink in " + at, ::unlink((at + "/f").c_str()));
        say("rename in " + at, ::rename((at + "/f").c_str(), (at + "/g").c_str()));
        say("rename out of " + at, ::rename((at + "/f").c_str(), "out"));
        say("link out of " + at, ::link((at + "/f").c_str(), ("hard-" + at).c_str()));
        say("symlink in " + at, ::symlink("x", (at + "/l").c_str()));
        say("move " + at, ::rename(at.c_str(), (at + "2").c_str()));
        say("truncate in " + at, ::truncate((at + "2/f").c_str(), 1));
    }
    ::mkdir("empty", 0);
    say("rmdir empty", ::rmdir("empty"));
    put("closed", "old", 0);
    say("unlink closed", ::unlink("closed"));
}

void write_only_directory() {
    ::mkdir("d", 0755);
    put("d/f");
    ::chmod("d", 0333);
    tried("create", ::open("d/new", O_WRONLY | O_CREAT, 0644));
    say("rename", ::rename("d/f", "d/g"));
    say("mkdir", ::mkdir("d/e", 0755));
    say("rmdir", ::rmdir("d/e"));
    tried("tmpfile", ::open("d", O_TMPFILE | O_RDWR, 0600));
    tried("list", ::open("d", O_RDONLY | O_DIRECTORY));
}

// A directory that cannot be written cannot be moved to another one either: its ".." would change.
void moving_a_read_only_directory() {
    ::mkdir("d", 0755);
    ::mkdir("to", 0755);
    ::chmod("d", 0555);
    say("in place", ::rename("d", "d2"));
    say("elsewhere", ::rename("d2", "to/d2"));
}

void chmods() {
    put("f");
    ::mkdir("d", 0755);
    (void)!::symlink("f", "l");
    const int file = ::open("f", O_RDONLY);
    say("chmod", ::chmod("f", 0600));
    say("fchmod", ::fchmod(file, 0640));
    show("f");
    say("by link", ::chmod("l", 0644));
    say("nofollow", ::fchmodat(AT_FDCWD, "l", 0600, AT_SYMLINK_NOFOLLOW));
    say("directory", ::chmod("d", 0700));
    say("sticky", ::chmod("d", 01777));
    say("missing", ::chmod("no", 0700));
    say("closed", ::chmod("f", 0));
    tried("write closed", ::open("f", O_WRONLY));
    say("exec", ::chmod("f", 0755));
    const int dir = ::open("d", O_RDONLY | O_DIRECTORY);
    put("d/x");
    say("fchmodat", ::fchmodat(dir, "x", 0600, 0));
    say("chown to oneself", ::chown("f", ::geteuid(), ::getegid()));
    say("chown nothing", ::chown("f", static_cast<uid_t>(-1), static_cast<gid_t>(-1)));
    say("lchown", ::lchown("l", ::geteuid(), ::getegid()));
}

void set_id_chmods() {
    put("f");
    ::mkdir("d", 0755);
    say("file setuid", ::chmod("f", 04755));
    say("file setgid", ::chmod("f", 02755));
    note("file mode", describe(AT_FDCWD, "f"));
    ::unlink("f");
    say("setgid", ::chmod("d", 02755));
    note("setgid", describe(AT_FDCWD, "d"));
    say("mkdir below", ::mkdir("d/e", 0755));
    note("mkdir below", describe(AT_FDCWD, "d/e"));
    say("mkdir setgid", ::mkdir("e", 02755));
    note("mkdir setgid", describe(AT_FDCWD, "e"));
    const int dir = ::open("e", O_RDONLY | O_DIRECTORY);
    say("fchmod", ::fchmod(dir, 02770));
    note("fchmod", describe(AT_FDCWD, "e"));
    say("fchmodat", ::fchmodat(AT_FDCWD, "e", 06711, 0));
    note("fchmodat", describe(AT_FDCWD, "e"));
    say("take away", ::chmod("e", 0755));
    note("take away", describe(AT_FDCWD, "e"));
}

// Made outside, since a command may not make one.
void set_gid_directory() {
    const std::string at = workspace + "/prepared/setgid/";
    tried("file", ::open((at + "f").c_str(), O_WRONLY | O_CREAT, 0644));
    say("directory", ::mkdir((at + "d").c_str(), 0755));
    note("file", describe(AT_FDCWD, at + "f"));
    note("directory", describe(AT_FDCWD, at + "d"));
    say("rename", ::rename((at + "d").c_str(), "d"));
    say("unlink", ::unlink((at + "f").c_str()));
}

void sticky_directory() {
    ::mkdir("d", 0755);
    ::chmod("d", 01777);
    tried("create", ::open("d/f", O_WRONLY | O_CREAT, 0644));
    tried("create again", ::open("d/f", O_WRONLY | O_CREAT | O_TRUNC, 0644));
    say("rename", ::rename("d/f", "d/g"));
    say("unlink", ::unlink("d/g"));
    say("mkfifo", ::mkfifo("d/p", 0622));
    tried("create at a fifo", ::open("d/p", O_RDWR | O_CREAT, 0644));
}

void times_and_attributes() {
    put("f");
    (void)!::symlink("f", "l");
    const timespec times[2] = {{100, 0}, {200, 0}};
    say("utimensat", ::utimensat(AT_FDCWD, "f", times, 0));
    say("of a link", ::utimensat(AT_FDCWD, "l", times, AT_SYMLINK_NOFOLLOW));
    struct stat status {};
    ::stat("f", &status);
    say("mtime", status.st_mtime);
    const timespec omit[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    say("omit", ::utimensat(AT_FDCWD, "f", omit, 0));
    say("missing", ::utimensat(AT_FDCWD, "no", times, 0));
    say("setxattr", ::setxattr("f", "user.a", "value", 5, XATTR_CREATE));
    say("again", ::setxattr("f", "user.a", "value", 5, XATTR_CREATE));
    char value[16] = {};
    say("getxattr", ::getxattr("f", "user.a", value, sizeof value));
    note("value", value);
    say("listxattr", ::listxattr("f", nullptr, 0) > 0 ? 0 : -1);
    say("removexattr", ::removexattr("f", "user.a"));
    say("of a link", ::lsetxattr("l", "user.a", "x", 1, 0));
    say("trusted", ::setxattr("f", "trusted.a", "x", 1, 0));
    say("getxattr gone", ::getxattr("f", "user.a", value, sizeof value));
    // A file that is written keeps its attributes.
    ::setxattr("f", "user.b", "kept", 4, 0);
    tried("truncate", ::open("f", O_WRONLY | O_TRUNC));
    say("still there", ::getxattr("f", "user.b", value, sizeof value));
    tried("append", ::open("f", O_WRONLY | O_APPEND));
    say("rename", ::rename("f", "g"));
    say("with it", ::getxattr("g", "user.b", value, sizeof value));
}

void attributes_by_every_call() {
    put("f");
    (void)!::symlink("f", "l");
    (void)!::symlink("no", "dangling");
    ::mkdir("d", 0755);
    const int file = ::open("f", O_RDONLY | O_CLOEXEC);
    const int path = ::open("f", O_PATH | O_CLOEXEC);
    const std::string link = fd_path(file);
    const auto set = [](const std::string& step, const char* name) {
        say(step, ::setxattr(name, "user.a", "value", 5, 0));
    };
    set("link", "l");
    set("dangling", "dangling");
    set("missing", "no");
    set("below a file", "f/x");
    set("slash", "f/");
    set("directory", "d/");
    set("empty path", "");
    set("descriptor link", link.c_str());
    say("no path", ::syscall(SYS_setxattr, 1, "user.a", "x", 1, 0));
    say("no name", ::syscall(SYS_setxattr, "f", 1, "x", 1, 0));
    say("no value", ::syscall(SYS_setxattr, "f", "user.a", 1, 1, 0));
    say("empty value", ::setxattr("f", "user.e", nullptr, 0, 0));
    say("of the link", ::lsetxattr("dangling", "user.a", "x", 1, 0));
    say("lsetxattr", ::lsetxattr("f", "user.l", "x", 1, 0));
    say("fsetxattr", ::fsetxattr(file, "user.f", "x", 1, 0));
    say("O_PATH", ::fsetxattr(path, "user.f", "x", 1, 0));
    say("no descriptor", ::fsetxattr(-1, "user.f", "x", 1, 0));
    say("fchmod AT_FDCWD", ::fchmod(AT_FDCWD, 0700));
    say("replace", ::setxattr("f", "user.f", "xy", 2, XATTR_REPLACE));
    say("replace none", ::setxattr("f", "user.none", "xy", 2, XATTR_REPLACE));
    say("flags", ::setxattr("f", "user.f", "xy", 2, 4));
    say("no prefix", ::setxattr("f", "a", "x", 1, 0));
    say("empty name", ::setxattr("f", "", "x", 1, 0));
    say("long name", ::setxattr("f", ("user." + std::string(251, 'n')).c_str(), "x", 1, 0));
    say("very long name", ::setxattr("f", ("user." + std::string(5000, 'n')).c_str(), "x", 1, 0));
    const std::string large(65537, 'v');
    say("too large", ::setxattr("f", "user.v", large.data(), large.size(), 0));
    say("remove", ::removexattr("l", "user.f"));
    say("remove again", ::removexattr("f", "user.f"));
    say("lremove", ::lremovexattr("f", "user.l"));
    say("lremove of the link", ::lremovexattr("l", "user.l"));
    say("fremove", ::fremovexattr(file, "user.a"));
    say("fremove O_PATH", ::fremovexattr(path, "user.e"));
    put("gone");
    const int gone = ::open("gone", O_RDONLY | O_CLOEXEC);
    ::unlink("gone");
    say("left", ::listxattr("f", nullptr, 0));
    put("closed", "old", 0400);
    set("read-only", "closed");
    ::close(gone);
    ::close(path);
    ::close(file);
}

void times_that_opens_change() {
    put("f", "text");
    const timespec old[2] = {{1000, 0}, {1000, 0}};
    ::utimensat(AT_FDCWD, "f", old, 0);
    const auto changed = [](const std::string& step) {
        struct stat status {};
        ::stat("f", &status);
        say(step, status.st_mtime == 1000 ? 0 : 1);
        const timespec again[2] = {{1000, 0}, {1000, 0}};
        ::utimensat(AT_FDCWD, "f", again, 0);
    };
    ::close(::open("f", O_WRONLY));
    changed("open to write");
    ::close(::open("f", O_RDWR | O_CREAT, 0644));
    changed("open with O_CREAT");
    ::close(::open("f", O_WRONLY | O_APPEND));
    changed("open to append");
    ::close(::open("f", O_WRONLY | O_TRUNC));
    changed("open with O_TRUNC");
    ::rename("f", "g");
    ::rename("g", "f");
    changed("rename");
    ::link("f", "h");
    changed("link");
    ::unlink("h");
    changed("unlink of the link");
}

// --- directories ---------------------------------------------------------------------------------

void mkdirs() {
    put("f");
    ::mkdir("d", 0755);
    for (const char* name : {"a", "b/", "c//", "d", "d/", ".", "./", "..", "/", "f", "f/", "f/x",
                             "no/x", "d/.", "d/..", "d/./e", "new/.", "", "d/../g"}) {
        say("'" + std::string(name) + "'", ::mkdir(name, 0755));
    }
    say("mode 0", ::mkdir("mode0", 0));
    say("mode 1777", ::mkdir("mode1777", 01777));
    say("mode 700", ::mkdir("mode700", 0700));
}

void rmdirs() {
    put("f");
    for (const char* name : {"a", "b", "c", "full", "full/x"}) ::mkdir(name, 0755);
    (void)!::symlink("a", "l");
    for (const char* name : {"a", "b/", "c/.", "c/..", ".", "..", "full", "f", "f/", "l", "l/",
                             "no", "no/x", "", "/", "full/x", "full"}) {
        say("'" + std::string(name) + "'", ::rmdir(name));
    }
}

void unlinks() {
    for (const char* name : {"a", "b", "c", "d"}) put(name);
    ::mkdir("dir", 0755);
    (void)!::symlink("a", "l");
    (void)!::symlink("dir", "ld");
    (void)!::symlink("nothing", "dangling");
    ::mkfifo("p", 0644);
    for (const char* name : {"b", "b", "c/", "c/.", "dir", "dir/", ".", "..", "l", "ld/", "ld",
                             "dangling", "p", "", "no/x", "a/x", "/"}) {
        say("'" + std::string(name) + "'", ::unlink(name));
    }
    say("REMOVEDIR", ::unlinkat(AT_FDCWD, "dir", AT_REMOVEDIR));
    say("REMOVEDIR of a file", ::unlinkat(AT_FDCWD, "d", AT_REMOVEDIR));
    say("unknown flag", ::unlinkat(AT_FDCWD, "d", 0x1));
    say("other flag", ::unlinkat(AT_FDCWD, "d", AT_SYMLINK_FOLLOW));
    say("remove()", std::remove("d"));
}

void unlink_while_open() {
    put("f");
    const int file = ::open("f", O_RDWR);
    ::unlink("f");
    struct stat status {};
    ::fstat(file, &status);
    say("links", static_cast<long>(status.st_nlink));
    say("write", ::write(file, "x", 1));
    put("f", "other");
    show("f");
    std::array<char, 4096> path{};
    (void)!::readlink(fd_path(file).c_str(), path.data(), path.size());
    const std::string text = path.data();
    say("told as deleted", text.ends_with(" (deleted)") ? 1 : 0);
}

void directory_removed_while_open() {
    const int d = directory("d");
    put("d/f");
    const int file = ::open("d/f", O_RDWR);
    say("unlink", ::unlink("d/f"));
    say("rmdir", ::rmdir("d"));
    say("write", ::write(file, "x", 1));
    say("getdents", gate::list(d).error);
}

// --- rename --------------------------------------------------------------------------------------

void renames() {
    struct Pair {
        const char* from;
        const char* to;
    };
    for (const Pair& pair :
         {Pair{"f", "new"}, {"f", "g"},        {"f", "f"},         {"f", "hard"},
          {"f", "d"},       {"f", "d/"},       {"f", "e/x"},       {"f", "new/"},
          {"f/", "new"},    {"d", "new"},      {"d", "new/"},      {"d/", "new"},
          {"d", "e"},       {"d", "full"},     {"d", "f"},         {"d", "d"},
          {"d", "d/x"},     {"d", "d/x/y"},    {"full/x", "full"}, {"full", "d"},
          {"l", "new"},     {"l", "f"},        {"f", "l"},         {"l", "l2"},
          {"ld/", "new"},   {"ld", "e"},       {"d", "ld"},        {"d", "ld/"},
          {"p", "f"},       {"f", "p"},        {"no", "new"},      {"no", "f"},
          {"f", "no/x"},    {"f", ""},         {"", "new"},        {".", "new"},
          {"f", "."},       {"..", "new"},     {"d", ".."},        {"d/.", "new"},
          {"d/..", "new"},  {"f", "g/x"},      {"g/x", "f"},       {"/", "new"},
          {"f", "/"},       {"dangling", "f"}, {"f", "dangling"},  {"full", "e"},
          {"e", "full"},    {"d", "full/x"}}) {
        const int place = directory("place");
        (void)!::fchdir(place);
        put("f", "text of f");
        put("g", "text of g");
        (void)!::link("f", "hard");
        for (const char* name : {"d", "e", "full", "full/x"}) ::mkdir(name, 0755);
        (void)!::symlink("f", "l");
        (void)!::symlink("g", "l2");
        (void)!::symlink("d", "ld");
        (void)!::symlink("nothing", "dangling");
        ::mkfifo("p", 0644);
        const std::string step = std::string("'") + pair.from + "' to '" + pair.to + "'";
        say(step, ::rename(pair.from, pair.to));
        std::string left = gate::describe_tree(place, 3);
        for (char& c : left) c = c == '\n' ? ';' : c;
        note(step + " leaves", left);
        (void)!::chdir("..");
        gate::empty_tree(place);
        ::rmdir("place");
        ::close(place);
    }
}

long rename2(const char* from, const char* to, unsigned flags) {
    return ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

void rename_noreplace() {
    put("f");
    put("g");
    ::mkdir("d", 0755);
    (void)!::symlink("nothing", "dangling");
    say("onto a file", rename2("f", "g", RENAME_NOREPLACE));
    say("onto a directory", rename2("f", "d", RENAME_NOREPLACE));
    say("onto a link", rename2("f", "dangling", RENAME_NOREPLACE));
    say("onto itself", rename2("f", "f", RENAME_NOREPLACE));
    say("new", rename2("f", "new", RENAME_NOREPLACE));
    say("directory", rename2("d", "e", RENAME_NOREPLACE));
    say("missing", rename2("no", "g", RENAME_NOREPLACE));
    say("directory/", rename2("e", "h/", RENAME_NOREPLACE));
}

void rename_exchange() {
    put("f", "f");
    put("g", "g");
    ::mkdir("d", 0755);
    put("d/in-d");
    (void)!::symlink("f", "l");
    (void)!::link("f", "hard");
    say("files", rename2("f", "g", RENAME_EXCHANGE));
    show("f");
    say("file and directory", rename2("g", "d", RENAME_EXCHANGE));
    show("d");
    say("back", rename2("g", "d", RENAME_EXCHANGE));
    say("link", rename2("l", "g", RENAME_EXCHANGE));
    say("itself", rename2("d", "d", RENAME_EXCHANGE));
    say("hard links", rename2("hard", "l", RENAME_EXCHANGE));
    say("missing", rename2("f", "no", RENAME_EXCHANGE));
    say("missing first", rename2("no", "f", RENAME_EXCHANGE));
    say("into itself", rename2("d", "d/in-d", RENAME_EXCHANGE));
    say("out of itself", rename2("d/in-d", "d", RENAME_EXCHANGE));
    say("slash", rename2("f/", "g", RENAME_EXCHANGE));
    say("slash of a directory", rename2("d/", "f", RENAME_EXCHANGE));
    ::mkdir("e", 0755);
    ::mkdir("e/deep", 0755);
    say("directories", rename2("d", "e/deep", RENAME_EXCHANGE));
    show("e/deep/in-d");
}

void rename_flags() {
    put("f");
    put("g");
    say("both", rename2("f", "g", RENAME_NOREPLACE | RENAME_EXCHANGE));
    say("unknown", rename2("f", "g", 0x80));
    say("whiteout", rename2("f", "w", RENAME_WHITEOUT));
    show("f");
    show("w");
    say("whiteout and exchange", rename2("g", "w", RENAME_WHITEOUT | RENAME_EXCHANGE));
    say("whiteout without replacing", rename2("g", "v", RENAME_WHITEOUT | RENAME_NOREPLACE));
    say("unlink the whiteout", ::unlink("f"));
}

void rename_of_open_files() {
    put("f", "old");
    put("g", "new");
    const int file = ::open("f", O_RDWR);
    say("rename over", ::rename("g", "f"));
    say("write to the old one", ::write(file, "x", 1));
    show("f");
    struct stat status {};
    ::fstat(file, &status);
    say("links of the old one", static_cast<long>(status.st_nlink));
    const int written = ::open("h", O_RDWR | O_CREAT, 0644);
    say("rename what is written", ::rename("h", "i"));
    add(written, "after the rename");
    show("i");
}

void rename_with_tmp() {
    const char* tmp = ::getenv("TMPDIR");
    std::string name = std::string(tmp == nullptr ? "/tmp" : tmp) + "/gate-calls-XXXXXX";
    const int file = opened("make one outside", ::mkstemp(name.data()));
    add(file, "from outside");
    say("link in", ::link(name.c_str(), "linked"));
    say("move in", ::rename(name.c_str(), "moved"));
    put("own");
    say("move out", ::rename("own", name.c_str()));
    say("unlink", ::unlink(name.c_str()));
    for (const char* left : {"linked", "moved", "own"}) ::unlink(left);
    say("directory", ::mkdir(name.c_str(), 0755));
    say("move a directory in", ::rename(name.c_str(), "d"));
    ::rmdir(name.c_str());
    ::rmdir("d");
}

// --- links ---------------------------------------------------------------------------------------

void hard_links() {
    put("f");
    ::mkdir("d", 0755);
    (void)!::symlink("f", "l");
    (void)!::symlink("nothing", "dangling");
    ::mkfifo("p", 0644);
    say("new", ::link("f", "a"));
    say("exists", ::link("f", "a"));
    say("itself", ::link("f", "f"));
    say("directory", ::link("d", "e"));
    say("link of a link", ::link("l", "b"));
    say("dangling", ::link("dangling", "c"));
    say("onto dangling", ::link("f", "dangling"));
    say("fifo", ::link("p", "q"));
    say("missing", ::link("no", "g"));
    say("to nothing", ::link("f", "no/g"));
    say("slash", ::link("f", "g/"));
    say("of slash", ::link("f/", "g"));
    say("empty", ::link("", "g"));
    say("to empty", ::link("f", ""));
    say("follow", ::linkat(AT_FDCWD, "l", AT_FDCWD, "h", AT_SYMLINK_FOLLOW));
    say("follow dangling", ::linkat(AT_FDCWD, "dangling", AT_FDCWD, "i", AT_SYMLINK_FOLLOW));
    say("unknown flag", ::linkat(AT_FDCWD, "f", AT_FDCWD, "j", 0x1));
    say("empty path of cwd", ::linkat(AT_FDCWD, "", AT_FDCWD, "k", AT_EMPTY_PATH));
    show("f");
    say("unlink", ::unlink("a"));
    show("f");
    const int file = ::open("h", O_WRONLY | O_TRUNC);
    add(file, "through h");
    show("f");
    say("closed", ::chmod("f", 0));
    say("link of a closed file", ::link("f", "m"));
}

void many_hard_links() {
    put("f");
    for (int i = 0; i < 100; ++i) {
        if (::link("f", ("h" + std::to_string(i)).c_str()) != 0) say("link", -1);
    }
    show("f");
    for (int i = 0; i < 100; i += 2) ::unlink(("h" + std::to_string(i)).c_str());
    show("f");
    for (int i = 1; i < 100; i += 2) {
        if (::rename(("h" + std::to_string(i)).c_str(), "f") != 0) say("rename", -1);
    }
    show("f");
    show("h99");
}

void symbolic_links() {
    put("f");
    ::mkdir("d", 0755);
    for (const char* name : {"a", "f", "d", "a", "d/b", "no/c", "e/", "d/", "", ".", "d/.", "/"}) {
        say("'" + std::string(name) + "'", ::symlink("target", name));
    }
    say("empty target", ::symlink("", "g"));
    say("odd target", ::symlink("\n\xff//..", "h"));
    say("absolute", ::symlink("/nowhere", "i"));
    say("itself", ::symlink("j", "j"));
    say("onto dangling", ::symlink("x", "a"));
    say("rename", ::rename("a", "k"));
    char small[3];
    say("readlink", ::readlink("k", small, sizeof small));
}

// --- other things with names ---------------------------------------------------------------------

void nodes() {
    say("fifo", ::mknod("p", S_IFIFO | 0644, 0));
    say("fifo again", ::mknod("p", S_IFIFO | 0644, 0));
    say("regular", ::mknod("f", S_IFREG | 0640, 0));
    say("no type", ::mknod("g", 0600, 0));
    say("socket", ::mknod("s", S_IFSOCK | 0644, 0));
    say("character", ::mknod("c", S_IFCHR | 0644, 0x103));
    say("block", ::mknod("b", S_IFBLK | 0644, 0x801));
    say("directory", ::mknod("d", S_IFDIR | 0755, 0));
    say("link", ::mknod("l", S_IFLNK | 0777, 0));
    say("slash", ::mknod("q/", S_IFIFO | 0644, 0));
    say("missing", ::mknod("no/p", S_IFIFO | 0644, 0));
    say("dangling", ::symlink("x", "y"));
    say("at dangling", ::mknod("y", S_IFIFO | 0644, 0));
    say("mkfifoat", ::mkfifoat(AT_FDCWD, "r", 0600));
    say("bad directory", ::mkfifoat(150, "r", 0600));
}

// Needs rights that nobody has here, except where the kernel makes an exception.
void whiteout_node() { say("character 0", ::mknod("w", S_IFCHR, 0)); }

void truncates() {
    put("f", "0123456789");
    ::mkdir("d", 0755);
    (void)!::symlink("f", "l");
    put("ro", "old", 0444);
    ::mkfifo("p", 0644);
    say("shorter", ::truncate("f", 3));
    show("f");
    say("longer", ::truncate("f", 5));
    show("f");
    say("by link", ::truncate("l", 1));
    say("negative", ::truncate("f", -1));
    say("missing", ::truncate("no", 0));
    say("empty", ::truncate("", 0));
    say("directory", ::truncate("d", 0));
    say("fifo", ::truncate("p", 0));
    say("read only", ::truncate("ro", 0));
    say("slash", ::truncate("f/", 0));
    const int read = ::open("f", O_RDONLY);
    say("ftruncate to read", ::ftruncate(read, 0));
    const int write = ::open("f", O_WRONLY);
    say("ftruncate", ::ftruncate(write, 2));
    say("ftruncate negative", ::ftruncate(write, -1));
    say("ftruncate bad", ::ftruncate(150, 0));
    say("big", ::truncate("f", 1L << 30));
    struct stat status {};
    ::stat("f", &status);
    say("size", static_cast<long>(status.st_size));
    say("fallocate", ::fallocate(write, FALLOC_FL_KEEP_SIZE, 0, 4096));
    say("small again", ::truncate("f", 0));
}

// Only while the call is made: lines may go to a file too.
void file_size_limit() {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto limited = [](const std::string& step, const std::function<long()>& call) {
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlimit small{100, limit.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        const long result = call();
        const int error = errno;
        ::setrlimit(RLIMIT_FSIZE, &limit);
        errno = error;
        say(step, result);
    };
    const int file = ::open("f", O_RDWR | O_CREAT, 0644);
    const std::string text(200, 'x');
    limited("write", [&] { return ::write(file, text.data(), text.size()); });
    limited("write more", [&] { return ::write(file, text.data(), text.size()); });
    limited("ftruncate", [&] { return ::ftruncate(file, 200); });
    limited("truncate", [] { return ::truncate("f", 200); });
    limited("truncate less", [] { return ::truncate("f", 50); });
}

void copies() {
    put("f", "0123456789");
    const int in = ::open("f", O_RDONLY);
    const int out = ::open("g", O_WRONLY | O_CREAT, 0644);
    say("copy_file_range", ::copy_file_range(in, nullptr, out, nullptr, 5, 0));
    say("sendfile", ::sendfile(out, in, nullptr, 5));
    show("g");
    const iovec parts[2] = {{const_cast<char*>("ab"), 2}, {const_cast<char*>("cd"), 2}};
    say("pwritev", ::pwritev(out, parts, 2, 8));
    say("hole", ::pwrite(out, "x", 1, 100'000));
    struct stat status {};
    ::fstat(out, &status);
    say("size", static_cast<long>(status.st_size));
    say("punch", ::fallocate(out, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
    ::unlink("g");
}

// --- sockets -------------------------------------------------------------------------------------

void socket_in_the_workspace() {
    ::umask(022);
    const int server = bind_to("bind", "s");
    say("listen", ::listen(server, 4));
    show("s");
    const int client = unix_socket();
    const Address address("s");
    say("connect", ::connect(client, address.get(), address.size));
    const int accepted = ::accept(server, nullptr, nullptr);
    say("accept", accepted >= 0 ? 0 : -1);
    add(client, "hello");
    char text[8] = {};
    say("read", ::read(accepted, text, sizeof text));
    note("text", text);
    ucred peer{};
    socklen_t size = sizeof peer;
    ::getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    say("peer is this process", peer.pid == ::getpid() ? 1 : 0);
    say("unlink", ::unlink("s"));
    const int late = unix_socket();
    say("connect to nothing", ::connect(late, address.get(), address.size));
    put("f");
    const Address file("f");
    say("connect to a file", ::connect(late, file.get(), file.size));
}

void socket_names() {
    sockaddr_un name{};
    socklen_t size = sizeof name;
    const int server = bind_to("bind", "s");
    ::getsockname(server, reinterpret_cast<sockaddr*>(&name), &size);
    note("getsockname", name.sun_path);
    const int other = bind_to("bind by a path", "./d/../t");
    (void)other;
    ::mkdir("d", 0755);
    const int third = bind_to("bind in a directory", "d/u");
    name = {};
    size = sizeof name;
    ::getsockname(third, reinterpret_cast<sockaddr*>(&name), &size);
    note("getsockname of it", name.sun_path);
}

void socket_binds() {
    put("f");
    (void)!::symlink("nothing", "dangling");
    ::mkdir("closed", 0555);
    for (const char* path : {"s", "s", "f", "dangling", "no/s", "d/", "closed/s", "f/s", "/"}) {
        ::close(bind_to("'" + std::string(path) + "'", path));
    }
    const int d = directory("d");
    ::close(bind_to("by proc", fd_path(d) + "/s"));
    ::close(bind_to("by cwd", "/proc/self/cwd/t"));
    ::umask(077);
    ::close(bind_to("umask", "private"));
    ::close(bind_to("all bytes", std::string(107, 'n')));
    ::close(bind_to("not ended", std::string(108, 'm')));
    const int again = bind_to("first name", "one");
    const Address two("two");
    say("second name", ::bind(again, two.get(), two.size));
    show("two");
    const int server = unix_socket();
    const Address bad("x");
    say("too short", ::bind(server, bad.get(), 1));
    say("too long", ::bind(server, bad.get(), 200));
    say("no pointer", ::syscall(SYS_bind, server, unmapped(), 10));
    say("bad descriptor", ::bind(150, bad.get(), bad.size));
    sockaddr_un unnamed{};
    unnamed.sun_family = AF_UNIX;
    say("unnamed", ::bind(server, reinterpret_cast<sockaddr*>(&unnamed), sizeof(sa_family_t)));
}

void datagrams() {
    const int one = bind_to("bind", "one", SOCK_DGRAM);
    const int two = bind_to("bind", "two", SOCK_DGRAM);
    const Address address("two");
    say("send", ::sendto(one, "text", 4, 0, address.get(), address.size));
    char text[8] = {};
    sockaddr_un from{};
    socklen_t size = sizeof from;
    say("receive", ::recvfrom(two, text, sizeof text, MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&from), &size));
    note("text", text);
    say("missing", ::sendto(one, "x", 1, 0, Address("no").get(), Address("no").size));
    say("rename", ::rename("two", "three"));
    const Address three("three");
    say("send to the new name", ::sendto(one, "x", 1, 0, three.get(), three.size));
}

void abstract_sockets() {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "paddock-gate-" + std::to_string(::getpid());
    std::memcpy(name.sun_path + 1, text.data(), text.size());
    const int server = unix_socket();
    say("bind", ::bind(server, reinterpret_cast<sockaddr*>(&name),
                       static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())));
    say("pair", [] {
        int pair[2];
        return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    }());
}

// --- FIFOs ---------------------------------------------------------------------------------------

void fifo_without_reader() {
    ::mkfifo("p", 0644);
    tried("nonblocking writer", ::open("p", O_WRONLY | O_NONBLOCK));
    tried("nonblocking reader", ::open("p", O_RDONLY | O_NONBLOCK));
    const int both = opened("both", ::open("p", O_RDWR));
    say("write", ::write(both, "x", 1));
    const int writer = opened("writer now", ::open("p", O_WRONLY | O_NONBLOCK));
    say("write more", ::write(writer, "y", 1));
    tried("create", ::open("p", O_WRONLY | O_CREAT | O_NONBLOCK, 0644));
    tried("truncate", ::open("p", O_WRONLY | O_TRUNC | O_NONBLOCK));
    tried("exclusive", ::open("p", O_WRONLY | O_CREAT | O_EXCL, 0644));
    ::chmod("p", 0444);
    tried("closed to writers", ::open("p", O_WRONLY | O_NONBLOCK));
}

void fifo_writer_waits() {
    ::mkfifo("p", 0644);
    std::atomic<bool> trying{false};
    std::atomic<bool> has{false};
    std::string flags;
    std::thread writer([&] {
        trying = true;
        const int fd = ::open("p", O_WRONLY | O_CLOEXEC);
        has = true;
        flags = fd < 0 ? error_name(errno) : flags_of(fd);
        add(fd, "text");
        ::close(fd);
    });
    while (!trying) std::this_thread::yield();
    for (int i = 0; i < 50; ++i) {
        put("f" + std::to_string(i));
        ::unlink(("f" + std::to_string(i)).c_str());
    }
    say("too early", has ? 1 : 0);
    const int reader = opened("reader", ::open("p", O_RDONLY));
    writer.join();
    note("writer", flags);
    char text[8] = {};
    say("read", ::read(reader, text, sizeof text));
    say("end", ::read(reader, text, sizeof text));
}

void fifo_reader_waits() {
    ::mkfifo("p", 0644);
    std::string text(8, '\0');
    std::thread reader([&] {
        const int fd = ::open("p", O_RDONLY);
        const ssize_t size = ::read(fd, text.data(), text.size());
        text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    });
    const int writer = opened("writer", ::open("p", O_WRONLY));
    add(writer, "text");
    ::close(writer);
    reader.join();
    note("text", text);
}

// Many that wait must not keep others from their work.
void fifo_many_writers() {
    constexpr int kWriters = 50;
    std::atomic<int> trying{0};
    std::atomic<int> has{0};
    for (int i = 0; i < kWriters; ++i) ::mkfifo(("p" + std::to_string(i)).c_str(), 0644);
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
        writers.emplace_back([&, i] {
            ++trying;
            const int fd = ::open(("p" + std::to_string(i)).c_str(), O_WRONLY);
            ++has;
            add(fd, std::to_string(i));
            ::close(fd);
        });
    }
    while (trying < kWriters) std::this_thread::yield();
    int failed = 0;
    for (int i = 0; i < 100; ++i) {
        const std::string name = "f" + std::to_string(i);
        put(name);
        failed += ::rename(name.c_str(), "g") == 0 ? 0 : 1;
    }
    say("failed", failed);
    say("too early", has);
    int right = 0;
    for (int i = 0; i < kWriters; ++i) {
        const int fd = ::open(("p" + std::to_string(i)).c_str(), O_RDONLY);
        std::string text(8, '\0');
        const ssize_t size = ::read(fd, text.data(), text.size());
        text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        right += text == std::to_string(i) ? 1 : 0;
        ::close(fd);
    }
    for (std::thread& writer : writers) writer.join();
    say("right", right);
    for (int i = 0; i < kWriters; ++i) ::unlink(("p" + std::to_string(i)).c_str());
}

void fifo_writer_killed() {
    ::mkfifo("p", 0644);
    for (int i = 0; i < 5; ++i) {
        int ready[2];
        (void)!::pipe(ready);
        const pid_t child = ::fork();
        if (child == 0) {
            add(ready[1], "x");
            ::_exit(::open("p", O_WRONLY) >= 0 ? 0 : 1);
        }
        char byte = 0;
        (void)!::read(ready[0], &byte, 1);
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) say("not killed", status);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    // What was given up must not be opened later.
    const int reader = opened("reader", ::open("p", O_RDONLY | O_NONBLOCK));
    char text[4];
    say("read", ::read(reader, text, sizeof text));
}

void fifo_by_proc() {
    ::mkfifo("p", 0644);
    const int reader = ::open("p", O_RDONLY | O_NONBLOCK);
    say("rename", ::rename("p", "q"));
    const int writer = opened("writer", ::open(fd_path(reader).c_str(), O_WRONLY));
    add(writer, "text");
    char text[8] = {};
    say("read", ::read(reader, text, sizeof text));
    note("text", text);
    ::close(reader);
    tried("without reader", ::open(fd_path(writer).c_str(), O_WRONLY | O_NONBLOCK));
    tried("old name", ::open("p", O_WRONLY | O_NONBLOCK));
}

void fifo_in_the_shell() {
    say("shell", run_program({"/bin/sh", "-c",
                              "mkfifo p; { echo one; echo two; } > p & "
                              "{ read a; read b; } < p; echo $a $b > out; wait"}));
    show("out");
}

std::atomic<int> alarms{0};
void count_alarm(int /*number*/) { ++alarms; }

void handle_alarms(int flags) {
    struct sigaction action {};
    action.sa_handler = count_alarm;
    action.sa_flags = flags;
    ::sigaction(SIGALRM, &action, nullptr);
}

void start_timer(suseconds_t microseconds) {
    const itimerval timer{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// A handler without SA_RESTART ends the waiting.
void fifo_writer_interrupted() {
    ::mkfifo("p", 0644);
    handle_alarms(0);
    start_timer(20'000);
    tried("open", ::open("p", O_WRONLY));
    start_timer(0);
}

// --- signals -------------------------------------------------------------------------------------

// Calls that never fail with EINTR, and never run twice. One that was interrupted is made again: if
// it had been carried out all the same, that shows.
void calls_under_a_timer() {
    int twice = 0;
    int interrupted = 0;
    int other = 0;
    const auto repeat = [&](const std::function<long()>& call) {
        long result = call();
        for (; result < 0 && errno == EINTR; result = call()) ++interrupted;
        if (result < 0) ++(errno == EEXIST || errno == ENOENT ? twice : other);
        return result;
    };
    for (int i = 0; i < 400; ++i) {
        const long fd =
            repeat([] { return ::open("f", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644); });
        if (fd >= 0) ::close(static_cast<int>(fd));
        repeat([] { return ::rename("f", "g"); });
        repeat([] { return ::mkdir("d", 0755); });
        repeat([] { return ::link("g", "h"); });
        repeat([] { return ::symlink("g", "l"); });
        repeat([] { return ::unlink("l"); });
        repeat([] { return ::unlink("h"); });
        repeat([] { return ::rmdir("d"); });
        repeat([] { return ::unlink("g"); });
    }
    start_timer(0);
    say("run twice", twice);
    say("interrupted", interrupted);
    say("other", other);
    say("alarms", alarms > 0 ? 1 : 0);
}

void signals_with_restart() {
    handle_alarms(SA_RESTART);
    start_timer(300);
    calls_under_a_timer();
}

void signals_without_restart() {
    handle_alarms(0);
    start_timer(300);
    calls_under_a_timer();
}

void killed_in_mid_call() {
    int killed = 0;
    for (int i = 0; i < 40; ++i) {
        int ready[2];
        (void)!::pipe(ready);
        const pid_t child = ::fork();
        if (child == 0) {
            for (int round = 0;; ++round) {
                ::close(::open("k", O_WRONLY | O_CREAT, 0644));
                ::unlink("k");
                if (round == i % 4) add(ready[1], "x");
            }
        }
        char byte = 0;
        (void)!::read(ready[0], &byte, 1);
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        killed += WIFSIGNALED(status) ? 1 : 0;
        ::close(ready[0]);
        ::close(ready[1]);
    }
    say("killed", killed);
    ::unlink("k");
    put("still works");
}

// --- bad memory ----------------------------------------------------------------------------------

void bad_pointers() {
    put("f");
    char* bad = unmapped();
    for (const auto& [name, path] : {std::pair<const char*, char*>{"null", kBad}, {"bad", bad}}) {
        const std::string step = name;
        say(step + " open", ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0644));
        say(step + " mkdir", ::syscall(SYS_mkdirat, AT_FDCWD, path, 0755));
        say(step + " unlink", ::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
        say(step + " rmdir", ::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
        say(step + " rename from", ::syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, "g", 0));
        say(step + " rename to", ::syscall(SYS_renameat2, AT_FDCWD, "f", AT_FDCWD, path, 0));
        say(step + " link from", ::syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, "g", 0));
        say(step + " link to", ::syscall(SYS_linkat, AT_FDCWD, "f", AT_FDCWD, path, 0));
        say(step + " symlink target", ::syscall(SYS_symlinkat, path, AT_FDCWD, "g"));
        say(step + " symlink name", ::syscall(SYS_symlinkat, "x", AT_FDCWD, path));
        say(step + " mknod", ::syscall(SYS_mknodat, AT_FDCWD, path, S_IFIFO | 0644, 0));
        say(step + " truncate", ::syscall(SYS_truncate, path, 0));
        say(step + " chmod", ::syscall(SYS_fchmodat, AT_FDCWD, path, 0644));
        say(step + " dirfd first", ::syscall(SYS_openat, 150, path, O_WRONLY | O_CREAT, 0644));
    }
}

void paths_at_a_page_end() {
    const std::string whole("at-the-end\0", 11);
    tried("ended", ::open(at_page_end(whole), O_WRONLY | O_CREAT, 0644));
    tried("not ended", ::open(at_page_end("at-the-end"), O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir(at_page_end(std::string("d\0", 2)), 0755));
    say("rename", ::rename(at_page_end(whole), at_page_end(std::string("d/x\0", 4))));
    say("one byte", ::mkdir(at_page_end(std::string("\0", 1)), 0755));
    std::string longest = "f";
    while (longest.size() + 2 < 4096) longest.insert(0, "./");
    tried("longest", ::open(at_page_end(longest + '\0'), O_WRONLY | O_CREAT, 0644));
    tried("4096 not ended", ::open(at_page_end(std::string(4096, 'x')), O_WRONLY | O_CREAT, 0644));
    say("target", ::symlink(at_page_end(std::string("t\0", 2)), "l"));
    // A page that is there only when somebody touches it.
    auto* lazy = static_cast<char*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    tried("never touched", ::open(lazy, O_WRONLY | O_CREAT, 0644));
    const int file = ::open("names", O_RDWR | O_CREAT, 0644);
    add(file, std::string("from-a-file\0", 12));
    auto* mapped = static_cast<char*>(::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0));
    tried("from a file", ::open(mapped, O_WRONLY | O_CREAT, 0644));
    auto* only_exec = static_cast<char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
    tried("from a shared page", ::open(only_exec, O_WRONLY | O_TRUNC));
}

void not_dumpable() {
    say("prctl", ::prctl(PR_SET_DUMPABLE, 0));
    tried("create", ::open("f", O_WRONLY | O_CREAT, 0644));
    say("mkdir", ::mkdir("d", 0755));
}

// --- locks ---------------------------------------------------------------------------------------

// The supervisor must not keep a file open longer than the command does.
void flock_after_close() {
    int held = 0;
    for (int i = 0; i < 300; ++i) {
        const int first = ::open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        (void)::flock(first, LOCK_EX);
        ::close(first);
        const int second = ::open("lock", O_RDWR | O_CLOEXEC);
        held += ::flock(second, LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
        ::close(second);
    }
    say("still held", held);
}

void flock_between_processes() {
    int held = 0;
    for (int i = 0; i < 60; ++i) {
        in_child([] {
            const int file = ::open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
            return ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
        });
        const int file = ::open("lock", O_WRONLY | O_CLOEXEC);
        held += ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
        ::close(file);
    }
    say("still held", held);
    const int file = ::open("lock", O_RDWR | O_CLOEXEC);
    (void)::flock(file, LOCK_EX);
    say("while held", in_child([] {
            const int other = ::open("lock", O_RDWR | O_CLOEXEC);
            return ::flock(other, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        }));
}

void record_locks() {
    const int file = ::open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    say("set", ::fcntl(file, F_SETLK, &lock));
    say("another process", in_child([] {
            const int other = ::open("lock", O_RDWR);
            struct flock own {};
            own.l_type = F_WRLCK;
            return ::fcntl(other, F_SETLK, &own) == 0 ? 0 : errno;
        }));
    // Closing any descriptor of the file gives the locks up; nobody else's closing does.
    ::close(::open("lock", O_WRONLY));
    say("after a close", in_child([] {
            const int other = ::open("lock", O_RDWR);
            struct flock own {};
            own.l_type = F_WRLCK;
            return ::fcntl(other, F_SETLK, &own) == 0 ? 0 : errno;
        }));
    struct flock whole {};
    whole.l_type = F_WRLCK;
    say("of the description", ::fcntl(file, F_OFD_SETLK, &whole));
    const int other = ::open("lock", O_RDWR);
    say("of another one", ::fcntl(other, F_OFD_SETLK, &whole));
    say("read lease", ::fcntl(other, F_SETLEASE, F_RDLCK));
}

void lease_on_a_closed_file() {
    int refused = 0;
    for (int i = 0; i < 100; ++i) {
        ::close(::open("f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        const int file = ::open("f", O_RDONLY | O_CLOEXEC);
        refused += ::fcntl(file, F_SETLEASE, F_RDLCK) == 0 ? 0 : 1;
        ::close(file);
    }
    say("still open for writing", refused);
}

// --- programs ------------------------------------------------------------------------------------

void copy_program(const std::string& from, const std::string& to) {
    const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    struct stat status {};
    ::fstat(in, &status);
    off_t at = 0;
    while (at<status.st_size&& ::sendfile(out, in, &at, 1 << 20)> 0) {
    }
    ::close(in);
    ::close(out);
}

void exec_what_was_just_written() {
    int busy = 0;
    int failed = 0;
    for (int i = 0; i < 60; ++i) {
        copy_program("/bin/true", "prog");
        const int result = run_program({"./prog"});
        busy += result == 101 ? 1 : 0;
        failed += result == 0 || result == 101 ? 0 : 1;
        ::unlink("prog");
    }
    say("busy", busy);
    say("failed", failed);
    put("script", "#!/bin/sh\nexit 7\n", 0755);
    say("script", run_program({"./script"}));
    copy_program("/bin/true", "held");
    const int writer = ::open("held", O_WRONLY | O_APPEND);
    say("while it is written", run_program({"./held"}));
    ::close(writer);
    say("afterwards", run_program({"./held"}));
    ::unlink("held");
}

void write_to_a_running_program() {
    copy_program("/bin/cat", "prog");
    int in[2];
    int out[2];
    (void)!::pipe(in);
    (void)!::pipe(out);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::close(in[1]);
        ::execl("./prog", "./prog", nullptr);
        ::_exit(1);
    }
    add(in[1], "x");
    char byte = 0;
    (void)!::read(out[0], &byte, 1);
    tried("write", ::open("prog", O_WRONLY));
    tried("truncate", ::open("prog", O_WRONLY | O_TRUNC));
    say("truncate by name", ::truncate("prog", 0));
    say("rename", ::rename("prog", "moved"));
    say("unlink", ::unlink("moved"));
    ::close(in[1]);
    ::waitpid(child, nullptr, 0);
}

void children_that_write() {
    say("fork", in_child([] {
            put("by-fork");
            return 0;
        }));
    const int file = ::open("shared", O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (int i = 0; i < 3; ++i) {
        in_child([&] {
            add(file, std::to_string(i));
            return 0;
        });
    }
    show("shared");
    say("exec",
        run_program({"/bin/sh", "-c", "echo text > by-shell; mkdir -p a/b/c; mv by-shell a"}));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "by-spawn", O_WRONLY | O_CREAT, 0600);
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char words[] = "echo spawned";
    char* arguments[] = {shell, flag, words, nullptr};
    char* variables[] = {nullptr};
    pid_t child = 0;
    say("posix_spawn", ::posix_spawn(&child, shell, &actions, nullptr, arguments, variables));
    int status = 0;
    ::waitpid(child, &status, 0);
    say("ended", status);
    posix_spawn_file_actions_destroy(&actions);
}

// The child has the parent's memory, and the parent waits.
void vfork_child_writes() {
    int status = 0;
    const pid_t child = ::vfork();
    if (child == 0) {
        const long file = ::syscall(SYS_openat, AT_FDCWD, "by-vfork", O_WRONLY | O_CREAT, 0640);
        ::syscall(SYS_write, file, "text", 4);
        ::syscall(SYS_mkdirat, AT_FDCWD, "dir-by-vfork", 0755);
        ::_exit(file >= 0 ? 0 : 1);
    }
    ::waitpid(child, &status, 0);
    say("ended", status);
}

void orphan_writes() {
    int ready[2];
    (void)!::pipe(ready);
    in_child([&] {
        if (::fork() != 0) return 0;
        ::setsid();
        put("by-orphan");
        add(ready[1], "x");
        ::_exit(0);
    });
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    show("by-orphan");
}

// --- threads -------------------------------------------------------------------------------------

void threads_create() {
    constexpr int kThreads = 8;
    constexpr int kFiles = 40;
    std::atomic<int> failed{0};
    each_thread(kThreads, [&](int number) {
        const std::string dir = "d" + std::to_string(number);
        failed += ::mkdir(dir.c_str(), 0755) == 0 ? 0 : 1;
        for (int i = 0; i < kFiles; ++i) {
            const std::string name = dir + "/" + std::to_string(i);
            const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
            failed += fd >= 0 && ::write(fd, "x", 1) == 1 ? 0 : 1;
            ::close(fd);
            if (i % 2 == 0) failed += ::rename(name.c_str(), (name + "r").c_str()) == 0 ? 0 : 1;
            if (i % 4 == 0) failed += ::unlink((name + "r").c_str()) == 0 ? 0 : 1;
        }
    });
    say("failed", failed);
    long left = 0;
    for (int number = 0; number < kThreads; ++number) {
        const int d = directory("d" + std::to_string(number));
        for (const char c : gate::list(d).names) left += c == '\0' ? 1 : 0;
        gate::empty_tree(d);
        ::close(d);
    }
    say("left", left);
}

void threads_race_for_names() {
    std::atomic<int> files{0};
    std::atomic<int> directories{0};
    std::atomic<int> links{0};
    std::atomic<int> moved{0};
    std::atomic<int> gone{0};
    put("source");
    for (int i = 0; i < 30; ++i) put("m" + std::to_string(i));
    each_thread(8, [&](int number) {
        for (int i = 0; i < 30; ++i) {
            const std::string name = std::to_string(i);
            const int fd =
                ::open(("f" + name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
            if (fd >= 0) ++files, ::close(fd);
            if (::mkdir(("d" + name).c_str(), 0755) == 0) ++directories;
            if (::link("source", ("l" + name).c_str()) == 0) ++links;
            if (::rename(("m" + name).c_str(), ("n" + std::to_string(number)).c_str()) == 0) {
                ++moved;
            }
            if (::rmdir(("d" + name).c_str()) == 0) ++gone;
        }
    });
    say("files", files);
    say("directories made are removed", directories == gone ? 1 : 0);
    say("links", links);
    say("moved", moved);
    for (int i = 0; i < 8; ++i) ::unlink(("n" + std::to_string(i)).c_str());
    for (int i = 0; i < 30; ++i) {
        ::unlink(("f" + std::to_string(i)).c_str());
        ::unlink(("l" + std::to_string(i)).c_str());
    }
}

void thread_with_its_own_cwd() {
    ::mkdir("d", 0755);
    std::thread([] {
        say("unshare", ::unshare(CLONE_FS));
        say("chdir", ::chdir("d"));
        tried("create", ::open("in-thread", O_WRONLY | O_CREAT, 0644));
        say("mkdir", ::mkdir("dir", 0755));
        tried("by proc", ::open("/proc/thread-self/cwd/by-thread", O_WRONLY | O_CREAT, 0644));
        tried("by the process", ::open("/proc/self/cwd/by-process", O_WRONLY | O_CREAT, 0644));
    }).join();
    tried("create", ::open("in-main", O_WRONLY | O_CREAT, 0644));
}

int run_in_clone(void* act) {
    (*static_cast<std::function<void()>*>(act))();
    return 0;
}

// Memory in common, and neither descriptors nor the working directory.
void clone_with_its_own_files() {
    ::mkdir("d", 0755);
    std::vector<char> stack(1 << 20);
    std::function<void()> act = [] {
        (void)!::chdir("d");
        ::close(0);
        say("number", ::open("f", O_WRONLY | O_CREAT, 0644));
    };
    const int child = ::clone(run_in_clone, stack.data() + stack.size(), CLONE_VM | SIGCHLD, &act);
    int status = 0;
    ::waitpid(child, &status, 0);
    say("ended", status);
    say("number here", ::open("g", O_WRONLY | O_CREAT, 0644));
    const int again = ::clone(run_in_clone, stack.data() + stack.size(),
                              CLONE_VM | CLONE_FILES | CLONE_FS | SIGCHLD, &act);
    ::waitpid(again, &status, 0);
    say("in common", ::open("h", O_WRONLY | O_CREAT, 0644));
}

void chdir_between_calls() {
    ::mkdir("a", 0755);
    ::mkdir("b", 0755);
    const int a = ::open("a", O_RDONLY | O_DIRECTORY);
    const int b = ::open("b", O_RDONLY | O_DIRECTORY);
    int wrong = 0;
    for (int i = 0; i < 50; ++i) {
        (void)!::fchdir(i % 2 == 0 ? a : b);
        const std::string name = std::to_string(i);
        ::close(::open(name.c_str(), O_WRONLY | O_CREAT, 0644));
        struct stat status {};
        wrong += ::fstatat(i % 2 == 0 ? a : b, name.c_str(), &status, 0) == 0 ? 0 : 1;
        ::unlink(name.c_str());
    }
    say("wrong", wrong);
}

// --- what watchers see ---------------------------------------------------------------------------

std::string events_of(int watcher) {
    std::string text;
    alignas(inotify_event) char buffer[8192];
    pollfd polled{watcher, POLLIN, 0};
    while (::poll(&polled, 1, 0) > 0) {
        const ssize_t size = ::read(watcher, buffer, sizeof buffer);
        for (ssize_t at = 0; at < size;) {
            const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
            const struct {
                unsigned mask;
                const char* name;
            } kinds[] = {{IN_CREATE, "create"},       {IN_DELETE, "delete"},
                         {IN_MOVED_FROM, "from"},     {IN_MOVED_TO, "to"},
                         {IN_CLOSE_WRITE, "written"}, {IN_MODIFY, "modify"}};
            for (const auto& kind : kinds) {
                if ((event->mask & kind.mask) != 0) text += std::string(kind.name) + " ";
            }
            text += std::string(event->len > 0 ? event->name : "") + "; ";
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        }
    }
    return text;
}

int watched(const std::string& name) {
    const int watcher = ::inotify_init1(IN_CLOEXEC);
    ::mkdir(name.c_str(), 0755);
    ::inotify_add_watch(
        watcher, name.c_str(),
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY);
    return watcher;
}

void watch_creating() {
    const int watcher = watched("d");
    const int file = ::open("d/f", O_WRONLY | O_CREAT | O_EXCL, 0644);
    note("create", events_of(watcher));
    add(file, "x");
    note("write", events_of(watcher));
    ::close(file);
    note("close", events_of(watcher));
    ::mkdir("d/dir", 0755);
    (void)!::symlink("x", "d/l");
    (void)!::link("d/f", "d/h");
    ::mkfifo("d/p", 0644);
    note("others", events_of(watcher));
    ::close(::open("d/f", O_WRONLY | O_TRUNC));
    note("truncate", events_of(watcher));
}

void watch_moving() {
    const int watcher = watched("d");
    put("d/f");
    put("e");
    (void)events_of(watcher);
    ::rename("d/f", "d/g");
    note("rename", events_of(watcher));
    ::rename("d/g", "g");
    note("out", events_of(watcher));
    ::rename("g", "d/f");
    note("in", events_of(watcher));
    ::rename("e", "d/f");
    note("over", events_of(watcher));
    put("x");
    rename2("x", "d/f", RENAME_EXCHANGE);
    note("exchange", events_of(watcher));
}

void watch_removing() {
    const int watcher = watched("d");
    put("d/f");
    ::mkdir("d/dir", 0755);
    (void)events_of(watcher);
    ::unlink("d/f");
    note("unlink", events_of(watcher));
    ::rmdir("d/dir");
    note("rmdir", events_of(watcher));
}

// --- names that look protected but are not -------------------------------------------------------

void names_like_protected_ones() {
    for (const char* name : {"git",          ".gitignore",   ".gitattributes",
                             ".gitmodules",  "hooks",        "hooks/pre-commit",
                             "config",       ".github",      ".github/workflows",
                             "HEAD",         "env",          "environment",
                             ".environment", "a.pem.txt",    "keys",
                             ".vscodium",    "CLAUDE.md",    "AGENTS.md",
                             ".npmrc",       ".editorconfig"}) {
        const std::string text = name;
        if (text == "hooks" || text == ".github" || text == ".github/workflows" || text == "keys") {
            say(text, ::mkdir(name, 0755));
        } else {
            tried(text, ::open(name, O_WRONLY | O_CREAT | O_EXCL, 0644));
        }
    }
}

struct Group {
    const char* name;
    void (*run)();
};

constexpr Group kGroups[] = {
    {"open-missing", open_missing},
    {"open-file", open_file},
    {"open-directory", open_directory},
    {"open-link-to-file", open_link_to_file},
    {"open-dangling-link", open_dangling_link},
    {"open-link-to-directory", open_link_to_directory},
    {"open-fifo-flags", open_fifo_flags},
    {"open-socket-file", open_socket_file},
    {"open-read-only-file", open_read_only_file},
    {"open-closed-file", open_closed_file},
    {"open-write-only-file", open_write_only_file},
    {"open-writes", open_writes_where_it_should},
    {"open-modes", open_modes},
    {"open-set-id-modes", open_set_id_modes},
    {"open-legacy-calls", open_legacy_calls},
    {"creat", creat_truncates},
    {"openat2", openat2_call},
    {"trailing-slashes", trailing_slashes},
    {"names-of-all-kinds", names_of_all_kinds},
    {"paths-of-all-lengths", paths_of_all_lengths},
    {"directory-descriptors", directory_descriptors},
    {"directory-that-moves", directory_that_moves},
    {"directory-that-is-gone", directory_that_is_gone},
    {"removed-cwd", removed_cwd},
    {"moved-cwd", moved_cwd},
    {"cwd-over-4k", cwd_over_4k},
    {"deep-directories", deep_directories},
    {"links-last", links_last},
    {"links-on-the-way", links_on_the_way},
    {"chain-of-links", chain_of_links},
    {"links-out", links_out},
    {"up-and-down", up_and_down},
    {"system-files", system_files},
    {"dev-stdout-file", dev_stdout_file},
    {"dev-stdout-pipe", dev_stdout_pipe},
    {"proc-fd", proc_fd},
    {"proc-fd-written", proc_fd_of_a_written_file},
    {"proc-fd-directory", proc_fd_of_directories},
    {"proc-fd-path", proc_fd_of_path_descriptors},
    {"proc-cwd-root", proc_cwd_and_root},
    {"proc-cwd-child", proc_cwd_of_a_child},
    {"tmpfile-proc", tmpfile_linked_by_proc},
    {"tmpfile-descriptor", tmpfile_linked_by_descriptor},
    {"tmpfile-nameless", tmpfile_that_stays_nameless},
    {"direct-io", direct_io},
    {"descriptor-numbers", descriptor_numbers},
    {"descriptors-run-out", descriptors_run_out},
    {"truncate-without-descriptors", truncate_without_descriptors},
    {"cloexec-races", cloexec_races},
    {"passed-descriptor", passed_descriptor},
    {"umasks", umasks},
    {"umask-changed", umask_changed_between},
    {"umask-shared", umask_shared_by_threads},
    {"umask-thread", umask_of_a_thread},
    {"umask-threads", umask_in_many_threads},
    {"default-acl", default_acl},
    {"closed-directories", closed_directories},
    {"write-only-directory", write_only_directory},
    {"moving-read-only-directory", moving_a_read_only_directory},
    {"chmods", chmods},
    {"set-id-chmods", set_id_chmods},
    {"set-gid-directory", set_gid_directory},
    {"sticky-directory", sticky_directory},
    {"times-and-attributes", times_and_attributes},
    {"attributes", attributes_by_every_call},
    {"times-of-opens", times_that_opens_change},
    {"mkdirs", mkdirs},
    {"rmdirs", rmdirs},
    {"unlinks", unlinks},
    {"unlink-while-open", unlink_while_open},
    {"directory-removed-open", directory_removed_while_open},
    {"renames", renames},
    {"rename-noreplace", rename_noreplace},
    {"rename-exchange", rename_exchange},
    {"rename-flags", rename_flags},
    {"rename-open", rename_of_open_files},
    {"rename-tmp", rename_with_tmp},
    {"hard-links", hard_links},
    {"many-hard-links", many_hard_links},
    {"symbolic-links", symbolic_links},
    {"nodes", nodes},
    {"whiteout-node", whiteout_node},
    {"truncates", truncates},
    {"file-size-limit", file_size_limit},
    {"copies", copies},
    {"socket-workspace", socket_in_the_workspace},
    {"socket-names", socket_names},
    {"socket-binds", socket_binds},
    {"datagrams", datagrams},
    {"abstract-sockets", abstract_sockets},
    {"fifo-no-reader", fifo_without_reader},
    {"fifo-writer-waits", fifo_writer_waits},
    {"fifo-reader-waits", fifo_reader_waits},
    {"fifo-many-writers", fifo_many_writers},
    {"fifo-writer-killed", fifo_writer_killed},
    {"fifo-proc", fifo_by_proc},
    {"fifo-shell", fifo_in_the_shell},
    {"fifo-writer-interrupted", fifo_writer_interrupted},
    {"signals-with-restart", signals_with_restart},
    {"signals-without-restart", signals_without_restart},
    {"killed-in-mid-call", killed_in_mid_call},
    {"bad-pointers", bad_pointers},
    {"page-end", paths_at_a_page_end},
    {"not-dumpable", not_dumpable},
    {"flock-after-close", flock_after_close},
    {"flock-processes", flock_between_processes},
    {"record-locks", record_locks},
    {"lease-after-close", lease_on_a_closed_file},
    {"exec-just-written", exec_what_was_just_written},
    {"write-running-program", write_to_a_running_program},
    {"children-write", children_that_write},
    {"vfork-writes", vfork_child_writes},
    {"orphan-writes", orphan_writes},
    {"threads-create", threads_create},
    {"threads-race", threads_race_for_names},
    {"thread-cwd", thread_with_its_own_cwd},
    {"clone-files", clone_with_its_own_files},
    {"chdir-between", chdir_between_calls},
    {"watch-creating", watch_creating},
    {"watch-moving", watch_moving},
    {"watch-removing", watch_removing},
    {"names-like-protected", names_like_protected_ones},
};

// In the child of its own: only the standard descriptors, and the one that lines go to.
void prepare() {
    ::setpgid(0, 0);
    ::syscall(SYS_close_range, 3U, static_cast<unsigned>(kReport - 1), 0U);
    ::syscall(SYS_close_range, static_cast<unsigned>(kReport + 1), ~0U, 0U);
    ::umask(022);
    const rlimit same{kDescriptors, kDescriptors};
    ::setrlimit(RLIMIT_NOFILE, &same);
}

void wait_bounded(pid_t child) {
    const auto held = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd polled{held, POLLIN, 0};
    const bool hangs = ::poll(&polled, 1, kHangsMs) == 0;
    ::close(held);
    if (hangs) note("hangs", "yes");
    // What it may have left behind is in its process group.
    ::kill(-child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!hangs && WIFSIGNALED(status)) note("killed", std::to_string(WTERMSIG(status)));
}

void run_group(const Group& one) {
    group = one.name;
    ::mkdir(one.name, 0755);
    const int place = ::open(one.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const pid_t child = ::fork();
    if (child == 0) {
        (void)!::fchdir(place);
        prepare();
        one.run();
        ::_exit(0);
    }
    wait_bounded(child);
    const std::string left = gate::describe_tree(place, 6);
    for (std::size_t at = 0; at < left.size();) {
        const std::size_t end = left.find('\n', at);
        const std::string line = left.substr(at, end - at);
        const std::size_t colon = std::min(line.find(": "), line.size());
        note("leaves " + line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
        at = end + 1;
    }
    gate::empty_tree(place);
    ::close(place);
    if (::rmdir(one.name) != 0) note("cannot be removed", error_name(errno));
}

// How many descriptors a program was given besides the standard ones.
int count_descriptors() {
    int count = 0;
    for (int fd = 3; fd < kReport; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"--descriptors"}) return count_descriptors();
    if (words == std::vector<std::string>{"--count"}) {
        std::printf("%zu\n", std::size(kGroups));
        return 0;
    }
    std::array<char, 4096> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return 2;
    program = self.data();
    workspace = here();
    ::umask(022);
    if (::dup3(STDOUT_FILENO, kReport, O_CLOEXEC) < 0) return 2;
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    for (const Group& one : kGroups) {
        bool wanted = words.empty();
        for (const std::string& prefix : words)
            wanted |= std::string_view(one.name).starts_with(prefix);
        if (wanted) run_group(one);
    }
    return 0;
}
