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
        case Wall::kReadOnly: return {"the workspace is read-only", "bash.read_only"};
        case Wall::kRule: return {"the path is protected", "workspace.rules"};
        case Wall::kNetwork: return {"no network beyond its own loopback", "bash.network"};
        case Wall::kProxy: return {"it is not allowed", "bash.network_allow"};
        case Wall::kLimit: return {"it was reached", "none"};
        case Wall::kView:
        case Wall::kNone: break;
    }
    return {"outside of the workspace", "workspace.root"};
}

std::string_view name_of(Deed deed) {
    switch (deed) {
        case Deed::kCreate: return "create";
        case Deed::kRemove: return "remove";
        case Deed::kRename: return "rename";
        case Deed::kConnect: return "connect to";
        case Deed::kLookUp: return "look up a host name at";
        case Deed::kExceed: return "exceed the limit of";
        case Deed::kWrite: break;
    }
    return "write";
}

std::string_view layer_of(const Denial& denial, const WallLayers& layers) {
    if (!denial.layer.empty()) return denial.layer;
    switch (denial.wall) {
        case Wall::kNetwork: return layers.network;
        case Wall::kProxy: return "proxy";
        case Wall::kLimit: return "limits";
        // Only the gate says why.
        case Wall::kRule: return denial.why.empty() ? layers.files : "gate";
        default: return layers.files;
    }
}

bool same(const Denial& a, const Denial& b) {
    return a.wall == b.wall && a.deed == b.deed && a.target == b.target;
}

bool is_sound(const DenialRecord& record) {
    return record.wall <= Wall::kNetwork && record.deed <= Deed::kLookUp &&
           record.size <= record.target.size() && record.why_size <= record.why.size();
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
        add({record.wall, record.deed, std::string(record.target.data(), record.size),
             std::string(record.why.data(), record.why_size)});
    }
}

void DenialLog::add(Denial denial) {
    const auto known = std::find_if(denials_.begin(), denials_.end(),
                                    [&](const Denial& other) { return same(denial, other); });
    if (known != denials_.end()) return;
    const auto of_wall = std::count_if(denials_.begin(), denials_.end(), [&](const Denial& other) {
        return other.wall == denial.wall;
    });
    if (static_cast<std::size_t>(of_wall) >= limits::kDenialsMax) {
        more_ = true;
        return;
    }
    denials_.push_back(std::move(denial));
}

void DenialLog::add(const DenialLog& other) {
    for (const Denial& denial : other.denials_) add(denial);
    more_ = more_ || other.more_;
}

std::string DenialLog::text(const WallLayers& layers) const {
    if (denials_.empty() && !more_) return {};
    std::string text = "Denied by the sandbox:\n";
    for (const Denial& denial : denials_) {
        const WallText wall = text_of(denial.wall);
        text += "- ";
        text += name_of(denial.deed);
        text += ' ';
        text += displayable(denial.target);
        text += ": ";
        text += denial.why.empty() ? std::string(wall.why) : displayable(denial.why);
        text += " (layer: ";
        text += layer_of(denial, layers);
        text += ", operator setting: ";
        text += denial.setting.empty() ? wall.setting : denial.setting;
        text += ")\n";
    }
    if (more_) text += "- and more\n";
    return text;
}

}  // namespace paddock::sandbox
