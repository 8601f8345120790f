// Directories with the sizes of files in a column.
#include <algorithm>
#include <cmath>

#include "cli/answer_text.h"
#include "cli/manual.h"
#include "cli/view.h"
#include "text/quote.h"

namespace paddock::cli {
namespace {

// "72", "1.4k", "23M": at most four characters of digits and one letter.
std::string short_size(std::uint64_t bytes) {
    constexpr std::string_view kUnits = "kMGTPE";
    if (bytes < 1000) return std::to_string(bytes);
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (size /= 1000; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
    const std::string whole = std::to_string(std::lround(size));
    const long tenths = std::lround(size * 10);
    const std::string digits =
        tenths < 100 ? std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) : whole;
    return digits + kUnits[unit];
}

Tone tone_of(const ListedEntry& entry) {
    switch (entry.type) {
        case 'd': return Tone::kDirectory;
        case 'l': return Tone::kLink;
        case 's': return Tone::kDoubtful;
        default: return Tone::kPlain;
    }
}

std::string named(const ListedEntry& entry, const Look& look) {
    std::string text(2 * entry.depth, ' ');
    text += look.paint(tone_of(entry), look.line(entry.name));
    if (entry.type == 'l') text += look.paint(Tone::kQuiet, " -> ") + look.line(entry.target);
    if (!entry.remark.empty()) {
        text += look.paint(Tone::kQuiet, "  (" + std::string(entry.remark) + ")");
    }
    return text;
}

std::string type_name(const ListedEntry& entry) {
    switch (entry.type) {
        case 'd': return "directory";
        case 'l': return "symlink";
        case 's': return std::string(entry.remark);
        default: return "file";
    }
}

// Without the slash of a directory.
std::string bytes_of(std::string_view shown) {
    std::string bytes = text::unquote(shown).value_or(std::string(shown));
    if (bytes.size() > 1 && bytes.ends_with('/')) bytes.pop_back();
    return bytes;
}

std::string joined(const std::string& directory, const std::string& name) {
    return directory == "." ? name : directory + "/" + name;
}

}  // namespace

Shown ls_shown(const Call& call, const Look& look) {
    const Remarked parts = split_remark(call.text);
    const ListedDirectory directory = listed_directory(parts.body);
    Shown shown;
    shown.aside = parts.remark;
    if (look.follows) shown.out = "\n";
    if (look.titled) {
        const std::string title = text::quote_if_needed(bytes_of(directory.path));
        shown.out += look.paint(Tone::kStrong, look.line(title)) + ":\n";
    }
    for (const ListedEntry& entry : directory.entries) {
        if (look.terminal) {
            const std::string size = entry.size ? short_size(*entry.size) : "";
            shown.out += std::string(5 - std::min<std::size_t>(5, size.size()), ' ');
            shown.out += look.paint(Tone::kQuiet, size) + "  " + named(entry, look);
        } else {
            shown.out += named(entry, look);
            if (look.detailed && entry.size) shown.out += "  " + std::to_string(*entry.size);
        }
        shown.out += '\n';
    }
    return shown;
}

json::Object ls_data(const Call& call) {
    const ListedDirectory directory = listed_directory(split_remark(call.text).body);
    json::Array entries;
    Words above{bytes_of(directory.path)};  // the directories that the entry is in, from the top
    for (const ListedEntry& entry : directory.entries) {
        above.resize(std::min(above.size(), entry.depth + 1));
        const std::string path = joined(above.back(), bytes_of(entry.name));
        json::Object object{{"path", text::quote_if_needed(path)}, {"type", type_name(entry)}};
        if (entry.size) object["size"] = *entry.size;
        if (!entry.target.empty()) object["target"] = entry.target;
        if (entry.type == 'd' && !entry.remark.empty()) object["remark"] = entry.remark;
        if (entry.type == 'd') above.push_back(path);
        entries.emplace_back(std::move(object));
    }
    return {{"entries", std::move(entries)}};
}

}  // namespace paddock::cli
