// Keeps the path rules around commands, together with the kernel.
//
// What exists is bound read-only or covered before a command runs: before() says what. A name that
// does not exist yet cannot be bound; so after() looks what has appeared, and undoes it: moved to
// the quarantine, or removed where there is none. A new repository is judged instead: settings
// that can run nothing and samples of hooks stay, other settings are cut out of the config, other
// hooks are moved away. What stays is protected from the next before() on.
//
//   guard.before() -> Warden::protect ... the command ... guard.after() -> records to print
//
// If Warden::protect fails, because somebody replaced a path in between, guard.not_bound() says so,
// and the next before() returns the same again as far as it is still there.
//
// What is there when before() is called and no process of the session was alive since the last
// after() is trusted: who owns the workspace made it. If one was, or that after() was unfinished,
// what is new is judged as in after(). What could not be undone is never trusted: each after()
// tries again, and says so. If another session is at work at the first before(), what is there is
// known all the same, but is not put back when it has gone: that session may have undone it.
//
// Undoing one thing may uncover the next. That goes on until nothing is left, however much it is;
// only while a process of the session is alive, which may make more all the time, or where looks
// undo something and leave no less, there is a bound.
//
// Whoever still runs may exchange directories while the guard works. It acts on the objects that it
// judged, never on what bears their names by then, and takes nothing away that the kernel holds.
//
// What somebody outside makes under a protected name while a command runs cannot be told from what
// the command makes, and is undone as well; it is in the quarantine.
//
// Not promised: between the making and after() the name is there, and who runs git or opens the
// directory in an editor in that time obeys it.
//
// Threads: calls may come from any thread and wait for each other. after() may be called at any
// time, also while processes run: what is in order is left alone, so a second call reports nothing.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "policy/path_rules.h"
#include "search/protected_paths.h"
#include "tools/guard_report.h"
#include "tools/held_objects.h"

namespace paddock::tools {

// Has a process of the session been alive since the last after() that was not unfinished, or is
// another session of the workspace at work?
enum class Since : bool { kQuiet, kBusy };

struct GuardOptions {
    // A directory of the operator's outside the workspace.
    std::optional<Root> quarantine{};

    // The kernel keeps commands from what before() returned. Where it does not (no mount
    // namespaces), the content of protected files is kept in memory and restored.
    bool kernel_holds = true;

    // Of the user on the host: what "~/" stands for in the settings of git. Empty: there is none.
    std::string home{};

    // Is a process of the session alive? Asked when the patience has run out.
    std::function<bool()> alive = [] { return true; };
    std::chrono::milliseconds patience = limits::kGuardPatience;
};

class Guard {
public:
    // `linkless` passes no link and may write. `held` is told what the kernel keeps commands from;
    // it and `rules` must outlive the guard.
    Guard(const Root& linkless, const policy::PathRules& rules, HeldObjects& held,
          GuardOptions options);
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard();

    // What is to be protected now and was not returned before, or is another object by now; and the
    // sockets of the host, to be hidden. A pin stands before what is below it. Never contains
    // links, which cannot be bound; empty where the kernel does not hold. limit_reached for more
    // than limits::kProtectedPathsMax in all; what leaves a report unfinished is an error here.
    Result<std::vector<search::ProtectedPath>> before(Since since);

    // What before() returned last is not, or not all, kept by the kernel.
    void not_bound(const std::vector<search::ProtectedPath>& paths);

    // Undoes what must not be, and says so, also what before() undid.
    GuardReport after();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace paddock::tools
