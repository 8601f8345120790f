// Creating, overwriting and renaming: what is written where, with which permissions, and what is
// left when it fails.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "escape/call_hook.h"
#include "escape/child.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "testing/jail.h"

namespace {

// While not 0, the next random number; the attacker of WR_21 can tell the future.
std::uint64_t predicted_random = 0;

}  // namespace

// Takes the place of libc's in this program.
extern "C" int getentropy(void* buffer, std::size_t size) {
    if (predicted_random != 0 && size == sizeof predicted_random) {
        std::memcpy(buffer, &predicted_random, size);
        ++predicted_random;
        return 0;
    }
    return ::getrandom(buffer, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

namespace paddock::testing {
namespace {

WriteOptions with_parents() {
    WriteOptions options;
    options.make_parents = true;
    return options;
}

WriteOptions with_mode(Mode mode) {
    WriteOptions options;
    options.mode = mode;
    return options;
}

void os_chmod(const std::string& path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path;
}

ATTACK(WR_02, create_through_a_dangling_link) {
    tree({"ROOT/d/", "OUT/d/", "ROOT/twin->../OUT/twin"});
    ASSERT_TRUE(naive_write("twin", "x"));
    EXPECT_TRUE(os_exists(out("twin")));

    const Unchanged outside(out());
    for (const ResolverKind kind : {resolver_under_test(), ResolverKind::kWalk}) {
        tree({"ROOT/in->d/new", "ROOT/out->../OUT/new", "ROOT/abs->@/OUT/new"});
        RootOptions options;
        options.resolver = kind;
        const Root jail = root(options);
        EXPECT_OK(jail.create("in"));
        EXPECT_EQ(os_read(ws("d/new")), "");
        EXPECT_CODE(jail.create_exclusive("in"), Code::kAlreadyExists);
        ASSERT_EQ(::unlink(ws("d/new").c_str()), 0);
        EXPECT_CODE(jail.create_exclusive("in"), Code::kAlreadyExists);
        EXPECT_OK(jail.write_file("in", "written"));
        EXPECT_EQ(os_read(ws("d/new")), "written");
        EXPECT_TRUE(S_ISLNK(os_stat(ws("in")).st_mode));
        for (const char* link : {"out", "abs"}) {
            EXPECT_CODE(jail.create(link), Code::kPathEscape);
            EXPECT_CODE(jail.write_file(link, "x"), Code::kPathEscape);
            EXPECT_CODE(jail.append_file(link, "x"), Code::kPathEscape);
        }
        for (const char* name : {"d/new", "in", "out", "abs"}) ::unlink(ws(name).c_str());
    }
}

ATTACK(WR_04, truncation_without_write_access) {
    tree({"ROOT/f=kept", "ROOT/twin=lost"});
    const UniqueFd naive(::open(ws("twin").c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC));
    EXPECT_EQ(os_read(ws("twin")), "");

    const OpenOptions reading{.truncate = true, .mode = {}};
    const OpenOptions creating{.truncate = true, .create = true, .mode = {}};
    EXPECT_CODE(root().open_file("f", reading), Code::kInvalidArgument);
    EXPECT_CODE(root().open_file("f", creating), Code::kInvalidArgument);
    EXPECT_EQ(os_read(ws("f")), "kept");
}

ATTACK(WR_05, refused_overwrite_keeps_the_content) {
    tree({"ROOT/linked=kept", "ROOT/other&ROOT/linked", "ROOT/protected=kept", "ROOT/f=kept"});
    os_chmod(ws("protected"), 0444);
    const Unchanged inside(ws());
    EXPECT_CODE(root().open_file("linked", kTruncating), Code::kPermissionDenied);
    EXPECT_CODE(root().create("protected"), Code::kPermissionDenied);
    EXPECT_CODE(root().read_only().create("f"), Code::kReadOnly);
    EXPECT_CODE(root().create("f", 04755), Code::kInvalidArgument);
    EXPECT_CODE(root().create_exclusive("f"), Code::kAlreadyExists);
    const OpenOptions muddled{.write = true, .append = true, .truncate = true, .mode = {}};
    EXPECT_CODE(root().open_file("f", muddled), Code::kInvalidArgument);
}

ATTACK(WR_07, overwrite_keeps_the_mode) {
    tree({"ROOT/f=old", "ROOT/g=new"});
    os_chmod(ws("f"), 0755);
    EXPECT_OK(root().write_file("f", "new"));
    EXPECT_EQ(os_mode(ws("f")), 0755U);
    EXPECT_OK(root().copy_file("g", "f", true));
    EXPECT_EQ(os_mode(ws("f")), 0755U);
    EXPECT_OK(root().create("f", 0600));
    EXPECT_EQ(os_mode(ws("f")), 0755U);
}

ATTACK(WR_08, private_file_is_never_exposed) {
    const Root jail = root();
    const auto expect_private = [&](auto act) {
        const CallHook hook([&](sys::Call) {
            for (const std::string& name : os_list(ws())) {
                EXPECT_EQ(os_mode(ws(name)) & 077U, 0U) << name;
            }
            return sys::Fault{};
        });
        EXPECT_OK(act());
    };
    const mode_t before = ::umask(0);
    tree({"ROOT/f=old"});
    os_chmod(ws("f"), 0600);
    expect_private([&] { return jail.write_file("f", "new"); });
    expect_private([&] { return jail.write_file("new", "x", with_mode(0600)); });
    expect_private([&] { return jail.create("made", 0600); });
    expect_private([&] { return jail.create_exclusive("only", 0600); });
    expect_private([&] { return jail.mkdir("directory", 0700); });
    expect_private([&] { return jail.copy_file("f", "copy"); });
    expect_private([&] { return jail.temp_file(); });
    ::umask(before);
}

ATTACK(WR_10, new_content_drops_set_id_bits) {
    tree({"ROOT/replaced=old", "ROOT/changed=old", "ROOT/added=old", "ROOT/source=old"});
    for (const char* name : {"replaced", "changed", "added", "source"}) {
        os_chmod(ws(name), 06755);
        ASSERT_EQ(os_mode(ws(name)), 06755U);
    }
    EXPECT_OK(root().write_file("replaced", "new"));
    EXPECT_OK(root().open_file("changed", kInPlace));
    EXPECT_OK(root().append_file("added", "new"));
    EXPECT_OK(root().copy_file("source", "copy"));
    for (const char* name : {"replaced", "changed", "added", "copy"}) {
        EXPECT_EQ(os_mode(ws(name)), 0755U) << name;
    }
}

ATTACK(WR_11, read_only_file_in_a_writable_directory) {
    tree({"ROOT/f=kept", "ROOT/twin=lost", "ROOT/g=new"});
    os_chmod(ws(), 0777);
    os_chmod(ws("f"), 0444);
    os_chmod(ws("twin"), 0444);
    const Root jail = root();
    const Unprivileged nobody;
    ASSERT_TRUE(nobody.is());
    const UniqueFd naive(::openat(jail.fd(), "temporary", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ASSERT_EQ(::renameat(jail.fd(), "temporary", jail.fd(), "twin"), 0);
    EXPECT_EQ(jail.read_file("twin"), "");

    EXPECT_CODE(jail.write_file("f", "new"), Code::kPermissionDenied);
    EXPECT_CODE(jail.copy_file("g", "f", true), Code::kPermissionDenied);
    EXPECT_CODE(jail.append_file("f", "new"), Code::kPermissionDenied);
    EXPECT_CODE(jail.create("f"), Code::kPermissionDenied);
    EXPECT_EQ(jail.read_file("f"), "kept");
    EXPECT_EQ(jail.list(".")->entries.size(), 3U);
}

ATTACK(WR_12, writable_file_in_an_unwritable_directory) {
    tree({"ROOT/d/f=old"});
    os_chmod(ws("d/f"), 0666);
    os_chmod(ws("d"), 0555);
    const Root jail = root();
    const Unprivileged nobody;
    ASSERT_TRUE(nobody.is());
    EXPECT_CODE(jail.write_file("d/f", "new"), Code::kPermissionDenied);
    EXPECT_EQ(jail.read_file("d/f"), "old");
    EXPECT_EQ(jail.list("d")->entries.size(), 1U);
    EXPECT_OK(jail.append_file("d/f", " and more"));
    EXPECT_EQ(jail.read_file("d/f"), "old and more");
}

ATTACK(WR_13, in_place_overwrite_keeps_the_inode) {
    tree({"ROOT/f=old", "ROOT/link->f"});
    const auto look = [&] {
        struct statx found {};
        EXPECT_EQ(::statx(AT_FDCWD, ws("f").c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &found),
                  0);
        return found;
    };
    const struct statx before = look();
    {
        const auto file = root().open_file("link", kTruncating);
        ASSERT_TRUE(file);
        EXPECT_EQ(::write(file->fd(), "new", 3), 3);
    }
    const struct statx after = look();
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(after.stx_ino, before.stx_ino);
    EXPECT_EQ(after.stx_nlink, before.stx_nlink);
    EXPECT_EQ(after.stx_btime.tv_sec, before.stx_btime.tv_sec);
    EXPECT_EQ(after.stx_btime.tv_nsec, before.stx_btime.tv_nsec);
}

ATTACK(WR_14, overwrite_through_an_inside_link) {
    tree({"ROOT/d/f=old", "ROOT/in->d/f", "ROOT/abs->@/ROOT/d/f", "ROOT/chain->in"});
    for (const char* link : {"in", "abs", "chain"}) {
        EXPECT_OK(root().write_file(link, link));
        EXPECT_EQ(os_read(ws("d/f")), link);
        EXPECT_TRUE(S_ISLNK(os_stat(ws(link)).st_mode));
    }
    EXPECT_EQ(os_list(ws("d")), std::vector<std::string>{"f"});
}

ATTACK(WR_15, overwrite_of_a_directory) {
    tree({"ROOT/d/f=inside", "ROOT/in->d"});
    const Unchanged inside(ws());
    for (const char* name : {"d", "in", "d/", "in/"}) {
        EXPECT_CODE(root().write_file(name, "x"), Code::kIsADirectory);
    }
}

ATTACK(WR_16, absent_parents) {
    tree({"ROOT/out->../OUT", "OUT/twin/"});
    std::filesystem::create_directories(ws("out/twin/made"));
    EXPECT_TRUE(os_exists(out("twin/made")));

    const Unchanged outside(out());
    EXPECT_CODE(root().create("x/y"), Code::kNotFound);
    EXPECT_CODE(root().write_file("x/y", "z"), Code::kNotFound);
    EXPECT_FALSE(os_exists(ws("x")));
    EXPECT_CODE(root().write_file("out/x/y", "z", with_parents()), Code::kPathEscape);
    EXPECT_CODE(root().write_file("../OUT/x/y", "z", with_parents()), Code::kPathEscape);
    EXPECT_OK(root().write_file("x/y/z", "made", with_parents()));
    EXPECT_EQ(os_read(ws("x/y/z")), "made");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"out", "x"}));
}

ATTACK(WR_17, mkdir_all_through_a_dangling_link) {
    tree({"ROOT/a/", "ROOT/in->a/missing", "ROOT/far->b/missing", "ROOT/out->../OUT/missing"});
    const Unchanged outside(out());
    const Unchanged inside(ws());
    EXPECT_CODE(root().mkdir_all("in/foo"), Code::kNotFound);
    EXPECT_CODE(root().mkdir_all("in/foo/bar"), Code::kNotFound);
    EXPECT_CODE(root().mkdir_all("far/foo"), Code::kNotFound);
    EXPECT_CODE(root().mkdir_all("out/foo"), Code::kPathEscape);
    EXPECT_CODE(root().write_file("in/foo/bar", "x", with_parents()), Code::kNotFound);
}

ATTACK(WR_18, mkdir_all_through_a_file) {
    tree({"ROOT/f=file", "ROOT/link->f", "ROOT/p|"});
    const Unchanged inside(ws());
    for (const char* name : {"f", "f/x", "f/x/y", "link", "link/x", "p/x"}) {
        EXPECT_CODE(root().mkdir_all(name), Code::kNotADirectory);
    }
}

ATTACK(WR_19, modes_under_any_umask) {
    const mode_t original = ::umask(0);
    const auto present_umask = [] {
        const std::string status = os_read("/proc/self/status").value_or("");
        return status.substr(status.find("Umask:"), 11);
    };
    for (const mode_t mask : {077U, 0U, 027U}) {
        ::umask(mask);
        const std::string expected = present_umask();
        const std::string dir = "under" + std::to_string(mask);
        const Root jail = root();
        const CallHook hook([&](sys::Call) {
            EXPECT_EQ(present_umask(), expected);
            return sys::Fault{};
        });
        EXPECT_OK(jail.mkdir(dir, 0777));
        EXPECT_OK(jail.mkdir_all(dir + "/a/b", 0775));
        EXPECT_OK(jail.create(dir + "/created", 0666));
        EXPECT_OK(jail.write_file(dir + "/written", "x", with_mode(0664)));
        EXPECT_OK(jail.mkdir(dir + "/plain"));
        EXPECT_OK(jail.create(dir + "/plain/created"));
        EXPECT_OK(jail.write_file(dir + "/plain/written", "x"));
        EXPECT_EQ(os_mode(ws(dir)), 0777U);
        EXPECT_EQ(os_mode(ws(dir + "/a")), 0775U);
        EXPECT_EQ(os_mode(ws(dir + "/a/b")), 0775U);
        EXPECT_EQ(os_mode(ws(dir + "/created")), 0666U);
        EXPECT_EQ(os_mode(ws(dir + "/written")), 0664U);
        EXPECT_EQ(os_mode(ws(dir + "/plain")), 0777U & ~mask);
        EXPECT_EQ(os_mode(ws(dir + "/plain/created")), 0666U & ~mask);
        EXPECT_EQ(os_mode(ws(dir + "/plain/written")), 0666U & ~mask);
    }
    ::umask(original);
}

class SharedDirectory : public Jail {
protected:
    // "shared" hands its group on to what is made in it; as root, a group that is not our own.
    void SetUp() override {
        constexpr gid_t kOtherGroup = 12345;
        tree({"ROOT/shared/"});
        if (is_root()) {
            ASSERT_EQ(::chown(ws("shared").c_str(), 0, kOtherGroup), 0);
        }
        os_chmod(ws("shared"), 02775);
    }
    void expect_shared(const std::string& name) const {
        EXPECT_EQ(os_stat(ws(name)).st_gid, os_stat(ws("shared")).st_gid) << name;
        EXPECT_EQ(os_mode(ws(name)) & 02000U, 02000U) << name;
    }
};

ATTACK_F(SharedDirectory, WR_20, mkdir_all) {
    EXPECT_OK(root().mkdir_all("shared/a/b"));
    expect_shared("shared/a");
    expect_shared("shared/a/b");
}

ATTACK_F(SharedDirectory, WR_20, mkdir_all_with_a_mode) {
    EXPECT_OK(root().mkdir_all("shared/a/b", 0755));
    expect_shared("shared/a");
    expect_shared("shared/a/b");
    EXPECT_OK(root().mkdir("shared/c", 0755));
    expect_shared("shared/c");
}

// Random numbers 1, 2, 3, ... for as long as it lives.
struct Predicted {
    Predicted() { predicted_random = 1; }
    Predicted(const Predicted&) = delete;
    Predicted& operator=(const Predicted&) = delete;
    ~Predicted() { predicted_random = 0; }
};

ATTACK(WR_21, planted_temporary_names) {
    tree({"ROOT/f=old", "ROOT/.paddock-0000000000000001->../OUT/secret",
          "ROOT/.paddock-0000000000000002/", "ROOT/.paddock-0000000000000003|",
          "ROOT/.paddock-0000000000000004->../OUT/new", "OUT/twin=old",
          "ROOT/.paddock-twin->../OUT/twin"});
    ASSERT_TRUE(naive_write(".paddock-twin", "written through"));
    EXPECT_EQ(os_read(out("twin")), "written through");

    const Unchanged outside(out());
    const std::vector<std::string> before = os_list(ws());
    {
        const Predicted predicted;
        EXPECT_OK(root().write_file("f", "new"));
        EXPECT_EQ(predicted_random, 6U);
        EXPECT_EQ(os_read(ws("f")), "new");
    }
    {
        const Predicted predicted;
        const auto temp = root().temp_file();
        ASSERT_TRUE(temp);
        EXPECT_EQ(temp->path(), ".paddock-0000000000000005");
    }
    EXPECT_EQ(os_list(ws()), before);
    EXPECT_TRUE(S_ISREG(os_stat(ws("f")).st_mode));
}

ATTACK(WR_22, no_room_for_the_new_content) {
    tree({"ROOT/f=old"});
    const std::string big(std::size_t{1} << 20, 'x');
    const auto death = end_of_child([&] {
        ASSERT_TRUE(set_limit(RLIMIT_FSIZE, 4096));
        (void)naive_write("twin", big);
    });
    EXPECT_TRUE(WIFSIGNALED(death) && WTERMSIG(death) == SIGXFSZ) << "the plain OS ends the writer";
    ASSERT_EQ(::unlink(ws("twin").c_str()), 0);

    tree({"ROOT/source=" + big});
    const Root jail = root();
    in_child([&] {
        ASSERT_TRUE(set_limit(RLIMIT_FSIZE, 4096));
        EXPECT_CODE(jail.write_file("f", big), Code::kTooLarge);
        EXPECT_CODE(jail.write_file("new", big), Code::kTooLarge);
        EXPECT_CODE(jail.copy_file("source", "f", true), Code::kTooLarge);
        EXPECT_CODE(jail.copy_file("source", "new"), Code::kTooLarge);
    });
    struct Shortage {
        int error;
        Code code;
    };
    for (const Shortage& shortage :
         {Shortage{ENOSPC, Code::kIoError}, Shortage{EDQUOT, Code::kQuotaExceeded},
          Shortage{EIO, Code::kIoError}}) {
        int writes = 0;
        const CallHook hook([&](sys::Call call) {
            if (call != sys::Call::kWrite) return sys::Fault{};
            return ++writes % 3 == 0 ? sys::Fault{.error = shortage.error}
                                     : sys::Fault{.bytes_max = 1000};
        });
        EXPECT_CODE(jail.write_file("f", big), shortage.code);
        EXPECT_CODE(jail.write_file("new", big), shortage.code);
    }
    EXPECT_EQ(os_read(ws("f")), "old");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"f", "source"}));
}

