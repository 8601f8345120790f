// All that a warden needs, made before its process is, which may not allocate (warden_process.h).
#pragma once

#include <linux/filter.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <paddock/shell.h>
#include <paddock/unique_fd.h>

#include "sandbox/command_rules.h"
#include "sandbox/command_user.h"
#include "sandbox/observer.h"
#include "sandbox/protection.h"
#include "sandbox/view_plan.h"
#include "sys/landlock.h"

namespace paddock::sandbox {

// Descriptors of the warden's own begin here: those below are what a command gets.
inline constexpr int kFirstOwnDescriptor = 10;

struct GateSpec;

// A file of /proc that sets what the kernel lets a session's namespaces have.
struct KernelSetting {
    std::string path;
    std::string value;
};

struct FurtherRootPlan {
    UniqueFd directory;
    UniqueFd mount;  // of the full rung, attached nowhere; invalid: to be made by the warden
    std::string path;
    journal::Journal* journal = nullptr;  // null: read-only
};

// What commands only read besides: one for each kExtra piece.
struct ExtraPlan {
    UniqueFd object;  // that is meant
    UniqueFd mount;   // of it, attached nowhere; invalid: to be made by the warden
};

struct WardenPlan {
    Rung rung = Rung::kFull;

    // Duplicates at kFirstOwnDescriptor or above.
    UniqueFd control;    // the warden's end
    UniqueFd server;     // readable when the server has ended
    UniqueFd doorway;    // see doorway.h; invalid: no socket leaves the namespace
    UniqueFd workspace;  // its directory
    UniqueFd workspace_mount;
    UniqueFd home_mount;
    UniqueFd unrecorded_turn;
    std::vector<ExtraPlan> extras;
    std::vector<FurtherRootPlan> further;
    UniqueFd memory_events;  // of the session's cgroup, if there is one
    UniqueFd process_events;

    std::chrono::milliseconds patience{};  // with a child that is to become a command

    std::span<char> shown_arguments;  // of the server, which commands shall not see

    std::string workspace_path;
    bool read_only = false;
    CommandUser user;
    CommandLimits limits;
    bool own_network = true;
    bool opens_doorway = false;
    std::vector<Protection> protections;

    ViewPlan view;          // of the full rung
    std::string home_path;  // on the host, of the home that lasts; empty: there is none
    Identity home_identity;
    // Where commands see what the user's own programs can reach besides the roots: the home that
    // lasts; on the low rung all that is theirs. Its gate judges and records nothing. Empty: none.
    std::string unrecorded;
    std::string git_config;  // as commands see it: what GIT_CONFIG_SYSTEM names; empty: none
    std::vector<KernelSetting> settings;
    std::string scratch_bytes;
    std::string scratch_files;

    std::string scratch_parent;  // of the low rung: a directory and a name in it that are removed
    std::string scratch_name;    // at the end
    std::uint64_t others = 0;    // room for the same user's outside, where those count, too

    CommandRules rules;
    CommandRules gated_rules;  // where the gate changes the workspace for commands
    const GateSpec* gate = nullptr;
    int landlock_abi = 0;
    std::vector<sock_filter> filter;
    std::vector<sock_filter> observing_filter;  // the same, and tells; empty: not wanted
    std::vector<sock_filter> gated_filter;      // the same, and hands over what the gate performs
    ObservedWorld world;
};

}  // namespace paddock::sandbox
