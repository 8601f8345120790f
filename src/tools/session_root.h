// One directory that a session works in, with all that keeps its promises: the workspace, or one
// that the operator added (WorkspaceOptions::also and see).
//
// Threads: as its members.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>
#include <paddock/read_tracker.h>
#include <paddock/root.h>
#include <paddock/workspace.h>

#include "base/outcome.h"
#include "policy/meter.h"
#include "policy/path_rules.h"
#include "search/walk.h"
#include "secrets/scanner.h"
#include "tools/files.h"
#include "tools/hidden_files.h"
#include "tools/limit_watch.h"
#include "tools/recorder.h"

namespace paddock::tools {

// Where a directory is, whatever it is called: bind mounts give one several names.
//
// Not seen: a directory that another file system shows as its own (overlay, FUSE, network).

class RootPlace {
public:
    static Outcome<RootPlace> of(int directory);

    // Is one the other, or below it, under any name?
    bool overlaps(const RootPlace& other) const;

    const std::string& path() const noexcept { return path_; }  // canonical, on the host

private:
    bool holds(const RootPlace& other) const;

    std::string path_;
    std::vector<Identity> upwards_;  // of itself and of the directories above it
    std::string device_;             // of the file system; empty: not known
    std::string in_device_;          // its path there
};

struct OpenedRoot {
    Root root;
    Root linkless;
    std::string base;    // where relative paths begin; empty: in the root
    Root workspace;      // what commands are confined to: the directory, no link followed
    std::string prefix;  // its absolute path; empty: the workspace
    bool read_only = false;
};

// What the roots of a session share. Outlives them.
struct SharedByRoots {
    const WorkspaceOptions& options;
    const policy::PathRules& rules;
    policy::Meter& meter;
    const secrets::SecretScanner* scanner = nullptr;  // null: secrets are not filtered
    search::GlobalIgnores ignored = {};
    std::string home = {};  // see git::Judge::Facts
};

struct SessionRoot {
    SessionRoot(OpenedRoot opened, const SharedByRoots& shared);
    SessionRoot(const SessionRoot&) = delete;
    SessionRoot& operator=(const SessionRoot&) = delete;

    // By its text alone: an absolute path, in the canonical or the operator's spelling.
    bool holds(std::string_view path) const;

    const OpenedRoot opened;
    ReadTracker reads;
    DiskUse disk;
    Recorder recorder;
    HiddenFiles hidden;
    const Files files;
};

// Those of `also` and `see`. Errors: of Root::open; invalid_argument if one lies in another or in
// the workspace, or if there are too many.
Result<std::vector<OpenedRoot>> open_further_roots(const WorkspaceOptions& options,
                                                   const Root& workspace);

}  // namespace paddock::tools
