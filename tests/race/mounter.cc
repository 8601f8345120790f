#include "race/mounter.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <stdexcept>

#include "testing/jail.h"

namespace paddock::testing {

Mounter::Mounter(const std::string& directory) {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    shared_ = new (memory) Shared;
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        run(*shared_, directory.c_str());
        ::_exit(0);
    }
}

void Mounter::run(Shared& shared, const char* directory) {
    std::string why;
    shared.failed = !enter_private_mounts(why);
    while (!shared.failed) {
        shared.failed = ::mount("none", directory, "tmpfs", 0, nullptr) != 0 ||
                        ::umount2(directory, MNT_DETACH) != 0;
        ++shared.mounts;
    }
}

Mounter::~Mounter() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::munmap(shared_, sizeof(Shared));
}

bool Mounter::works() const {
    while (!shared_->failed && shared_->mounts == 0) ::sched_yield();
    return !shared_->failed;
}

}  // namespace paddock::testing
