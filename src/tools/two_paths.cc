#include "tools/two_paths.h"

namespace paddock::tools {

std::vector<Argument> two_path_arguments() {
    return {{.name = "source",
             .help = "What to take",
             .required = true,
             .aliases = {"from", "src", "old_path", "oldPath", "path"}},
            {.name = "destination",
             .help = "Its new path, the name included",
             .required = true,
             .aliases = {"to", "dest", "dst", "target", "new_path", "newPath"}},
            {.name = "overwrite",
             .type = Type::kFlag,
             .help = "Replace what is at the destination",
             .usual = false}};
}

Attempt<TwoPaths> two_paths(const Files& files, const Arguments& arguments) {
    const auto source = files.name(arguments.text("source"));
    if (!source) return source.error();
    if (*source == ".") {
        return Problem(Code::kInvalidArgument,
                       "The workspace itself stays where it is. Name something in it.");
    }
    if (!files.stat_name(*source)) return files.missing(arguments.text("source"));
    const auto destination = files.name(arguments.text("destination"));
    if (!destination) return destination.error();
    const std::size_t slash = destination->rfind('/');
    if (slash != std::string::npos) {
        if (auto made = files.make_directory(destination->substr(0, slash)); !made) {
            return made.error();
        }
    }
    return TwoPaths{*source, *destination};
}

}  // namespace paddock::tools
