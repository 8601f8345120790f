#include "fs/replace.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "escape/call_hook.h"
#include "escape/unprivileged.h"
#include "sys/io.h"
#include "unit/state_jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class ReplaceTest : public StateJail {
protected:
    Outcome<Identity> replace(std::string_view path, std::string_view content,
                              const WriteOptions& options = {}) {
        PADDOCK_ASSIGN(place, fs::locate_target(state_, at(path)));
        return fs::replace_file(place, options, true,
                                [&](int fd) { return sys::write_all(fd, content); });
    }

    // Somebody writes to the known file "f" just before it is exchanged. `back` happens before the
    // exchange back, and says its error.
    Outcome<Identity> replace_too_late(const std::function<int()>& back) {
        tree({"ROOT/f=old"});
        WriteOptions known;
        known.replaces = root().stat("f").value();
        int renames = 0;
        const CallHook hook([&](sys::Call call) {
            if (call != sys::Call::kRename) return sys::Fault{};
            if (++renames == 1) os_write(ws("f"), "theirs, and longer");
            return sys::Fault{.error = renames == 2 ? back() : 0, .bytes_max = 0};
        });
        return replace("f", "new", known);
    }

    struct stat status(const char* name) const {
        struct stat found = {};
        EXPECT_EQ(::lstat(ws(name).c_str(), &found), 0);
        return found;
    }

    // An extended attribute; false if the file system or this user cannot have it.
    bool set_attribute(const char* name, const char* attribute, std::string_view value) const {
        return ::setxattr(ws(name).c_str(), attribute, value.data(), value.size(), 0) == 0;
    }
    std::optional<std::string> attribute(const char* name, const char* attribute) const {
        std::string value(256, '\0');
        const ssize_t size = ::getxattr(ws(name).c_str(), attribute, value.data(), value.size());
        if (size < 0) return std::nullopt;
        value.resize(static_cast<std::size_t>(size));
        return value;
    }
};

// Of a file or a directory: the owner and one more user may read and write, others read.
std::string access_list() {
    struct Entry {
        std::uint16_t tag;
        std::uint16_t rights;
        std::uint32_t id;
    };
    constexpr std::uint32_t kVersion = 2;
    constexpr std::uint32_t kNobodyInParticular = 0xffffffff;
    constexpr std::array<Entry, 5> kEntries{{{0x01, 6, kNobodyInParticular},
                                             {0x02, 6, 12345},
                                             {0x04, 4, kNobodyInParticular},
                                             {0x10, 6, kNobodyInParticular},
                                             {0x20, 4, kNobodyInParticular}}};
    std::string bytes(sizeof kVersion + sizeof kEntries, '\0');
    std::memcpy(bytes.data(), &kVersion, sizeof kVersion);
    std::memcpy(bytes.data() + sizeof kVersion, kEntries.data(), sizeof kEntries);
    return bytes;
}

// Every call of these kinds.
CallHook::Act failing(std::map<sys::Call, int> errors) {
    return [errors = std::move(errors)](sys::Call call) {
        const auto found = errors.find(call);
        return sys::Fault{.error = found == errors.end() ? 0 : found->second, .bytes_max = 0};
    };
}

TEST_F(ReplaceTest, gives_the_name_to_a_new_file) {
    tree({"ROOT/f=old", "ROOT/other&ROOT/f"});
    const auto before = status("f").st_ino;
    ASSERT_TRUE(replace("f", "new"));
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_NE(status("f").st_ino, before);
    EXPECT_EQ(os_read(ws("other")), "old") << "the other link keeps the old content";
}

TEST_F(ReplaceTest, replaces_only_the_file_that_was_known) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    const Root root = this->root();
    const auto known = root.stat("f");
    ASSERT_TRUE(known);
    WriteOptions options;
    options.replaces = *known;
    EXPECT_TRUE(replace("f", "new", options));
    const auto again = replace("f", "newer", options);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Code::kStaleRead);
    EXPECT_EQ(replace("g", "new", options).error().code, Code::kStaleRead);
    EXPECT_EQ(replace("absent", "new", options).error().code, Code::kStaleRead);
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(os_list(ws(".")).size(), 2U) << "a temporary file was left";
}

