// Paths that are written to get out, or to be read differently by the check and by the kernel.
#include <climits>

#include "cli/prove/careless.h"
#include "cli/prove/gallery.h"

namespace paddock::cli::prove {
namespace {

// A tool that keeps the name "keys" from the caller. The bytes that it compares are not the bytes
// that the kernel gets.
Attempt read_unless_denied(const Ground& ground, const std::string& path, std::size_t bytes_used) {
    if (path.ends_with("keys")) return {};
    return careless::read(careless::joined(ground, path)->substr(0, bytes_used));
}

const std::string& nul_path() {
    static const std::string path("keys\0.txt", 9);
    return path;
}

// Fills a buffer of PATH_MAX up to and including "keys"; the rest of the name is cut off.
std::string long_path(const Ground& ground) {
    const std::size_t slashes = PATH_MAX - 1 - ground.ws("./keys").size();
    return "./" + std::string(slashes, '/') + "keys" + std::string(300, 'x');
}

}  // namespace

std::vector<Attack> spelling_attacks() {
    return {
        {.id = "LEX-03",
         .title = "read: down one level, up two",
         .tree = {"sub/"},
         .careless =
             [](const Ground& g) {
                 return careless::read(careless::no_dots(g, "sub/../../outside/secret"));
             },
         .guarded =
             [](const Ground&, const Root& root) {
                 return attempt(root.read_file("sub/../../outside/secret"));
             }},
        {.id = "LEX-16",
         .title = "read: ../ hidden behind ./",
         .careless =
             [](const Ground& g) {
                 return careless::read(careless::no_dots(g, "./../outside/secret"));
             },
         .guarded =
             [](const Ground&, const Root& root) {
                 return attempt(root.read_file("./../outside/secret"));
             }},
        {.id = "ABS-01",
         .title = "read: an absolute path",
         .careless =
             [](const Ground& g) { return careless::read(careless::joined(g, g.out("secret"))); },
         .guarded = [](const Ground& g,
                       const Root& root) { return attempt(root.read_file(g.out("secret"))); }},
        {.id = "PRE-01",
         .title = "read: a sibling named like the root",
         .careless =
             [](const Ground& g) {
                 return careless::read(careless::prefix(g, g.base() + "/ws-evil/secret"));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 return attempt(root.read_file(g.base() + "/ws-evil/secret"));
             }},
        {.id = "PRE-11",
         .title = "read: up and into that sibling",
         .careless =
             [](const Ground& g) {
                 return careless::read(careless::prefix(g, "../ws-evil/secret"));
             },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("../ws-evil/secret")); }},
        {.id = "NM-01",
         .title = "read: a NUL byte ends the name early",
         .tree = {"keys=@"},
         .careless =
             [](const Ground& g) { return read_unless_denied(g, nul_path(), std::string::npos); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file(nul_path())); }},
        {.id = "NM-04",
         .title = "read: a path too long for a buffer",
         .tree = {"keys=@"},
         .careless =
             [](const Ground& g) { return read_unless_denied(g, long_path(g), PATH_MAX - 1); },
         .guarded = [](const Ground& g,
                       const Root& root) { return attempt(root.read_file(long_path(g))); }},
    };
}

}  // namespace paddock::cli::prove
