// Mounts inside the workspace, below it, over it and instead of it.
//
// A program of its own: the whole process moves to a mount namespace that nobody else sees. What is
// mounted is taken away again before the scratch directory is removed, always: see Mounted.
#include <dirent.h>
#include <fcntl.h>
#include <linux/auto_fs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "escape/call_hook.h"
#include "escape/child.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;

// A mount for as long as it lives.
class Mounted {
public:
    Mounted(const std::string& source, std::string target, const char* type, unsigned long flags,
            const std::string& data = {})
        : target_(std::move(target)) {
        stdfs::create_directories(target_);
        ok_ = ::mount(source.c_str(), target_.c_str(), type, flags, data.c_str()) == 0;
        if (!ok_) why_ = std::strerror(errno);
    }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;
    // The scratch directory is emptied next: better to die than to empty what is mounted there.
    ~Mounted() {
        if (ok_ && ::umount2(target_.c_str(), MNT_DETACH) != 0) std::abort();
    }

    bool ok() const { return ok_; }
    const std::string& why() const { return why_; }
    void detach() {
        ok_ = false;
        ASSERT_EQ(::umount2(target_.c_str(), MNT_DETACH), 0);
    }

private:
    std::string target_;
    bool ok_ = false;
    std::string why_;
};

class Mounts : public Jail {
protected:
    static void SetUpTestSuite() { entered_ = enter_private_mounts(why_not_); }
    void SetUp() override {
        if (!entered_) GTEST_SKIP() << why_not_;
    }

    // Directory `source` seen at `target` too; of the same file system, so with the same st_dev.
    static Mounted bind(const std::string& source, const std::string& target,
                        unsigned long flags = 0) {
        return Mounted(source, target, nullptr, MS_BIND | flags);
    }

    static Mounted memory(const std::string& target, const std::string& data = {}) {
        return Mounted("none", target, "tmpfs", 0, data);
    }

    static RootOptions listing(std::vector<std::string> mounts) {
        RootOptions options;
        options.mounts = std::move(mounts);
        return options;
    }

    static RootOptions walking() {
        RootOptions options;
        options.resolver = ResolverKind::kWalk;
        return options;
    }

    static Root root_at(const std::string& path) {
        RootOptions options;
        options.resolver = resolver_under_test();
        auto opened = Root::open(path, options);
        if (!opened) throw std::runtime_error(opened.error().message());
        return *opened;
    }

    // Every call works; the tree is left empty.
    static void expect_full_service(const Root& jail) {
        EXPECT_OK(jail.mkdir_all("d/e", 0755));
        EXPECT_OK(jail.write_file("d/e/f", "one"));
        EXPECT_OK(jail.write_file("d/e/f", "two"));
        EXPECT_OK(jail.append_file("d/e/f", " three"));
        EXPECT_EQ(jail.read_file("d/e/f"), "two three");
        EXPECT_OK(jail.copy_file("d/e/f", "copy"));
        EXPECT_OK(jail.symlink("d/e/f", "link"));
        EXPECT_EQ(jail.read_file("link"), "two three");
        EXPECT_OK(jail.chmod("link", 0600));
        Times epoch;
        epoch.modified = std::chrono::nanoseconds(0);
        EXPECT_OK(jail.utimes("link", epoch));
        EXPECT_OK(jail.hard_link("copy", "second"));
        EXPECT_OK(jail.rename("copy", "d/moved"));
        EXPECT_OK(jail.temp_file("d"));
        EXPECT_EQ(jail.list(".")->entries.size(), 3U);
        int entries = 0;
        EXPECT_OK(jail.walk(".", [&](const WalkEntry& entry) {
            EXPECT_EQ(entry.failure, nullptr) << entry.path;
            ++entries;
            return WalkAction::kContinue;
        }));
        EXPECT_EQ(entries, 6);
        EXPECT_EQ(jail.sub_root("d")->read_file("e/f"), "two three");
        EXPECT_CODE(jail.read_file("../x"), Code::kPathEscape);
        for (const char* name : {"d", "link", "second"}) EXPECT_OK(jail.remove_all(name));
        EXPECT_TRUE(jail.list(".")->entries.empty());
    }

private:
    static inline bool entered_ = false;
    static inline std::string why_not_;
};

