// Objects that are no plain files, links that the kernel makes up, and files that lie about their
// size.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "escape/child.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

// Every way to move bytes from or to a file.
void expect_no_io(const Root& root, const std::string& name, Code code) {
    EXPECT_CODE(root.read_file(name), code);
    EXPECT_CODE(root.open_file(name), code);
    EXPECT_CODE(root.open_file(name, kInPlace), code);
    EXPECT_CODE(root.open_file(name, kTruncating), code);
    EXPECT_CODE(root.create(name), code);
    EXPECT_CODE(root.write_file(name, "x"), code);
    EXPECT_CODE(root.append_file(name, "x"), code);
    EXPECT_CODE(root.copy_file(name, "copy"), code);
    EXPECT_CODE(root.copy_file("f", name, true), code);
}

Root root_at(const std::string& path) {
    RootOptions options;
    options.resolver = resolver_under_test();
    auto opened = Root::open(path, options);
    EXPECT_OK(opened);
    return *opened;
}

class Devices : public Jail {
protected:
    // Skips the test, with the reason, where device nodes cannot be made.
    void make_node(const std::string& name, mode_t type, dev_t device) {
        if (::mknod(ws(name).c_str(), type | 0666, device) != 0) {
            GTEST_SKIP() << "device nodes cannot be made here: " << std::strerror(errno);
        }
    }
};

ATTACK(SP_01, read_of_a_fifo) {
    tree({"ROOT/p|", "ROOT/f=plain"});
    const int waiting = end_of_child([&] {
        const itimerval soon{{0, 0}, {0, 20'000}};
        ::setitimer(ITIMER_REAL, &soon, nullptr);
        (void)os_read(ws("p"));
    });
    EXPECT_TRUE(WIFSIGNALED(waiting) && WTERMSIG(waiting) == SIGALRM) << "the plain OS waits";

    expect_no_io(root(), "p", Code::kNotRegularFile);
    EXPECT_EQ(root().lstat("p")->type, FileType::kFifo);
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"f", "p"}));
}

ATTACK(SP_03, parallel_reads_of_a_fifo) {
    tree({"ROOT/p|", "ROOT/f=plain"});
    const Root jail = root();
    std::vector<std::thread> readers;
    for (int i = 0; i < 8; ++i) {
        readers.emplace_back([&] { EXPECT_CODE(jail.read_file("p"), Code::kNotRegularFile); });
    }
    EXPECT_EQ(jail.read_file("f"), "plain");
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(jail.read_file("f"), "plain");
}

ATTACK(SP_04, socket_file) {
    tree({"ROOT/f=plain"});
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (ws("s").size() >= sizeof address.sun_path)
        GTEST_SKIP() << "TMPDIR is too long for a socket";
    ws("s").copy(address.sun_path, sizeof address.sun_path - 1);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    expect_no_io(root(), "s", Code::kNotRegularFile);
    EXPECT_EQ(root().lstat("s")->type, FileType::kSocket);
}

ATTACK_F(Devices, SP_05, endless_character_device) {
    tree({"ROOT/f=plain"});
    make_node("zero", S_IFCHR, ::makedev(1, 5));
    if (IsSkipped()) return;
    const UniqueFd naive(::open(ws("zero").c_str(), O_RDONLY | O_CLOEXEC));
    char byte = 1;
    if (::read(naive.get(), &byte, 1) != 1) GTEST_SKIP() << "device nodes have no effect here";
    expect_no_io(root(), "zero", Code::kNotRegularFile);
    EXPECT_FALSE(os_exists(ws("copy")));
}

ATTACK_F(Devices, SP_06, block_device) {
    tree({"ROOT/f=plain"});
    make_node("disk", S_IFBLK, ::makedev(7, 255));
    if (IsSkipped()) return;
    expect_no_io(root(), "disk", Code::kNotRegularFile);
    EXPECT_EQ(root().lstat("disk")->type, FileType::kBlockDevice);
    EXPECT_EQ(root().stat("disk")->type, FileType::kBlockDevice);
}

