// Which files a plain diff means. Its two names for one file may differ, and may be those of the
// place where it was made; what exists decides.
//
//   x.c, x.c.new            the one that exists. Both do: the one that the other adds to ("x.c"),
//                           where git apply and patch agree on it; else the patch is refused
//   proj.orig/x.c, proj/x.c the same; neither does: x.c, without what differs
//   /dev/null, proj/new.c   as the other files of the patch lost or kept what differs
#pragma once

#include <vector>

#include "text/patch_parse.h"
#include "tools/files.h"

namespace paddock::tools {

// Gives each change the name of the file that it means. Every name that is looked at must be one
// that may be changed. Errors: those of Files::target, invalid_argument.
Result<void> choose_targets(const Files& files, std::vector<text::FileChange>& changes);

}  // namespace paddock::tools
