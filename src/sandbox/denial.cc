#include "sandbox/denial.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/display.h"
#include "sys/io.h"

namespace paddock::sandbox {
namespace {

struct WallText {
    std::string_view why;
    std::string_view setting;
};

WallText text_of(Wall wall) {
    switch (wall) {
        case Wall::kReadOnly: return {"the workspace is read-only", "mode"};
        case Wall::kRule: return {"the path is protected", "rules"};
        case Wall::kNetwork: return {"no network beyond its own loopback", "network"};
        case Wall::kView:
        case Wall::kNone: break;
    }
    return {"outside of the workspace", "root"};
}

std::string_view name_of(Deed deed) {
    switch (deed) {
        case Deed::kCreate: return "create";
        case Deed::kRemove: return "remove";
        case Deed::kRename: return "rename";
        case Deed::kConnect: return "connect to";
        case Deed::kWrite: break;
    }
    return "write";
}

bool same(const Denial& a, const Denial& b) {
    return a.wall == b.wall && a.deed == b.deed && a.target == b.target;
}

bool is_sound(const DenialRecord& record) {
    return record.wall <= Wall::kNetwork && record.deed <= Deed::kConnect &&
           record.size <= record.target.size();
}

}  // namespace

Outcome<bool> DenialLog::read(int report) {
    for (;;) {
        DenialRecord record;
        const auto size = sys::receive_now(report, reinterpret_cast<char*>(&record), sizeof record);
        if (!size && size.error().os_error == EAGAIN) return false;
        if (!size) return size.error();
        if (*size == 0) return true;
        if (*size != sizeof record || !is_sound(record)) {
            return refuse(Code::kInternal, "a report of denials is malformed");
        }
        if (record.wall == Wall::kNone) {
            more_ = true;
            continue;
        }
        add({record.wall, record.deed, std::string(record.target.data(), record.size)});
    }
}

void DenialLog::add(Denial denial) {
    const auto known = std::find_if(denials_.begin(), denials_.end(),
                                    [&](const Denial& other) { return same(denial, other); });
    if (known != denials_.end()) return;
    if (denials_.size() == limits::kDenialsMax) {
        more_ = true;
        return;
    }
    denials_.push_back(std::move(denial));
}

std::string DenialLog::text(const WallLayers& layers) const {
    if (denials_.empty()) return {};
    std::string text = "Denied by the sandbox:\n";
    for (const Denial& denial : denials_) {
        const WallText wall = text_of(denial.wall);
        text += "- ";
        text += name_of(denial.deed);
        text += ' ';
        text += displayable(denial.target);
        text += ": ";
        text += wall.why;
        text += " (layer: ";
        text += denial.wall == Wall::kNetwork ? layers.network : layers.files;
        text += ", operator setting: ";
        text += wall.setting;
        text += ")\n";
    }
    if (more_) text += "- and more\n";
    return text;
}

}  // namespace paddock::sandbox