TEST_F(ReplaceTest, keeps_the_mode_but_no_privileges) {
    tree({"ROOT/f=old"});
    ASSERT_EQ(::chmod(ws("f").c_str(), 06750), 0);
    ASSERT_TRUE(replace("f", "new"));
    EXPECT_EQ(status("f").st_mode & 07777U, 0750U);
}

TEST_F(ReplaceTest, keeps_owner_and_group) {
    if (!is_root()) GTEST_SKIP() << "only root can give files away";
    tree({"ROOT/f=old"});
    ASSERT_EQ(::chown(ws("f").c_str(), 12345, 23456), 0);
    ASSERT_TRUE(replace("f", "new"));
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(status("f").st_uid, 12345U);
    EXPECT_EQ(status("f").st_gid, 23456U);
}

TEST_F(ReplaceTest, issue_17_16_says_whether_the_owner_or_the_group_could_not_be_kept) {
    if (!is_root()) GTEST_SKIP() << "only root can make files of others";
    tree({"ROOT/group=old", "ROOT/owner=old"});
    ASSERT_EQ(::chmod(ws().c_str(), 0777), 0);
    const auto refusal = [this](const char* name, uid_t owner) {
        EXPECT_EQ(::chown(ws(name).c_str(), owner, 23456), 0);
        EXPECT_EQ(::chmod(ws(name).c_str(), 0666), 0);
        const Unprivileged user;
        const auto done = replace(name, "new");
        EXPECT_FALSE(done);
        return done ? "" : std::string(done.error().reason);
    };
    EXPECT_EQ(refusal("group", 65534), "its group could not be kept");
    EXPECT_EQ(refusal("owner", 12345), "its owner could not be kept");
    EXPECT_EQ(os_read(ws("group")), "old");
}

TEST_F(ReplaceTest, keeps_extended_attributes) {
    tree({"ROOT/f=old"});
    if (!set_attribute("f", "user.note", "kept")) {
        GTEST_SKIP() << "this file system has no attributes of users";
    }
    ASSERT_TRUE(replace("f", "new"));
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(attribute("f", "user.note"), "kept");
}

TEST_F(ReplaceTest, keeps_the_access_list_and_takes_none_from_the_directory) {
    tree({"ROOT/with=old", "ROOT/without=old"});
    if (!set_attribute("with", "system.posix_acl_access", access_list()) ||
        !set_attribute("", "system.posix_acl_default", access_list())) {
        GTEST_SKIP() << "this file system has no access lists";
    }
    os_write(ws("made"), "as the plain system makes files here");
    ASSERT_TRUE(attribute("made", "system.posix_acl_access"));
    ASSERT_TRUE(replace("with", "new"));
    EXPECT_EQ(attribute("with", "system.posix_acl_access"), access_list());
    ASSERT_TRUE(replace("without", "new"));
    EXPECT_EQ(attribute("without", "system.posix_acl_access"), std::nullopt);
}

TEST_F(ReplaceTest, drops_the_capabilities_of_the_old_content) {
    constexpr std::array<std::uint32_t, 5> kMayUseRawSockets{0x02000001, 1U << 13, 0, 0, 0};
    const std::string_view bytes(reinterpret_cast<const char*>(kMayUseRawSockets.data()),
                                 sizeof kMayUseRawSockets);
    tree({"ROOT/f=old"});
    if (!set_attribute("f", "security.capability", bytes)) {
        GTEST_SKIP() << "this user cannot give capabilities to files";
    }
    ASSERT_TRUE(replace("f", "new"));
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_EQ(attribute("f", "security.capability"), std::nullopt);
}

TEST_F(ReplaceTest, a_new_file_has_the_mode_asked_for_or_that_of_the_umask) {
    const mode_t usual = ::umask(027);
    WriteOptions options;
    options.mode = 0604;
    EXPECT_TRUE(replace("exact", "x", options));
    EXPECT_TRUE(replace("plain", "x"));
    options.mode = 0777;
    options.less_umask = true;
    EXPECT_TRUE(replace("program", "x", options));
    ::umask(usual);
    EXPECT_EQ(status("exact").st_mode & 07777U, 0604U);
    EXPECT_EQ(status("plain").st_mode & 07777U, 0640U);
    EXPECT_EQ(status("program").st_mode & 07777U, 0750U);
}

