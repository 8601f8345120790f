#include "agreement/change.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "agreement/model.h"
#include "agreement/texts.h"
#include "base/display.h"

namespace paddock::agreement {
namespace {

constexpr std::size_t kChangedBytesMax = 600;

// The arguments of any change; a path may be used as a second one.
struct Arguments {
    std::string path;
    std::string other;
    unsigned variant = 0;
};

// What can be seen of a change that was reported as done.
using Seen = bool (*)(const Root& root, const Arguments& with);

struct Kind {
    std::string_view name;
    Status (*make)(const Root& root, const Arguments& with);
    Seen seen;
    bool is_whole = true;  // done or not done, even where something stands in the way
};

constexpr std::string_view kContent = "new content";

bool is_gone(const Root& root, const Arguments& with) {
    const auto there = root.lstat(with.path);
    return !there && there.error().code == Code::kNotFound;
}

bool is_directory(const Root& root, const Arguments& with) {
    return root.open_directory(with.path).has_value();
}

bool is_file(const Root& root, const Arguments& with) {
    const auto there = root.stat(with.path);
    return there && there->type == FileType::kRegular;
}

bool has_content(const Root& root, const Arguments& with) {
    const auto there = root.read_file(with.path);
    return there && *there == kContent;
}

bool is_same(const Root& root, const Arguments& with) {
    const auto one = root.lstat(with.path);
    const auto other = root.lstat(with.other);
    return one && other && one->identity == other->identity;
}

bool is_link(const Root& root, const Arguments& with) {
    const auto there = root.readlink(with.path);
    return there && there->text == with.other;
}

bool has_mode(const Root& root, const Arguments& with) {
    const auto there = root.stat(with.path);
    return there && there->mode == 0750;
}

bool has_time(const Root& root, const Arguments& with) {
    const auto there = root.stat(with.path);
    return there && there->modified == std::chrono::seconds(1);
}

// The way to either name may itself have been moved.
bool is_unknown(const Root&, const Arguments&) { return true; }

RenameMode rename_mode(unsigned variant) {
    constexpr std::array<RenameMode, 3> kModes = {RenameMode::kReplace, RenameMode::kNoReplace,
                                                  RenameMode::kExchange};
    return kModes[variant % kModes.size()];
}

Status dropped(const Result<Handle>& handle) {
    if (!handle) return handle.error();
    return {};
}

// Nothing here survives a power cut, so nothing is waited for.
WriteOptions write_options(unsigned variant) {
    WriteOptions options;
    options.make_parents = variant % 2 != 0;
    options.must_create = variant % 3 == 2;
    options.durability = Durability::kNone;
    return options;
}

constexpr std::array<Kind, 13> kKinds = {{
    {"write_file",
     [](const Root& root, const Arguments& with) {
         return root.write_file(with.path, kContent, write_options(with.variant));
     },
     has_content},
    {"mkdir_all", [](const Root& root, const Arguments& with) { return root.mkdir_all(with.path); },
     is_directory},
    {"remove", [](const Root& root, const Arguments& with) { return root.remove(with.path); },
     is_gone},
    {"mkdir", [](const Root& root, const Arguments& with) { return root.mkdir(with.path, 0700); },
     is_directory},
    {"append_file",
     [](const Root& root, const Arguments& with) { return root.append_file(with.path, "more"); },
     is_file},
    {"create",
     [](const Root& root, const Arguments& with) { return dropped(root.create(with.path)); },
     is_file},
    {"create_exclusive",
     [](const Root& root, const Arguments& with) {
         return dropped(root.create_exclusive(with.path, 0640));
     },
     is_file},
    {"rename",
     [](const Root& root, const Arguments& with) {
         return root.rename(with.path, with.other, rename_mode(with.variant));
     },
     is_unknown},
    {"hard_link",
     [](const Root& root, const Arguments& with) { return root.hard_link(with.path, with.other); },
     is_same},
    {"symlink",
     [](const Root& root, const Arguments& with) { return root.symlink(with.other, with.path); },
     is_link},
    {"chmod", [](const Root& root, const Arguments& with) { return root.chmod(with.path, 0750); },
     has_mode},
    {"utimes",
     [](const Root& root, const Arguments& with) {
         return root.utimes(with.path, {.accessed = {}, .modified = std::chrono::seconds(1)});
     },
     has_time},
    {"remove_all",
     [](const Root& root, const Arguments& with) { return root.remove_all(with.path); }, is_gone,
     false},
}};

std::string made(const Kind& kind, const Root& root, const Arguments& with) {
    const Status status = kind.make(root, with);
    if (!status) return refused(status.error().code);
    return kind.seen(root, with) ? "ok" : kNotSeen;
}

}  // namespace

Change random_change(ByteSource& bytes, const Arena& arena, const Plan& plan, const Root& first,
                     const Root& second) {
    const Kind* kind = &kKinds[bytes.below(kKinds.size())];
    // A removal that stops half-way stops where the directory's order has it.
    if (!kind->is_whole && !plan.plain) kind = &kKinds.front();
    Arguments with;
    with.path = bytes.one_in(2) ? existing_path(bytes, plan.root)
                                : random_path(bytes, arena.first(), plan.root);
    with.other = bytes.one_in(3) ? random_target(bytes, arena.first())
                                 : random_path(bytes, arena.first(), plan.root);
    with.variant = bytes.below(6);
    // The longest paths are thousands of directories: looked at, but not made.
    if (with.path.size() > kChangedBytesMax) with.path.resize(kChangedBytesMax);
    Arguments twin = with;
    twin.path = arena.for_second(with.path);
    twin.other = arena.for_second(with.other);
    Change change;
    change.call = std::string(kind->name) + " '" + displayable(with.path) + "' '" +
                  displayable(with.other) + "' " + std::to_string(with.variant);
    change.first = made(*kind, first, with);
    change.second = made(*kind, second, twin);
    return change;
}

}  // namespace paddock::agreement
