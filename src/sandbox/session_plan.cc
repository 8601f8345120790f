#include "sandbox/session_plan.h"

#include <fcntl.h>

#include <algorithm>

#include "base/within.h"
#include "fs/probe.h"
#include "sandbox/kernel_text.h"
#include "sandbox/scratch_removal.h"
#include "sys/attr.h"
#include "sys/child.h"
#include "sys/dir.h"
#include "sys/io.h"
#include "sys/mount.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/process.h"
#include "sys/stat.h"

namespace paddock::sandbox {
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
    std::sort(names.begin() + static_cast<long>(directories), names.end(),
              [](const HostName& a, const HostName& b) { return a.path < b.path; });
    return names;
}

// Canonical, in order, none below another.
Outcome<std::vector<std::string>> real_extras(const std::vector<std::string>& given) {
    std::vector<std::string> real;
    for (const std::string& path : given) {
        const auto resolved = sys::real_path(path.c_str());
        if (!resolved) {
            return refuse(Code::kInvalidArgument, "a read-only directory for commands is missing",
                          resolved.error().os_error);
        }
        real.push_back(*resolved);
    }
    std::sort(real.begin(), real.end());
    std::vector<std::string> kept;
    for (std::string& path : real) {
        if (kept.empty() || !is_within(path, kept.back())) kept.push_back(std::move(path));
    }
    return kept;
}

// Root may look where the user of the commands may not.
Outcome<std::vector<UniqueFd>> mounts_of(const std::vector<std::string>& extras) {
    std::vector<UniqueFd> mounts;
    for (const std::string& path : extras) {
        PADDOCK_ASSIGN(mount, sys::copy_mount(AT_FDCWD, path.c_str(), sys::Tree::kOne));
        PADDOCK_ASSIGN(kept, sys::duplicate(mount.get(), kFirstOwnDescriptor));
        mounts.push_back(std::move(kept));
    }
    return mounts;
}

// Paths in /proc/self/mountinfo have spaces and the like as three octal digits.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                       (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

// Mounts below the workspace are none of its business, as for the file tools. Root does not take
// them along; for others the kernel insists on it, so they are covered.
Done hide_mounts_below(const std::string& workspace, std::vector<Protection>& protections) {
    PADDOCK_ASSIGN(mounts, read_text(AT_FDCWD, "/proc/self/mountinfo"));
    for (const std::string& line : split(mounts, '\n')) {
        const auto fields = split(line, ' ');
        if (fields.size() < 5) continue;
        const std::string point = unescaped(fields[4]);
        if (point.size() <= workspace.size() || !is_within(point, workspace)) continue;
        protections.insert(protections.begin(),
                           {point.substr(workspace.size() + 1), Shield::kHidden});
    }
    return {};
}

Outcome<WardenPlan> basic_plan(const WardenSpec& spec, Rung rung) {
    WardenPlan plan;
    plan.rung = rung;
    plan.shown_arguments = sys::shown_arguments();
    plan.workspace_path = spec.workspace_path;
    plan.read_only = spec.read_only;
    plan.limits = spec.options.limits;
    plan.own_network = rung == Rung::kFull && !spec.options.host_network;
    plan.listens = rung == Rung::kFull && !spec.options.network_allow.empty();
    plan.protections = spec.protections;
    // It opens everything by openat2, and asks nobody before.
    const bool has_openat2 = fs::openat2_works(spec.workspace).value_or(false);
    if (spec.gate && !spec.read_only && has_openat2) plan.gate = &*spec.gate;
    PADDOCK_ASSIGN(workspace, sys::duplicate(spec.workspace, kFirstOwnDescriptor));
    plan.workspace = std::move(workspace);
    return plan;
}

Done furnish(int directory, const CommandUser& user) {
    PADDOCK_TRY(sys::mkdirat(directory, "home", 0700));
    PADDOCK_TRY(sys::mkdirat(directory, "tmp", 0700));
    if (!user.chosen) return {};
    for (const char* name : {"home", "tmp", "."}) {
        PADDOCK_ASSIGN(each, sys::openat(directory, name, O_RDONLY | O_DIRECTORY));
        PADDOCK_TRY(sys::fchown(each.get(), user.user, user.group));
    }
    return {};
}

// Only its owner can enter it, and other users can neither remove nor replace it.
Outcome<std::string> make_private_directory(const char* parent, const CommandUser& user) {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, parent, O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(random, sys::random_u64());
    std::string name = "paddock-" + std::to_string(sys::own_id()) + '-' + std::to_string(random);
    PADDOCK_TRY(sys::mkdirat(held.get(), name.c_str(), 0700));
    const auto made = sys::openat(held.get(), name.c_str(), O_RDONLY | O_NOFOLLOW);
    const auto furnished = made ? furnish(made->get(), user) : Done(made.error());
    if (furnished) return name;
    const auto reader = std::make_unique<sys::DirReader>();
    (void)remove_scratch(parent, name.c_str(), *reader);
    return furnished.error();
}

