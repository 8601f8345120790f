// sequence FIRST COUNT LENGTH [keep]: random calls on a few names, COUNT times, with the seeds from
// FIRST on. Prints every call with its result, and the tree that each sequence leaves. `keep`
// leaves that tree to the next sequence, and in the end to whoever comes after.
//
// The same seed makes the same calls as long as their results are the same, so a difference between
// two runs begins where the first line differs. Nothing waits: every open has O_NONBLOCK.
//
// Names go up by ".." and links. So that they end in the workspace, the sequences run at the end of
// a chain of directories that nobody may change.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gate/tree.h"

namespace {

using gate::error_name;

constexpr int kChain = 24;  // directories above the sequences
constexpr int kSlots = 5;   // descriptors that a sequence keeps

std::string top;  // the directory of the sequences, absolute

class Sequence {
public:
    Sequence(std::uint64_t seed, int root) : random_(seed), root_(root) { slots_.fill(-1); }
    ~Sequence() {
        for (const int fd : slots_) {
            if (fd >= 0) ::close(fd);
        }
    }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;

    void run(int length) {
        (void)!::fchdir(root_);
        ::umask(022);
        begin();
        for (int i = 0; i < length; ++i) {
            step();
            stay_inside();
        }
        (void)!::fchdir(root_);
        std::string tree = gate::describe_tree(root_);
        for (std::size_t at = 0; (at = tree.find(top)) != std::string::npos;) {
            tree.replace(at, top.size(), "<top>");
        }
        text_ += tree;
    }
    const std::string& text() const { return text_; }

private:
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    // Something to begin with, or most calls would find nothing.
    void begin() {
        ::mkdir("a", 0755);
        ::mkdir("a/c", 0755);
        ::mkdir("d", 0755);
        for (const char* file : {"b", "a/b", "d/a"}) {
            const int fd = ::open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            (void)!::write(fd, file, 1);
            ::close(fd);
        }
        (void)!::symlink("a", "l");
        slots_[0] = ::open("a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        slots_[1] = ::open("b", O_RDWR | O_CLOEXEC);
        slots_[2] = ::open("d", O_PATH | O_CLOEXEC);
    }

    template <typename T, std::size_t kCount>
    const T& one_of(const T (&all)[kCount]) {
        return all[below(kCount)];
    }

    std::string name() {
        static constexpr const char* kNames[] = {"a", "b", "c", "d", "e", "f", "g", "l"};
        return one_of(kNames);
    }

    // One that is in the working directory, by its place in the alphabet.
    std::string existing_name() {
        const std::string names = gate::list(AT_FDCWD).names;
        std::vector<std::string> all;
        for (std::size_t at = 0; at < names.size(); at += all.back().size() + 1) {
            all.emplace_back(names.c_str() + at);
        }
        return all.empty() ? name() : all[below(all.size())];
    }

    enum class Likely { kThere, kNew };
    std::string path(Likely likely = Likely::kThere) {
        static constexpr const char* kOdd[] = {".", "..", "a/..", "b/.", "a//c"};
        std::string made;
        const std::size_t parts = below(10) == 0 ? 3 : below(4) == 0 ? 2 : 1;
        for (std::size_t i = 0; i < parts; ++i) {
            if (i > 0) made += "/";
            made += below(12) == 0                                        ? one_of(kOdd)
                    : likely == Likely::kThere && i == 0 && below(4) != 0 ? existing_name()
                                                                          : name();
        }
        if (below(60) == 0) made.clear();
        if (below(20) == 0 && !made.empty()) made += "/";
        if (below(25) == 0) made.insert(0, top + "/");
        return made;
    }

    mode_t mode() {
        static constexpr mode_t kModes[] = {0644, 0600, 0666, 0755, 0777,
                                            0444, 0200, 0,    0555, 0711};
        return one_of(kModes);
    }

    int flags() {
        static constexpr int kFlags[] = {
            O_WRONLY,
            O_RDWR,
            O_WRONLY | O_CREAT,
            O_WRONLY | O_CREAT,
            O_RDWR | O_CREAT | O_TRUNC,
            O_WRONLY | O_CREAT | O_EXCL,
            O_WRONLY | O_APPEND,
            O_RDWR | O_CREAT | O_APPEND,
            O_RDONLY | O_TRUNC,
            O_RDONLY,
            O_RDONLY | O_DIRECTORY,
            O_RDONLY | O_DIRECTORY,
            O_PATH,
            O_PATH | O_NOFOLLOW,
            O_WRONLY | O_NOFOLLOW,
            O_RDWR | O_CREAT | O_NOFOLLOW,
        };
        return one_of(kFlags) | O_NONBLOCK | O_CLOEXEC;
    }

    // A directory to begin at: mostly the working directory, else one of the descriptors.
    int start() {
        const int slot = slots_[below(kSlots)];
        return below(4) != 0 || (slot < 0 && below(10) != 0) ? AT_FDCWD : slot;
    }

    std::string show(int directory) const {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (directory == slots_[i] && directory >= 0) return "#" + std::to_string(i) + ":";
        }
        return directory == AT_FDCWD ? "" : "bad:";
    }

