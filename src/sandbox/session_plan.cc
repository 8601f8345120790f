#include "sandbox/session_plan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/reason.h"
#include "base/text.h"
#include "fs/probe.h"
#include "git/config.h"
#include "sandbox/scratch_removal.h"
#include "sandbox/view_plan.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/kernel_text.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace paddock::sandbox {

void add_protection(WriteMap& map, std::string_view workspace, std::string_view path,
                    std::span<char> buffer) noexcept {
    std::string_view whole = path;
    if (!path.starts_with('/')) {
        const std::size_t size = workspace.size() + 1 + path.size();
        if (size > buffer.size()) return;
        char* at = std::copy(workspace.begin(), workspace.end(), buffer.data());
        *at++ = '/';
        std::copy(path.begin(), path.end(), at);
        whole = {buffer.data(), size};
    }
    map.set(whole, Wall::kRule);
}

ObservedWorld observed_world(const WardenPlan& plan) {
    ObservedWorld world;
    WriteMap& map = world.map;
    map.loopback_only = plan.own_network;
    if (plan.level == SandboxLevel::kFull) {
        world.own_view = true;
        map.set("/dev", Wall::kView);
        for (const Piece& piece : plan.view.pieces) {
            const bool leads_there = piece.make == Make::kLink && piece.text == "/tmp";
            const bool is_own = piece.make == Make::kScratch || piece.make == Make::kHome;
            const bool is_device = piece.path.starts_with("dev/") && piece.make != Make::kDirectory;
            if (is_own || leads_there || is_device) {
                map.set('/' + piece.path, Wall::kNone);
            }
            if (piece.make == Make::kClosed) map.set('/' + piece.path, Wall::kView);
        }
    } else {
        // There is the host's /dev, of which few devices can be used.
        map.set("/dev/shm", Wall::kView);
        map.set(plan.scratch_parent + '/' + plan.scratch_name, Wall::kNone);
        if (plan.user.chosen) world.looker = {plan.user.user, plan.user.group};
    }
    map.set(plan.workspace_path, plan.read_only ? Wall::kReadOnly : Wall::kNone);
    for (const FurtherRootPlan& each : plan.further) {
        const bool is_gated = plan.gate != nullptr && each.journal != nullptr;
        const Wall wall = each.journal == nullptr ? Wall::kSeen : Wall::kView;
        map.set(each.path, is_gated ? Wall::kNone : wall);
    }
    // Without a mount namespace nothing holds them while a command runs.
    if (plan.level == SandboxLevel::kLow) return world;
    std::array<char, limits::kPathBytesMax> buffer{};
    for (const Protection& each : plan.protections) {
        add_protection(map, plan.workspace_path, each.path, buffer);
    }
    return world;
}

