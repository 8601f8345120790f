#include "sandbox/toolchains.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <atomic>
#include <thread>

#include "sys/files.h"
#include "sys/io.h"
#include "testing/jail.h"

using namespace paddock;
using namespace paddock::sandbox;

namespace {

class FoundToolchains : public paddock::testing::Jail {
protected:
    std::string home(const std::string& name = {}) const { return base() + "/HOME" + name; }

    Toolchains find(std::vector<std::string> variables) {
        variables.push_back("HOME=" + home());
        const std::vector<std::string> names{"nvm"};
        return find_toolchains(
            {.environment = variables, .workspace = ws(), .visible = {}, .names = names});
    }

    // What `name` in a part says, reached through the object that was judged.
    static std::string read_in(const HeldPath& part, const char* name) {
        const auto file = sys::openat(part.object.get(), name, O_RDONLY);
        char text[64];
        const auto size =
            file ? sys::read(file->get(), text, sizeof text) : Outcome<std::size_t>(file.error());
        return size ? std::string(text, *size) : "";
    }
};

// Somebody works inside ~/.nvm and exchanges a version with a link while the parts are judged.
TEST_F(FoundToolchains, a_version_exchanged_with_a_link_shows_nothing_else) {
    tree({"HOME/.nvm/versions/node/v1/share/man/", "HOME/.nvm/versions/node/v1/bin/node=x",
          "HOME/.nvm/versions/node/v0/bin/node=x", "HOME/.local/share/keyring=decoy-credential",
          "HOME/.nvm/spare->@/HOME/.local"});
    const std::string version = home("/.nvm/versions/node/v1");
    const std::string spare = home("/.nvm/spare");
    constexpr int kSwapsMax = 200'000;
    std::atomic<bool> stop = false;
    std::thread swapper([&] {
        for (int i = 0; i < kSwapsMax && !stop; ++i) {
            (void)::renameat2(AT_FDCWD, version.c_str(), AT_FDCWD, spare.c_str(), RENAME_EXCHANGE);
        }
    });
    int leaks = 0;
    int controls = 0;
    for (int round = 0; round < 4000 && (round < 500 || controls == 0); ++round) {
        const Toolchains found = find({"PATH=" + home("/.nvm/versions/node/v0/bin")});
        for (const HeldPath& part : found.paths) {
            leaks += read_in(part, "keyring") == "decoy-credential" ? 1 : 0;
            controls += os_read(part.path + "/keyring") == "decoy-credential" ? 1 : 0;
        }
    }
    stop = true;
    swapper.join();
    EXPECT_EQ(leaks, 0);
    EXPECT_GT(controls, 0) << "the race was never won, even by opening the path again";
}

}  // namespace