    static std::string printed(const std::string& path) {
        return path.starts_with(top) ? "<top>" + path.substr(top.size()) : path;
    }

    void tell(const std::string& call, long result) {
        const int error = errno;
        text_ += call + " = " + (result < 0 ? error_name(error) : std::to_string(result)) + "\n";
    }

    void keep(const std::string& call, int fd) {
        const std::size_t slot = below(kSlots);
        tell(call + " #" + std::to_string(slot), fd < 0 ? -1 : 0);
        if (fd < 0) return;
        if (slots_[slot] >= 0) ::close(slots_[slot]);
        slots_[slot] = fd;
    }

    void step() {
        static constexpr struct {
            int weight;
            void (Sequence::*act)();
        } kSteps[] = {
            {9, &Sequence::open_one},   {4, &Sequence::write_one},   {4, &Sequence::make_directory},
            {5, &Sequence::remove},     {7, &Sequence::rename_one},  {3, &Sequence::rename_flags},
            {4, &Sequence::hard_link},  {4, &Sequence::soft_link},   {1, &Sequence::make_fifo},
            {2, &Sequence::truncate},   {2, &Sequence::change_mode}, {2, &Sequence::change_umask},
            {3, &Sequence::change_cwd}, {1, &Sequence::tmpfile},     {1, &Sequence::in_child},
            {1, &Sequence::in_thread},  {1, &Sequence::by_proc},     {1, &Sequence::close_one},
        };
        int total = 0;
        for (const auto& one : kSteps) total += one.weight;
        auto left = static_cast<int>(below(static_cast<std::size_t>(total)));
        for (const auto& one : kSteps) {
            if ((left -= one.weight) >= 0) continue;
            (this->*one.act)();
            return;
        }
    }

    void open_one() {
        const int at = start();
        const std::string to = path();
        const int how = flags();
        const mode_t permissions = mode();
        char call[160];
        std::snprintf(call, sizeof call, "open %s%s 0%o 0%o", show(at).c_str(), printed(to).c_str(),
                      static_cast<unsigned>(how), permissions);
        keep(call, ::openat(at, to.c_str(), how, permissions));
    }

    void write_one() {
        std::size_t slot = below(kSlots);
        if (slots_[slot] < 0) slot = 1;
        const std::string text(1 + below(6), static_cast<char>('a' + below(26)));
        tell("write #" + std::to_string(slot), ::write(slots_[slot], text.data(), text.size()));
    }

    void close_one() {
        const std::size_t slot = below(kSlots);
        if (slots_[slot] >= 0) ::close(slots_[slot]);
        slots_[slot] = -1;
    }

