// launch [--nobody|--loner] [--openat2=enosys|eperm|trap] [--no-namespaces] -- PROGRAM ARGS...
//
// Runs a test as an unprivileged user, where a seccomp filter answers openat2 in one of the ways
// that are met in the field, or where user namespaces are refused, as containers do. Exits 77, with
// the reason, where that cannot be arranged.
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

constexpr int kSkip = 77;
constexpr uid_t kNobody = 65534;
constexpr uid_t kLoner = 65533;  // whom no other test runs as
constexpr unsigned kNrOpenat2 = 437;

int skip(const char* reason) {
    std::printf("skipped: %s: %s\n", reason, std::strerror(errno));
    return kSkip;
}

template <std::size_t kCount>
bool install(sock_filter (&program)[kCount]) {
    const sock_fprog filter{kCount, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The flags are the first argument of both, and in the low half of it. clone3 hides them: a caller
// of it has to fall back.
bool refuse_namespaces() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    return install(program);
}

bool filter_openat2(unsigned action) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNrOpenat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return install(program);
}

bool become(uid_t id) {
    return setgroups(0, nullptr) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0 &&
           prctl(PR_SET_DUMPABLE, 1) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    bool nobody = false;
    uid_t id = kNobody;
    bool namespaces = true;
    unsigned action = SECCOMP_RET_ALLOW;
    int next = 1;
    for (; next < argc && std::string_view(argv[next]) != "--"; ++next) {
        const std::string_view option = argv[next];
        if (option == "--nobody" || option == "--loner") nobody = true;
        if (option == "--loner") id = kLoner;
        if (option == "--no-namespaces") namespaces = false;
        if (option == "--openat2=enosys") action = SECCOMP_RET_ERRNO | ENOSYS;
        if (option == "--openat2=eperm") action = SECCOMP_RET_ERRNO | EPERM;
        if (option == "--openat2=trap") action = SECCOMP_RET_TRAP;
    }
    if (++next >= argc) {
        std::fputs(
            "usage: launch [--nobody|--loner] [--openat2=enosys|eperm|trap] [--no-namespaces] -- "
            "PROGRAM...\n",
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
    if (nobody && (chdir("/") != 0 || !become(id))) return skip("cannot change user");
    if (!namespaces && !refuse_namespaces()) return skip("no seccomp filter");
    if (action != SECCOMP_RET_ALLOW && !filter_openat2(action)) return skip("no seccomp filter");
    fexecve(program, argv + next, environ);
    std::perror("fexecve");
    return 2;
}