ATTACK_F(Mounts, MNT_01, outside_directory_mounted_inside) {
    tree({"ROOT/f=inside", "ROOT/in->mnt/secret", "ROOT/back->mnt"});
    const Mounted mounted = bind(out(), ws("mnt"));
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    expect_naive_leak("mnt/secret");
    expect_naive_leak("in");

    const Unchanged outside(out());
    for (const char* path : {"mnt", "mnt/secret", "mnt/missing", "mnt/../mnt/secret"}) {
        expect_refused(root(), path, Code::kMountCrossing);
    }
    expect_refused(root(), "in", Code::kMountCrossing, following());
    expect_refused(root(), "back/secret", Code::kMountCrossing);
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"back", "f", "in", "mnt"}));
}

ATTACK_F(Mounts, MNT_04, listed_mount_and_one_below_it) {
    tree({"OUT/cache/x=cached", "OUT/cache/nested/", "ROOT/late/"});
    const Mounted cache = bind(out("cache"), ws("cache"));
    ASSERT_TRUE(cache.ok()) << cache.why();
    const Mounted nested = bind(out(), ws("cache/nested"));
    ASSERT_TRUE(nested.ok()) << nested.why();
    const Root jail = root(listing({"cache", "late"}));
    const Mounted late = bind(out(), ws("late"));
    ASSERT_TRUE(late.ok()) << late.why();
    expect_naive_leak("cache/nested/secret");
    expect_naive_leak("late/secret");

    EXPECT_EQ(jail.read_file("cache/x"), "cached");
    EXPECT_OK(jail.write_file("cache/y", "new"));
    EXPECT_EQ(os_read(out("cache/y")), "new");
    EXPECT_CODE(jail.read_file("cache/nested/secret"), Code::kMountCrossing);
    EXPECT_CODE(jail.list("cache/nested"), Code::kMountCrossing);
    EXPECT_CODE(jail.read_file("late/secret"), Code::kMountCrossing);
    EXPECT_CODE(root().read_file("cache/x"), Code::kMountCrossing);
    EXPECT_EQ(jail.sub_root("cache")->read_file("x"), "cached");
}

TEST_F(Mounts, every_mount_only_with_a_permit_and_a_reason) {
    RootOptions options;
    options.every_mount = permit::EveryMount{"a test"};
    const Root jail = root(options);
    const Mounted late = bind(out(), ws("late"));
    ASSERT_TRUE(late.ok()) << late.why();
    EXPECT_EQ(jail.read_file("late/secret"), kSecret);
    EXPECT_EQ(jail.sub_root("late")->read_file("secret"), kSecret);
    EXPECT_CODE(jail.read_file("late/../../OUT/secret"), Code::kPathEscape);
    for (const char* reason : {" \t", "test", "1 yes"}) {
        options.every_mount->reason = reason;
        EXPECT_CODE(Root::open(ws(), options), Code::kInvalidArgument);
    }
}

ATTACK_F(Mounts, MNT_05, same_device_number) {
    tree({"ROOT/d/f=inside"});
    const Mounted outside = bind(out(), ws("mnt"));
    ASSERT_TRUE(outside.ok()) << outside.why();
    const Mounted inside = bind(ws("d"), ws("again"));
    ASSERT_TRUE(inside.ok()) << inside.why();
    EXPECT_EQ(os_stat(ws("mnt")).st_dev, os_stat(ws()).st_dev);
    expect_naive_leak("mnt/secret");
    EXPECT_CODE(root().read_file("mnt/secret"), Code::kMountCrossing);
    EXPECT_CODE(root().read_file("again/f"), Code::kMountCrossing);
    EXPECT_EQ(root().read_file("d/f"), "inside");
}

ATTACK_F(Mounts, MNT_05, file_mounted_over_a_file) {
    tree({"ROOT/f=inside", "ROOT/g=covered"});
    ASSERT_EQ(::mount(out("secret").c_str(), ws("g").c_str(), nullptr, MS_BIND, nullptr), 0);
    expect_naive_leak("g");
    {
        const Unchanged outside(out());
        expect_refused(root(), "g", Code::kMountCrossing);
    }
    ASSERT_EQ(::umount2(ws("g").c_str(), MNT_DETACH), 0);
    EXPECT_EQ(root().read_file("g"), "covered");
}

