// Calls that act on more than one name: renames, copies, walks, recursive removal.
#include "cli/prove/careless.h"
#include "cli/prove/gallery.h"

namespace paddock::cli::prove {
namespace {

// All bytes that a recursive search would look at.
Attempt search(const Root& root, std::string_view start) {
    Attempt made;
    const auto visit = [&](const WalkEntry& entry) {
        made.got += root.read_file(entry.path).value_or("");
        return WalkAction::kContinue;
    };
    if (const auto walked = root.walk(start, visit); !walked) made.refused = walked.error().code;
    return made;
}

}  // namespace

std::vector<Attack> tree_attacks() {
    return {
        {.id = "ABS-14",
         .title = "rename: the source lies outside",
         .careless =
             [](const Ground& g) {
                 return careless::rename(careless::joined(g, g.out("secret")),
                                         careless::joined(g, "stolen"));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 return attempt(root.rename(g.out("secret"), "stolen"));
             }},
        {.id = "ABS-14",
         .title = "rename: the destination lies outside",
         .tree = {"mine=x"},
         .careless =
             [](const Ground& g) {
                 return careless::rename(careless::joined(g, "mine"),
                                         careless::joined(g, "../outside/secret"));
             },
         .guarded =
             [](const Ground&, const Root& root) {
                 return attempt(root.rename("mine", "../outside/secret"));
             }},
        {.id = "ABS-15",
         .title = "copy: the source lies outside",
         .careless =
             [](const Ground& g) {
                 return careless::copy(careless::joined(g, g.out("secret")),
                                       careless::joined(g, "stolen"));
             },
         .guarded =
             [](const Ground& g, const Root& root) {
                 return attempt(root.copy_file(g.out("secret"), "stolen"));
             }},
        {.id = "WK-08",
         .title = "search: a tree with a link to outside",
         .tree = {"src/main=x", "src/vendor->../../outside"},
         .careless = [](const Ground& g) { return careless::read_tree(careless::real(g, "src")); },
         .guarded = [](const Ground&, const Root& root) { return search(root, "src"); }},
        {.id = "WK-09",
         .title = "search: starting at a link to outside",
         .tree = {"vendor->../outside"},
         .careless =
             [](const Ground& g) { return careless::read_tree(careless::lexical(g, "vendor")); },
         .guarded = [](const Ground&, const Root& root) { return search(root, "vendor"); }},
        {.id = "SYM-31",
         .title = "remove_all: a link to a tree outside",
         .tree = {"link->../outside/tree"},
         .careless =
             [](const Ground& g) {
                 return careless::remove_tree(careless::lexical(g, "link"),
                                              careless::Links::kFollowed);
             },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.remove_all("link")); }},
        {.id = "WK-18",
         .title = "remove_all: a tree with such a link",
         .tree = {"build/log=x", "build/cache->../../outside/tree"},
         .careless =
             [](const Ground& g) {
                 return careless::remove_tree(careless::real(g, "build"),
                                              careless::Links::kFollowed);
             },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.remove_all("build")); }},
    };
}

}  // namespace paddock::cli::prove
