// Links that lead out of the workspace, and the ways to make a tool follow them.
#include "cli/prove/careless.h"
#include "cli/prove/gallery.h"

namespace paddock::cli::prove {
namespace {

// Two links that lead outside, to something and to nothing: does the answer tell them apart?
Attempt compare_answers(const Ground& ground) {
    Attempt made;
    if (careless::answer(ground, "present") != careless::answer(ground, "absent")) {
        made.harm = "tells what exists outside";
    }
    return made;
}

Attempt compare_answers(const Root& root) {
    const Attempt present = attempt(root.read_file("present"));
    Attempt made = attempt(root.read_file("absent"));
    if (present.refused != made.refused) made.harm = "tells what exists outside";
    return made;
}

}  // namespace

std::vector<Attack> link_attacks() {
    return {
        {.id = "SYM-03",
         .title = "read: a link to a file outside",
         .tree = {"link->../outside/secret"},
         .careless = [](const Ground& g) { return careless::read(careless::lexical(g, "link")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("link")); }},
        {.id = "SYM-05",
         .title = "read: a link with an absolute target",
         .tree = {"link->@/outside/secret"},
         .careless = [](const Ground& g) { return careless::read(careless::lexical(g, "link")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("link")); }},
        {.id = "SYM-07",
         .title = "read: a file behind a directory link",
         .tree = {"dir->../outside"},
         .careless =
             [](const Ground& g) { return careless::read(careless::no_link(g, "dir/secret")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("dir/secret")); }},
        {.id = "SYM-09",
         .title = "list: a nested link, one ../ too many",
         .tree = {"a/b/up->../../../outside"},
         .careless = [](const Ground& g) { return careless::list(careless::lexical(g, "a/b/up")); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.list("a/b/up")); }},
        {.id = "SYM-13",
         .title = "read: a chain of links",
         .tree = {"one->sub/two", "sub/two->../three", "three->../outside/secret"},
         .careless = [](const Ground& g) { return careless::read(careless::lexical(g, "one")); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.read_file("one")); }},
        {.id = "SYM-24",
         .title = "list: a link with a slash behind it",
         .tree = {"link->../outside"},
         .careless = [](const Ground& g) { return careless::list(careless::no_link(g, "link/")); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.list("link/")); }},
        {.id = "SYM-20",
         .title = "ask: does this file exist outside?",
         .tree = {"present->../outside/secret", "absent->../outside/nothing"},
         .careless = [](const Ground& g) { return compare_answers(g); },
         .guarded = [](const Ground&, const Root& root) { return compare_answers(root); }},
    };
}

std::vector<Attack> link_change_attacks() {
    return {
        {.id = "SYM-24",
         .title = "chmod: a link with a slash behind it",
         .tree = {"link->../outside/tree"},
         .careless =
             [](const Ground& g) { return careless::chmod(careless::no_link(g, "link/"), 0777); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.chmod("link/", 0777)); }},
        {.id = "SYM-24",
         .title = "remove: a link with a slash behind it",
         .tree = {"link->../outside/tree"},
         .careless =
             [](const Ground& g) { return careless::remove_tree(careless::no_link(g, "link/")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.remove_all("link/")); }},
        {.id = "SYM-35",
         .title = "chmod: through a link",
         .tree = {"link->../outside/secret"},
         .careless =
             [](const Ground& g) { return careless::chmod(careless::lexical(g, "link"), 0666); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.chmod("link", 0666)); }},
        {.id = "ED-04",
         .title = "write: through a link",
         .tree = {"note->../outside/secret"},
         .careless = [](const Ground& g) { return careless::write(careless::lexical(g, "note")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.write_file("note", "x")); }},
        {.id = "WR-02",
         .title = "create: through a dangling link",
         .tree = {"new->../outside/planted"},
         .careless = [](const Ground& g) { return careless::write(careless::real(g, "new")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.write_file("new", "x")); }},
    };
}

}  // namespace paddock::cli::prove
