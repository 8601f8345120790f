#include "escape/operations.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

#include "base/display.h"
#include "sys/fault.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;
using Path = std::string_view;
using Failed = std::optional<Error>;

template <class T>
Failed failed(const Result<T>& result) {
    if (result) return std::nullopt;
    return result.error();
}

constexpr bool kFollows = true;
constexpr bool kNeeds = true;
constexpr bool kSecond = true;

constexpr OpenOptions kWrite{.write = true, .mode = {}};
constexpr WriteOptions kParents{.make_parents = true, .mode = {}};
const Times kEpoch{.accessed = std::chrono::nanoseconds(0), .modified = {}};
const WalkVisitor kLook = [](const WalkEntry&) { return WalkAction::kContinue; };

const std::vector<Operation> kOperations = {
    {"read_file", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.read_file(p)); }},
    {"open_file", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.open_file(p)); }},
    {"open_file for writing", kFollows, kNeeds, false, Effect::kChange,
     [](const Root& r, Path p) { return failed(r.open_file(p, kWrite)); }},
    {"open_directory", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.open_directory(p)); }},
    {"sub_root", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.sub_root(p)); }},
    {"list", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.list(p)); }},
    {"walk", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.walk(p, kLook)); }},
    {"stat", kFollows, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.stat(p)); }},
    {"chmod", kFollows, kNeeds, false, Effect::kChange,
     [](const Root& r, Path p) { return failed(r.chmod(p, 0600)); }},
    {"utimes", kFollows, kNeeds, false, Effect::kChange,
     [](const Root& r, Path p) { return failed(r.utimes(p, kEpoch)); }},
    {"copy_file from", kFollows, kNeeds, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.copy_file(p, "copied")); }},
    {"temp_file", kFollows, kNeeds, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.temp_file(p)); }},
    {"exists", kFollows, false, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.exists(p)); }},
    {"resolve", kFollows, false, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.resolve(p)); }},
    {"create", kFollows, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.create(p)); }},
    {"write_file", kFollows, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.write_file(p, "written")); }},
    {"write_file with parents", kFollows, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.write_file(p, "written", kParents)); }},
    {"append_file", kFollows, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.append_file(p, "added")); }},
    {"mkdir_all", kFollows, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.mkdir_all(p)); }},
    {"copy_file to", kFollows, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.copy_file("f", p)); }},
    {"copy_file over", kFollows, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.copy_file("f", p, true)); }},
    {"lstat", false, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.lstat(p)); }},
    {"readlink", false, kNeeds, false, Effect::kNone,
     [](const Root& r, Path p) { return failed(r.readlink(p)); }},
    {"remove", false, kNeeds, false, Effect::kChange,
     [](const Root& r, Path p) { return failed(r.remove(p)); }},
    {"rename from", false, kNeeds, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.rename(p, "moved")); }},
    {"hard_link from", false, kNeeds, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.hard_link(p, "linked")); }},
    {"remove_all", false, false, false, Effect::kChange,
     [](const Root& r, Path p) { return failed(r.remove_all(p)); }},
    {"create_exclusive", false, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.create_exclusive(p)); }},
    {"mkdir", false, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.mkdir(p)); }},
    {"symlink", false, false, false, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.symlink("f", p)); }},
    {"rename to", false, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.rename("f", p)); }},
    {"rename to, no replace", false, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.rename("f", p, RenameMode::kNoReplace)); }},
    {"rename, exchange", false, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.rename("f", p, RenameMode::kExchange)); }},
    {"hard_link to", false, false, kSecond, Effect::kCreate,
     [](const Root& r, Path p) { return failed(r.hard_link("f", p)); }},
};

template <class Predicate>
std::vector<Operation> chosen(Predicate predicate) {
    std::vector<Operation> found;
    std::copy_if(kOperations.begin(), kOperations.end(), std::back_inserter(found), predicate);
    return found;
}

// "code: operation 'path': explanation. What to do next."
void expect_well_told(const Error& error, std::string_view path) {
    const std::string message = error.message();
    EXPECT_EQ(error.path, path);
    EXPECT_TRUE(message.starts_with(std::string(code_name(error.code)) + ": ")) << message;
    if (path.find("paddock-test-") == Path::npos) {
        EXPECT_EQ(message.find("paddock-test-"), std::string::npos) << message;
    }
    const std::size_t end_of_why = message.rfind(". ");
    ASSERT_NE(end_of_why, std::string::npos) << message;
    EXPECT_TRUE(message.ends_with('.')) << message;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(message[end_of_why + 2]))) << message;
}

