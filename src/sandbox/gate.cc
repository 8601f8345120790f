// A call goes one way: decode, locate (text first, then one openat2 beneath the workspace), judge,
// record, act on the held directory, answer. From locate() to the act the gate holds the
// workspace's turn, so no other command, session or tool changes a name in between.
#include "sandbox/gate.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "sandbox/foreign_path.h"
#include "sys/attr.h"
#include "sys/child.h"
#include "sys/credential.h"
#include "sys/io.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/socket.h"
#include "sys/stat.h"
#include "sys/uapi.h"

namespace paddock::sandbox {
namespace {

constexpr int kLinksMax = 40;  // as the kernel's
constexpr std::uint64_t kBeneath = sys::uapi::kResolveBeneath | sys::uapi::kResolveNoSymlinks |
                                   sys::uapi::kResolveNoMagiclinks | sys::uapi::kResolveNoXdev;

// What openat2 knows; open(2) ignores the rest.
constexpr std::uint64_t kOpenFlags =
    O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC | O_SYNC |
    O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_TMPFILE;

bool is_unnamed(std::uint64_t flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

bool writes(std::uint64_t flags) {
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

bool is_writable(std::uint64_t flags) {
    return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

struct SplitPath {
    std::string_view directory;  // with its final slash; empty: where it begins
    std::string_view leaf;       // empty: "/", or it ends in "." or ".."
    bool slash = false;
};

SplitPath split_leaf(std::string_view path) {
    SplitPath parts;
    std::string_view rest = path;
    while (rest.size() > 1 && rest.ends_with('/')) {
        rest.remove_suffix(1);
        parts.slash = true;
    }
    const std::size_t slash = rest.rfind('/');
    const std::string_view leaf = slash == rest.npos ? rest : rest.substr(slash + 1);
    if (leaf.empty() || leaf == "." || leaf == "..") {
        parts.directory = path;
        return parts;
    }
    parts.directory = rest.substr(0, rest.size() - leaf.size());
    parts.leaf = leaf;
    return parts;
}

// No ".", ".." or empty name: the text of such a path is the path itself where no link is on it.
bool is_plain(std::string_view path) {
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        if (name.empty() || name == "." || name == "..") return false;
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (path.empty()) return true;
    }
    return true;
}

std::string proc_of(int process) { return "/proc/" + std::to_string(process); }

// The beginning of a file of /proc, as far as anything of it is asked for.
std::string proc_text(const std::string& path) {
    std::string text(2048, '\0');
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    const auto size =
        file ? sys::read(file->get(), text.data(), text.size()) : Outcome<std::size_t>(0U);
    text.resize(size ? *size : 0);
    return text;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view field, int base) {
    const std::size_t at = text.find(field);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + field.size());
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// The process of a thread.
std::string thread_group(int thread) {
    return std::to_string(
        number_after(proc_text(proc_of(thread) + "/status"), "Tgid:", 10).value_or(0));
}

// Has it a signal to handle, now that a call keeps it?
bool is_signalled(int thread) {
    const std::string status = proc_text(proc_of(thread) + "/status");
    const auto set = [&](std::string_view field) {
        return number_after(status, field, 16).value_or(0);
    };
    return ((set("SigPnd:") | set("ShdPnd:")) & set("SigCgt:") & ~set("SigBlk:")) != 0;
}

// What "/proc/self" and the names in /dev that lead there mean to the caller.
std::string as_caller_sees(std::string path, int thread) {
    if (!path.starts_with("/proc/") && !path.starts_with("/dev/")) return path;
    const std::string own = "/proc/" + thread_group(thread);
    const auto replace = [&](std::string_view prefix, const std::string& with) {
        if (!is_within(path, prefix)) return false;
        path = with + path.substr(prefix.size());
        return true;
    };
    replace("/proc/self", own) || replace("/proc/thread-self", proc_of(thread)) ||
        replace("/dev/fd", own + "/fd") || replace("/dev/stdin", own + "/fd/0") ||
        replace("/dev/stdout", own + "/fd/1") || replace("/dev/stderr", own + "/fd/2");
    return path;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// "/proc/PROCESS/fd/NUMBER", after as_caller_sees().
bool is_descriptor_link(std::string_view path) {
    constexpr std::string_view kProc = "/proc/";
    if (!path.starts_with(kProc)) return false;
    path.remove_prefix(kProc.size());
    const std::size_t slash = path.find('/');
    if (slash == path.npos || !is_number(path.substr(0, slash))) return false;
    path.remove_prefix(slash);
    return path.starts_with("/fd/") && is_number(path.substr(4));
}

Outcome<std::string> link_text(const std::string& path) {
    std::array<char, 2 * limits::kPathBytesMax> buffer;
    PADDOCK_ASSIGN(size, sys::read_link(path.c_str(), buffer));
    if (size == buffer.size()) return Failure::from_errno(ENAMETOOLONG);
    return std::string(buffer.data(), size);
}

Done read_config(int file, std::string& text) {
    std::array<char, 4096> part;
    for (;;) {
        PADDOCK_ASSIGN(got, sys::read(file, part.data(), part.size()));
        if (got == 0) return {};
        text.append(part.data(), got);
        if (text.size() > limits::kGitConfigBytesMax) return Failure::from_errno(EFBIG);
    }
}

std::string own_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// A file that is covered from commands, or not of this mount, is as good as sealed.
int told_error(int os_error) { return os_error == EXDEV || os_error == EBUSY ? EACCES : os_error; }

int error_of(const Failure& failure) {
    return failure.os_error == 0 ? EIO : told_error(failure.os_error);
}

}  // namespace

Outcome<std::unique_ptr<Gate>> Gate::make(GateSetup setup) {
    auto gate = std::unique_ptr<Gate>(new Gate(std::move(setup)));
    PADDOCK_ASSIGN(workspace, sys::openat(gate->setup_.workspace, ".", O_PATH | O_DIRECTORY));
    auto root = Root::adopt(std::move(workspace));
    if (!root) return static_cast<const Failure&>(root.error());
    gate->secrets_ = std::make_unique<git::Secrets>(root->linkless());
    Gate* self = gate.get();
    git::Judge::Facts facts;
    facts.is_own = [self](const Stat& stat) { return self->setup_.journal->is_own(stat); };
    facts.is_secret = [self](const std::string& path, const Stat& stat) {
        return self->secrets_->is_secret(path, stat);
    };
    facts.home = gate->setup_.home;
    gate->judge_ = std::make_unique<git::Judge>(root->linkless(), std::string(),
                                                *gate->setup_.rules, std::move(facts));
    return gate;
}

Gate::Answer Gate::handle(const sys::seccomp::Notification& call, int listener, journal::CallId of,
                          std::optional<GateRefusal>& refused) {
    const auto decoded = decode(call);
    if (!decoded || call.process == 0) return Answer::kContinue;
    if (decoded->kind == GatedKind::kUmask) {
        umasks_.clear();
        return Answer::kContinue;
    }
    if (!drafts_.empty()) settle_drafts();
    refused_.reset();
    deed_ = deed_of(*decoded);
    const End end = perform(*decoded, {call.process, listener, call.id, of});
    refused = std::move(refused_);
    if (end.is_parked) return Answer::kParked;
    if (end.is_continued) return Answer::kContinue;
    (void)sys::seccomp::answer(listener, call.id, end.value, end.os_error);
    return Answer::kDone;
}

Gate::End Gate::perform(const GatedCall& call, const Caller& caller) {
    switch (call.kind) {
        case GatedKind::kOpen: return open(call, caller);
        case GatedKind::kTruncate: return truncate(call, caller);
        case GatedKind::kMakeDirectory:
        case GatedKind::kMakeNode:
        case GatedKind::kSymlink: return make_name(call, caller);
        case GatedKind::kLink: return link(call, caller);
        case GatedKind::kRename: return rename(call, caller);
        case GatedKind::kUnlink:
        case GatedKind::kRemoveDirectory: return remove(call, caller);
        case GatedKind::kChmod: return chmod(call, caller);
        case GatedKind::kChmodDescriptor: return chmod_descriptor(call, caller);
        case GatedKind::kBind: return bind(call, caller);
        case GatedKind::kUmask: break;
    }
    return {.is_continued = true};
}

// --- where ---------------------------------------------------------------------------------------

Outcome<std::string> Gate::read_path(const Caller& caller, std::uint64_t address) const {
    std::string text;
    constexpr std::size_t kPart = 4096;  // a page
    std::array<char, kPart> part;
    while (text.size() < limits::kPathBytesMax) {
        // To the end of a page: the next may not be mapped.
        const std::size_t wanted = kPart - (address + text.size()) % kPart;
        const std::size_t got =
            read_foreign(caller.process, address + text.size(), {part.data(), wanted});
        // A process that may not be looked at: the kernel refuses what it must.
        if (got == 0) return Failure::from_errno(EFAULT);
        const void* end = std::memchr(part.data(), '\0', got);
        if (end == nullptr) {
            text.append(part.data(), got);
            continue;
        }
        text.append(part.data(),
                    static_cast<std::size_t>(static_cast<const char*>(end) - part.data()));
        if (text.size() >= limits::kPathBytesMax) break;
        // The memory was read of that process only if it still waits.
        if (!sys::seccomp::is_waiting(caller.listener, caller.id)) {
            return Failure::from_errno(ESRCH);
        }
        return text;
    }
    return Failure::from_errno(ENAMETOOLONG);
}

// `text` is absolute and canonical, as far as anybody knows: what is opened is what was judged.
Outcome<Gate::Place> Gate::place_at(std::string_view text) const {
    Place place;
    const std::string& top = setup_.workspace_path;
    if (text.size() > top.size()) place.path = text.substr(top.size() + 1);
    place.parent = fs::parent_of(place.path);
    place.leaf = fs::leaf_of(place.path);
    // The dot asks for the right to search it.
    const std::string directory = fs::joined(place.parent, ".");
    PADDOCK_ASSIGN(
        held, sys::openat2(setup_.workspace, directory.c_str(), O_PATH | O_DIRECTORY, kBeneath));
    place.directory = std::move(held);
    place.inside = true;
    return place;
}

// The kernel's way, except that "/proc/self" is the caller. What is in a process's directory there
// leads to objects, not to names.
Outcome<UniqueFd> Gate::walk_as(const Caller& caller, UniqueFd at, std::string rest) const {
    for (int links = 0; !rest.empty();) {
        if (rest.front() == '/') {
            PADDOCK_ASSIGN(top, sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
            at = std::move(top);
            rest.erase(0, rest.find_first_not_of('/'));
            continue;
        }
        std::string name = rest.substr(0, rest.find('/'));
        rest.erase(0, name.size());
        rest.erase(0, rest.find_first_not_of('/'));
        PADDOCK_ASSIGN(here, link_text(own_descriptor(at.get())));
        if (here == "/proc" && name == "self") name = thread_group(caller.process);
        if (here == "/proc" && name == "thread-self") name = std::to_string(caller.process);
        const auto target = sys::readlinkat(at.get(), name.c_str());
        if (target && !here.starts_with("/proc/")) {
            if (++links > kLinksMax) return Failure::from_errno(ELOOP);
            rest = *target + '/' + rest;
            continue;
        }
        PADDOCK_ASSIGN(next, sys::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY));
        at = std::move(next);
    }
    return at;
}

// Where the directory part of a path leads, in the view of commands. Nothing is opened but as a
// place, and what it finds is looked up again by place_at().
Outcome<Gate::Directory> Gate::canonical_directory(const Caller& caller, const std::string& base,
                                                   std::string_view path) const {
    const std::string text(path.empty() ? "." : path);
    PADDOCK_ASSIGN(from, sys::openat(AT_FDCWD, text.starts_with('/') ? "/" : base.c_str(),
                                     O_PATH | O_DIRECTORY));
    auto found = sys::openat2(from.get(), text.c_str(), O_PATH | O_DIRECTORY,
                              sys::uapi::kResolveNoMagiclinks);
    auto real = found ? link_text(own_descriptor(found->get())) : Outcome<std::string>("/proc");
    if (real && is_within(*real, "/proc")) {
        found = walk_as(caller, std::move(from), text);
        if (!found) return found.error();
        real = link_text(own_descriptor(found->get()));
    }
    PADDOCK_ASSIGN(stat, sys::fstat(found->get()));
    if (stat.links == 0) return Failure::from_errno(ENOENT);  // removed
    if (!real) return real.error();
    // The dot asks for the right to search it.
    PADDOCK_ASSIGN(held, sys::openat(found->get(), ".", O_PATH | O_DIRECTORY));
    return Directory{std::move(held), std::move(*real)};
}

Outcome<Gate::Place> Gate::locate(const Caller& caller, const GatedName& name, Last last) {
    PADDOCK_ASSIGN(path, read_path(caller, name.address));
    if (path.empty()) return Failure::from_errno(ENOENT);
    return locate(caller, name.directory, std::move(path), last);
}

Outcome<Gate::Place> Gate::locate(const Caller& caller, int directory, std::string path,
                                  Last last) {
    const std::string& top = setup_.workspace_path;
    const std::string process = proc_of(caller.process);
    // A link to the directory that relative paths begin in.
    std::string base =
        directory == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(directory);
    std::string base_text;
    if (path.front() != '/') {
        auto text = link_text(base);
        if (!text && text.error().os_error == ENAMETOOLONG) return text.error();
        if (!text) return Failure::from_errno(text.error().os_error == ENOENT ? EBADF : ENOTDIR);
        base_text = std::move(*text);
    }
    for (int links = 0; links <= kLinksMax; ++links) {
        const SplitPath parts = split_leaf(path);
        std::string above = path.front() == '/' ? std::string(parts.directory)
                                                : base_text + '/' + std::string(parts.directory);
        while (above.size() > 1 && above.ends_with('/')) above.pop_back();
        std::string whole = above;
        if (!parts.leaf.empty()) whole += (above == "/" ? "" : "/") + std::string(parts.leaf);
        Outcome<Place> place = Failure::from_errno(ELOOP);
        const bool is_direct =
            is_within(above, top) && !parts.leaf.empty() &&
            (above.size() == top.size() || is_plain(above.substr(top.size() + 1)));
        if (is_direct) place = place_at(whole);
        // By its text the base may be gone, or closed from above.
        const int error = place ? 0 : place.error().os_error;
        if (error == ELOOP || error == EXDEV || error == ENOENT || error == EACCES) {
            auto real = canonical_directory(caller, base, parts.directory);
            if (!real) return real.error();
            whole = real->path;
            if (!parts.leaf.empty()) whole += (whole == "/" ? "" : "/") + std::string(parts.leaf);
            const bool is_inside = is_within(real->path, top);
            if (is_inside) place = place_at(whole);
            const bool is_closed =
                !place && place.error().os_error == EACCES && !parts.leaf.empty();
            if (!is_inside || is_closed) {
                place = Place();
                place->directory = std::move(real->held);
                place->leaf = parts.leaf;
                place->path = is_inside ? whole.substr(top.size() + 1) : whole;
                place->parent = is_inside ? fs::parent_of(place->path) : std::string_view();
                place->inside = is_inside;
            }
        }
        if (!place) return place.error();
        place->slash = parts.slash;
        place->is_dotted = parts.leaf.empty();
        if (place->leaf.empty()) return place;
        if (last == Last::kItself || (last == Last::kItselfUnlessSlash && !parts.slash))
            return place;
        const auto target = sys::readlinkat(place->directory.get(), place->leaf.c_str());
        if (!target) return place;  // no link, or nothing
        // A magic link leads to an object, not to a name.
        if (!place->inside && is_descriptor_link(place->path)) return place;
        path = *target;
        if (path.empty()) return Failure::from_errno(ENOENT);
        if (parts.slash) path += '/';
        base_text = place->inside ? top + (place->parent.empty() ? "" : "/" + place->parent)
                                  : place->path.substr(0, place->path.rfind('/') + 1);
        base = base_text;
    }
    return Failure::from_errno(ELOOP);
}

// By the name that the object has now, if that is still the same object.
Outcome<Gate::Object> Gate::object_of(UniqueFd held) const {
    Object object;
    PADDOCK_ASSIGN(stat, sys::fstat(held.get()));
    PADDOCK_ASSIGN(text, link_text(own_descriptor(held.get())));
    object.stat = stat;
    object.held = std::move(held);
    object.inside = is_within(text, setup_.workspace_path);
    if (!object.inside) return object;
    auto place = place_at(text);
    if (place && !place->leaf.empty()) {
        const auto now = sys::node_at(place->directory.get(), place->leaf.c_str());
        if (now && now->stat.identity == stat.identity) object.place = std::move(*place);
    }
    return object;
}

Outcome<Gate::Object> Gate::object_behind(const std::string& link) const {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, link.c_str(), O_PATH));
    return object_of(std::move(held));
}

// --- judging and recording -----------------------------------------------------------------------

std::optional<int> Gate::refuse(git::Verdict verdict, const std::string& path) {
    if (!verdict) return std::nullopt;
    std::string why = "protected by the rule '" + verdict->rule + "'";
    if (!verdict->detail.empty()) why += ": " + verdict->detail;
    refused_ = GateRefusal{deed_, path, std::move(why)};
    return EACCES;
}

void Gate::made(const Place& place, const Caller& caller) {
    const auto node = sys::node_at(place.directory.get(), place.leaf.c_str());
    if (node) setup_.journal->made(caller.call, node->stat);
}

// 0, or the errno. What git begins to obey by this is replaced by copies that were judged.
int Gate::prepare_to_make(const Place& place, FileType type, const Caller& caller) {
    if (const auto error = refuse(judge_->make(place.path, type), place.path)) return *error;
    for (const std::string& config : judge_->configs_completed_by(place.path)) {
        if (const int error = adopt_config(config, caller)) return error;
    }
    const auto recorded = setup_.journal->will_make(caller.call, place.name(), type);
    return recorded ? 0 : error_of(recorded.error());
}

int Gate::adopt_config(const std::string& path, const Caller& caller) {
    auto place = place_at(setup_.workspace_path + '/' + path);
    if (!place) return error_of(place.error());
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return error_of(node.error());
    const End end = install_config(*place, node->stat, *place, caller);
    return end.os_error;
}

// Whoever holds the old file open writes to it in vain: git gets a copy, and the copy was judged.
Gate::End Gate::install_config(const Place& from, const Stat& stat, const Place& to,
                               const Caller& caller) {
    if (stat.type != FileType::kRegular) return {.os_error = EACCES};
    auto file =
        sys::openat2(from.directory.get(), from.leaf.c_str(), O_RDONLY | O_NONBLOCK, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    std::string text;
    if (const auto done = read_config(file->get(), text); !done) {
        return {.os_error = error_of(done.error())};
    }
    const bool is_adopted = from.path == to.path;
    auto verdict =
        is_adopted ? judge_->judge_new_config(to.path, text) : judge_->judge_config(to.path, text);
    if (const auto error = refuse(std::move(verdict), to.path)) return {.os_error = *error};
    const auto old = sys::node_at(to.directory.get(), to.leaf.c_str());
    if (old && old->stat.type == FileType::kDirectory) return {.os_error = EISDIR};
    journal::Journal& journal = *setup_.journal;
    if (old) {
        const auto kept = journal.will_replace(caller.call, to.name(), old->stat);
        if (!kept) return {.os_error = error_of(kept.error())};
    }
    const auto recorded = journal.will_make(caller.call, to.name(), FileType::kRegular);
    if (!recorded) return {.os_error = error_of(recorded.error())};
    const auto written = write_config(to, text, stat.mode & 0777U);
    if (!written) return {.os_error = error_of(written.error())};
    made(to, caller);
    if (is_adopted) return {};
    const auto gone = journal.remove(caller.call, from.name(), stat);
    return {.os_error = gone ? 0 : error_of(gone.error())};
}

Done Gate::write_config(const Place& to, std::string_view text, mode_t mode) {
    PADDOCK_ASSIGN(random, sys::random_u64());
    const std::string temporary = ".paddock-" + std::to_string(random);
    sys::set_creation_mask(0);
    PADDOCK_ASSIGN(file, sys::openat2(to.directory.get(), temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL, mode, kBeneath));
    Done done = sys::write_all(file.get(), text);
    if (done) {
        done = sys::renameat2(to.directory.get(), temporary.c_str(), to.directory.get(),
                              to.leaf.c_str(), sys::Rename::kReplace);
    }
    if (!done) {
        (void)sys::unlinkat(to.directory.get(), temporary.c_str(), sys::Unlink::kFile);
    }
    return done;
}

// Only /proc says it. Asked for once in a while: a call of umask() clears what is known.
mode_t Gate::umask_of(int process) {
    if (const auto known = umasks_.find(process); known != umasks_.end()) return known->second;
    constexpr mode_t kUsual = 022;
    const auto mask = number_after(proc_text(proc_of(process) + "/status"), "Umask:", 8);
    if (!mask) return kUsual;
    // Ids are used again: nothing is known for long.
    constexpr std::size_t kKnownMax = 64;
    if (umasks_.size() >= kKnownMax) umasks_.clear();
    return umasks_[process] = static_cast<mode_t>(*mask & 0777);
}

// --- the calls -----------------------------------------------------------------------------------

Gate::End Gate::open(const GatedCall& call, const Caller& caller) {
    const std::uint64_t flags = call.flags;
    if ((flags & O_PATH) != 0 || !(writes(flags) || (flags & O_CREAT) != 0 || is_unnamed(flags))) {
        return {.is_continued = true};
    }
    if ((flags & O_CREAT) != 0 && (flags & O_DIRECTORY) != 0) return {.os_error = EINVAL};
    if (is_unnamed(flags)) return open_unnamed(call, caller);
    auto path = read_path(caller, call.name.address);
    if (!path) {
        const bool is_unreadable = path.error().os_error == EFAULT;
        return is_unreadable ? End{.is_continued = true} : End{.os_error = error_of(path.error())};
    }
    if (path->empty()) return {.os_error = ENOENT};
    if (*path == "/dev/null" || *path == "/dev/tty") return {.is_continued = true};
    const bool is_exclusive = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
    const bool makes_directory = (flags & O_CREAT) != 0 && path->ends_with('/');
    const bool follows = !is_exclusive && !makes_directory && (flags & O_NOFOLLOW) == 0;
    const journal::Turn turn(*setup_.journal);
    const std::string seen = as_caller_sees(*path, caller.process);
    if (follows && is_descriptor_link(seen)) return open_again(call, caller, seen);
    const Last unfollowed = (flags & O_CREAT) != 0 ? Last::kItself : Last::kItselfUnlessSlash;
    auto place = locate(caller, call.name.directory, *path, follows ? Last::kFollow : unfollowed);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) {
        if (follows && is_descriptor_link(place->path)) {
            return open_again(call, caller, place->path);
        }
        if (!setup_.landlock_truncate && (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) == O_RDONLY)
            return {.os_error = EACCES};
        return {.is_continued = true};
    }
    if (place->leaf.empty()) return {.os_error = is_exclusive ? EEXIST : EISDIR};
    if ((flags & O_CREAT) != 0 && place->slash && !place->is_dotted) return {.os_error = EISDIR};
    const char* leaf = place->leaf.c_str();
    const int parent = place->directory.get();
    const auto node = sys::node_at(parent, leaf);
    const bool is_missing = !node && node.error().os_error == ENOENT;
    if (!node && !is_missing) return {.os_error = error_of(node.error())};
    if (is_missing && (flags & O_CREAT) == 0) return {.os_error = ENOENT};
    const int wanted = static_cast<int>(flags & kOpenFlags) | O_NONBLOCK | O_NOCTTY;
    const mode_t mode = (flags & O_CREAT) != 0 ? call.mode & 07777 : 0;
    if (is_missing) {
        // No directory is written to by whoever may not: asked before the record is made.
        if (const int error = prepare_to_make(*place, FileType::kRegular, caller)) {
            return {.os_error = error};
        }
        sys::set_creation_mask(umask_of(caller.process));
        auto file = sys::openat2(parent, leaf, wanted, mode, kBeneath);
        if (!file) return {.os_error = error_of(file.error())};
        if (const auto stat = sys::node(file->get())) {
            setup_.journal->made(caller.call, stat->stat);
        }
        if (is_writable(flags) && judge_->is_config(place->path)) {
            return give_draft(std::move(*file), call, caller, *place);
        }
        return give(std::move(*file), call, caller, &*place);
    }
    const Stat& stat = node->stat;
    if (is_exclusive) return {.os_error = EEXIST};
    const bool is_directory = stat.type == FileType::kDirectory;
    if (is_directory && (flags & O_CREAT) != 0) return {.os_error = EISDIR};
    if (place->slash && !is_directory) return {.os_error = ENOTDIR};
    if (stat.type == FileType::kRegular && writes(flags)) {
        if (const auto error = refuse(judge_->write(place->path), place->path)) {
            return {.os_error = *error};
        }
        // Truncated when the command has its descriptor: who cannot have one changes nothing.
        auto file = sys::openat2(parent, leaf, wanted & ~(O_TRUNC | O_CREAT), 0, kBeneath);
        if (!file) return {.os_error = error_of(file.error())};
        int truncated = (flags & O_TRUNC) != 0 ? file->get() : -1;
        UniqueFd writable;
        if (truncated >= 0 && !is_writable(flags)) {
            auto opened = sys::openat2(parent, leaf, O_WRONLY | O_NONBLOCK, 0, kBeneath);
            if (!opened) return {.os_error = error_of(opened.error())};
            writable = std::move(*opened);
            truncated = writable.get();
        }
        const auto kept = setup_.journal->will_write(caller.call, place->name(), -1, stat);
        if (!kept) return {.os_error = error_of(kept.error())};
        return give(std::move(*file), call, caller, nullptr, truncated);
    }
    // It waits for a writer, as the gate does not.
    if (stat.type == FileType::kFifo && !writes(flags)) return {.is_continued = true};
    auto file = sys::openat2(parent, leaf, wanted & ~O_CREAT, 0, kBeneath);
    if (!file && file.error().os_error == ENXIO && stat.type == FileType::kFifo &&
        (flags & O_NONBLOCK) == 0) {
        parked_.push_back({caller, std::move(place->directory), place->leaf, flags});
        return {.is_parked = true};
    }
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

Gate::End Gate::give(UniqueFd file, const GatedCall& call, const Caller& caller, const Place* made,
                     int truncated) {
    if ((call.flags & O_NONBLOCK) == 0) (void)sys::let_wait(file.get());
    const auto number = sys::seccomp::give_descriptor(caller.listener, caller.id, file.get(),
                                                      (call.flags & O_CLOEXEC) != 0);
    Done done;
    if (number && truncated >= 0) done = sys::truncate(truncated, 0);
    file.reset();
    if (number) return {.os_error = done ? 0 : error_of(done.error()), .value = *number};
    if (made != nullptr && number.error().os_error == EMFILE) {
        const auto node = sys::node_at(made->directory.get(), made->leaf.c_str());
        if (node) (void)setup_.journal->remove(caller.call, made->name(), node->stat);
    }
    return {.os_error = error_of(number.error())};
}

Gate::End Gate::give_draft(UniqueFd file, const GatedCall& call, const Caller& caller,
                           const Place& place) {
    constexpr std::size_t kDraftsMax = 64;
    constexpr std::uint64_t kOfNames = O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW;
    const int wanted = static_cast<int>(call.flags & kOpenFlags & ~kOfNames) | O_TMPFILE;
    auto draft = sys::openat2(place.directory.get(), ".", wanted, call.mode & 07777, kBeneath);
    auto text = draft ? sys::openat(AT_FDCWD, own_descriptor(draft->get()).c_str(), O_RDONLY)
                      : Outcome<UniqueFd>(draft.error());
    const auto is_written =
        text ? sys::is_open_for_writing(text->get()) : Outcome<bool>(text.error());
    if (!is_written || !*is_written || drafts_.size() >= kDraftsMax) {
        const auto node = sys::node_at(place.directory.get(), place.leaf.c_str());
        if (node) (void)setup_.journal->remove(caller.call, place.name(), node->stat);
        return {.os_error =
                    *refuse(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule),
                                         "rename a finished file to this name"},
                            place.path)};
    }
    const End end = give(std::move(*draft), call, caller, &place);
    if (end.os_error == 0) {
        drafts_.push_back({caller.listener, std::move(*text), std::move(file), place.path});
    }
    return end;
}

void Gate::settle_drafts() {
    std::erase_if(drafts_, [&](const Draft& draft) {
        const auto is_written = sys::is_open_for_writing(draft.text.get());
        if (is_written && *is_written) return false;
        std::string text;
        if (!read_config(draft.text.get(), text)) return true;
        if (auto verdict = judge_->judge_new_config(draft.path, text)) {
            deed_ = Deed::kWrite;
            (void)refuse(std::move(verdict), draft.path);
            late_refusals_.emplace_back(draft.listener, *std::exchange(refused_, {}));
            return true;
        }
        (void)sys::write_all(draft.file.get(), text);
        if (const auto stat = sys::fstat(draft.text.get())) {
            (void)sys::fchmod(draft.file.get(), stat->mode & 0777U);
        }
        return true;
    });
}

std::optional<GateRefusal> Gate::take_refusal(int listener) {
    const auto found = std::find_if(late_refusals_.begin(), late_refusals_.end(),
                                    [&](const auto& late) { return late.first == listener; });
    if (found == late_refusals_.end()) return std::nullopt;
    GateRefusal taken = std::move(found->second);
    late_refusals_.erase(found);
    return taken;
}

Gate::End Gate::open_unnamed(const GatedCall& call, const Caller& caller) {
    auto path = read_path(caller, call.name.address);
    if (!path) {
        return path.error().os_error == EFAULT ? End{.is_continued = true}
                                               : End{.os_error = error_of(path.error())};
    }
    if (path->empty()) return {.os_error = ENOENT};
    const journal::Turn turn(*setup_.journal);
    const bool follows = (call.flags & O_NOFOLLOW) == 0;
    auto place = locate(caller, call.name.directory, follows ? *path + "/." : *path, Last::kItself);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) return {.is_continued = true};
    if (!follows && !place->leaf.empty()) {
        const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
        if (node && node->stat.type == FileType::kSymlink) return {.os_error = ENOTDIR};
    }
    const std::string inner = fs::joined(place->path, "x");
    if (const auto error = refuse(judge_->make(inner, FileType::kRegular), place->path)) {
        return {.os_error = *error};
    }
    const char* leaf = place->leaf.empty() ? "." : place->leaf.c_str();
    sys::set_creation_mask(umask_of(caller.process));
    const int wanted = static_cast<int>(call.flags & kOpenFlags);
    auto file = sys::openat2(place->directory.get(), leaf, wanted, call.mode & 07777, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

// "/dev/stdout" and its like: another descriptor of a file that the caller has open already.
Gate::End Gate::open_again(const GatedCall& call, const Caller& caller, const std::string& link) {
    auto object = object_behind(link);
    if (!object || !object->inside) return {.is_continued = true};
    const Stat& stat = object->stat;
    const bool is_fifo = stat.type == FileType::kFifo;
    if (is_fifo ? !writes(call.flags) : stat.type != FileType::kRegular) {
        return {.is_continued = true};
    }
    const Place& place = object->place;
    if (object->is_kept()) return {.os_error = ENOENT};
    if (!is_fifo && place.inside) {
        if (const auto error = refuse(judge_->write(place.path), place.path)) {
            return {.os_error = *error};
        }
        const auto kept = setup_.journal->will_write(caller.call, place.name(), -1, stat);
        if (!kept) return {.os_error = error_of(kept.error())};
    }
    const int wanted =
        static_cast<int>(call.flags & kOpenFlags & ~static_cast<std::uint64_t>(O_CREAT | O_EXCL));
    auto file = sys::openat(AT_FDCWD, own_descriptor(object->held.get()).c_str(),
                            wanted | O_NOCTTY | O_NONBLOCK);
    if (!file && file.error().os_error == ENXIO && is_fifo && (call.flags & O_NONBLOCK) == 0) {
        parked_.push_back({caller, std::move(object->held), {}, call.flags});
        return {.is_parked = true};
    }
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

void Gate::retry() {
    settle_drafts();
    std::vector<Parked> parked = std::exchange(parked_, {});
    for (Parked& each : parked) {
        if (!sys::seccomp::is_waiting(each.caller.listener, each.caller.id)) continue;
        const int wanted = static_cast<int>(each.flags & kOpenFlags &
                                            ~static_cast<std::uint64_t>(O_NOFOLLOW | O_CREAT)) |
                           O_NONBLOCK | O_NOCTTY;
        auto file = each.leaf.empty()
                        ? sys::openat(AT_FDCWD, own_descriptor(each.object.get()).c_str(), wanted)
                        : sys::openat2(each.object.get(), each.leaf.c_str(), wanted, 0, kBeneath);
        if (!file && file.error().os_error == ENXIO) {
            // The kernel makes it EINTR, or the call comes again after the handler.
            constexpr int kRestart = 512;
            if (is_signalled(each.caller.process)) {
                (void)sys::seccomp::answer(each.caller.listener, each.caller.id, 0, kRestart);
            } else {
                parked_.push_back(std::move(each));
            }
            continue;
        }
        GatedCall call;
        call.flags = each.flags;
        const End end = file ? give(std::move(*file), call, each.caller, nullptr)
                             : End{.os_error = error_of(file.error())};
        (void)sys::seccomp::answer(each.caller.listener, each.caller.id, end.value, end.os_error);
    }
}

void Gate::forget(int listener) {
    std::erase_if(parked_, [&](const Parked& each) { return each.caller.listener == listener; });
    settle_drafts();
    std::erase_if(drafts_, [&](const Draft& each) { return each.listener == listener; });
    std::erase_if(late_refusals_, [&](const auto& each) { return each.first == listener; });
}

Gate::End Gate::make_name(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    std::string target;
    if (call.kind == GatedKind::kSymlink) {
        auto text = read_path(caller, call.text);
        if (!text) return {.is_continued = true};
        target = std::move(*text);
        if (target.empty()) return {.os_error = ENOENT};
    }
    auto place = locate(caller, call.name, Last::kItself);
    if (!place) {
        return place.error().os_error == EFAULT ? End{.is_continued = true}
                                                : End{.os_error = error_of(place.error())};
    }
    if (!place->inside) return {.is_continued = true};
    if (place->leaf.empty()) return {.os_error = EEXIST};
    const int parent = place->directory.get();
    const char* leaf = place->leaf.c_str();
    const auto node = sys::node_at(parent, leaf);
    if (node) return {.os_error = EEXIST};
    if (node.error().os_error != ENOENT) return {.os_error = error_of(node.error())};
    const mode_t kind = call.mode & S_IFMT;
    FileType type = FileType::kRegular;
    if (call.kind == GatedKind::kMakeDirectory) type = FileType::kDirectory;
    if (call.kind == GatedKind::kSymlink) type = FileType::kSymlink;
    if (call.kind == GatedKind::kMakeNode) {
        if (kind == S_IFCHR || kind == S_IFBLK) return {.os_error = EPERM};
        if (kind == S_IFDIR) return {.os_error = EPERM};
        if (kind != 0 && kind != S_IFREG && kind != S_IFIFO && kind != S_IFSOCK)
            return {.os_error = EINVAL};
        if (kind == S_IFIFO) type = FileType::kFifo;
        if (kind == S_IFSOCK) type = FileType::kSocket;
    }
    if (place->slash && type != FileType::kDirectory) return {.os_error = ENOENT};
    if (type == FileType::kRegular && judge_->is_config(place->path)) return {.os_error = EACCES};
    if (const int error = prepare_to_make(*place, type, caller)) return {.os_error = error};
    sys::set_creation_mask(umask_of(caller.process));
    Done done;
    if (type == FileType::kDirectory) {
        done = sys::mkdirat(parent, leaf, call.mode & 01777);
    } else if (type == FileType::kSymlink) {
        done = sys::symlinkat(target.c_str(), parent, leaf);
    } else {
        done = sys::mknodat(parent, leaf, kind | (call.mode & 07777));
    }
    if (!done) return {.os_error = error_of(done.error())};
    made(*place, caller);
    return {};
}

Gate::End Gate::link(const GatedCall& call, const Caller& caller) {
    const auto flags = static_cast<int>(call.flags);
    if ((flags & ~(AT_EMPTY_PATH | AT_SYMLINK_FOLLOW)) != 0) return {.os_error = EINVAL};
    const journal::Turn turn(*setup_.journal);
    auto path = read_path(caller, call.second.address);
    if (!path) return {.is_continued = true};
    const bool follows = (flags & AT_SYMLINK_FOLLOW) != 0;
    std::string descriptor;
    Outcome<Place> from = Place();
    if (path->empty()) {
        if ((flags & AT_EMPTY_PATH) == 0) return {.os_error = ENOENT};
        if (call.second.directory == AT_FDCWD) return {.os_error = EPERM};  // a directory
        descriptor = proc_of(caller.process) + "/fd/" + std::to_string(call.second.directory);
    } else if (descriptor = as_caller_sees(*path, caller.process);
               !follows || !is_descriptor_link(descriptor)) {
        from = locate(caller, call.second.directory, *path,
                      follows ? Last::kFollow : Last::kItselfUnlessSlash);
        if (!from) return {.os_error = error_of(from.error())};
        const bool is_magic = follows && !from->inside && is_descriptor_link(from->path);
        descriptor = is_magic ? from->path : std::string();
    }
    UniqueFd object;  // without a name
    if (!descriptor.empty()) {
        auto behind = object_behind(descriptor);
        if (!behind) return {.is_continued = true};
        from = std::move(behind->place);
        if (!from->inside) object = std::move(behind->held);
        from->inside = behind->inside;
    }
    // What is linked must be there before the new name is looked at.
    if (from->inside && !object.valid()) {
        auto opened =
            sys::openat2(from->directory.get(), from->leaf.empty() ? "." : from->leaf.c_str(),
                         O_PATH | O_NOFOLLOW, kBeneath & ~sys::uapi::kResolveNoSymlinks);
        if (!opened) return {.os_error = error_of(opened.error())};
        object = std::move(*opened);
        const auto stat = sys::fstat(object.get());
        const bool is_directory = stat && stat->type == FileType::kDirectory;
        if (from->slash && !is_directory) return {.os_error = ENOTDIR};
    }
    auto to = locate(caller, call.name, Last::kItself);
    if (!to) {
        return to.error().os_error == EFAULT ? End{.is_continued = true}
                                             : End{.os_error = error_of(to.error())};
    }
    if (!from->inside && !to->inside) return {.is_continued = true};
    if (to->leaf.empty() || sys::node_at(to->directory.get(), to->leaf.c_str())) {
        return {.os_error = EEXIST};
    }
    if (to->slash) return {.os_error = ENOENT};
    if (!from->inside || !to->inside) return {.os_error = EXDEV};
    const auto stat = sys::node(object.get());
    if (!stat) return {.os_error = error_of(stat.error())};
    const bool has_name = !from->leaf.empty();
    if (stat->stat.type == FileType::kDirectory) {
        // Never done: the kernel knows which error comes first.
        const Done done = sys::linkat(from->directory.get(), has_name ? from->leaf.c_str() : ".",
                                      to->directory.get(), to->leaf.c_str());
        return {.os_error = done ? EPERM : error_of(done.error())};
    }
    auto verdict =
        has_name ? judge_->link(from->path, to->path)
        : judge_->is_config(to->path)
            ? git::Verdict(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule)})
            : judge_->make(to->path, FileType::kRegular);
    if (const auto error = refuse(std::move(verdict), to->path)) return {.os_error = *error};
    for (const std::string& config : judge_->configs_completed_by(to->path)) {
        if (const int error = adopt_config(config, caller)) return {.os_error = error};
    }
    const auto recorded =
        has_name ? setup_.journal->will_link(caller.call, from->name(), to->name())
                 : setup_.journal->will_make(caller.call, to->name(), FileType::kRegular);
    if (!recorded) return {.os_error = error_of(recorded.error())};
    const auto done =
        has_name ? sys::linkat(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                               to->leaf.c_str())
                 : sys::link_descriptor(object.get(), to->directory.get(), to->leaf.c_str());
    if (!done) return {.os_error = error_of(done.error())};
    if (!has_name) setup_.journal->made(caller.call, stat->stat);
    return {};
}

Gate::End Gate::rename(const GatedCall& call, const Caller& caller) {
    constexpr std::uint64_t kNoReplace = 1;
    constexpr std::uint64_t kExchange = 2;
    constexpr std::uint64_t kWhiteout = 4;
    const bool is_whiteout = (call.flags & ~kNoReplace) == kWhiteout;
    if (is_whiteout) return {.os_error = EPERM};  // it is a device
    if (call.flags > kExchange) return {.os_error = EINVAL};
    const journal::Turn turn(*setup_.journal);
    auto from = locate(caller, call.name, Last::kItself);
    auto to = from ? locate(caller, call.second, Last::kItself) : Outcome<Place>(from.error());
    if (!to) {
        return to.error().os_error == EFAULT ? End{.is_continued = true}
                                             : End{.os_error = error_of(to.error())};
    }
    if (!from->inside && !to->inside) return {.is_continued = true};
    if (from->is_dotted || from->leaf.empty()) return {.os_error = EBUSY};
    if (to->is_dotted || to->leaf.empty()) {
        return {.os_error = call.flags == kNoReplace ? EEXIST : EBUSY};
    }
    const auto source = sys::node_at(from->directory.get(), from->leaf.c_str());
    if (!source) return {.os_error = error_of(source.error())};
    if (!from->inside || !to->inside) return {.os_error = EXDEV};
    const Stat& stat = source->stat;
    const bool is_directory = stat.type == FileType::kDirectory;
    const auto target = sys::node_at(to->directory.get(), to->leaf.c_str());
    if (!target && target.error().os_error != ENOENT) return {.os_error = error_of(target.error())};
    if (target && call.flags == kNoReplace) return {.os_error = EEXIST};
    if (!target && call.flags == kExchange) return {.os_error = ENOENT};
    const bool onto_directory = target && target->stat.type == FileType::kDirectory;
    const bool needs_directory = call.flags == kExchange ? !onto_directory : !is_directory;
    if ((from->slash && !is_directory) || (to->slash && needs_directory)) {
        return {.os_error = ENOTDIR};
    }
    if (is_directory && from->path != to->path && is_within(to->path, from->path)) {
        return {.os_error = EINVAL};
    }
    if (onto_directory && from->path != to->path && is_within(from->path, to->path)) {
        return {.os_error = call.flags == kExchange ? EINVAL : ENOTEMPTY};
    }
    if (target && target->stat.identity == stat.identity) return {};
    journal::Journal& journal = *setup_.journal;
    if (call.flags == kExchange) {
        if (const auto error = refuse(
                judge_->exchange(from->path, stat.type, to->path, target->stat.type), to->path)) {
            return {.os_error = *error};
        }
        const auto recorded = journal.will_exchange(caller.call, from->name(), to->name());
        if (!recorded) return {.os_error = error_of(recorded.error())};
        const auto done =
            sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                           to->leaf.c_str(), sys::Rename::kExchange);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (const auto error = refuse(judge_->move(from->path, to->path, stat.type), to->path)) {
        return {.os_error = *error};
    }
    if (target && is_directory != onto_directory) {
        // Never done: the kernel knows which error comes first.
        const Done done =
            sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                           to->leaf.c_str(), sys::Rename::kReplace);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (judge_->is_config(to->path)) return install_config(*from, stat, *to, caller);
    for (const std::string& config : judge_->configs_completed_by(to->path)) {
        if (const int error = adopt_config(config, caller)) return {.os_error = error};
    }
    if (target) {
        const auto kept = journal.will_replace(caller.call, to->name(), target->stat);
        if (!kept) return {.os_error = error_of(kept.error())};
    }
    const auto recorded = journal.will_rename(caller.call, from->name(), to->name(), stat);
    if (!recorded) return {.os_error = error_of(recorded.error())};
    const auto done = sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                                     to->leaf.c_str(), static_cast<sys::Rename>(call.flags));
    return {.os_error = done ? 0 : error_of(done.error())};
}