ATTACK(SP_10, magic_links_below_a_root_on_procfs) {
    const UniqueFd file(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    const std::string fd = "self/fd/" + std::to_string(file.get());
    const std::string above = "self/root" + base() + "/OUT/secret";
    EXPECT_EQ(os_read("/proc/" + fd), kSecret);
    EXPECT_EQ(os_read("/proc/" + above), kSecret);
    const Root procfs = root_at("/proc");
    for (const std::string& path : {fd, above, std::string("self/cwd"), std::string("self/exe")}) {
        EXPECT_CODE(procfs.stat(path), Code::kPathEscape);
        EXPECT_CODE(procfs.read_file(path), Code::kPathEscape);
    }
    EXPECT_OK(procfs.read_file("self/status"));
}

ATTACK(SP_11, root_on_the_descriptor_directory) {
    const UniqueFd file(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    const std::string name = std::to_string(file.get());
    EXPECT_EQ(os_read("/proc/self/fd/" + name), kSecret);
    const Root descriptors = root_at("/proc/self/fd");
    EXPECT_CODE(descriptors.read_file(name), Code::kPathEscape);
    EXPECT_CODE(descriptors.open_file("0"), Code::kPathEscape);
    EXPECT_CODE(descriptors.stat(name), Code::kPathEscape);
}

ATTACK(SP_12, link_to_an_own_descriptor) {
    const UniqueFd file(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    const std::string number = std::to_string(file.get());
    tree({"ROOT/f=plain", "ROOT/link->/proc/self/fd/" + number, "ROOT/dev->/dev/fd/" + number});
    const Unchanged outside(out());
    for (const char* link : {"link", "dev"}) {
        expect_naive_leak(link);
        expect_refused(root(), link, Code::kPathEscape, following());
    }
}

// The text of such a link is a name that a directory could well hold.
ATTACK(SP_13, text_of_a_kernel_pseudo_link) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    EXPECT_CODE(root_at("/proc/self/fd").stat(std::to_string(reader.get())), Code::kPathEscape);
    EXPECT_CODE(root_at("/proc/self/ns").stat("mnt"), Code::kPathEscape);
    EXPECT_CODE(root_at("/proc/self/ns").read_file("mnt"), Code::kPathEscape);

    const std::string text = std::filesystem::read_symlink("/proc/self/ns/mnt");
    os_write(ws(text), "an ordinary name");
    tree({"ROOT/link->" + text});
    EXPECT_EQ(root().read_file("link"), "an ordinary name");
}

ATTACK(SP_16, sparse_file_of_a_petabyte) {
    const UniqueFd file(::open(ws("big").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    off_t size = off_t{1} << 50;
    while (::ftruncate(file.get(), size) != 0 && size > off_t{1} << 36) size /= 2;
    ASSERT_GT(size, off_t{1} << 36) << "the file system takes no large file";
    ASSERT_EQ(::pwrite(file.get(), "tail", 4, size - 4), 4);

    EXPECT_CODE(root().read_file("big"), Code::kTooLarge);
    EXPECT_CODE(root().read_file("big", static_cast<std::uint64_t>(size) - 1), Code::kTooLarge);
    const auto opened = root().open_file("big");
    ASSERT_TRUE(opened);
    char tail[4];
    const auto end = static_cast<off_t>(opened->stat().size);
    EXPECT_EQ(::pread(opened->fd(), tail, 4, end - 4), 4);
    EXPECT_EQ(std::string(tail, 4), "tail");
}

// A process that holds a write lease on `path`, and gives it up at the kernel's request if told to.
class LeaseHolder {
public:
    LeaseHolder(const std::string& path, bool gives_up) {
        int ends[2];
        if (::pipe(ends) != 0) return;
        child_ = ::fork();
        if (child_ == 0) {
            sigset_t asked;
            sigemptyset(&asked);
            sigaddset(&asked, SIGIO);
            sigprocmask(SIG_BLOCK, &asked, nullptr);
            const int file = ::open(path.c_str(), O_RDWR);
            const bool held = ::fcntl(file, F_SETLEASE, F_WRLCK) == 0;
            say(ends[1], held ? 'h' : 'n');
            int signal = 0;
            sigwait(&asked, &signal);
            if (gives_up) ::fcntl(file, F_SETLEASE, F_UNLCK);
            say(ends[1], 'd');
            for (;;) ::pause();
        }
        ::close(ends[1]);
        said_.reset(ends[0]);
        held_ = hear() == 'h';
    }
    LeaseHolder(const LeaseHolder&) = delete;
    LeaseHolder& operator=(const LeaseHolder&) = delete;
    ~LeaseHolder() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }

    bool held() const { return held_; }
    void wait_until_asked() { EXPECT_EQ(hear(), 'd'); }

private:
    static void say(int to, char what) {
        if (::write(to, &what, 1) != 1) ::_exit(1);
    }
    char hear() {
        char said = 0;
        return ::read(said_.get(), &said, 1) == 1 ? said : '?';
    }

    pid_t child_ = -1;
    UniqueFd said_;
    bool held_ = false;
};

ATTACK(SP_18, lease_of_another_process) {
    tree({"ROOT/f=kept", "ROOT/g=given up"});
    LeaseHolder stubborn(ws("f"), false);
    if (!stubborn.held()) GTEST_SKIP() << "no leases on this file system";
    const auto refused = root().read_file("f");
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().can_retry()) << refused.error().message();
    EXPECT_EQ(refused.error().os_error, EAGAIN);

    LeaseHolder willing(ws("g"), true);
    ASSERT_TRUE(willing.held());
    const auto first = root().read_file("g");
    EXPECT_TRUE(first ? *first == "given up" : first.error().can_retry());
    willing.wait_until_asked();
    EXPECT_EQ(root().read_file("g"), "given up");
}

ATTACK(SP_19, directory_as_a_file) {
    tree({"ROOT/d/f=inside", "ROOT/f=plain", "ROOT/in->d"});
    const Unchanged inside(ws());
    expect_no_io(root(), "d", Code::kIsADirectory);
    expect_no_io(root(), "in", Code::kIsADirectory);
    expect_no_io(root(), "d/", Code::kIsADirectory);
}

ATTACK_F(Devices, SP_20, overlay_whiteout) {
    tree({"ROOT/f=plain"});
    make_node("whiteout", S_IFCHR, ::makedev(0, 0));
    if (IsSkipped()) return;
    expect_no_io(root(), "whiteout", Code::kNotRegularFile);
}

ATTACK(SP_21, modes_beyond_permissions) {
    tree({"ROOT/f=plain", "ROOT/d/"});
    const Unchanged inside(ws());
    for (const Mode mode : {04755U, 02755U, 01777U, 0100644U, 07777U, 1U << 31}) {
        WriteOptions with_mode;
        with_mode.mode = mode;
        const OpenOptions creating{.write = true, .create = true, .mode = mode};
        EXPECT_CODE(root().create("new", mode), Code::kInvalidArgument);
        EXPECT_CODE(root().create_exclusive("new", mode), Code::kInvalidArgument);
        EXPECT_CODE(root().open_file("new", creating), Code::kInvalidArgument);
        EXPECT_CODE(root().write_file("new", "x", with_mode), Code::kInvalidArgument);
        EXPECT_CODE(root().mkdir("new", mode), Code::kInvalidArgument);
        EXPECT_CODE(root().mkdir_all("new/deep", mode), Code::kInvalidArgument);
        EXPECT_CODE(root().chmod("f", mode), Code::kInvalidArgument);
        EXPECT_CODE(root().chmod("d", mode), Code::kInvalidArgument);
    }
}

ATTACK(SP_22, no_call_makes_a_special_file) {
    namespace stdfs = std::filesystem;
    const std::regex call(R"((mknod|mkfifo)(at)?\s*\()");
    int files = 0;
    for (const char* folder : {"/include", "/src/fs", "/src/tools"}) {
        std::error_code unreadable;
        const stdfs::path top = PADDOCK_SOURCE_DIR + std::string(folder);
        for (const auto& entry : stdfs::recursive_directory_iterator(top, unreadable)) {
            const std::string ending = entry.path().extension();
            if (entry.path().filename().string().ends_with("_test.cc")) continue;
            if (ending != ".h" && ending != ".cc") continue;
            const auto text = os_read(entry.path());
            if (!text) continue;
            ++files;
            EXPECT_FALSE(std::regex_search(*text, call)) << entry.path();
        }
    }
    if (files == 0) GTEST_SKIP() << "this user cannot read the sources";
}

}  // namespace
}  // namespace paddock::testing