ATTACK(WR_23, short_and_interrupted_transfers) {
    std::string content;
    for (int i = 0; content.size() < (std::size_t{4} << 20); ++i) content += std::to_string(i);
    const Root jail = root();
    int calls = 0;
    const CallHook hook([&](sys::Call call) {
        const bool moves_bytes =
            call == sys::Call::kWrite || call == sys::Call::kRead || call == sys::Call::kCopyRange;
        if (!moves_bytes) return sys::Fault{};
        return ++calls % 2 == 0 ? sys::Fault{.error = EINTR} : sys::Fault{.bytes_max = 4093};
    });
    EXPECT_OK(jail.write_file("f", content));
    EXPECT_OK(jail.append_file("g", content));
    EXPECT_OK(jail.copy_file("f", "copy"));
    EXPECT_GT(calls, 3000);
    EXPECT_TRUE(os_read(ws("f")) == content);
    EXPECT_TRUE(os_read(ws("g")) == content);
    EXPECT_TRUE(os_read(ws("copy")) == content);
    EXPECT_TRUE(jail.read_file("f") == content);
    EXPECT_TRUE(leftovers(ws()).empty());
}

ATTACK(WR_25, rename_over_a_directory) {
    tree({"ROOT/f=file", "ROOT/empty/", "ROOT/full/f=file", "ROOT/d/g=file"});
    const Unchanged inside(ws());
    EXPECT_CODE(root().rename("f", "empty"), Code::kIsADirectory);
    EXPECT_CODE(root().rename("f", "full"), Code::kIsADirectory);
    EXPECT_CODE(root().rename("d", "full"), Code::kAlreadyExists);
    EXPECT_CODE(root().rename("d", "f"), Code::kNotADirectory);
    EXPECT_CODE(root().rename("d", "empty", RenameMode::kNoReplace), Code::kAlreadyExists);
}

