#include "tools/two_paths.h"

#include "fs/rel_path.h"

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
    const auto source = files.own_name(arguments.text("source"));
    if (!source) return source.error();
    if (*source == ".") {
        return Problem(Code::kInvalidArgument,
                       "The workspace itself stays where it is. Name something in it.");
    }
    const auto stat = files.stat_name(*source);
    if (!stat && stat.error().code == Code::kNotFound) {
        return files.missing(arguments.text("source"));
    }
    if (!stat) return stat.error();
    const std::string& given = arguments.text("destination");
    const auto destination = files.own_name(given);
    if (!destination) return destination.error();
    if (given.ends_with('/') && stat->type != FileType::kDirectory) {
        return Problem(Code::kNotADirectory,
                       "The destination names a directory, the source is none. Add the name that "
                       "it is to have there.");
    }
    if (*source == *destination) {
        return Problem(Code::kInvalidArgument,
                       "The source and the destination are the same. Choose another destination.");
    }
    return TwoPaths{*source, *destination};
}

Problem occupied(const Files& files, const TwoPaths& paths) {
    const std::string there = files.shown(paths.destination);
    const auto stat = files.stat_name(paths.destination);
    if (stat && stat->type == FileType::kDirectory) {
        const std::string in_it = fs::joined(paths.destination, fs::leaf_of(paths.source));
        return Problem(
            Code::kAlreadyExists,
            "'" + there + "' is a directory that already exists. " +
                (in_it == paths.source ? "Choose another name."
                                       : "Name the new path in it: '" + files.shown(in_it) + "'."));
    }
    return Problem(Code::kAlreadyExists,
                   "'" + there + "' already exists. Choose another name, or set overwrite.");
}

}  // namespace paddock::tools