Gate::End Gate::remove(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    auto place = locate(caller, call.name, Last::kItself);
    if (!place) {
        return place.error().os_error == EFAULT ? End{.is_continued = true}
                                                : End{.os_error = error_of(place.error())};
    }
    // "." and "..": the kernel knows which error that is.
    if (!place->inside || place->is_dotted) return {.is_continued = true};
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return {.os_error = error_of(node.error())};
    const bool is_directory = node->stat.type == FileType::kDirectory;
    const bool wants_directory = call.kind == GatedKind::kRemoveDirectory;
    if (!wants_directory && place->slash) return {.os_error = is_directory ? EISDIR : ENOTDIR};
    if (const auto error = refuse(judge_->remove(place->path), place->path)) {
        return {.os_error = *error};
    }
    if (wants_directory != is_directory) {
        // Never done: the kernel knows which error comes first.
        const Done done =
            sys::unlinkat(place->directory.get(), place->leaf.c_str(),
                          wants_directory ? sys::Unlink::kDirectory : sys::Unlink::kFile);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    const auto done = setup_.journal->remove(caller.call, place->name(), node->stat);
    return {.os_error = done ? 0 : error_of(done.error())};
}

Gate::End Gate::truncate(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    auto place = locate(caller, call.name, Last::kFollow);
    if (!place) {
        return place.error().os_error == EFAULT ? End{.is_continued = true}
                                                : End{.os_error = error_of(place.error())};
    }
    if (static_cast<std::int64_t>(call.number) < 0) return {.os_error = EINVAL};
    UniqueFd unnamed;
    if (!place->inside && is_descriptor_link(place->path)) {
        auto object = object_behind(place->path);
        if (object && object->is_kept()) return {.os_error = EACCES};
        if (object && object->inside && !object->place.inside) unnamed = std::move(object->held);
        if (object && object->place.inside) *place = std::move(object->place);
    }
    const auto most =
        number_after(proc_text(proc_of(caller.process) + "/limits"), "Max file size", 10);
    if (unnamed.valid()) {
        auto file =
            sys::openat(AT_FDCWD, own_descriptor(unnamed.get()).c_str(), O_WRONLY | O_NONBLOCK);
        Done done = file ? Done() : Done(file.error());
        if (done && most && call.number > *most) return {.os_error = EFBIG};
        if (done) done = sys::truncate(file->get(), call.number);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (!place->inside) {
        return setup_.landlock_truncate ? End{.is_continued = true} : End{.os_error = EACCES};
    }
    if (place->leaf.empty()) return {.os_error = EISDIR};
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return {.os_error = error_of(node.error())};
    if (node->stat.type == FileType::kDirectory) return {.os_error = EISDIR};
    if (place->slash) return {.os_error = ENOTDIR};
    if (node->stat.type != FileType::kRegular) return {.os_error = EINVAL};
    if (const auto error = refuse(judge_->write(place->path), place->path)) {
        return {.os_error = *error};
    }
    auto file =
        sys::openat2(place->directory.get(), place->leaf.c_str(), O_WRONLY | O_NONBLOCK, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    if (most && call.number > *most && call.number > node->stat.size) return {.os_error = EFBIG};
    const auto kept = setup_.journal->will_write(caller.call, place->name(), -1, node->stat);
    if (!kept) return {.os_error = error_of(kept.error())};
    const auto done = sys::truncate(file->get(), call.number);
    return {.os_error = done ? 0 : error_of(done.error())};
}

// Landlock knows nothing of modes, so no such call is let through: somebody would exchange the path
// or the descriptor meanwhile. What lies outside is changed too, with the rights of commands.
Gate::End Gate::chmod(const GatedCall& call, const Caller& caller) {
    constexpr std::uint64_t kKnown = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    if ((call.flags & ~kKnown) != 0) return {.os_error = EINVAL};
    auto path = read_path(caller, call.name.address);
    if (!path) return {.os_error = error_of(path.error())};
    const bool follows = (call.flags & AT_SYMLINK_NOFOLLOW) == 0;
    const journal::Turn turn(*setup_.journal);
    Outcome<UniqueFd> held = Failure::from_errno(ENOENT);
    if (path->empty()) {
        if ((call.flags & AT_EMPTY_PATH) == 0) return {.os_error = ENOENT};
        held = open_descriptor(caller, call.name.directory);
    } else {
        auto place = locate(caller, call.name.directory, *path,
                            follows ? Last::kFollow : Last::kItselfUnlessSlash);
        if (!place) return {.os_error = error_of(place.error())};
        const bool is_magic = follows && !place->inside && is_descriptor_link(place->path);
        const int flags = O_PATH | (is_magic ? 0 : O_NOFOLLOW) | (place->slash ? O_DIRECTORY : 0);
        held = sys::openat(place->directory.get(), place->leaf.empty() ? "." : place->leaf.c_str(),
                           flags);
    }
    if (!held) return {.os_error = error_of(held.error())};
    return chmod_object(std::move(*held), call, caller);
}

Gate::End Gate::chmod_descriptor(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    auto held = open_descriptor(caller, call.descriptor);
    if (!held) return {.os_error = error_of(held.error())};
    const std::string info = proc_of(caller.process) + "/fdinfo/" + std::to_string(call.descriptor);
    const auto flags = number_after(proc_text(info), "flags:", 8).value_or(0);
    if ((flags & O_PATH) != 0) return {.os_error = EBADF};
    return chmod_object(std::move(*held), call, caller);
}

Outcome<UniqueFd> Gate::open_descriptor(const Caller& caller, int descriptor) const {
    const std::string link = descriptor == AT_FDCWD ? "/cwd" : "/fd/" + std::to_string(descriptor);
    auto held = sys::openat(AT_FDCWD, (proc_of(caller.process) + link).c_str(), O_PATH);
    if (!held && held.error().os_error == ENOENT) return Failure::from_errno(EBADF);
    return held;
}

Gate::End Gate::chmod_object(UniqueFd held, const GatedCall& call, const Caller& caller) {
    auto object = object_of(std::move(held));
    if (!object) return {.os_error = error_of(object.error())};
    if (object->stat.type == FileType::kSymlink) return {.os_error = EOPNOTSUPP};
    const Place& place = object->place;
    Done done;
    if (place.inside) {
        if (const auto error = refuse(judge_->chmod(place.path), place.path)) {
            return {.os_error = *error};
        }
        done = setup_.journal->will_chmod(caller.call, place.name(), object->stat);
        if (done) done = sys::chmodat(place.directory.get(), place.leaf.c_str(), call.mode & 07777);
    } else if (object->is_kept()) {
        return {.os_error = EACCES};
    } else {
        const std::string own = own_descriptor(object->held.get());
        done = sys::chmodat(AT_FDCWD, own.c_str(), call.mode & 07777);
    }
    return {.os_error = done ? 0 : error_of(done.error())};
}

// The address that others see is the name alone: it is bound in the directory itself.
Gate::End Gate::bind(const GatedCall& call, const Caller& caller) {
    sockaddr_un address{};
    if (call.number > sizeof address) return {.is_continued = true};
    const std::size_t told = call.number;
    const std::size_t size =
        read_foreign(caller.process, call.text, {reinterpret_cast<char*>(&address), told});
    constexpr std::size_t kPath = offsetof(sockaddr_un, sun_path);
    if (size <= kPath || address.sun_family != AF_UNIX || address.sun_path[0] == '\0') {
        return {.is_continued = true};
    }
    const std::string path(address.sun_path, ::strnlen(address.sun_path, size - kPath));
    auto socket = sys::borrow_descriptor(caller.process, call.descriptor);
    if (!socket) return {.os_error = error_of(socket.error())};
    const journal::Turn turn(*setup_.journal);
    auto place = locate(caller, AT_FDCWD, path, Last::kItself);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) return {.is_continued = true};
    if (place->leaf.empty() || sys::node_at(place->directory.get(), place->leaf.c_str())) {
        return {.os_error = EADDRINUSE};
    }
    if (place->slash) return {.os_error = ENOENT};
    if (const int error = prepare_to_make(*place, FileType::kSocket, caller)) {
        return {.os_error = error};
    }
    sys::set_creation_mask(umask_of(caller.process));
    const auto done = sys::bind_in(socket->get(), place->directory.get(), place->leaf.c_str());
    if (!done) return {.os_error = error_of(done.error())};
    made(*place, caller);
    return {};
}

}  // namespace paddock::sandbox