Done make_scratch(WardenPlan& plan) {
    Done failed = Failure{};
    for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
        auto name = make_private_directory(parent, plan.user);
        if (name) {
            plan.scratch_parent = parent;
            plan.scratch_name = std::move(*name);
            const std::string path = plan.scratch_parent + '/' + plan.scratch_name;
            plan.view.home = path + "/home";
            plan.view.temporary = path + "/tmp";
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

}  // namespace

// Less, and a command fails on its way into the sandbox: the descriptors of its layers, the files
// of /etc that are made for it.
constexpr std::uint64_t kOpenFilesMin = 32;
constexpr std::uint64_t kScratchBytesMin = std::uint64_t{1} << 20;

Done check_spec(const WardenSpec& spec) {
    const auto wrong = [](std::string_view why) { return refuse(Code::kInvalidArgument, why); };
    const ShellOptions& options = spec.options;
    const auto stat = sys::fstat(spec.workspace);
    if (!stat || stat->type != FileType::kDirectory) return wrong("the workspace is no directory");
    if (options.host_network && options.host_network->reason.empty()) {
        return wrong("a permit has no reason");
    }
    if (options.host_network && !options.network_allow.empty()) {
        return wrong("the host's network and a list of destinations contradict each other");
    }
    if (spec.protections.size() > limits::kProtectionsMax) return wrong("too many protected paths");
    const CommandLimits& limits = options.limits;
    if (limits.processes == 0 || limits.memory_bytes == 0 || limits.address_bytes == 0 ||
        limits.open_files < kOpenFilesMin || limits.scratch_bytes < kScratchBytesMin) {
        return wrong("a limit of commands is too low for any command");
    }
    return {};
}

Outcome<WardenPlan> plan_full_rung(const WardenSpec& spec, int abi) {
    PADDOCK_ASSIGN(plan, basic_plan(spec, Rung::kFull));
    PADDOCK_ASSIGN(user, choose_user(spec.workspace, spec.ceiling.idmapped_mounts));
    ViewFacts facts;
    PADDOCK_ASSIGN(host, host_names());
    facts.host = std::move(host);
    facts.workspace = spec.workspace_path;
    PADDOCK_ASSIGN(extras, real_extras(spec.options.read_only_directories));
    facts.extras = std::move(extras);
    facts.user = user.inside_user;
    facts.group = user.inside_group;
    facts.host_network = spec.options.host_network.has_value();
    if (facts.host_network) {
        facts.host_hosts = read_text(AT_FDCWD, "/etc/hosts").value_or("");
        facts.host_resolver = read_text(AT_FDCWD, "/etc/resolv.conf").value_or("");
    }
    PADDOCK_ASSIGN(view, plan_view(facts));
    plan.view = std::move(view);
    if (user.chosen) {
        PADDOCK_ASSIGN(mounts, mounts_of(facts.extras));
        plan.extra_mounts = std::move(mounts);
    }
    if (!user.workspace_mount.valid()) {
        PADDOCK_TRY(hide_mounts_below(spec.workspace_path, plan.protections));
    } else {
        PADDOCK_ASSIGN(kept, sys::duplicate(user.workspace_mount.get(), kFirstOwnDescriptor));
        plan.workspace_mount = std::move(kept);
    }
    plan.user = std::move(user);
    plan.scratch_bytes = std::to_string(plan.limits.scratch_bytes);
    plan.scratch_files = std::to_string(limits::kCommandScratchFiles);
    plan.landlock_abi = abi;
    plan.rules =
        rules_in_view(plan.view, spec.workspace_path, spec.read_only, facts.host_network, abi);
    plan.gated_rules = gated(plan.rules, spec.workspace_path);
    return std::move(plan);
}

Outcome<WardenPlan> plan_low_rung(const WardenSpec& spec, int abi) {
    PADDOCK_ASSIGN(plan, basic_plan(spec, Rung::kLow));
    PADDOCK_ASSIGN(user, choose_plain_user(spec.workspace));
    plan.user = std::move(user);
    // Of those more may begin, our own threads among them, and use up what commands may have before
    // they do. Whoever counts the commands' processes keeps that limit; the kernel stops what is
    // faster.
    plan.others = threads_of_user(plan.user.user) +
                  std::min<std::uint64_t>(plan.limits.processes, limits::kProcessesSeenMax);
    PlainPlaces places;
    PADDOCK_ASSIGN(host, host_names());
    places.host = std::move(host);
    PADDOCK_ASSIGN(extras, real_extras(spec.options.read_only_directories));
    places.extras = std::move(extras);
    places.read_only = spec.read_only;
    places.host_network = spec.options.host_network.has_value();
    PADDOCK_TRY(make_scratch(plan));
    places.scratch = plan.scratch_parent + '/' + plan.scratch_name;
    plan.landlock_abi = abi;
    plan.rules = rules_without_view(places, abi);
    plan.gated_rules = gated(plan.rules, ".");
    return std::move(plan);
}

}  // namespace paddock::sandbox
