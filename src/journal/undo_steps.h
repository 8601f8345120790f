// Performing the steps of an undo on the disk.
#pragma once

#include "journal/journal.h"
#include "journal/undo.h"

namespace paddock::journal {

// With a Turn of the journal held. Stops at the first step that fails; what was done until then is
// in the journal.
UndoResult perform_steps(int workspace, const Timeline& timeline, Journal& journal,
                         const UndoPlan& plan);

}  // namespace paddock::journal
