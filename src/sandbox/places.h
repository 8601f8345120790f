// Where in the workspace a call of a command means to change something.
//
// A path is followed by its text, link by link, as the caller sees it; what is found is opened once
// more beneath the workspace without following anything. So what the gate holds is what it judges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "sandbox/gated_call.h"
#include "sys/uapi.h"

namespace paddock::sandbox {

// For openat2.
constexpr std::uint64_t kBeneath = sys::uapi::kResolveBeneath | sys::uapi::kResolveNoSymlinks |
                                   sys::uapi::kResolveNoMagiclinks | sys::uapi::kResolveNoXdev;

std::string own_descriptor(int fd);  // its link in /proc

// One name, in a directory that is held.
struct Place {
    bool inside = false;
    UniqueFd directory;      // invalid: it does not exist, outside
    std::string parent;      // of the directory, relative to the workspace; empty: the workspace
    std::string leaf;        // empty: the workspace itself
    std::string path;        // both
    bool slash = false;      // written with one at the end
    bool is_dotted = false;  // written as "/", or with "." or ".." at the end

    journal::Name name() const { return {directory.get(), leaf.c_str(), path}; }
};

// What a descriptor of a command leads to.
struct Object {
    UniqueFd held;
    Stat stat;
    bool inside = false;  // of the workspace, though it may have no name any more
    Place place = {};     // its name, if it has one

    bool is_workspace = false;
    std::string text = {};  // where it lies, absolute

    // It has a name that nobody knows: it may be the journal's.
    bool is_kept() const { return inside && !place.inside && !is_workspace && stat.links > 0; }
};

class Places {
public:
    // Of a path whose last name is a link.
    enum class Last : std::uint8_t { kItself, kItselfUnlessSlash, kFollow };

    // `workspace` is borrowed; `path` is where commands see it, absolute.
    Places(int workspace, std::string path) : workspace_(workspace), path_(std::move(path)) {}

    Outcome<Place> locate(const Caller& caller, const GatedName& name, Last last) const;
    Outcome<Place> locate(const Caller& caller, int directory, std::string path, Last last) const;
    Outcome<Place> beneath(const std::string& path) const;  // relative to the workspace

    // By the name that the object has now, if that is still the same object.
    Outcome<Object> object_of(UniqueFd held) const;
    Outcome<Object> object_behind(const std::string& link) const;

private:
    struct Directory {
        UniqueFd held;
        std::string path;  // absolute
    };

    Outcome<Place> place_at(std::string_view text) const;
    Outcome<Directory> canonical_directory(const Caller& caller, const std::string& base,
                                           std::string_view path) const;

    int workspace_;
    std::string path_;
};

}  // namespace paddock::sandbox
