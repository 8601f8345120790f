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
        case Wall::kSeen: return {"this directory is only for reading", "workspace.also"};
        case Wall::kNetwork:
            return {
                "a direct way out is closed, and it ignored HTTPS_PROXY; reach the host over "
                "HTTPS, or "
                "with --net host",
                "bash.network"};
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
        case Deed::kRead: return "read";
        case Deed::kResolve: return "look up";
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

bool is_of_network(const Denial& denial) {
    return denial.wall == Wall::kNetwork || denial.wall == Wall::kProxy;
}

CommandDenial explained(const Denial& denial, const WallLayers& layers, bool succeeded) {
    const WallText wall = text_of(denial.wall);
    const std::string_view setting = denial.setting.empty() ? wall.setting : denial.setting;
    return {.operation = std::string(name_of(denial.deed)),
            .target = displayable(denial.target),
            .reason = denial.why.empty() ? std::string(wall.why) : displayable(denial.why),
            .layer = std::string(layer_of(denial, layers)),
            .setting = std::string(setting),
            .option = denial.option,
            .needed = !succeeded || !is_of_network(denial)};
}

std::string line_of(const CommandDenial& denial) {
    std::string text = "- " + denial.operation + " " + denial.target + ": " + denial.reason;
    if (!denial.option.empty()) text += "; allow it with " + denial.option;
    return text + " (layer: " + denial.layer + ", operator setting: " + denial.setting + ")\n";
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

bool DenialLog::has_target(std::string_view target) const {
    return std::any_of(denials_.begin(), denials_.end(),
                       [target](const Denial& denial) { return denial.target == target; });
}

void DenialLog::add(const DenialLog& other) {
    for (const Denial& denial : other.denials_) add(denial);
    more_ = more_ || other.more_;
}

std::vector<CommandDenial> DenialLog::explained(const WallLayers& layers, bool succeeded) const {
    std::vector<CommandDenial> all;
    all.reserve(denials_.size());
    for (const Denial& denial : denials_) {
        all.push_back(sandbox::explained(denial, layers, succeeded));
    }
    return all;
}

std::string protected_by(std::string_view rule) {
    return "protected by the rule '" + std::string(rule) + "'";
}

std::string denials_text(const std::vector<CommandDenial>& denials, bool more) {
    std::string denied;
    std::string unneeded;
    for (const CommandDenial& denial : denials) {
        if (denial.needed) {
            denied += line_of(denial);
        } else {
            unneeded += (unneeded.empty() ? "" : ", ") + denial.target;
            if (!denial.option.empty()) unneeded += " (" + denial.option + ")";
        }
    }
    if (more) denied += "- and more\n";
    if (!denied.empty()) denied.insert(0, "Denied by the sandbox:\n");
    if (!unneeded.empty()) {
        denied += "Not reached, though the command succeeded: " + unneeded + "\n";
    }
    return denied;
}

}  // namespace paddock::sandbox
