// A workspace with a sandbox for commands, on the level that the test names, and what commands
// print in it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/child.h"
#include "sandbox/warden.h"
#include "testing/jail.h"

namespace paddock::testing {

struct Ran {
    std::string output;  // both streams
    int exit_code = -1;  // -1: a signal
    int signal = 0;
    std::optional<sandbox::ExitRecord> record = {};  // nothing: the session ended first
    std::string error = {};                          // why it could not be started
};

class Session : public Jail {
public:
    using Jail::os_read;

protected:
    Session();

    // The default specification of this workspace; low: as if there were no namespaces.
    sandbox::WardenSpec spec(SandboxLevel level = SandboxLevel::kFull) const;

    // Makes the workspace fit for the specification; use START.
    Result<sandbox::Warden> start(const sandbox::WardenSpec& spec);

    // Runs a shell command to its end.
    static Ran run(sandbox::Warden& warden, const std::string& script);
    // Starts one and leaves it running; its output is lost.
    static sandbox::Process leave_running(sandbox::Warden& warden, const std::string& script);
    // A copy of inmate.cc in the workspace, run as "./inmate NAME ARGUMENTS".
    std::string inmate();

    static sandbox::Command shell(const sandbox::Warden& warden, const std::string& script);

private:
    UniqueFd workspace_;
    bool has_inmate_ = false;
};

// The same body on the full level and on the low one.
class OnBothLevels : public Session, public ::testing::WithParamInterface<SandboxLevel> {
protected:
    sandbox::WardenSpec spec() const { return Session::spec(GetParam()); }
    bool full() const { return GetParam() == SandboxLevel::kFull; }
};

// Why a test of this level cannot run here, found out without the code under test, or empty.
std::string no_level(const sandbox::WardenSpec& spec);

// Reads everything until all writers are gone.
std::string drain(int fd);

// What sessions of this process have in /tmp now, on the low level.
std::vector<std::string> private_directories();

// Waits, without a fixed time, until `condition` holds; false after very long.
bool eventually(const std::function<bool()>& condition);

}  // namespace paddock::testing

// Declares a started warden. A machine that cannot have one skips the test.
#define START(name, wanted)                                                                    \
    const sandbox::WardenSpec name##_spec_ = (wanted);                                         \
    if (const std::string why_ = ::paddock::testing::no_level(name##_spec_); !why_.empty())    \
        GTEST_SKIP() << why_;                                                                  \
    auto name##_started_ = start(name##_spec_);                                                \
    ASSERT_TRUE(name##_started_.has_value())                                                   \
        << name##_started_.error().message() << " errno " << name##_started_.error().os_error; \
    sandbox::Warden& name = *name##_started_