ATTACK(WR_26, directory_into_its_own_subtree) {
    tree({"ROOT/d/sub/", "ROOT/in->d/sub"});
    const Unchanged inside(ws());
    EXPECT_CODE(root().rename("d", "d/sub/x"), Code::kInvalidArgument);
    EXPECT_CODE(root().rename("d", "d/x"), Code::kInvalidArgument);
    EXPECT_CODE(root().rename("d", "in/x"), Code::kInvalidArgument);
}

ATTACK(WR_27, trailing_slash_on_a_file) {
    tree({"ROOT/f=file", "ROOT/g=file", "ROOT/d/"});
    const Unchanged inside(ws());
    EXPECT_CODE(root().rename("f/", "x"), Code::kNotADirectory);
    EXPECT_CODE(root().rename("f", "x/"), Code::kNotADirectory);
    EXPECT_CODE(root().rename("f", "g/"), Code::kNotADirectory);
    EXPECT_CODE(root().rename("f/", "x/"), Code::kNotADirectory);
}

ATTACK(WR_32, without_unnamed_temporary_files) {
    tree({"ROOT/f=old"});
    const Root jail = root();
    in_child([&] {
        constexpr std::uint32_t kUnnamed = O_TMPFILE & ~O_DIRECTORY;
        ASSERT_TRUE(filter_calls(
            {{SYS_openat, {{2, kUnnamed, kUnnamed}}, SECCOMP_RET_ERRNO | EOPNOTSUPP}}));
        EXPECT_EQ(::open(ws().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), -1);
        EXPECT_OK(jail.write_file("f", "new"));
        EXPECT_OK(jail.write_file("g", "new"));
        EXPECT_OK(jail.temp_file());
    });
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(os_read(ws("g")), "new");
    EXPECT_TRUE(leftovers(ws()).empty());
}

