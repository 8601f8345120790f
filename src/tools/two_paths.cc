#include "tools/two_paths.h"

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "tools/session.h"
#include "tools/text_answer.h"

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

bool are_in_different_roots(const Session& session, const Arguments& arguments) {
    return &session.files_for(arguments.text("source")) !=
           &session.files_for(arguments.text("destination"));
}

// First the copy: whoever is refused half way still has the file.
Attempt<Answer> take_between(const Session& session, const Arguments& arguments, bool moves) {
    const std::string& given = arguments.text("source");
    const Files& from = session.files_for(given);
    const Files& to = session.files_for(arguments.text("destination"));
    const auto source = from.own_name(given);
    if (!source) return source.error();
    const auto stat = from.stat_name(*source);
    if (!stat && stat.error().code == Code::kNotFound) return from.missing(given);
    if (!stat) return stat.error();
    if (stat->type != FileType::kRegular) {
        return Problem(Code::kNotRegularFile,
                       "'" + from.shown(*source) + "' is a " +
                           std::string(file_type_name(stat->type)) +
                           ". From one directory of this session to another only a file is taken. "
                           "Take its files one by one, or use cp in bash.");
    }
    if (moves && from.is_read_only()) {
        return Problem(Code::kReadOnly, "'" + from.shown(*source) +
                                            "' lies in a directory that is only read. Copy it "
                                            "instead.");
    }
    if (moves) {
        if (auto allowed = from.check_removal(*source); !allowed) return allowed.error();
    }
    const auto content = from.read(*source, limits::kReadFileBytesMax);
    if (!content) return content.error();
    const auto change = to.prepare(arguments.text("destination"));
    if (!change) return change.error();
    if (change->old && !arguments.flag("overwrite")) {
        return occupied(to, {*source, change->path});
    }
    if (auto done = to.commit(*change, content->bytes, content->stat.mode & 0777U); !done) {
        return done.error();
    }
    const std::string paths = from.shown(*source) + " to " + to.shown(change->path) + ".";
    if (!moves) return text_answer("Copied " + paths);
    // What somebody has written to it since the copy was not copied.
    if (auto gone = from.remove({*source, *content}); !gone) {
        return Problem(gone.error().code,
                       "The file was copied to '" + to.shown(change->path) +
                           "' and is still at its old place: " + gone.error().text);
    }
    return text_answer("Moved " + paths);
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
                   "'" + there + "' already exists. Choose another name, or set overwrite=true.");
}

}  // namespace paddock::tools
