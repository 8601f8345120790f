#include "sandbox/places.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "sys/files.h"

namespace paddock::sandbox {
namespace {

constexpr int kLinksMax = 40;  // as the kernel's

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

// By its text alone.
std::string without_dots(std::string_view path) {
    std::string plain;
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name == "..") {
            plain.resize(std::min(plain.size(), plain.rfind('/')));
        } else {
            plain += '/';
            plain += name;
        }
    }
    return plain;
}

Outcome<std::string> link_text(const std::string& path) {
    std::array<char, 2 * limits::kPathBytesMax> buffer;
    PADDOCK_ASSIGN(size, sys::read_link(path.c_str(), buffer));
    if (size == buffer.size()) return Failure::from_errno(ENAMETOOLONG);
    return std::string(buffer.data(), size);
}

// Was the directory behind this link not moved or removed since `text` was read?
bool is_still(const std::string& link, const std::string& text) {
    const auto now = link_text(link);
    return now && *now == text && !text.ends_with(" (deleted)");
}

// The kernel's way, except that "/proc/self" is the caller. What is in a process's directory there
// leads to objects, not to names.
Outcome<UniqueFd> walk_as(const Caller& caller, UniqueFd at, std::string rest) {
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
        if (here == "/proc" && name == "self") name = std::to_string(thread_group(caller.process));
        if (here == "/proc" && name == "thread-self") name = std::to_string(caller.process);
        const auto target = sys::readlinkat(at.get(), name.c_str());
        const bool is_magic = target && here.starts_with("/proc/");
        if (is_magic && !is_own_proc(here, caller)) return Failure::from_errno(EACCES);
        if (target && !is_magic) {
            if (++links > kLinksMax) return Failure::from_errno(ELOOP);
            rest = *target + '/' + rest;
            continue;
        }
        PADDOCK_ASSIGN(next, sys::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY));
        at = std::move(next);
    }
    return at;
}

}  // namespace

std::string own_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// `text` is absolute and canonical, as far as anybody knows: what is opened is what was judged.
Outcome<Place> Places::place_at(std::string_view text) const {
    Place place;
    const std::string& top = path_;
    if (text.size() > top.size()) place.path = text.substr(top.size() + 1);
    place.parent = fs::parent_of(place.path);
    place.leaf = fs::leaf_of(place.path);
    // The dot asks for the right to search it.
    const std::string directory = fs::joined(place.parent, ".");
    PADDOCK_ASSIGN(held,
                   sys::openat2(workspace_, directory.c_str(), O_PATH | O_DIRECTORY, kBeneath));
    place.directory = std::move(held);
    place.inside = true;
    return place;
}

Outcome<Place> Places::beneath(const std::string& path) const {
    return place_at(path_ + '/' + path);
}

// Where the directory part of a path leads, in the view of commands. Nothing is opened but as a
// place, and what it finds is looked up again by place_at().
Outcome<Places::Directory> Places::canonical_directory(const Caller& caller,
                                                       const std::string& base,
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

Outcome<Place> Places::locate(const Caller& caller, const GatedName& name, Last last) const {
    PADDOCK_ASSIGN(path, read_path(caller, name.address));
    if (path.empty()) return Failure::from_errno(ENOENT);
    return locate(caller, name.directory, std::move(path), last);
}

Outcome<Place> Places::locate(const Caller& caller, int directory, std::string path,
                              Last last) const {
    const std::string& top = path_;
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
        const int error = place ? 0 : place.error().os_error;
        if (is_direct && error == ENOENT && (path.front() == '/' || is_still(base, base_text))) {
            return place.error();
        }
        // By its text the base may be gone, or closed from above.
        if (error == ELOOP || error == EXDEV || error == ENOENT || error == EACCES) {
            auto real = canonical_directory(caller, base, parts.directory);
            const bool is_missing = !real && real.error().os_error == ENOENT;
            if (is_missing && !is_within(without_dots(above), top)) {
                Place missing;
                missing.leaf = parts.leaf;
                missing.path = whole;
                return missing;
            }
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
        // The judge looks beside it, by whole paths.
        constexpr std::size_t kBesideMax = 64;
        if (place->inside && place->path.size() + kBesideMax > limits::kPathBytesMax) {
            return Failure::from_errno(ENAMETOOLONG);
        }
        place->slash = parts.slash;
        place->is_dotted = parts.leaf.empty();
        if (place->leaf.empty()) return place;
        if (last == Last::kItself || (last == Last::kItselfUnlessSlash && !parts.slash))
            return place;
        const auto target = sys::readlinkat(place->directory.get(), place->leaf.c_str());
        if (!target) return place;  // no link, or nothing
        // A magic link leads to an object, not to a name.
        if (!place->inside && is_descriptor_link(place->path, caller)) return place;
        path = *target;
        if (path.empty()) return Failure::from_errno(ENOENT);
        if (parts.slash) path += '/';
        base_text = place->inside ? top + (place->parent.empty() ? "" : "/" + place->parent)
                                  : place->path.substr(0, place->path.rfind('/') + 1);
        base = base_text;
    }
    return Failure::from_errno(ELOOP);
}

Outcome<Object> Places::object_of(UniqueFd held) const {
    Object object;
    PADDOCK_ASSIGN(stat, sys::fstat(held.get()));
    PADDOCK_ASSIGN(text, link_text(own_descriptor(held.get())));
    object.stat = stat;
    object.held = std::move(held);
    object.inside = is_within(text, path_);
    object.is_workspace = text == path_;
    object.text = text;
    if (!object.inside) return object;
    auto place = place_at(text);
    if (place && !place->leaf.empty()) {
        const auto now = sys::node_at(place->directory.get(), place->leaf.c_str());
        if (now && now->stat.identity == stat.identity) object.place = std::move(*place);
    }
    return object;
}

Outcome<Object> Places::object_behind(const std::string& link) const {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, link.c_str(), O_PATH));
    return object_of(std::move(held));
}

}  // namespace paddock::sandbox