    void make_directory() {
        const int at = start();
        const std::string to = path(Likely::kNew);
        const mode_t permissions = mode();
        tell("mkdir " + show(at) + printed(to), ::mkdirat(at, to.c_str(), permissions));
    }

    void remove() {
        const int at = start();
        const std::string to = path();
        const int how = below(2) == 0 ? AT_REMOVEDIR : 0;
        tell((how == 0 ? "unlink " : "rmdir ") + show(at) + printed(to),
             ::unlinkat(at, to.c_str(), how));
    }

    void rename_with(unsigned how) {
        const int from_at = start();
        const std::string from = path();
        const int to_at = start();
        const std::string to = path(below(3) == 0 ? Likely::kThere : Likely::kNew);
        tell("rename " + show(from_at) + printed(from) + " " + show(to_at) + printed(to) + " " +
                 std::to_string(how),
             ::syscall(SYS_renameat2, from_at, from.c_str(), to_at, to.c_str(), how));
    }
    void rename_one() { rename_with(0); }
    void rename_flags() {
        static constexpr unsigned kHow[] = {RENAME_NOREPLACE, RENAME_EXCHANGE};
        rename_with(one_of(kHow));
    }

    void hard_link() {
        const int from_at = start();
        const std::string from = path();
        const int to_at = start();
        const std::string to = path(Likely::kNew);
        const int how = below(3) == 0 ? AT_SYMLINK_FOLLOW : 0;
        tell("link " + show(from_at) + printed(from) + " " + show(to_at) + printed(to) + " " +
                 std::to_string(how),
             ::linkat(from_at, from.c_str(), to_at, to.c_str(), how));
    }

    void soft_link() {
        const std::string target = path();
        const int at = start();
        const std::string to = below(2) == 0 ? "l" : path(Likely::kNew);
        tell("symlink " + printed(target) + " " + show(at) + printed(to),
             ::symlinkat(target.c_str(), at, to.c_str()));
    }

    void make_fifo() {
        const std::string to = path(Likely::kNew);
        tell("mkfifo " + printed(to), ::mkfifo(to.c_str(), mode()));
    }

    void truncate() {
        const auto size = static_cast<off_t>(below(8));
        if (below(2) == 0) {
            const std::size_t slot = below(kSlots);
            tell("ftruncate #" + std::to_string(slot), ::ftruncate(slots_[slot], size));
            return;
        }
        const std::string to = path();
        tell("truncate " + printed(to), ::truncate(to.c_str(), size));
    }

