// launch [--nobody] [--openat2=enosys|eperm|trap] -- PROGRAM ARGS...
//
// Runs a test as an unprivileged user, or where a seccomp filter answers openat2 in one of the ways
// that are met in the field. Exits 77, with the reason, where that cannot be arranged.
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

constexpr int kSkip = 77;
constexpr uid_t kNobody = 65534;
constexpr unsigned kNrOpenat2 = 437;

int skip(const char* reason) {
    std::printf("skipped: %s: %s\n", reason, std::strerror(errno));
    return kSkip;
}

bool filter_openat2(unsigned action) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNrOpenat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool become_nobody() {
    return setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
           setresuid(kNobody, kNobody, kNobody) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    bool nobody = false;
    unsigned action = SECCOMP_RET_ALLOW;
    int next = 1;
    for (; next < argc && std::string_view(argv[next]) != "--"; ++next) {
        const std::string_view option = argv[next];
        if (option == "--nobody") nobody = true;
        if (option == "--openat2=enosys") action = SECCOMP_RET_ERRNO | ENOSYS;
        if (option == "--openat2=eperm") action = SECCOMP_RET_ERRNO | EPERM;
        if (option == "--openat2=trap") action = SECCOMP_RET_TRAP;
    }
    if (++next >= argc) {
        std::fputs("usage: launch [--nobody] [--openat2=enosys|eperm|trap] -- PROGRAM...\n",
                   stderr);
        return 2;
    }
    // Opened first: the unprivileged user may not be able to reach the build folder.
    const int program = open(argv[next], O_RDONLY | O_CLOEXEC);
    if (program < 0) return std::perror(argv[next]), 2;
    if (nobody && geteuid() != 0) {
        std::puts("skipped: only root can become another user; this run is unprivileged already");
        return kSkip;
    }
    if (nobody && (chdir("/") != 0 || !become_nobody())) return skip("cannot change user");
    if (action != SECCOMP_RET_ALLOW && !filter_openat2(action)) return skip("no seccomp filter");
    fexecve(program, argv + next, environ);
    std::perror("fexecve");
    return 2;
}