// chattr +i or +a, taken back at the end.
class Attribute {
public:
    Attribute(const std::string& path, int flag)
        : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        set_ = ::ioctl(file_.get(), FS_IOC_GETFLAGS, &before_) == 0;
        const int flags = before_ | flag;
        set_ = set_ && ::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags) == 0;
    }
    Attribute(const Attribute&) = delete;
    Attribute& operator=(const Attribute&) = delete;
    ~Attribute() {
        if (set_) ::ioctl(file_.get(), FS_IOC_SETFLAGS, &before_);
    }
    bool set() const { return set_; }

private:
    UniqueFd file_;
    int before_ = 0;
    bool set_ = false;
};

ATTACK(WR_33, immutable_and_append_only_files) {
    tree({"ROOT/fixed=old", "ROOT/growing=old", "ROOT/g=new"});
    const Attribute fixed(ws("fixed"), FS_IMMUTABLE_FL);
    const Attribute growing(ws("growing"), FS_APPEND_FL);
    if (!fixed.set() || !growing.set()) {
        GTEST_SKIP() << "this user or file system cannot make a file immutable";
    }
    const Root jail = root();
    for (const char* name : {"fixed", "growing"}) {
        EXPECT_CODE(jail.write_file(name, "new"), Code::kPermissionDenied);
        EXPECT_CODE(jail.copy_file("g", name, true), Code::kPermissionDenied);
        EXPECT_CODE(jail.create(name), Code::kPermissionDenied);
        EXPECT_CODE(jail.remove(name), Code::kPermissionDenied);
        EXPECT_CODE(jail.rename(name, "moved"), Code::kPermissionDenied);
        EXPECT_EQ(os_read(ws(name)), "old");
    }
    EXPECT_CODE(jail.append_file("fixed", "new"), Code::kPermissionDenied);
    EXPECT_OK(jail.append_file("growing", " and new"));
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"fixed", "g", "growing"}));
    const int by_kernel = count_calls([&] { EXPECT_OK(jail.read_file("g")); }, sys::Call::kOpenat2);
    EXPECT_EQ(by_kernel, jail.resolver() == ResolverKind::kOpenat2 ? 1 : 0);
}

