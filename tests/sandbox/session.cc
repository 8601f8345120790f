#include "sandbox/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "sandbox/environment.h"
#include "sandbox/probe.h"

namespace paddock::testing {

using sandbox::Command;
using sandbox::Warden;
using sandbox::WardenSpec;

Session::Session() {
    workspace_ = UniqueFd(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

WardenSpec Session::spec(SandboxLevel level) const {
    WardenSpec spec;
    spec.workspace = workspace_.get();
    spec.workspace_path = ws();
    spec.ceiling.namespaces = level == SandboxLevel::kFull;
    if (level == SandboxLevel::kFull)
        spec.options.required = {Layer::kMountNamespace, Layer::kPidNamespace};
    return spec;
}

Result<Warden> Session::start(const WardenSpec& spec) {
    // Without namespaces root has nobody to run commands as but the owner.
    struct stat raw {};
    EXPECT_EQ(::stat(ws().c_str(), &raw), 0);
    if (!spec.ceiling.namespaces && raw.st_uid == 0) {
        EXPECT_EQ(::chown(ws().c_str(), 65534, 65534), 0);
        EXPECT_EQ(::chmod(base().c_str(), 0755), 0);
    }
    return Warden::start(spec);
}

std::string no_level(const WardenSpec& spec) {
    if (const auto landlock = sandbox::try_landlock(); !landlock) {
        return "this kernel has no Landlock";
    }
    if (!spec.ceiling.namespaces) return {};
    const auto mounts = sandbox::try_mount_namespace();
    return mounts ? "" : "mount namespaces are refused here";
}

Command Session::shell(const Warden& warden, const std::string& script) {
    Command command;
    command.arguments = {"/bin/sh", "-c", script};
    command.environment = sandbox::command_environment(
                              {}, {}, {.home = warden.home(), .temporary = warden.temporary()})
                              .variables;
    return command;
}

std::string drain(int fd) {
    std::string text;
    std::array<char, 4096> block;
    for (;;) {
        const ssize_t size = ::read(fd, block.data(), block.size());
        if (size <= 0) return text;
        text.append(block.data(), static_cast<std::size_t>(size));
    }
}

Ran Session::run(Warden& warden, const std::string& script) {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const UniqueFd out(ends[0]);
    UniqueFd in(ends[1]);
    Command command = shell(warden, script);
    command.output = in.get();
    command.error = in.get();
    Ran ran;
    const auto process = warden.spawn(command);
    in.reset();
    if (!process) {
        ran.error = process.error().message();
        return ran;
    }
    ran.output = drain(out.get());
    const auto record = sandbox::read_exit(process->status.get());
    if (record && *record) {
        ran.record = **record;
        ran.signal = ran.record->signal;
        ran.exit_code = ran.signal == 0 ? ran.record->exit_code : -1;
    }
    return ran;
}

sandbox::Process Session::leave_running(Warden& warden, const std::string& script) {
    auto process = warden.spawn(shell(warden, script));
    if (!process) throw std::runtime_error(process.error().message());
    return std::move(*process);
}

std::string Session::inmate() {
    if (!has_inmate_) {
        std::ifstream from(PADDOCK_INMATE, std::ios::binary);
        std::ofstream to(ws("inmate"), std::ios::binary);
        to << from.rdbuf();
        to.close();
        EXPECT_EQ(::chmod(ws("inmate").c_str(), 0755), 0);
        has_inmate_ = true;
    }
    return "./inmate ";
}

std::vector<std::string> private_directories() {
    std::vector<std::string> names = os_list("/tmp");
    const std::string mine = "paddock-" + std::to_string(::getpid()) + "-";
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(mine); });
    return names;
}

bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 20'000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

}  // namespace paddock::testing