ATTACK_F(Mounts, MNT_06, rename_into_a_mount) {
    tree({"ROOT/f=inside"});
    const Mounted mounted = bind(out(), ws("mnt"));
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    const Unchanged outside(out());
    EXPECT_CODE(root().rename("f", "mnt/f"), Code::kMountCrossing);
    EXPECT_CODE(root().rename("mnt/secret", "g"), Code::kMountCrossing);
    EXPECT_CODE(root().rename("f", "mnt", RenameMode::kExchange), Code::kMountCrossing);
    EXPECT_CODE(root().hard_link("mnt/secret", "g"), Code::kMountCrossing);
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"f", "mnt"}));
}

ATTACK_F(Mounts, MNT_07, mount_over_the_root) {
    tree({"ROOT/f=inside", "OUT/f=cover"});
    const Root jail = root();
    {
        const Mounted cover = bind(out(), ws());
        ASSERT_TRUE(cover.ok()) << cover.why();
        EXPECT_EQ(os_read(ws("f")), "cover");
        const Unchanged outside(out());
        EXPECT_EQ(jail.read_file("f"), "inside");
        EXPECT_EQ(jail.read_file(ws("f")), "inside");
        EXPECT_CODE(jail.read_file("secret"), Code::kNotFound);
        EXPECT_OK(jail.write_file("g", "new"));
    }
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"f", "g"}));
}

ATTACK_F(Mounts, MNT_08, mount_that_appears_during_the_lookup) {
    tree({"ROOT/a/b/secret=inside", "ROOT/a/up->b/../b/secret"});
    for (const RootOptions& options : {walking(), RootOptions()}) {
        const Root jail = root(options);
        for (const char* path : {"a/b/secret", "a/up"}) {
            int refused = 0;
            std::optional<Mounted> mounted;
            at_every_call([&] { mounted.reset(); },
                          [&] {
                              mounted.emplace(out(), ws("a/b"), nullptr, MS_BIND);
                              expect_naive_leak("a/b/secret");
                          },
                          [&] {
                              const auto content = jail.read_file(path);
                              if (content) {
                                  EXPECT_EQ(*content, "inside");
                              } else {
                                  ++refused;
                                  EXPECT_CODE(content, Code::kMountCrossing);
                              }
                          });
            EXPECT_GT(refused, 0) << path;
        }
    }
}

ATTACK_F(Mounts, MNT_09, file_system_of_the_root_taken_away) {
    Mounted mounted = memory(base() + "/gone");
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    os_write(base() + "/gone/f", "inside");
    const Root jail = root_at(base() + "/gone");
    mounted.detach();
    ASSERT_FALSE(os_exists(base() + "/gone/f"));
    for (const Operation& operation : operations()) {
        for (const char* path : {"f", "new", ".", "d/x"}) {
            if (const auto error = operation.run(jail, path)) {
                EXPECT_NE(code_name(error->code), code_name(Code::kInternal)) << error->message();
            }
        }
    }
    EXPECT_CODE(jail.read_file("../OUT/secret"), Code::kPathEscape);
    EXPECT_TRUE(os_list(base() + "/gone").empty());
    EXPECT_EQ(secret(), kSecret);
}

// An automount point whose daemon is this process. What waits for it is another process group.
class Automount {
public:
    explicit Automount(const std::string& path) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return;
        requests_.reset(ends[0]);
        kernel_end_.reset(ends[1]);
        const std::string data = "fd=" + std::to_string(ends[1]) +
                                 ",pgrp=" + std::to_string(::getpgrp()) +
                                 ",minproto=5,maxproto=5,direct";
        mounted_.emplace("none", path, "autofs", 0, data);
        if (mounted_->ok()) top_.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }

    bool ok() const { return top_.valid(); }

    // Does `act` make the kernel ask for the mount? If so, every waiting process is let go.
    template <class Act>
    bool is_set_off_by(Act act) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return true;
        const UniqueFd ended(ends[0]);
        UniqueFd alive(ends[1]);
        std::fflush(stdout);
        const bool failed_before = ::testing::Test::HasFailure();
        const pid_t child = ::fork();
        if (child == 0) {
            ::setpgid(0, 0);
            [&]() noexcept { act(); }();
            ::_exit(::testing::Test::HasFailure() && !failed_before ? 1 : 0);
        }
        alive.reset();
        pollfd events[] = {{requests_.get(), POLLIN, 0}, {ended.get(), POLLIN, 0}};
        while (::poll(events, 2, -1) < 0 && errno == EINTR) continue;
        const bool asked = (events[0].revents & POLLIN) != 0;
        if (asked) ::ioctl(top_.get(), AUTOFS_IOC_CATATONIC, 0);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(asked || status == 0) << "the child failed";
        return asked;
    }

