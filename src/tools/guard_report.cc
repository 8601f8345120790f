#include "tools/guard_report.h"

#include <utility>

#include <paddock/limits.h>

namespace paddock::tools {

std::string_view undone_text(Undone what) noexcept {
    switch (what) {
        case Undone::kQuarantined: return "moved to the quarantine";
        case Undone::kRemoved: return "removed";
        case Undone::kCleaned: return "rid of settings that can run programs or lead elsewhere";
        case Undone::kMovedBack: return "moved back";
        case Undone::kRestored: return "restored";
        case Undone::kMissing: return "lost, and could not be restored";
        case Undone::kReplaced: return "replaced by somebody outside, and left as it is";
        case Undone::kMadeReadable: return "made readable";
        case Undone::kLeft: return "left as it is, because it could not be undone";
    }
    return {};
}

void GuardReport::add(GuardRecord record) {
    if (records.size() == limits::kGuardRecordsMax) {
        ++more;
    } else {
        records.push_back(std::move(record));
    }
}

}  // namespace paddock::tools
