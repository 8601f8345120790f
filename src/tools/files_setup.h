// What the file tools of one root are made of. All that is referred to outlives them.
#pragma once

#include <string>

#include <paddock/read_tracker.h>
#include <paddock/root.h>

#include "policy/meter.h"
#include "policy/path_rules.h"
#include "search/secret_scanner.h"
#include "search/walked_directory.h"
#include "tools/disk_use.h"
#include "tools/hidden_files.h"
#include "tools/recorder.h"

namespace paddock::tools {

struct FilesSetup {
    Root root;
    Root linkless;
    std::string base;  // where relative paths begin; empty: in the root itself
    const policy::PathRules& rules;
    Recorder& recorder;
    HiddenFiles& hidden;
    policy::Meter& meter;
    DiskUse& disk;
    ReadTracker* reads = nullptr;                    // not tracked
    const search::SecretScanner* scanner = nullptr;  // null: secrets are not filtered
    std::string home = {};                           // see git::Judge::Facts
    search::GlobalIgnores ignored = {};              // what the operator's rules exclude
    bool read_only = false;
    std::string prefix = {};  // before each path in results; empty: the workspace itself
};

}  // namespace paddock::tools