private:
    UniqueFd requests_;
    UniqueFd kernel_end_;
    std::optional<Mounted> mounted_;
    UniqueFd top_;
};

ATTACK_F(Mounts, MNT_10, automount_point) {
    tree({"ROOT/f=inside"});
    {
        Automount twin(ws("twin"));
        if (!twin.ok()) GTEST_SKIP() << "no automount points can be made here";
        EXPECT_TRUE(twin.is_set_off_by([&] { (void)os_read(ws("twin/x")); }));
    }
    const Root jail = root();
    const auto look = [](const WalkEntry&) { return WalkAction::kContinue; };
    const std::map<std::string, std::function<void()>> actions = {
        {"stat", [&] { EXPECT_CODE(jail.stat("auto"), Code::kMountCrossing); }},
        {"lstat", [&] { EXPECT_CODE(jail.lstat("auto"), Code::kMountCrossing); }},
        {"list of its parent", [&] { EXPECT_OK(jail.list(".")); }},
        {"list", [&] { EXPECT_CODE(jail.list("auto"), Code::kMountCrossing); }},
        {"walk", [&] { EXPECT_OK(jail.walk(".", look)); }},
    };
    for (const auto& [name, act] : actions) {
        Automount automount(ws("auto"));
        ASSERT_TRUE(automount.ok());
        EXPECT_FALSE(automount.is_set_off_by(act)) << name;
    }
}

ATTACK_F(Mounts, MNT_11, root_that_is_a_mount) {
    {
        const Mounted mounted = memory(base() + "/memory");
        ASSERT_TRUE(mounted.ok()) << mounted.why();
        expect_full_service(root_at(base() + "/memory"));
    }
    {
        tree({"OUT/empty/"});
        const Mounted mounted = bind(out("empty"), base() + "/bound");
        ASSERT_TRUE(mounted.ok()) << mounted.why();
        expect_full_service(root_at(base() + "/bound"));
    }
}

ATTACK_F(Mounts, MNT_11, root_that_is_an_overlay) {
    tree({"lower/below=kept", "upper/", "scratch/"});
    const std::string layers = "lowerdir=" + base() + "/lower,upperdir=" + base() +
                               "/upper,workdir=" + base() + "/scratch,userxattr";
    const Mounted mounted("none", base() + "/merged", "overlay", 0, layers);
    if (!mounted.ok()) GTEST_SKIP() << "no overlay here: " << mounted.why();
    const Root jail = root_at(base() + "/merged");
    EXPECT_EQ(jail.read_file("below"), "kept");
    EXPECT_OK(jail.write_file("below", "changed"));
    EXPECT_EQ(jail.read_file("below"), "changed");
    EXPECT_OK(jail.remove("below"));
    EXPECT_EQ(os_read(base() + "/lower/below"), "kept");
    expect_full_service(jail);
}

ATTACK_F(Mounts, MNT_13, tree_mounted_into_itself) {
    tree({"ROOT/f=inside", "ROOT/d/g=inside"});
    const Mounted mounted = bind(ws(), ws("d/again"));
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    EXPECT_TRUE(os_exists(ws("d/again/d/g")));
    std::vector<std::string> seen;
    int failures = 0;
    EXPECT_OK(root().walk(".", [&](const WalkEntry& entry) {
        if (entry.failure == nullptr) {
            seen.emplace_back(entry.path);
        } else {
            ++failures;
            EXPECT_EQ(entry.path, "d/again");
            EXPECT_EQ(code_name(entry.failure->code), code_name(Code::kMountCrossing));
        }
        return WalkAction::kContinue;
    }));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::string>{"d", "d/again", "d/g", "f"}));
    EXPECT_EQ(failures, 1);
    EXPECT_CODE(root().remove_all("d/again"), Code::kMountCrossing);
    EXPECT_CODE(root().remove_all("d"), Code::kMountCrossing);
    EXPECT_EQ(os_read(ws("f")), "inside");
}