std::atomic<int> system_calls{0};

sys::Fault count_call(sys::Call) noexcept {
    ++system_calls;
    return {};
}

using Snapshot = std::map<std::string, std::string>;

std::string describe(const std::string& path) {
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0) return "(gone)";
    std::string text = std::to_string(info.st_mode) + " ";
    if (S_ISDIR(info.st_mode)) return text;  // what is in it is described itself
    text += std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + " ";
    if (S_ISLNK(info.st_mode)) return text + stdfs::read_symlink(path).string();
    if (!S_ISREG(info.st_mode)) return text;
    std::ifstream file(path, std::ios::binary);
    return text.append(std::istreambuf_iterator<char>(file), {});
}

Snapshot snapshot(const std::string& path) {
    Snapshot found{{path, describe(path)}};
    std::error_code ignored;
    for (auto it = stdfs::recursive_directory_iterator(path, ignored);
         it != stdfs::recursive_directory_iterator(); it.increment(ignored)) {
        if (is_of_journal(it->path())) continue;
        found.emplace(it->path(), describe(it->path()));
    }
    return found;
}

}  // namespace

const std::vector<Operation>& operations() { return kOperations; }

std::vector<Operation> following() { return chosen(std::mem_fn(&Operation::follows)); }

std::vector<Operation> naming() { return chosen(std::not_fn(std::mem_fn(&Operation::follows))); }

std::vector<Operation> needing() { return chosen(std::mem_fn(&Operation::needs)); }

std::vector<Operation> having(Effect effect) {
    return chosen([effect](const Operation& operation) { return operation.effect == effect; });
}

void expect_refused(const Root& root, std::string_view path, Code code,
                    const std::vector<Operation>& tried) {
    for (const Operation& operation : tried) {
        SCOPED_TRACE(std::string(operation.name) + " '" + displayable(path) + "'");
        const auto error = operation.run(root, path);
        if (!error) {
            ADD_FAILURE() << "succeeded, expected " << code_name(code);
            continue;
        }
        EXPECT_EQ(code_name(error->code), code_name(code)) << error->message();
        expect_well_told(*error, path);
    }
}

void expect_refused_unseen(const Root& root, std::string_view path, Code code) {
    for (const Operation& operation : operations()) {
        if (operation.second) continue;
        SCOPED_TRACE(operation.name);
        system_calls = 0;
        sys::fault_hook = count_call;
        const auto error = operation.run(root, path);
        sys::fault_hook = nullptr;
        EXPECT_EQ(system_calls, 0);
        EXPECT_EQ(code_name(error ? error->code : Code::kInternal), code_name(code));
    }
}

void expect_same_refusal(const Root& root, std::string_view one, std::string_view other,
                         const std::vector<Operation>& tried) {
    for (const Operation& operation : tried) {
        SCOPED_TRACE(operation.name);
        const auto a = operation.run(root, one);
        const auto b = operation.run(root, other);
        ASSERT_TRUE(a && b);
        EXPECT_EQ(code_name(a->code), code_name(b->code));
        EXPECT_EQ(a->os_error, b->os_error);
        EXPECT_EQ(a->reason, b->reason);
        EXPECT_EQ(a->operation, b->operation);
    }
}

RootOptions with(AbsolutePaths absolute) {
    RootOptions options;
    options.absolute = absolute;
    return options;
}

RootOptions with(DotDot dotdot) {
    RootOptions options;
    options.dotdot = dotdot;
    return options;
}

RootOptions with(Symlinks symlinks) {
    RootOptions options;
    options.symlinks = symlinks;
    return options;
}

RootOptions with(ResolverKind resolver) {
    RootOptions options;
    options.resolver = resolver;
    return options;
}

Result<Root> open_root(std::string_view directory, RootOptions options) {
    options.resolver = resolver_under_test();
    return Root::open(directory, options);
}

Unchanged::Unchanged(std::string path) : path_(std::move(path)), before_(snapshot(path_)) {}

Unchanged::~Unchanged() {
    const Snapshot after = snapshot(path_);
    for (const auto& [name, what] : before_) {
        const auto now = after.find(name);
        EXPECT_TRUE(now != after.end() && now->second == what) << displayable(name) << " changed";
    }
    for (const auto& [name, what] : after) {
        EXPECT_TRUE(before_.contains(name)) << displayable(name) << " appeared";
    }
}

}  // namespace paddock::testing
