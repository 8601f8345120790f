// A workspace, an outside with a secret, and a careless twin that shows what the attack gains
// without the guard.
//
//   base/ROOT          the workspace (`ws`)
//   base/OUT/secret    must never be read, changed or removed through the workspace
//
// Trees are written as strings, one entry each:
//   "d/"          a directory           "f=text"      a file
//   "l->target"   a symbolic link       "p|"          a FIFO
//   "h&other"     a hard link to base/other
// Names are relative to base; parents are made. Targets are taken verbatim, except that a leading
// "@" stands for the absolute path of base.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <paddock/root.h>

namespace paddock::testing {

inline constexpr std::string_view kSecret = "outside-secret";

// The resolver that PADDOCK_RESOLVER names (openat2, walk), or the probed one.
ResolverKind resolver_under_test();

// A new directory below TMPDIR, removed with everything in it at the end.
class ScratchDir {
public:
    ScratchDir();
    ~ScratchDir();
    ScratchDir(const ScratchDir&) = delete;
    ScratchDir& operator=(const ScratchDir&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class Jail : public ::testing::Test {
protected:
    Jail();

    const std::string& base() const { return scratch_.path(); }
    std::string ws(std::string_view name = {}) const;   // absolute path in the workspace
    std::string out(std::string_view name = {}) const;  // absolute path outside

    void tree(std::initializer_list<std::string_view> entries);

    // A root on the workspace with the resolver under test.
    Root root(RootOptions options = {}) const;

    // The plain OS, without any guard. read gives nothing on failure.
    static std::optional<std::string> os_read(const std::string& path);
    static void os_write(const std::string& path, std::string_view content);
    static bool os_exists(const std::string& path);  // the name itself, a link not followed

    // What a tool without a guard does with a path from the agent: joins it to the workspace (an
    // absolute one replaces it) and lets the OS open that.
    std::optional<std::string> naive_read(std::string_view path) const;
    bool naive_write(std::string_view path, std::string_view content) const;

    // Asserts that reading `path` without the guard gives the secret: the attack is real.
    void expect_naive_leak(std::string_view path) const;

    std::string secret() const { return os_read(out("secret")).value_or("(gone)"); }

private:
    ScratchDir scratch_;
};

// Does the path lead into the journal, which a session keeps of its own changes?
bool is_of_journal(const std::string& path);

// That many directories, each in the one before, with an empty file `leaf` in the last. What
// removes trees by their paths, as the end of a test does, cannot remove a very deep one.
void make_deep_tree(const std::string& path, int levels, const char* leaf = "f");

// Names of directory entries of the plain OS, sorted; ".", ".." and the journal left out.
std::vector<std::string> os_list(const std::string& path);

std::size_t open_descriptors();

// Mounts can be made in this process from now on, seen by nobody else: as root, or as an ordinary
// user in a user namespace. False if the kernel allows neither; `why` then says what it said.
bool enter_private_mounts(std::string& why);

bool is_root();

}  // namespace paddock::testing

#define EXPECT_CODE(expression, expected_code)                                      \
    do {                                                                            \
        const auto& result_ = (expression);                                         \
        if (result_.has_value()) {                                                  \
            ADD_FAILURE() << #expression << " succeeded, expected " #expected_code; \
        } else {                                                                    \
            EXPECT_EQ(::paddock::code_name(result_.error().code),                   \
                      ::paddock::code_name(expected_code))                          \
                << result_.error().message();                                       \
        }                                                                           \
    } while (false)

#define EXPECT_OK(expression)                                                                 \
    do {                                                                                      \
        const auto& result_ = (expression);                                                   \
        EXPECT_TRUE(result_.has_value()) << #expression << ": " << result_.error().message(); \
    } while (false)

// One row of the attack catalogue: ATTACK(LEX_01, read_of_dotdot) { ... }. The id is found by
// docs/attack-coverage.md; `fixture` is Jail or derived from it.
#define ATTACK(id, name) TEST_F(Jail, id##_##name)
#define ATTACK_F(fixture, id, name) TEST_F(fixture, id##_##name)
#define ATTACK_P(fixture, id, name) TEST_P(fixture, id##_##name)
