// The fuzzer's bytes choose a workspace, paths and changes. Stops at any disagreement between the
// model, both resolvers and the plain OS, at any object from outside, at any change outside.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include "agreement/scenario.h"
#include "base/check.h"

namespace {

using paddock::agreement::Arena;
using paddock::agreement::ByteSource;
using paddock::agreement::Settings;
using paddock::agreement::Tally;

bool enter_private_mounts() {
    return unshare(CLONE_NEWNS) == 0 &&
           mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// A directory of its own; in memory where mounts are possible, since disks dislike a thousand
// small trees a minute.
class Scratch {
public:
    Scratch() : mounts_(enter_private_mounts()) {
        const char* parent = std::getenv("TMPDIR");
        std::string name =
            std::string(parent != nullptr ? parent : "/tmp") + "/paddock-fuzz-XXXXXX";
        PADDOCK_CHECK(mkdtemp(name.data()) != nullptr);
        path_ = std::filesystem::canonical(name);
        if (mounts_) PADDOCK_CHECK(mount("tmpfs", path_.c_str(), "tmpfs", 0, nullptr) == 0);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        if (mounts_) umount2(path_.c_str(), MNT_DETACH);
        rmdir(path_.c_str());
    }

    const std::string& path() const { return path_; }
    bool mounts() const { return mounts_; }

private:
    std::string path_;
    bool mounts_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Scratch scratch;
    static Arena arena(scratch.path());
    static const Settings settings{.mounts = scratch.mounts(), .looks = 10, .changes = 4};
    ByteSource bytes(std::span(data, size));
    Tally tally;
    const std::string failure = run_scenario(bytes, arena, settings, tally);
    if (failure.empty()) return 0;
    (void)std::fprintf(stderr, "%s\n", failure.c_str());
    std::abort();
}