ATTACK_F(Mounts, MNT_14, removal_above_a_mount) {
    tree({"OUT/twin/x=lost", "ROOT/twin/", "ROOT/d/e/", "ROOT/file/", "ROOT/file/g="});
    {
        const Mounted mounted = bind(out("twin"), ws("twin/mnt"));
        ASSERT_TRUE(mounted.ok()) << mounted.why();
        std::error_code busy;
        stdfs::remove_all(ws("twin"), busy);
        EXPECT_TRUE(os_list(out("twin")).empty()) << "the plain OS empties the mount";
    }
    const Mounted mounted = bind(out(), ws("d/e/mnt"));
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    const Unchanged outside(out());
    for (const char* name : {"d", "d/e", "d/e/mnt"}) {
        const auto removed = root().remove_all(name);
        EXPECT_CODE(removed, Code::kMountCrossing);
        EXPECT_EQ(removed.error().os_error, EBUSY);
    }
    EXPECT_CODE(root().remove("d/e/mnt"), Code::kMountCrossing);

    ASSERT_EQ(::mount(out("secret").c_str(), ws("file/g").c_str(), nullptr, MS_BIND, nullptr), 0);
    EXPECT_CODE(root().remove_all("file"), Code::kMountCrossing);
    ASSERT_EQ(::umount2(ws("file/g").c_str(), MNT_DETACH), 0);
}

// A file of another layer has its own device number without a mount of its own, as a subvolume has.
ATTACK_F(Mounts, MNT_15, own_device_number_without_a_mount) {
    tree({"upper/", "scratch/"});
    const Mounted lower = memory(base() + "/lower");
    ASSERT_TRUE(lower.ok()) << lower.why();
    os_write(base() + "/lower/f", "inside");
    const std::string layers = "lowerdir=" + base() + "/lower,upperdir=" + base() +
                               "/upper,workdir=" + base() + "/scratch,xino=off,userxattr";
    const Mounted merged("none", base() + "/merged", "overlay", 0, layers);
    if (!merged.ok()) GTEST_SKIP() << "no overlay here: " << merged.why();
    if (os_stat(base() + "/merged/f").st_dev == os_stat(base() + "/merged").st_dev) {
        GTEST_SKIP() << "this overlay has a single device number";
    }
    const Root jail = root_at(base() + "/merged");
    EXPECT_EQ(jail.read_file("f"), "inside");
    EXPECT_OK(jail.append_file("f", " and more"));
    EXPECT_OK(jail.write_file("f", "new"));
    EXPECT_OK(jail.remove("f"));
}

// As the controlling terminal of a new session.
bool has_terminal() {
    const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    return terminal.valid();
}