    // Not of what a link or ".." leads to: the chain above stays closed.
    void change_mode() {
        const std::string to = name();
        const mode_t permissions = mode();
        struct stat status {};
        if (::lstat(to.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) return;
        char call[64];
        std::snprintf(call, sizeof call, "chmod %s 0%o", to.c_str(), permissions);
        tell(call, ::chmod(to.c_str(), permissions));
    }

    void change_umask() {
        static constexpr mode_t kMasks[] = {0, 022, 077, 027, 0177};
        ::umask(one_of(kMasks));
    }

    void change_cwd() {
        if (below(2) == 0) {
            tell("chdir <top>", ::fchdir(root_));
            return;
        }
        if (below(3) == 0) {
            const std::size_t slot = below(kSlots);
            tell("fchdir #" + std::to_string(slot), ::fchdir(slots_[slot]));
            return;
        }
        const std::string to = path();
        tell("chdir " + printed(to), ::chdir(to.c_str()));
    }

    void tmpfile() {
        const std::string at = below(2) == 0 ? "." : path();
        const int fd = ::open(at.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode());
        tell("tmpfile " + printed(at), fd < 0 ? -1 : 0);
        if (fd < 0) return;
        (void)!::write(fd, "tmp", 3);
        const std::string to = path(Likely::kNew);
        const std::string proc = "/proc/self/fd/" + std::to_string(fd);
        tell("link it " + printed(to),
             below(2) == 0
                 ? ::linkat(AT_FDCWD, proc.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW)
                 : ::linkat(fd, "", AT_FDCWD, to.c_str(), AT_EMPTY_PATH));
        ::close(fd);
    }

    // A file whose name is gone while another one leads to it, or whose name cannot be reached: the
    // gate cannot judge it, so nobody opens it again.
    static bool lost_its_name(int fd, const std::string& proc) {
        struct stat status {};
        struct stat named {};
        std::array<char, 8192> text{};
        if (::readlink(proc.c_str(), text.data(), text.size() - 1) <= 0) return false;
        if (::fstat(fd, &status) != 0 || status.st_nlink == 0) return false;
        return ::lstat(text.data(), &named) != 0 || named.st_ino != status.st_ino;
    }

    void by_proc() {
        const std::size_t slot = below(kSlots);
        const int how = flags();
        const std::string proc = "/proc/self/fd/" + std::to_string(slots_[slot]);
        const std::string below_it = below(2) == 0 ? "" : "/" + name();
        if (below_it.empty() && lost_its_name(slots_[slot], proc)) return;
        // A closed slot names no number twice: "-1" is nobody's descriptor.
        keep("open by proc #" + std::to_string(slot) + below_it,
             ::open((proc + below_it).c_str(), how, mode()));
    }

    void in_child() {
        const std::string to = path();
        const std::string moved = path(Likely::kNew);
        const pid_t child = ::fork();
        if (child == 0) {
            ::umask(077);
            const int fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK, 0666);
            const int made = fd < 0 ? errno : 0;
            ::_exit(::rename(to.c_str(), moved.c_str()) == 0 ? made : errno);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        text_ += "in a child " + printed(to) + " " + printed(moved) + " = " +
                 error_name(WEXITSTATUS(status)) + "\n";
    }

    void in_thread() {
        const std::string where = path();
        const std::string to = path();
        std::string result;
        std::thread([&] {
            if (::unshare(CLONE_FS) != 0) result += "unshare " + error_name(errno) + " ";
            if (::chdir(where.c_str()) != 0) result += "chdir " + error_name(errno) + " ";
            ::umask(0);
            const int fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK, 0666);
            result += fd < 0 ? error_name(errno) : "0";
            if (fd >= 0) ::close(fd);
        }).join();
        text_ += "in a thread " + printed(where) + " " + printed(to) + " = " + result + "\n";
    }

    // Back from above the sequences, and from a directory that is gone.
    void stay_inside() {
        std::array<char, 8192> cwd;
        const bool known = ::getcwd(cwd.data(), cwd.size()) != nullptr;
        if (known && std::string(cwd.data()).starts_with(top)) return;
        text_ += "back\n";
        (void)!::fchdir(root_);
    }

    std::mt19937_64 random_;
    int root_;
    std::array<int, kSlots> slots_;
    std::string text_;
};

int make_chain() {
    std::vector<int> chain{::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    for (int i = 0; i < kChain; ++i) {
        ::mkdirat(chain.back(), "x", 0755);
        chain.push_back(::openat(chain.back(), "x", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    ::mkdirat(chain.back(), "top", 0755);
    const int root = ::openat(chain.back(), "top", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (std::size_t i = 1; i < chain.size(); ++i) ::fchmod(chain[i], 0555);
    for (const int fd : chain) ::close(fd);
    return root;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        std::fputs("usage: sequence FIRST COUNT LENGTH [keep]\n", stderr);
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    ::umask(022);
    const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
    const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
    const int root = make_chain();
    std::array<char, 4096> cwd;
    if (::fchdir(root) != 0 || ::getcwd(cwd.data(), cwd.size()) == nullptr) {
        std::perror("sequence");
        return 2;
    }
    top = cwd.data();
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Sequence sequence(seed, root);
        sequence.run(std::atoi(argv[3]));
        std::printf("sequence %llu\n%s", static_cast<unsigned long long>(seed),
                    sequence.text().c_str());
        if (argc == 4) gate::empty_tree(root);
    }
    return 0;
}
