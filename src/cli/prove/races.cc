// Names that change between check and use: a thread exchanges two of them all the time,
// while the call is made again and again. The careless tool asks realpath first and acts by name
// then.
#include "cli/prove/careless.h"
#include "cli/prove/gallery.h"

namespace paddock::cli::prove {
namespace {

// Not made durable: a race is about names, and thousands of writes are about to be made.
constexpr WriteOptions kFast{.mode = {}, .durability = Durability::kNone};

}  // namespace

std::vector<Attack> race_attacks() {
    return {
        {.id = "RACE-01",
         .title = "read: dir swapped with a link",
         .tree = {"d/secret=inside", "x->../outside"},
         .careless = [](const Ground& g) { return careless::read(careless::real(g, "d/secret")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.read_file("d/secret")); },
         .race = Race{"d", "x"}},
        {.id = "RACE-03",
         .title = "read: file swapped with a link",
         .tree = {"f=inside", "x->../outside/secret"},
         .careless = [](const Ground& g) { return careless::read(careless::real(g, "f")); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.read_file("f")); },
         .race = Race{"f", "x"}},
        {.id = "RACE-29",
         .title = "write: dir swapped with a link",
         .tree = {"d/secret=inside", "x->../outside"},
         .careless = [](const Ground& g) { return careless::write(careless::real(g, "d/secret")); },
         .guarded =
             [](const Ground&, const Root& root) {
                 return attempt(root.write_file("d/secret", "x", kFast));
             },
         .race = Race{"d", "x"}},
        {.id = "RACE-04",
         .title = "write: file swapped with a link",
         .tree = {"f=inside", "x->../outside/secret"},
         .careless = [](const Ground& g) { return careless::write(careless::real(g, "f")); },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.write_file("f", "x", kFast)); },
         .race = Race{"f", "x"}},
        {.id = "RACE-24",
         .title = "chmod: file swapped with a link",
         .tree = {"f=inside", "x->../outside/secret"},
         .careless = [](const Ground& g) { return careless::chmod(careless::real(g, "f"), 0600); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.chmod("f", 0600)); },
         .race = Race{"f", "x"}},
        {.id = "RACE-19",
         .title = "mkdir_all: dir swapped with a link",
         .tree = {"t/d/", "t/x->../../outside"},
         .careless =
             [](const Ground& g) {
                 return careless::make_directories(careless::real(g, "t/d/new/deep"));
             },
         .guarded = [](const Ground&,
                       const Root& root) { return attempt(root.mkdir_all("t/d/new/deep")); },
         .race = Race{"t/d", "t/x", true}},
        {.id = "RACE-21",
         .title = "remove_all: dir swapped with a link",
         .tree = {"t/d/leaf=inside", "t/x->../../outside/tree"},
         .careless = [](const Ground& g) { return careless::remove_tree(careless::real(g, "t")); },
         .guarded = [](const Ground&, const Root& root) { return attempt(root.remove_all("t")); },
         .race = Race{"t/d", "t/x", true}},
    };
}

}  // namespace paddock::cli::prove