ATTACK_F(Mounts, SP_07, terminal_node) {
    const Mounted terminals("none", ws("pts"), "devpts", 0, "newinstance,ptmxmode=0666,mode=0666");
    if (!terminals.ok()) GTEST_SKIP() << "no terminals can be made here: " << terminals.why();
    const UniqueFd master(::open(ws("pts/ptmx").c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    const int unlocked = 0;
    ASSERT_EQ(::ioctl(master.get(), TIOCSPTLCK, &unlocked), 0);
    const Root jail = root(listing({"pts"}));
    in_child([&] {
        ASSERT_GT(::setsid(), 0);
        ASSERT_FALSE(has_terminal());
        const OpenOptions in_place{.write = true, .mode = {}};
        EXPECT_CODE(jail.read_file("pts/0"), Code::kNotRegularFile);
        EXPECT_CODE(jail.open_file("pts/0", in_place), Code::kNotRegularFile);
        EXPECT_CODE(jail.write_file("pts/0", "x"), Code::kNotRegularFile);
        EXPECT_FALSE(has_terminal());
    });
    in_child([&] {
        ASSERT_GT(::setsid(), 0);
        const UniqueFd naive(::open(ws("pts/0").c_str(), O_RDWR | O_CLOEXEC));
        EXPECT_TRUE(has_terminal()) << "a plain open gains it";
    });
}

ATTACK_F(Mounts, SP_09, procfs_inside) {
    tree({"ROOT/f=inside"});
    const Mounted procfs = bind("/proc", ws("proc"), MS_REC);
    ASSERT_TRUE(procfs.ok()) << procfs.why();
    EXPECT_NE(naive_read("proc/self/environ").value_or(""), "");
    const OpenOptions in_place{.write = true, .mode = {}};
    EXPECT_CODE(root().read_file("proc/self/environ"), Code::kMountCrossing);
    EXPECT_CODE(root().open_file("proc/self/mem", in_place), Code::kMountCrossing);
    EXPECT_CODE(root().write_file("proc/self/mem", "x"), Code::kMountCrossing);
    EXPECT_CODE(root().append_file("proc/self/mem", "x"), Code::kMountCrossing);
    EXPECT_CODE(root().list("proc"), Code::kMountCrossing);
}

ATTACK_F(Mounts, SP_10, magic_links_of_a_procfs_inside) {
    const Mounted procfs = bind("/proc", ws("proc"), MS_REC);
    ASSERT_TRUE(procfs.ok()) << procfs.why();
    const UniqueFd file(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    const std::string fd = "proc/self/fd/" + std::to_string(file.get());
    const std::string above = "proc/self/root" + out("secret");
    expect_naive_leak(fd);
    expect_naive_leak(above);
    for (const std::string& path :
         {fd, above, std::string("proc/self/cwd"), std::string("proc/self/exe")}) {
        EXPECT_CODE(root().stat(path), Code::kMountCrossing);
        RootOptions options = listing({"proc"});
        EXPECT_CODE(root(options).stat(path), Code::kPathEscape);
        EXPECT_CODE(root(options).read_file(path), Code::kPathEscape);
        options.resolver = ResolverKind::kWalk;
        EXPECT_CODE(root(options).read_file(path), Code::kPathEscape);
    }
    EXPECT_OK(root(listing({"proc"})).read_file("proc/self/status"));
}

ATTACK_F(Mounts, SP_14, kernel_control_files_inside) {
    const Mounted sysfs = bind("/sys", ws("sys"), MS_REC);
    if (!sysfs.ok() || os_list(ws("sys")).empty()) GTEST_SKIP() << "no sysfs here";
    EXPECT_TRUE(os_exists(ws("sys/kernel")));
    const OpenOptions in_place{.write = true, .mode = {}};
    for (const char* path : {"sys/kernel/x", "sys/fs/cgroup/x", "sys/power/state"}) {
        EXPECT_CODE(root().write_file(path, "x"), Code::kMountCrossing);
        EXPECT_CODE(root().open_file(path, in_place), Code::kMountCrossing);
        EXPECT_CODE(root().mkdir(path), Code::kMountCrossing);
    }
}

ATTACK_F(Mounts, WR_22, full_file_system) {
    const Mounted small = memory(base() + "/small", "size=64k");
    ASSERT_TRUE(small.ok()) << small.why();
    os_write(base() + "/small/f", "old");
    const Root jail = root_at(base() + "/small");
    const std::string big(std::size_t{1} << 20, 'x');
    const auto refused = jail.write_file("f", big);
    EXPECT_CODE(refused, Code::kIoError);
    EXPECT_EQ(refused.error().os_error, ENOSPC);
    EXPECT_CODE(jail.write_file("g", big), Code::kIoError);
    EXPECT_EQ(os_read(base() + "/small/f"), "old");
    EXPECT_EQ(os_list(base() + "/small"), std::vector<std::string>{"f"});
    EXPECT_OK(jail.write_file("f", "new"));
}

ATTACK_F(Mounts, WR_37, move_to_another_device) {
    tree({"ROOT/f=inside", "ROOT/d/g=inside"});
    const Mounted other = memory(ws("other"));
    ASSERT_TRUE(other.ok()) << other.why();
    ASSERT_NE(os_stat(ws("other")).st_dev, os_stat(ws()).st_dev);
    const Root jail = root(listing({"other"}));
    EXPECT_CODE(jail.rename("f", "other/f"), Code::kMountCrossing);
    EXPECT_CODE(jail.rename("d", "other/d"), Code::kMountCrossing);
    EXPECT_CODE(jail.hard_link("f", "other/f"), Code::kMountCrossing);
    EXPECT_TRUE(os_list(ws("other")).empty());
    EXPECT_OK(jail.copy_file("f", "other/f"));
    EXPECT_EQ(os_read(ws("other/f")), "inside");
    EXPECT_EQ(os_read(ws("f")), "inside");
}

// ext2 without its "filetype" feature leaves the type of an entry to be asked for.
ATTACK_F(Mounts, WK_10, listing_without_entry_types) {
    const std::string image = base() + "/image";
    const std::string make = "truncate -s 1M '" + image + "' && PATH=$PATH:/usr/sbin:/sbin " +
                             "mke2fs -q -F -t ext2 -O ^filetype '" + image + "' 2>&1 && mkdir '" +
                             base() + "/old' && mount -o loop '" + image + "' '" + base() +
                             "/old' 2>&1";
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "no such file system can be made here";
    const Mounted ours = bind(base() + "/old", base() + "/types");
    ASSERT_EQ(::umount2((base() + "/old").c_str(), MNT_DETACH), 0);
    ASSERT_TRUE(ours.ok());
    tree({"types/d/f=inside", "types/out->../OUT", "types/p|", "types/d/in->../d"});
    DIR* listing = ::opendir((base() + "/types").c_str());
    ASSERT_NE(listing, nullptr);
    for (const dirent* entry = ::readdir(listing); entry != nullptr; entry = ::readdir(listing)) {
        EXPECT_EQ(entry->d_type, DT_UNKNOWN) << entry->d_name;
    }
    ::closedir(listing);

    const Root jail = root_at(base() + "/types");
    std::map<std::string, FileType> seen;
    EXPECT_OK(jail.walk(".", [&](const WalkEntry& entry) {
        seen[std::string(entry.path)] = entry.type;
        return WalkAction::kContinue;
    }));
    const std::map<std::string, FileType> expected = {
        {"d", FileType::kDirectory},  {"d/f", FileType::kRegular},
        {"d/in", FileType::kSymlink}, {"lost+found", FileType::kDirectory},
        {"out", FileType::kSymlink},  {"p", FileType::kFifo}};
    EXPECT_EQ(seen, expected);
    const auto entries = jail.list(".");
    ASSERT_TRUE(entries);
    for (const ListEntry& entry : entries->entries) {
        EXPECT_EQ(entry.type, expected.at(entry.name)) << entry.name;
    }
    EXPECT_OK(jail.remove_all("d"));
    EXPECT_OK(jail.remove_all("out"));
    EXPECT_EQ(secret(), kSecret);
}

// Not only missing but planted: every descriptor link of the false /proc leads outside.
ATTACK_F(Mounts, FB_06, no_procfs) {
    tree({"ROOT/f=inside", "ROOT/d/g=inside"});
    const Unchanged outside(out());
    const Root before = root();
    in_child([&] {
        ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
        ASSERT_EQ(::mount("none", "/proc", "tmpfs", 0, nullptr), 0);
        stdfs::create_directories("/proc/self/fd");
        for (int fd = 0; fd < 64; ++fd) {
            stdfs::create_symlink(out("secret"), "/proc/self/fd/" + std::to_string(fd));
        }
        UniqueFd directory(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        const auto adopted = Root::adopt(std::move(directory));
        ASSERT_TRUE(adopted);
        for (const Root& jail : {before, root(), *adopted}) {
            const auto file = jail.open_file("d/g");
            ASSERT_TRUE(file);
            EXPECT_CODE(jail.canonical_path(*file), Code::kNotAvailable);
            {
                // As on a kernel that cannot change a mode by descriptor.
                const CallHook hook([](sys::Call call) {
                    return sys::Fault{.error = call == sys::Call::kChmod ? ENOSYS : 0};
                });
                EXPECT_CODE(jail.chmod("f", 0640), Code::kNotAvailable);
            }
            if (const auto changed = jail.chmod("f", 0600); !changed) {
                EXPECT_CODE(changed, Code::kNotAvailable);
            }
            EXPECT_EQ(jail.read_file("f"), "inside");
            EXPECT_OK(jail.write_file("new", "x"));
            EXPECT_OK(jail.append_file("new", "y"));
            EXPECT_OK(jail.mkdir_all("x/y"));
            EXPECT_OK(jail.remove_all("x"));
            EXPECT_OK(jail.remove("new"));
            EXPECT_CODE(jail.read_file("../OUT/secret"), Code::kPathEscape);
        }
    });
}

ATTACK_F(Mounts, FB_11, mount_on_a_component_in_user_space) {
    tree({"ROOT/f=inside", "ROOT/a/in->b/secret"});
    const Mounted mounted = bind(out(), ws("a/b"));
    ASSERT_TRUE(mounted.ok()) << mounted.why();
    EXPECT_EQ(os_stat(ws("a/b")).st_dev, os_stat(ws("a")).st_dev);
    expect_naive_leak("a/b/secret");
    const Unchanged outside(out());
    expect_refused(root(walking()), "a/b/secret", Code::kMountCrossing);
    expect_refused(root(walking()), "a/in", Code::kMountCrossing, following());
}

}  // namespace
}  // namespace paddock::testing