TEST_F(ReplaceTest, an_old_file_gets_a_mode_only_if_that_is_asked_for) {
    tree({"ROOT/f=old"});
    ASSERT_EQ(::chmod(ws("f").c_str(), 0640), 0);
    WriteOptions options;
    options.mode = 0755;
    EXPECT_TRUE(replace("f", "new", options));
    EXPECT_EQ(status("f").st_mode & 07777U, 0640U);
    options.mode_of_old = true;
    EXPECT_TRUE(replace("f", "newer", options));
    EXPECT_EQ(status("f").st_mode & 07777U, 0755U);
}

TEST_F(ReplaceTest, refuses_what_is_no_writable_file) {
    tree({"ROOT/d/", "ROOT/p|", "ROOT/f=old"});
    ASSERT_EQ(::chmod(ws("f").c_str(), 0444), 0);
    EXPECT_EQ(replace("d", "x").error().code, Code::kIsADirectory);
    EXPECT_EQ(replace("p", "x").error().code, Code::kNotRegularFile);
    EXPECT_EQ(replace("f", "x").error().code, Code::kPermissionDenied);
    EXPECT_EQ(os_read(ws("f")), "old");
}

TEST_F(ReplaceTest, must_create_refuses_an_existing_name) {
    tree({"ROOT/f=old"});
    WriteOptions options;
    options.must_create = true;
    EXPECT_EQ(replace("f", "x", options).error().code, Code::kAlreadyExists);
    EXPECT_TRUE(replace("new", "x", options));
}

TEST_F(ReplaceTest, must_create_asks_for_the_name_once) {
    tree({"ROOT/d/", "ROOT/f=old", "ROOT/l->d/new"});
    WriteOptions options;
    options.must_create = true;
    const auto looks = [&](const WriteOptions& how, const char* name) {
        return count_calls([&] { EXPECT_TRUE(root().write_file(name, "x", how)); },
                           sys::Call::kStat);
    };
    EXPECT_EQ(looks(options, "d/one"), looks({}, "d/two"));
    EXPECT_CODE(root().write_file("l", "x", options), Code::kAlreadyExists);
    EXPECT_CODE(root().write_file("d", "x", options), Code::kIsADirectory);
    EXPECT_FALSE(os_exists(ws("d/new")));
}

TEST_F(ReplaceTest, removes_only_what_is_expected) {
    tree({"ROOT/f=old"});
    const Stat old = root().stat("f").value();
    os_write(ws("f"), "theirs");
    EXPECT_CODE(root().remove("f", old), Code::kStaleRead);
    EXPECT_CODE(root().remove("none", old), Code::kStaleRead);
    EXPECT_TRUE(root().remove("f", root().stat("f").value()));
    EXPECT_FALSE(os_exists(ws("f")));
}

TEST_F(ReplaceTest, issue_17_7_no_other_writer_comes_between_look_and_change) {
    tree({"ROOT/f=old", "ROOT/g=old", "ROOT/h=old"});
    const UniqueFd other = open_directory(".");
    int kept_out = 0;
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kRename || call == sys::Call::kUnlink) {
            const bool is_free = ::flock(other.get(), LOCK_EX | LOCK_NB) == 0;
            if (is_free) (void)::flock(other.get(), LOCK_UN);
            kept_out += is_free ? 0 : 1;
        }
        return sys::Fault{};
    });
    WriteOptions known;
    known.replaces = root().stat("f").value();
    EXPECT_TRUE(replace("f", "new", known));
    EXPECT_EQ(kept_out, 2) << "the exchange, and the removal of the old file";
    EXPECT_TRUE(root().remove("g", root().stat("g").value()));
    EXPECT_EQ(kept_out, 3);
    EXPECT_CODE(root().rename("f", "h", RenameMode::kReplace, root().stat("f").value()),
                Code::kStaleRead);
    EXPECT_TRUE(root().rename("f", "h", RenameMode::kReplace, root().stat("h").value()));
    EXPECT_EQ(kept_out, 4);
    EXPECT_TRUE(replace("made", "new"));
    EXPECT_EQ(kept_out, 4) << "one call needs no lock";
}

TEST_F(ReplaceTest, issue_17_7_a_lock_of_another_program_is_waited_for) {
    tree({"ROOT/f=old"});
    WriteOptions known;
    known.replaces = root().stat("f").value();
    const UniqueFd other = open_directory(".");
    ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
    const auto refused = replace("f", "new", known);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRace);
    EXPECT_EQ(os_read(ws("f")), "old");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
    int tries = 0;
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kPoll && ++tries == 3) (void)::flock(other.get(), LOCK_UN);
        return sys::Fault{};
    });
    EXPECT_TRUE(replace("f", "new", known));
    EXPECT_EQ(tries, 4) << "three looks at the lock, and its end";
}

