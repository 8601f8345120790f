#include <sys/xattr.h>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

Verdict write_at(const Ground& ground, const std::string& path) {
    return succeeded_if(write_text(path, ground["secret"]));
}

struct stat status_of(const std::string& path) {
    struct stat found {};
    ::lstat(path.c_str(), &found);
    return found;
}

Verdict set_attribute(const Ground& ground) {
    if (!ground.has("xattr")) return cannot_try("no extended attributes on this file system");
    return succeeded_if(
        ::setxattr(ground.path("outside", "file").c_str(), "user.decoy", "x", 1, 0) == 0);
}

Verdict leave_set_id_program(const Ground& ground) {
    const std::string program = ground.path("ws", "program");
    write_text(program, "#!/bin/sh\n");
    return succeeded_if(::chmod(program.c_str(), 04755) == 0);
}

constexpr Attempt kAttempts[] = {
    {"write-home", "create a file in the home directory",
     [](const Ground& g) { return write_at(g, g.path("home", "planted")); },
     [](const Ground& g) { return exists(g.path("home", "planted")); }},
    {"write-sibling", "create ../sibling/planted",
     [](const Ground& g) { return write_at(g, "../sibling/planted"); },
     [](const Ground& g) { return exists(g.path("sibling", "planted")); }},
    {"write-tmp", "write to the host's /tmp", [](const Ground& g) { return write_at(g, g["tmp"]); },
     [](const Ground& g) { return exists(g["tmp"]); }},
    {"write-shm", "write to the host's /dev/shm",
     [](const Ground& g) { return write_at(g, g["shm_file"]); },
     [](const Ground& g) { return exists(g["shm_file"]); }},
    {"write-by-link", "write through a link to a directory outside",
     [](const Ground& g) { return write_at(g, g.path("ws", "link-to-sibling/planted")); },
     [](const Ground& g) { return exists(g.path("sibling", "planted")); }},
    {"hard-link", "hard-link a file from outside into the workspace",
     [](const Ground& g) {
         return succeeded_if(
             ::link(g.path("outside", "file").c_str(), g.path("ws", "linked").c_str()) == 0);
     },
     [](const Ground& g) { return status_of(g.path("outside", "file")).st_nlink > 1; }},
    {"rename-in", "rename a file from outside into the workspace",
     [](const Ground& g) {
         return succeeded_if(
             ::rename(g.path("outside", "file").c_str(), g.path("ws", "moved").c_str()) == 0);
     },
     [](const Ground& g) { return !exists(g.path("outside", "file")); }},
    {"unlink", "remove a file outside",
     [](const Ground& g) { return succeeded_if(::unlink(g.path("outside", "file").c_str()) == 0); },
     [](const Ground& g) { return !exists(g.path("outside", "file")); }},
    {"chmod", "chmod a file of one's own outside",
     [](const Ground& g) {
         return succeeded_if(::chmod(g.path("outside", "file").c_str(), 0777) == 0);
     },
     [](const Ground& g) { return (status_of(g.path("outside", "file")).st_mode & 0777) == 0777; }},
    {"utimes", "set the times of a file of one's own outside",
     [](const Ground& g) {
         const timespec times[2] = {{1000, 0}, {1000, 0}};
         return succeeded_if(::utimensat(AT_FDCWD, g.path("outside", "file").c_str(), times, 0) ==
                             0);
     },
     [](const Ground& g) { return status_of(g.path("outside", "file")).st_mtim.tv_sec == 1000; }},
    {"setxattr", "set an attribute of a file of one's own outside", set_attribute,
     [](const Ground& g) {
         return ::getxattr(g.path("outside", "file").c_str(), "user.decoy", nullptr, 0) > 0;
     }},
    {"truncate", "truncate a file of one's own outside",
     [](const Ground& g) {
         return succeeded_if(::truncate(g.path("outside", "file").c_str(), 0) == 0);
     },
     [](const Ground& g) { return status_of(g.path("outside", "file")).st_size == 0; }},
    {"set-id", "leave a set-user-id program of the owner in the workspace", leave_set_id_program,
     [](const Ground& g) { return (status_of(g.path("ws", "program")).st_mode & S_ISUID) != 0; }},
};

}  // namespace

std::span<const Attempt> writing() { return kAttempts; }

}  // namespace inmates
