#include "sandbox/view_plan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/text.h"
#include "proxy/name_server.h"
#include "sys/kernel_text.h"

namespace paddock::sandbox {
namespace {

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

}  // namespace

Outcome<std::vector<MountedHere>> mounts_here() {
    PADDOCK_ASSIGN(text, sys::read_text(AT_FDCWD, "/proc/self/mountinfo"));
    std::vector<MountedHere> mounts;
    for (const std::string& line : sys::split(text, '\n')) {
        const auto fields = sys::split(line, ' ');
        MountedHere mount;
        if (fields.size() < 5 || !sys::parse_number(fields[0], mount.id)) continue;
        mount.device = fields[2];
        mount.root = unescaped(fields[3]);
        mount.point = unescaped(fields[4]);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

Outcome<MountedHere> mount_of(int fd) {
    PADDOCK_ASSIGN(about,
                   sys::read_text(AT_FDCWD, ("/proc/self/fdinfo/" + std::to_string(fd)).c_str()));
    std::uint64_t id = 0;
    for (const std::string& line : sys::split(about, '\n')) {
        std::string_view rest = line;
        if (sys::next_word(rest) == "mnt_id:" && !sys::parse_number(sys::next_word(rest), id))
            break;
    }
    PADDOCK_ASSIGN(mounts, mounts_here());
    for (MountedHere& each : mounts) {
        if (each.id == id) return std::move(each);
    }
    return refuse(Code::kNotAvailable, "this mount is not visible");
}

constexpr unsigned kNobodyId = 65534;

std::string passwd_text(uid_t user, gid_t group, const std::string& home) {
    std::string text = "agent:x:" + std::to_string(user) + ':' + std::to_string(group) +
                       ":agent:" + home + ":/bin/sh\nroot:x:0:0:root:/:/usr/sbin/nologin\n";
    if (user != kNobodyId) text += "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
    return text;
}

std::string group_text(gid_t group) {
    std::string text = "agent:x:" + std::to_string(group) + ":\nroot:x:0:\n";
    if (group != kNobodyId) text += "nogroup:x:65534:\n";
    return text;
}

std::string hostname_text() { return std::string(proxy::kInsideHostName) + '\n'; }

std::string hosts_text() {
    return std::string("127.0.0.1 localhost ") + proxy::kInsideHostName +
           "\n::1 localhost ip6-localhost\n";
}

std::string nsswitch_text() {
    return "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
           "protocols: files\nservices: files\nethers: files\nrpc: files\n";
}

namespace {

constexpr std::array<std::string_view, 7> kSystem{"/usr",   "/bin",   "/sbin",  "/lib",
                                                  "/lib32", "/lib64", "/libx32"};

// Of /etc, what programs need to start, to print, to compile and to trust certificates; a star
// stands for the rest of a name. No accounts, no configuration of services, nothing that is secret
// anywhere.
constexpr std::string_view kEtc[] = {"ImageMagick-*",
                                     "R",
                                     "alternatives",
                                     "bash.bashrc",
                                     "ca-certificates",
                                     "crypto-policies",
                                     "debian_version",
                                     "fonts",
                                     "fpc*",
                                     "ghostscript",
                                     "gnucobol",
                                     "groff",
                                     "inputrc",
                                     "java-*",
                                     "ld.so.cache",
                                     "ld.so.conf",
                                     "ld.so.conf.d",
                                     "locale.alias",
                                     "locale.conf",
                                     "localtime",
                                     "lsb-release",
                                     "magic",
                                     "man_db.conf",
                                     "manpath.config",
                                     "mime.types",
                                     "os-release",
                                     "perl",
                                     "pki",
                                     "profile",
                                     "protocols",
                                     "python3*",
                                     "services",
                                     "shells",
                                     "ssl",
                                     "terminfo",
                                     "texmf",
                                     "timezone",
                                     "vim",
                                     "xattr.conf",
                                     "xml"};

// Of directories there that may hold a password as well.
constexpr std::string_view kPartsOfEtc[] = {"maven/logging", "maven/m2.conf"};

// Parts of /proc that tell of the host's memory and hardware, or act on it.
constexpr std::array<std::string_view, 8> kCovered{
    "proc/acpi",        "proc/kcore", "proc/keys",          "proc/latency_stats",
    "proc/sched_debug", "proc/scsi",  "proc/sysrq-trigger", "proc/timer_list"};

constexpr std::array<std::string_view, 6> kDevices{"full", "null",    "random",
                                                   "tty",  "urandom", "zero"};

// What is made anew and can be no place for a directory of the host.
constexpr std::array<std::string_view, 3> kOwn{"/dev", "/proc", "/sys"};

bool is_canonical(std::string_view path) {
    if (path.size() < 2 || path.front() != '/' || path.back() == '/') return false;
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

bool can_be_shown(std::string_view path) {
    return is_canonical(path) && std::none_of(kOwn.begin(), kOwn.end(),
                                              [path](auto own) { return is_within(path, own); });
}

class Planner {
public:
    explicit Planner(const ViewFacts& facts) : facts_(facts) {}

    ViewPlan make() {
        system_places();
        etc();
        devices();
        proc();
        scratch();
        mounts();
        return std::move(plan_);
    }

private:
    void add(Piece piece) {
        parents(piece.path);
        made_.insert(piece.path);
        plan_.pieces.push_back(std::move(piece));
    }

    // Directories above `path`. What lies in a mount of the host exists there.
    void parents(const std::string& path) {
        for (std::size_t slash = path.find('/'); slash != std::string::npos;
             slash = path.find('/', slash + 1)) {
            const std::string above = path.substr(0, slash);
            if (is_mounted(above)) return;
            if (made_.insert(above).second) plan_.pieces.push_back({Make::kDirectory, above});
        }
    }

    bool is_mounted(const std::string& path) const {
        return std::any_of(mounted_.begin(), mounted_.end(),
                           [&path](const std::string& at) { return is_within(path, at); });
    }

    // Their places first: a way that is closed takes no further directory.
    void mounts() {
        std::vector<Piece> mounts;
        for (const ShownPath& extra : facts_.extras) {
            mounts.push_back({Make::kExtra, extra.path.substr(1), extra.path, 0755,
                              extra.is_directory, extra.is_optional});
        }
        for (const std::string& root : facts_.further) {
            mounts.push_back({Make::kFurther, root.substr(1), root});
        }
        mounts.push_back({Make::kWorkspace, facts_.workspace.substr(1), facts_.workspace});
        for (const Piece& each : mounts) {
            if (is_mounted(each.path)) continue;
            if (!made_.contains(each.path)) {
                const mode_t mode = each.is_directory ? 0755 : 0;
                add({Make::kDirectory, each.path, {}, mode, each.is_directory});
            }
            close_way_to(each.path);
            mounted_.push_back(each.path);
        }
        for (const ShownLink& link : facts_.links) make_link(link);
        plan_.pieces.insert(plan_.pieces.end(), closed_.begin(), closed_.end());
        plan_.pieces.insert(plan_.pieces.end(), mounts.begin(), mounts.end());
    }

    // Where something is already, that stays.
    void make_link(const ShownLink& link) {
        std::string path = link.path.substr(1);
        if (is_mounted(path) || made_.contains(path)) return;
        add({Make::kLink, std::move(path), link.target});
    }

    // What lies in a scratch directory above something of the host's looks like the host's too, and
    // a file that is made there would be gone with the session.
    void close_way_to(const std::string& path) {
        for (const std::string& scratch : scratch_) {
            if (!is_within(path, scratch) || path == scratch) continue;
            const std::size_t end = path.find('/', scratch.size() + 1);
            std::string above = path.substr(0, end);
            const bool is_closed =
                std::any_of(closed_.begin(), closed_.end(),
                            [&above](const Piece& piece) { return piece.path == above; });
            const bool is_writable =
                std::find(scratch_.begin(), scratch_.end(), above) != scratch_.end();
            if (end == path.npos || is_closed || is_writable) continue;
            closed_.push_back({Make::kClosed, std::move(above)});
        }
    }

    // Something of the operator's or a root is at or below `path`.
    bool is_needed_by_a_mount(std::string_view path) const {
        return any_mount([path](std::string_view mount) { return is_within(mount, path); });
    }
    bool is_hidden_by_a_mount(std::string_view path) const {
        return any_mount([path](std::string_view mount) { return is_within(path, mount); });
    }
    template <class Test>
    bool any_mount(const Test& test) const {
        return test(facts_.workspace) ||
               std::any_of(facts_.extras.begin(), facts_.extras.end(),
                           [&test](const ShownPath& extra) { return test(extra.path); }) ||
               std::any_of(facts_.further.begin(), facts_.further.end(), test);
    }

    void system_places() {
        for (const HostName& name : facts_.host) {
            std::string path = name.path.substr(1);
            if (name.type == FileType::kSymlink) {
                add({Make::kLink, std::move(path), name.link});
            } else {
                const bool is_directory = name.type == FileType::kDirectory;
                if (is_directory) mounted_.push_back(path);
                add({Make::kSystem, std::move(path), name.path, 0755, is_directory});
            }
        }
    }

    void etc() {
        const auto text = [this](const char* path, std::string content) {
            add({Make::kText, path, std::move(content), 0444, false});
        };
        text("etc/passwd", passwd_text(facts_.user, facts_.group, home()));
        text("etc/group", group_text(facts_.group));
        text("etc/hostname", hostname_text());
        text("etc/nsswitch.conf", nsswitch_text());
        text("etc/hosts", facts_.host_network ? facts_.host_hosts : hosts_text());
        if (facts_.host_network) text("etc/resolv.conf", facts_.host_resolver);
        if (!facts_.git_config.empty()) text("etc/gitconfig", facts_.git_config);
    }

    void devices() {
        for (const std::string_view name : kDevices) {
            add({Make::kDevice, "dev/" + std::string(name), "/dev/" + std::string(name), 0, false});
        }
        add({Make::kTerminals, "dev/pts"});
        add({Make::kLink, "dev/ptmx", "pts/ptmx"});
        add({Make::kLink, "dev/fd", "/proc/self/fd"});
        add({Make::kLink, "dev/stdin", "/proc/self/fd/0"});
        add({Make::kLink, "dev/stdout", "/proc/self/fd/1"});
        add({Make::kLink, "dev/stderr", "/proc/self/fd/2"});
        add({Make::kScratch, "dev/shm", {}, 01777});
    }

    void proc() {
        add({Make::kProc, "proc"});
        for (const std::string_view path : kCovered) {
            plan_.pieces.push_back({Make::kCover, std::string(path)});
        }
        add({Make::kDirectory, "sys", {}, 0555});
        if (!made_.contains("run")) add({Make::kDirectory, "run", {}, 0755});
    }

    void scratch() {
        plan_.temporary = "/tmp";
        if (!is_hidden_by_a_mount("/tmp")) add_scratch("tmp", 01777);
        if (is_needed_by_a_mount("/var/tmp")) {
            if (!is_hidden_by_a_mount("/var/tmp")) add_scratch("var/tmp", 01777);
        } else {
            add({Make::kLink, "var/tmp", "/tmp"});
        }
        plan_.home = home();
        if (facts_.has_home) {
            add({Make::kDirectory, plan_.home.substr(1), {}, 0700});
            plan_.pieces.push_back({Make::kHome, plan_.home.substr(1)});
        } else {
            add_scratch(plan_.home.substr(1), 0700);
        }
    }

    void add_scratch(std::string path, mode_t mode) {
        scratch_.push_back(path);
        add({Make::kScratch, std::move(path), {}, mode});
    }

    // Nothing is made in a home that lasts: it would stay.
    std::string home() const {
        for (const char* candidate : {"/home/agent", "/tmp/agent", "/agent"}) {
            if (facts_.has_home && is_needed_by_a_mount(candidate)) continue;
            if (!is_hidden_by_a_mount(candidate)) return candidate;
        }
        return "/paddock-agent";
    }

    const ViewFacts& facts_;
    ViewPlan plan_;
    std::set<std::string> made_;
    std::vector<std::string> mounted_;
    std::vector<std::string> scratch_;
    std::vector<Piece> closed_;
};

}  // namespace

std::span<const std::string_view> system_directories() { return kSystem; }

std::span<const std::string_view> shown_parts_of_etc() { return kPartsOfEtc; }

bool is_shown_in_etc(std::string_view name) {
    return std::any_of(std::begin(kEtc), std::end(kEtc), [name](std::string_view shown) {
        return shown.back() == '*' ? name.starts_with(shown.substr(0, shown.size() - 1))
                                   : name == shown;
    });
}

Outcome<ViewPlan> plan_view(const ViewFacts& facts) {
    if (!can_be_shown(facts.workspace)) {
        return refuse(
            Code::kInvalidArgument,
            "a workspace for commands is a canonical path, not '/' and not in /dev, /proc "
            "or /sys");
    }
    for (const std::string& root : facts.further) {
        if (!can_be_shown(root) || is_within(root, facts.workspace) ||
            is_within(facts.workspace, root) || root == "/tmp" || root == "/var" ||
            root == "/var/tmp") {
            return refuse(Code::kInvalidArgument,
                          "a further directory for commands is a canonical path, not '/', not /tmp "
                          "or /var, not in /dev, /proc or /sys, and apart from the workspace");
        }
    }
    for (const auto& [path, is_directory, is_optional] : facts.extras) {
        const std::string& extra = path;
        const bool is_in_further =
            std::any_of(facts.further.begin(), facts.further.end(),
                        [&extra](const std::string& root) { return is_within(extra, root); });
        if (is_in_further || !can_be_shown(extra) || is_within(extra, facts.workspace) ||
            extra == "/tmp" || extra == "/var" || extra == "/var/tmp") {
            return refuse(Code::kInvalidArgument,
                          "a read-only directory for commands is a canonical path, not '/', not "
                          "/tmp or /var, not in /dev, /proc, /sys or the workspace");
        }
    }
    return Planner(facts).make();
}

}  // namespace paddock::sandbox
