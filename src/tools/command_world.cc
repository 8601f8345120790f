#include "tools/command_world.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <utility>

#include "base/outcome.h"
#include "base/text.h"
#include "fs/make_directories.h"
#include "fs/procfs.h"
#include "fs/rel_path.h"
#include "sandbox/command_user.h"
#include "sandbox/scratch_removal.h"
#include "sandbox/toolchains.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/process.h"
#include "tools/limit_watch.h"

namespace paddock::tools {
namespace {

constexpr const char* kNote = "workspace";
constexpr const char* kLock = "lock";
constexpr const char* kTurn = "turn";
constexpr const char* kHome = "home";
constexpr std::size_t kHomesMax = 65536;
constexpr std::size_t kLeafBytesMax = 64;  // of a workspace's name in that of its home

Error cannot(const Failure& why) { return as_error(why, "keep a home", {}); }

// Other users must not be able to put something there.
Result<Root> open_homes(const std::string& homes) {
    auto root = Root::open(homes);
    if (!root) return root.error();
    const auto stat = sys::fstat(root->fd());
    if (!stat) return cannot(stat.error());
    if (stat->uid != sys::effective_user() || (stat->mode & 022U) != 0) {
        return cannot(
            refuse(Code::kPermissionDenied, "other users can change the directory of homes"));
    }
    return root->linkless();
}

Result<Root> open_or_make_homes(const std::string& homes) {
    auto root = open_homes(homes);
    if (root || root.error().code != Code::kNotFound) return root;
    if (const auto made = fs::make_private_directories(homes); !made) return cannot(made.error());
    return open_homes(homes);
}

Outcome<std::string> note_of(int workspace, const std::string& path) {
    PADDOCK_ASSIGN(node, sys::node(workspace));
    const Stat& stat = node.stat;
    return std::to_string(stat.identity.device) + ' ' + std::to_string(stat.identity.inode) + ' ' +
           std::to_string(stat.created.count()) + '\n' + path;
}

std::string name_of(const std::string& note, const std::string& path) {
    // FNV-1a. Who meets another's hash finds another note, and no home.
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : note) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    std::string leaf(fs::leaf_of(path).substr(0, kLeafBytesMax));
    std::replace_if(
        leaf.begin(), leaf.end(), [](char c) { return c <= ' ' || c == 0x7f || (c & 0x80) != 0; },
        '_');
    const std::string text(digits.data(), end);
    return leaf + '-' + std::string(digits.size() - text.size(), '0') + text;
}

Result<Root> open_place(const Root& homes, const std::string& name) {
    auto held = sys::openat(homes.fd(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!held) return cannot(held.error());
    auto root = Root::adopt(std::move(*held));
    if (!root) return root.error();
    return root->linkless();
}

Result<UniqueFd> open_file(const Root& place, const char* name) {
    auto file = sys::openat(place.fd(), name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (!file) return cannot(file.error());
    return std::move(*file);
}

Result<UniqueFd> open_lock(const Root& place, sys::FileLock kind) {
    auto lock = open_file(place, kLock);
    if (!lock) return lock;
    if (const auto locked = sys::try_lock_file(lock->get(), kind); !locked) {
        return cannot(refuse(Code::kRace, "it is in use"));
    }
    return lock;
}

Status make_directory(int parent, const char* name, mode_t mode) {
    const auto made = sys::mkdirat(parent, name, mode);
    const bool is_there = made || made.error().os_error == EEXIST;
    return is_there ? Status() : cannot(made.error());
}

Done empty(const Root& home) {
    PADDOCK_TRY(fs::chmod_pinned(home.fd(), 0700));
    const auto reader = std::make_unique<sys::DirReader>();
    return sandbox::empty_scratch(home.fd(), *reader);
}

// Without its path.
Result<LastingHome> open_in(const Root& place, const std::string& note) {
    auto lock = open_lock(place, sys::FileLock::kShared);
    if (!lock) return lock.error();
    auto turn = open_file(place, kTurn);
    if (!turn) return turn.error();
    auto known = place.read_file(kNote);
    if (!known && known.error().code == Code::kNotFound) {
        if (auto written = place.write_file(kNote, note); !written) return written.error();
        known = note;
    }
    if (!known) return known.error();
    if (*known != note) return cannot(refuse(Code::kRace, "it belongs to another workspace"));
    if (auto made = make_directory(place.fd(), kHome, 0700); !made) return made.error();
    auto home = place.sub_root(kHome);
    if (!home) return home.error();
    return LastingHome{std::move(*home), {}, std::move(*lock), std::move(*turn)};
}

void measure(const Root& root, KeptHome& home) {
    const auto walked = root.walk(".", [&](const WalkEntry& entry) {
        if (entry.failure != nullptr) return WalkAction::kContinue;
        std::uint64_t bytes = 0;
        if (entry.type == FileType::kRegular) {
            const auto node = sys::node_at(entry.directory, std::string(entry.name).c_str());
            if (node) bytes = node->stat.size;
        }
        home.bytes += in_disk_blocks(bytes);
        ++home.files;
        return WalkAction::kContinue;
    });
    (void)walked;  // what cannot be read is not counted
}

bool is_orphan(const std::string& note, const std::string& workspace) {
    const auto held = sys::openat(AT_FDCWD, workspace.c_str(), O_PATH | O_DIRECTORY);
    const auto now = held ? note_of(held->get(), workspace) : Outcome<std::string>(held.error());
    return !now || *now != note;
}

}  // namespace

Outcome<std::string> lasting_home_name(int workspace, const std::string& workspace_path) {
    PADDOCK_ASSIGN(note, note_of(workspace, workspace_path));
    return name_of(note, workspace_path);
}

Result<LastingHome> open_lasting_home(const std::string& homes, int workspace,
                                      const std::string& workspace_path) {
    const auto note = note_of(workspace, workspace_path);
    if (!note) return cannot(note.error());
    const auto root = open_or_make_homes(homes);
    if (!root) return root.error();
    const auto real = sys::real_path(homes.c_str());
    if (!real) return cannot(real.error());
    if (is_within(*real, workspace_path)) {
        return cannot(refuse(Code::kPermissionDenied,
                             "the state directory lies in the workspace; set XDG_STATE_HOME"));
    }
    const std::string name = name_of(*note, workspace_path);
    if (auto made = make_directory(root->fd(), name.c_str(), 0700); !made) return made.error();
    const auto place = open_place(*root, name);
    if (!place) return place.error();
    auto home = open_in(*place, *note);
    if (!home) return home;
    home->path = *real + '/' + name + '/' + kHome;
    return home;
}

Result<std::vector<KeptHome>> list_lasting_homes(const std::string& homes,
                                                 const std::optional<std::string>& only) {
    std::vector<KeptHome> all;
    const auto root = open_homes(homes);
    if (!root && root.error().code == Code::kNotFound) return all;
    if (!root) return root.error();
    const auto listing = root->list(".", kHomesMax);
    if (!listing) return listing.error();
    for (const ListEntry& entry : listing->entries) {
        if (only && entry.name != *only) continue;
        const auto place = open_place(*root, entry.name);
        if (!place) continue;
        const auto note = place->read_file(kNote);
        const auto directory = place->sub_root(kHome);
        const std::size_t line = note ? note->find('\n') : std::string::npos;
        if (line == std::string::npos) continue;
        KeptHome home;
        home.name = entry.name;
        home.workspace = note->substr(line + 1);
        home.is_orphan = is_orphan(*note, home.workspace);
        if (directory) measure(*directory, home);
        all.push_back(std::move(home));
    }
    std::sort(all.begin(), all.end(),
              [](const KeptHome& a, const KeptHome& b) { return a.workspace < b.workspace; });
    return all;
}

Status empty_lasting_home(const std::string& homes, const KeptHome& home) {
    const auto root = open_homes(homes);
    if (!root) return root.error();
    const auto place = open_place(*root, home.name);
    if (!place) return place.error();
    const auto lock = open_lock(*place, sys::FileLock::kAlone);
    if (!lock) return lock.error();
    const auto directory = place->sub_root(kHome);
    if (!directory && directory.error().code != Code::kNotFound) return directory.error();
    if (directory) {
        if (const auto emptied = empty(*directory); !emptied) return cannot(emptied.error());
    }
    if (!home.is_orphan) return {};
    (void)sys::unlinkat(place->fd(), kHome, sys::Unlink::kDirectory);
    for (const char* file : {kNote, kLock, kTurn}) {
        (void)sys::unlinkat(place->fd(), file, sys::Unlink::kFile);
    }
    (void)sys::unlinkat(root->fd(), home.name.c_str(), sys::Unlink::kDirectory);
    return {};
}

namespace {

Result<LastingHome> open_home(const sandbox::WardenSpec& spec) {
    const std::string& homes = *spec.options.homes;
    if (!homes.empty()) return open_lasting_home(homes, spec.workspace, spec.workspace_path);
    return as_error(refuse(Code::kNotFound, "there is no $HOME to keep it in"), "keep a home", {});
}

// In a further directory the home would have two paths, and a gate on each.
bool is_in_further_root(const sandbox::WardenSpec& spec, const std::string& path) {
    return std::any_of(
        spec.further.begin(), spec.further.end(),
        [&path](const sandbox::FurtherRoot& root) { return is_within(path, root.path); });
}

}  // namespace

CommandWorld prepare_world(sandbox::WardenSpec& spec, std::span<const std::string> environment) {
    CommandWorld world;
    if (spec.options.homes && !spec.gate) {
        world.scratch_home_reason =
            "no gate checks the home while commands cannot change the workspace";
    } else if (spec.options.homes) {
        auto home = open_home(spec);
        const bool is_in_a_root = home && is_in_further_root(spec, home->path);
        if (is_in_a_root) {
            world.scratch_home_reason =
                "the state directory lies in a directory of this session; set XDG_STATE_HOME";
        } else if (home) {
            spec.home = home->root.fd();
            spec.home_path = home->path;
            spec.home_turn = home->turn.get();
            world.home = std::move(*home);
        } else {
            const Error& why = home.error();
            world.scratch_home_reason =
                why.reason.empty() ? why.explanation() : std::string(why.reason);
        }
    }
    std::vector<std::string> visible;
    for (const std::string& path : spec.options.read_only_directories) {
        if (auto real = sys::real_path(path.c_str())) visible.push_back(std::move(*real));
    }
    for (const sandbox::FurtherRoot& root : spec.further) visible.push_back(root.path);
    auto found = sandbox::find_toolchains({.environment = environment,
                                           .workspace = spec.workspace_path,
                                           .visible = visible,
                                           .names = spec.options.toolchains});
    spec.links = std::move(found.links);
    world.variables = std::move(found.variables);
    world.search_path = std::move(found.search_path);
    world.shown = std::move(found.paths);
    return world;
}

}  // namespace paddock::tools