namespace {

Outcome<HostName> look_at_name(int directory, const char* name, std::string path) {
    PADDOCK_ASSIGN(node, sys::node_at(directory, name));
    HostName seen{std::move(path), node.stat.type};
    if (seen.type == FileType::kSymlink) {
        PADDOCK_ASSIGN(link, sys::readlinkat(directory, name));
        seen.link = std::move(link);
    }
    return seen;
}

// What the host has of the names that are shown, in a fixed order.
Outcome<std::vector<HostName>> host_names() {
    std::vector<HostName> names;
    for (const std::string_view path : system_directories()) {
        const std::string text(path);
        if (auto seen = look_at_name(AT_FDCWD, text.c_str(), text)) names.push_back(*seen);
    }
    const std::size_t directories = names.size();
    PADDOCK_ASSIGN(etc, sys::openat(AT_FDCWD, "/etc", O_RDONLY | O_DIRECTORY));
    const auto reader = std::make_unique<sys::DirReader>();
    for (;;) {
        PADDOCK_ASSIGN(entry, reader->next(etc.get()));
        if (entry == nullptr) break;
        if (!is_shown_in_etc(entry->name)) continue;
        std::string path = std::string("/etc/") + entry->name;
        if (auto seen = look_at_name(etc.get(), entry->name, std::move(path))) {
            names.push_back(*seen);
        }
    }
    for (const std::string_view part : shown_parts_of_etc()) {
        const std::string name(part);
        if (auto seen = look_at_name(etc.get(), name.c_str(), "/etc/" + name)) {
            names.push_back(std::move(*seen));
        }
    }
    std::sort(names.begin() + static_cast<long>(directories), names.end(),
              [](const HostName& a, const HostName& b) { return a.path < b.path; });
    return names;
}

Outcome<std::vector<HeldPath>> directories_of_operator(const ShellOptions& options) {
    std::vector<HeldPath> directories;
    for (const std::string& path : options.read_only_directories) {
        const auto real = sys::real_path(path.c_str());
        auto held = real ? hold(*real) : Outcome<HeldPath>(real.error());
        if (!held) {
            return refuse(Code::kInvalidArgument, "a read-only directory for commands is missing",
                          held.error().os_error);
        }
        directories.push_back(std::move(*held));
    }
    return directories;
}

// In order, none below another. The plan gets the objects.
Outcome<std::vector<ShownPath>> take_extras(const WardenSpec& spec, WardenPlan& plan) {
    PADDOCK_ASSIGN(own, directories_of_operator(spec.options));
    struct Extra {
        ShownPath shown;
        int object;
    };
    std::vector<Extra> all;
    all.reserve(own.size() + spec.shown.size());
    for (const HeldPath& each : own) all.push_back({{each.path}, each.object.get()});
    for (const HeldPath& each : spec.shown) {
        all.push_back({{each.path, each.is_directory(), true}, each.object.get()});
    }
    std::sort(all.begin(), all.end(),
              [](const Extra& a, const Extra& b) { return a.shown.path < b.shown.path; });
    std::vector<ShownPath> kept;
    for (Extra& each : all) {
        const bool is_held = std::any_of(kept.begin(), kept.end(), [&](const ShownPath& above) {
            return is_within(each.shown.path, above.path);
        });
        if (is_held) continue;
        PADDOCK_ASSIGN(object, sys::duplicate(each.object, kFirstOwnDescriptor));
        plan.extras.push_back({std::move(object), {}});
        kept.push_back(std::move(each.shown));
    }
    return kept;
}

// Root may look where the user of the commands may not.
Done mount_extras(std::vector<ExtraPlan>& extras) {
    for (ExtraPlan& each : extras) {
        const auto mount = sys::copy_mount(each.object.get(), "", sys::Tree::kOne);
        if (!mount) continue;
        PADDOCK_ASSIGN(high, sys::duplicate(mount->get(), kFirstOwnDescriptor));
        each = {{}, std::move(high)};
    }
    return {};
}

// Mounts below the workspace are none of its business, as for the file tools. Root does not take
// them along; for others the kernel insists on it, so they are covered.
Done hide_mounts_below(const std::string& workspace, std::vector<Protection>& protections,
                       const std::string& prefix = {}) {
    PADDOCK_ASSIGN(mounts, mounts_here());
    for (const auto& [id, device, root, point] : mounts) {
        if (point.size() <= workspace.size() || !is_within(point, workspace)) continue;
        protections.insert(protections.begin(),
                           {prefix + point.substr(workspace.size() + 1), Shield::kHidden});
    }
    return {};
}

Outcome<WardenPlan> basic_plan(const WardenSpec& spec, SandboxLevel level) {
    WardenPlan plan;
    plan.level = level;
    plan.shown_arguments = sys::shown_arguments();
    plan.workspace_path = spec.workspace_path;
    plan.read_only = spec.read_only;
    plan.limits = spec.options.limits;
    plan.own_network = level == SandboxLevel::kFull && !spec.options.host_network;
    plan.opens_doorway = plan.own_network && !spec.options.publish.empty();
    plan.protections = spec.protections;
    // It opens everything by openat2, and asks nobody before.
    const bool has_openat2 = fs::openat2_works(spec.workspace).value_or(false);
    if (spec.gate && !spec.read_only && has_openat2) plan.gate = &*spec.gate;
    PADDOCK_ASSIGN(workspace, sys::duplicate(spec.workspace, kFirstOwnDescriptor));
    plan.workspace = std::move(workspace);
    for (const FurtherRoot& each : spec.further) {
        PADDOCK_ASSIGN(directory, sys::duplicate(each.directory, kFirstOwnDescriptor));
        journal::Journal* const journal = spec.read_only ? nullptr : each.journal;
        plan.further.push_back({std::move(directory), {}, each.path, journal});
    }
    return plan;
}

constexpr const char* kGitConfig = "gitconfig";

// Its path as the warden finds it without any name.
std::string held_path(const UniqueFd& object) {
    return "/proc/self/fd/" + std::to_string(object.get());
}

std::vector<std::string> gated_roots(const WardenPlan& plan, SandboxLevel level) {
    std::vector<std::string> paths;
    for (const FurtherRootPlan& each : plan.further) {
        if (each.journal == nullptr) continue;
        paths.push_back(level == SandboxLevel::kFull ? each.path : held_path(each.directory));
    }
    return paths;
}

Done furnish(int directory, const CommandUser& user, const std::string& git_config) {
    PADDOCK_TRY(sys::mkdirat(directory, "home", 0700));
    PADDOCK_TRY(sys::mkdirat(directory, "tmp", 0700));
    if (!git_config.empty()) {
        constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
        PADDOCK_ASSIGN(file, sys::openat(directory, kGitConfig, kNew, 0444));
        PADDOCK_TRY(sys::write_all(file.get(), git_config));
        PADDOCK_TRY(sys::fchmod(file.get(), 0444));
    }
    if (!user.chosen) return {};
    for (const char* name : {"home", "tmp", "."}) {
        PADDOCK_ASSIGN(each, sys::openat(directory, name, O_RDONLY | O_DIRECTORY));
        PADDOCK_TRY(sys::fchown(each.get(), user.user, user.group));
    }
    return {};
}

// Does the workspace belong to the same user and group inside as outside?
bool keeps_owners(const Stat& workspace, const CommandUser& user) {
    return workspace.uid == user.inside_user && workspace.gid == user.inside_group;
}

// For git, as the settings of the system: everything else that git reads is stronger. An index has
// owners in it. Where they are others inside, git would take each file for a changed one, and
// `git reset --hard` would write all of them anew, those that are sealed as well.
std::string git_config_of(const GitAuthor& author, bool keeps_owners) {
    std::vector<git::GitSetting> settings;
    if (!keeps_owners) settings.push_back({"core.checkstat", "minimal"});
    if (!author.name.empty()) settings.push_back({"user.name", author.name});
    if (!author.email.empty()) settings.push_back({"user.email", author.email});
    return git::print_git_config(settings);
}

// Only its owner can enter it, and other users can neither remove nor replace it.
Outcome<std::string> make_private_directory(const char* parent, const CommandUser& user,
                                            const std::string& git_config) {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, parent, O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(random, sys::random_u64());
    std::string name = "paddock-" + std::to_string(sys::own_id()) + '-' + std::to_string(random);
    PADDOCK_TRY(sys::mkdirat(held.get(), name.c_str(), 0700));
    const auto made = sys::openat(held.get(), name.c_str(), O_RDONLY | O_NOFOLLOW);
    const auto furnished = made ? furnish(made->get(), user, git_config) : Done(made.error());
    if (furnished) return name;
    const auto reader = std::make_unique<sys::DirReader>();
    (void)remove_scratch(parent, name.c_str(), *reader);
    return furnished.error();
}

// A file of nobody else's, to lock.
Outcome<UniqueFd> make_turn(const std::string& directory) {
    const std::string path = directory + "/turn";
    PADDOCK_ASSIGN(made, sys::openat(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    PADDOCK_TRY(sys::unlinkat(AT_FDCWD, path.c_str(), sys::Unlink::kFile));
    return sys::duplicate(made.get(), kFirstOwnDescriptor);
}

Done make_scratch(WardenPlan& plan, const std::string& git_config) {
    Done failed = Failure{};
    for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
        auto name = make_private_directory(parent, plan.user, git_config);
        if (name) {
            plan.scratch_parent = parent;
            plan.scratch_name = std::move(*name);
            const std::string path = plan.scratch_parent + '/' + plan.scratch_name;
            plan.view.home = path + "/home";
            plan.view.temporary = path + "/tmp";
            if (!git_config.empty()) plan.git_config = path + '/' + kGitConfig;
            plan.unrecorded = path;
            PADDOCK_ASSIGN(turn, make_turn(path));
            plan.unrecorded_turn = std::move(turn);
            return {};
        }
        failed = name.error();
    }
    return failed;
}

// Threads of this user, which the limit of processes counts as well where there is no user
// namespace.
std::uint64_t threads_of_user(uid_t user) {
    auto proc = sys::openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
    if (!proc) return 0;
    const auto reader = std::make_unique<sys::DirReader>();
    std::uint64_t threads = 0;
    for (;;) {
        const auto entry = reader->next(proc->get());
        if (!entry || *entry == nullptr) return threads;
        const char* name = (*entry)->name;
        if (*name < '0' || *name > '9') continue;
        const auto node = sys::node_at(proc->get(), name);
        if (!node || node->stat.uid != user) continue;
        // One link for each thread, and two more.
        const auto tasks = sys::node_at(proc->get(), (std::string(name) + "/task").c_str());
        threads += tasks && tasks->stat.links > 2 ? tasks->stat.links - 2 : 1;
    }
}

// What a session has counts for its user outside, too, who is to keep some.
std::vector<KernelSetting> shares_of_user() {
    std::vector<KernelSetting> shares;
    for (const char* name : {"max_inotify_instances", "max_inotify_watches"}) {
        const std::string path = std::string("sys/user/") + name;
        const auto text = sys::read_text(AT_FDCWD, ("/proc/" + path).c_str());
        std::string_view line = text ? std::string_view(*text) : std::string_view();
        std::uint64_t most = 0;
        line = line.substr(0, line.find('\n'));
        if (sys::parse_number(line, most)) shares.push_back({path, std::to_string(most / 2)});
    }
    return shares;
}

}  // namespace

// Less, and a command fails on its way into the sandbox: the descriptors of its layers, the files
// of /etc that are made for it.
constexpr std::uint64_t kOpenFilesMin = 32;
constexpr std::uint64_t kScratchBytesMin = std::uint64_t{1} << 20;

Done check_spec(const WardenSpec& spec) {
    const auto wrong = [](std::string_view why) { return refuse(Code::kInvalidArgument, why); };
    const ShellOptions& options = spec.options;
    const auto stat = sys::fstat(spec.workspace);
    if (!stat || stat->type != FileType::kDirectory)
        return wrong("the workspace is not a directory");
    if (options.host_network && !is_reason(options.host_network->reason)) {
        return wrong("a permit has no reason");
    }
    if (options.host_network && !options.network_allow.empty()) {
        return wrong("the host's network and a list of destinations contradict each other");
    }
    if (options.host_network && !options.publish.empty()) {
        return wrong("with the host's network, servers are reachable without being published");
    }
    if (spec.further.size() > limits::kFurtherRootsMax) return wrong("too many further roots");
    if (spec.protections.size() > limits::kProtectionsMax) return wrong("too many protected paths");
    const CommandLimits& limits = options.limits;
    if (limits.processes == 0 || limits.memory_bytes == 0 || limits.open_files < kOpenFilesMin ||
        limits.scratch_bytes < kScratchBytesMin) {
        return wrong("a limit of commands is too low for any command");
    }
    return {};
}

Outcome<WardenPlan> plan_full_level(const WardenSpec& spec, int abi) {
    PADDOCK_ASSIGN(plan, basic_plan(spec, SandboxLevel::kFull));
    PADDOCK_ASSIGN(user, choose_user(spec.workspace, spec.home, spec.ceiling.idmapped_mounts));
    if (spec.home >= 0 && (!user.chosen || user.home_mount.valid())) {
        PADDOCK_ASSIGN(home, sys::fstat(spec.home));
        plan.home_identity = home.identity;
        plan.home_path = spec.home_path;
        PADDOCK_ASSIGN(turn, sys::duplicate(spec.home_turn, kFirstOwnDescriptor));
        plan.unrecorded_turn = std::move(turn);
    }
    ViewFacts facts;
    PADDOCK_ASSIGN(host, host_names());
    facts.host = std::move(host);
    facts.workspace = spec.workspace_path;
    PADDOCK_ASSIGN(extras, take_extras(spec, plan));
    facts.extras = std::move(extras);
    for (const FurtherRoot& each : spec.further) facts.further.push_back(each.path);
    facts.links = spec.links;
    facts.has_home = !plan.home_path.empty();
    PADDOCK_ASSIGN(workspace, sys::fstat(spec.workspace));
    facts.git_config = git_config_of(spec.options.git_author, keeps_owners(workspace, user));
    if (!facts.git_config.empty()) plan.git_config = "/etc/gitconfig";
    facts.user = user.inside_user;
    facts.group = user.inside_group;
    facts.host_network = spec.options.host_network.has_value();
    if (facts.host_network) {
        facts.host_hosts = sys::read_text(AT_FDCWD, "/etc/hosts").value_or("");
        facts.host_resolver = sys::read_text(AT_FDCWD, "/etc/resolv.conf").value_or("");
    }
    PADDOCK_ASSIGN(view, plan_view(facts));
    plan.view = std::move(view);
    if (user.chosen) PADDOCK_TRY(mount_extras(plan.extras));
    for (FurtherRootPlan& each : plan.further) {
        if (!user.chosen) {
            PADDOCK_TRY(hide_mounts_below(each.path, plan.protections, each.path + '/'));
            continue;
        }
        PADDOCK_ASSIGN(mount, mount_for_user(each.directory.get(), user));
        PADDOCK_ASSIGN(kept, sys::duplicate(mount.get(), kFirstOwnDescriptor));
        each.mount = std::move(kept);
    }
    if (!user.workspace_mount.valid()) {
        PADDOCK_TRY(hide_mounts_below(spec.workspace_path, plan.protections));
    } else {
        PADDOCK_ASSIGN(kept, sys::duplicate(user.workspace_mount.get(), kFirstOwnDescriptor));
        plan.workspace_mount = std::move(kept);
    }
    if (user.home_mount.valid()) {
        PADDOCK_ASSIGN(kept, sys::duplicate(user.home_mount.get(), kFirstOwnDescriptor));
        plan.home_mount = std::move(kept);
    }
    plan.user = std::move(user);
    // What lies there is memory, and nobody else counts files that no process has open.
    plan.scratch_bytes = std::to_string(
        std::max(kScratchBytesMin, std::min(plan.limits.scratch_bytes, plan.limits.memory_bytes)));
    plan.settings = shares_of_user();
    plan.scratch_files = std::to_string(limits::kCommandScratchFiles);
    plan.landlock_abi = abi;
    plan.rules =
        rules_in_view(plan.view, spec.workspace_path, spec.read_only, facts.host_network, abi);
    plan.gated_rules =
        gated(plan.rules, spec.workspace_path, gated_roots(plan, SandboxLevel::kFull));
    if (!plan.home_path.empty()) {
        plan.unrecorded = plan.view.home;
        plan.gated_rules = gated(plan.gated_rules, plan.unrecorded, {});
    }
    return std::move(plan);
}

Outcome<WardenPlan> plan_low_level(const WardenSpec& spec, int abi) {
    PADDOCK_ASSIGN(plan, basic_plan(spec, SandboxLevel::kLow));
    PADDOCK_ASSIGN(user, choose_plain_user(spec.workspace));
    plan.user = std::move(user);
    // Of those more may begin, our own threads among them, and use up what commands may have before
    // they do. Whoever counts the commands' processes keeps that limit; the kernel stops what is
    // faster.
    plan.others = threads_of_user(plan.user.user) +
                  std::min<std::uint64_t>(plan.limits.processes, kProcessesSeenMax);
    PlainPlaces places;
    PADDOCK_ASSIGN(host, host_names());
    places.host = std::move(host);
    PADDOCK_TRY(take_extras(spec, plan));
    for (const ExtraPlan& each : plan.extras) places.seen.push_back(held_path(each.object));
    for (const FurtherRootPlan& each : plan.further) {
        places.seen.push_back(held_path(each.directory));
    }
    places.read_only = spec.read_only;
    places.host_network = spec.options.host_network.has_value();
    PADDOCK_TRY(make_scratch(plan, git_config_of(spec.options.git_author, true)));
    places.scratch = plan.scratch_parent + '/' + plan.scratch_name;
    plan.landlock_abi = abi;
    plan.rules = rules_without_view(places, abi);
    plan.gated_rules = gated(plan.rules, ".", gated_roots(plan, SandboxLevel::kLow));
    plan.gated_rules = gated(plan.gated_rules, plan.unrecorded, {});
    return std::move(plan);
}

}  // namespace paddock::sandbox