ATTACK(WR_35, chmod_of_a_file_without_permissions) {
    tree({"ROOT/f=mine", "ROOT/d/f=mine"});
    os_chmod(ws("f"), 0);
    os_chmod(ws("d"), 0);
    EXPECT_OK(root().chmod("f", 0644));
    EXPECT_OK(root().chmod("d", 0755));
    EXPECT_EQ(os_mode(ws("f")), 0644U);
    EXPECT_EQ(root().read_file("f"), "mine");
    EXPECT_EQ(root().read_file("d/f"), "mine");
}

ATTACK(WR_36, chmod_that_must_not_follow) {
    tree({"ROOT/f=inside", "ROOT/in->f", "ROOT/out->../OUT/secret", "OUT/twin=x",
          "ROOT/twin->../OUT/twin"});
    os_chmod(ws("twin"), 0777);
    EXPECT_EQ(os_mode(out("twin")), 0777U);

    const Unchanged outside(out());
    const Unchanged inside(ws());
    RootOptions options;
    options.symlinks = Symlinks::kReject;
    EXPECT_CODE(root(options).chmod("in", 0600), Code::kPathEscape);
    EXPECT_CODE(root(options).chmod("out", 0600), Code::kPathEscape);
    EXPECT_CODE(root().chmod("out", 0600), Code::kPathEscape);
}

}  // namespace
}  // namespace paddock::testing
