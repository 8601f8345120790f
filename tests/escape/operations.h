// Every way to hand a path to a Root, so that one test tries an attack on all of them, and a watch
// that nothing was created, changed or removed meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

namespace paddock {

// How a failed comparison shows a result.
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
    *out << (result ? "a value" : result.error().message());
}

}  // namespace paddock

namespace paddock::testing {

// Ways of opening a file that would change it in place.
inline constexpr OpenOptions kInPlace{.write = true, .mode = {}};
inline constexpr OpenOptions kTruncating{.write = true, .truncate = true, .mode = {}};

enum class Effect : std::uint8_t {
    kNone,
    kChange,  // of what exists
    kCreate,  // a name may appear or become another's
};

struct Operation {
    std::string_view name;
    bool follows;  // a link at the end is followed; otherwise it is acted on itself
    bool needs;    // what does not exist is not_found; otherwise it is made, or absence is no error
    bool second;   // the path is the second one: the first, "f", must exist
    Effect effect;
    std::optional<Error> (*run)(const Root& root, std::string_view path);
};

const std::vector<Operation>& operations();
std::vector<Operation> following();  // those that follow a final link
std::vector<Operation> naming();     // those that do not
std::vector<Operation> needing();    // those that need an existing object
std::vector<Operation> having(Effect effect);

// Expects `code` from each operation, with the path as it was written, without a host path that was
// not part of it, and with advice at the end.
void expect_refused(const Root& root, std::string_view path, Code code,
                    const std::vector<Operation>& tried = operations());

// Expects that `path` is refused before any system call is made for it.
void expect_refused_unseen(const Root& root, std::string_view path, Code code);

// Expects that the two paths fail alike, so that neither tells more than the other.
void expect_same_refusal(const Root& root, std::string_view one, std::string_view other,
                         const std::vector<Operation>& tried = operations());

// Default options but for one.
RootOptions with(AbsolutePaths absolute);
RootOptions with(DotDot dotdot);
RootOptions with(Symlinks symlinks);
RootOptions with(ResolverKind resolver);

// Root::open with the resolver under test.
Result<Root> open_root(std::string_view directory, RootOptions options = {});

// At the end of its life, expects the tree at `path` to be as it was: names, kinds, permissions,
// modification times, bytes and link texts.
class Unchanged {
public:
    explicit Unchanged(std::string path);
    ~Unchanged();
    Unchanged(const Unchanged&) = delete;
    Unchanged& operator=(const Unchanged&) = delete;

private:
    std::string path_;
    std::map<std::string, std::string> before_;
};

}  // namespace paddock::testing