TEST_F(ReplaceTest, does_not_replace_what_appeared_meanwhile) {
    const auto place = fs::locate_target(state_, at("f"));
    ASSERT_TRUE(place);
    const auto done = fs::replace_file(*place, {}, true, [&](int) -> Done {
        os_write(ws("f"), "theirs");
        return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kRace);
    EXPECT_EQ(os_read(ws("f")), "theirs");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
}

TEST_F(ReplaceTest, a_failed_fill_leaves_nothing) {
    tree({"ROOT/f=old"});
    const auto place = fs::locate_target(state_, at("f"));
    ASSERT_TRUE(place);
    const auto done =
        fs::replace_file(*place, {}, true, [](int) { return Failure::from_errno(ENOSPC); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().os_error, ENOSPC);
    EXPECT_EQ(os_read(ws("f")), "old");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
}

TEST_F(ReplaceTest, says_which_file_it_is_now) {
    tree({"ROOT/f=old"});
    const auto written = root().put_file("f", "new");
    ASSERT_TRUE(written);
    EXPECT_EQ(written->inode, status("f").st_ino);
}

TEST_F(ReplaceTest, new_content_in_its_place_is_a_success) {
    tree({"ROOT/f=old"});
    WriteOptions known;
    known.replaces = root().stat("f").value();
    const CallHook hook(failing({{sys::Call::kUnlink, EIO}}));
    EXPECT_TRUE(replace("f", "new", known)) << "after an exchange";
    EXPECT_EQ(os_read(ws("f")), "new");
    const CallHook no_flags(failing({{sys::Call::kUnlink, EIO}, {sys::Call::kRename, EINVAL}}));
    EXPECT_TRUE(replace("g", "new")) << "after a link";
    EXPECT_EQ(os_read(ws("g")), "new");
}

TEST_F(ReplaceTest, what_an_exchange_brought_out_is_not_removed) {
    const auto done = replace_too_late([] { return EIO; });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kStaleRead);
    std::vector<std::string> contents;
    for (const std::string& name : os_list(ws())) contents.push_back(os_read(ws(name)).value());
    EXPECT_EQ(std::count(contents.begin(), contents.end(), "theirs, and longer"), 1);
}

TEST_F(ReplaceTest, what_an_exchange_brought_out_gets_its_name_back_where_that_has_gone) {
    const auto done = replace_too_late([&] {
        std::filesystem::remove(ws("f"));
        return 0;
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kStaleRead);
    EXPECT_EQ(os_read(ws("f")), "theirs, and longer");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
}

TEST_F(ReplaceTest, without_exchange_no_name_is_risked) {
    tree({"ROOT/f=old"});
    const auto place = fs::locate_target(state_, at("f"));
    ASSERT_TRUE(place);
    const CallHook hook(failing({{sys::Call::kRename, EINVAL}}));
    const auto done = fs::replace_file(*place, {}, false, [](int) { return Done(); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kNotAvailable);
    EXPECT_EQ(os_read(ws("f")), "old");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
}

TEST_F(ReplaceTest, a_temporary_file_is_private_and_goes_unless_kept) {
    tree({"ROOT/d/"});
    const UniqueFd directory = open_directory("d");
    {
        const auto temp = fs::make_temp(directory.get(), "d");
        ASSERT_TRUE(temp);
        EXPECT_TRUE(temp->path().starts_with("d/.paddock-")) << temp->path();
        EXPECT_EQ(status(temp->path().c_str()).st_mode & 07777U, 0600U);
    }
    EXPECT_TRUE(os_list(ws("d")).empty());
    {
        auto temp = fs::make_temp(directory.get(), "d");
        ASSERT_TRUE(temp);
        const TempFile moved = std::move(*temp);
        EXPECT_TRUE(os_exists(ws(moved.path())));
    }
    EXPECT_TRUE(os_list(ws("d")).empty());
    fs::make_temp(directory.get(), "d").value().keep();
    EXPECT_EQ(os_list(ws("d")).size(), 1U);
}

}  // namespace
