// What a name inside may really be: a FIFO, a magic link, a second name of an outside file, a
// mount, a file that nobody may write.
#include <sys/stat.h>

#include "cli/prove/careless.h"
#include "cli/prove/gallery.h"

namespace paddock::cli::prove {
namespace {

mode_t mode_of(const Ground& ground, std::string_view name) {
    struct stat stat;
    return ::lstat(ground.ws(name).c_str(), &stat) == 0 ? stat.st_mode : 0;
}

Attempt note_set_id(const Ground& ground, Attempt made) {
    if ((mode_of(ground, "tool") & S_ISUID) != 0)
        made.harm = "new content runs as the file's owner";
    return made;
}

Attempt note_replaced(const Ground& ground, Attempt made) {
    if (careless::read(ground.ws("frozen")).got != "frozen") made.harm = "file was replaced";
    return made;
}

}  // namespace

std::vector<Attack> file_attacks() {
    return {
        {.id = "SP-01",
         .title = "read: a FIFO nobody writes to",
         .tree = {"pipe|"},
         .careless = [](const Ground& g) { return careless::read(careless::real(g, "pipe")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("pipe")); }},
        {.id = "SP-11",
         .title = "read: a magic link, root on procfs",
         .careless =
             [](const Ground& g) {
                 const UniqueFd held = g.open_secret();
                 return careless::read("/proc/self/fd/" + std::to_string(held.get()));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 const UniqueFd held = g.open_secret();
                 return attempt(root.read_file(std::to_string(held.get())));
             },
         .root = "/proc/self/fd"},
        {.id = "MNT-05",
         .title = "read: a bind mount of the outside",
         .tree = {"mnt/"},
         .careless =
             [](const Ground& g) { return careless::read(careless::real(g, "mnt/secret")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("mnt/secret")); },
         .mounted = "mnt"},
    };
}

std::vector<Attack> file_change_attacks() {
    return {
        {.id = "HL-02",
         .title = "write: a hard link to outside",
         .tree = {"alias&../outside/secret"},
         .careless = [](const Ground& g) { return careless::write(careless::real(g, "alias")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.write_file("alias", "x")); }},
        {.id = "HL-04",
         .title = "append: a hard link to outside",
         .tree = {"alias&../outside/secret"},
         .careless = [](const Ground& g) { return careless::append(careless::real(g, "alias")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.append_file("alias", "x")); }},
        {.id = "HL-04",
         .title = "truncate: a hard link to outside",
         .tree = {"alias&../outside/secret"},
         .careless = [](const Ground& g) { return careless::truncate(careless::real(g, "alias")); },
         .guarded =
             [](const Ground&, const Root& root) {
                 return attempt(
                     root.open_file("alias", {.write = true, .truncate = true, .mode = {}}));
             }},
        {.id = "HL-04",
         .title = "chmod: a hard link to outside",
         .tree = {"alias&../outside/secret"},
         .careless =
             [](const Ground& g) { return careless::chmod(careless::real(g, "alias"), 0777); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.chmod("alias", 0777)); }},
        {.id = "WR-10",
         .title = "write: a setuid program keeps its bit",
         .tree = {"tool=old", "tool%4755"},
         .careless =
             [](const Ground& g) {
                 return note_set_id(g, careless::replace(careless::real(g, "tool")));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 return note_set_id(g, attempt(root.write_file("tool", "x")));
             }},
        {.id = "WR-11",
         .title = "write: a file nobody may write",
         .tree = {"frozen=frozen", "frozen%444"},
         .careless =
             [](const Ground& g) {
                 return note_replaced(g, careless::replace(careless::real(g, "frozen")));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 return note_replaced(g, attempt(root.write_file("frozen", "x")));
             }},
    };
}

}  // namespace paddock::cli::prove
