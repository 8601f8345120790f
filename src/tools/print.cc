#include "tools/print.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace paddock::tools {
namespace {

constexpr std::size_t kGone = std::string::npos;
constexpr std::size_t kNumberWidth = 6;

std::size_t length_of(std::int64_t number) {
    std::size_t length = number < 0 ? 2 : 1;
    for (; number <= -10 || number >= 10; number /= 10) ++length;
    return length;
}

void print_rows(FileLines& file, Section& section) {
    section.reserve(file.lines.text.size() + file.lines.rows.size() * (kNumberWidth + 2) + 256);
    for (Line& line : file.lines.rows) {
        if (file.numbered) section.number(line.number, kNumberWidth, '\t');  // as `cat -n` does
        section.line(file.lines, line);
        if (line.cut > 0) section.add(cut_remark(line));
        section.add('\n');
    }
}

void print_heading(MatchedFile& file, Section& section) {
    section.field(file.path);
    if (file.count) section.add(": " + std::to_string(*file.count));
    if (file.binary) section.add(kBinaryRemark);
    section.add('\n');
}

// The path, then "12:match" and "13-context".
void print_lines(MatchedFile& file, Section& section) {
    section.reserve(file.path.size() + file.lines.text.size() + file.lines.rows.size() * 12);
    print_heading(file, section);
    for (Line& line : file.lines.rows) {
        if (line.after_gap) section.add("--\n");
        section.number(line.number, 0, line.is_match ? ':' : '-');
        section.line(file.lines, line);
        section.add('\n');
    }
}

void print_rows(Matches& matches, Section& section) {
    if (matches.by_line) return;  // they have sections of their own
    for (MatchedFile& file : matches.files) print_heading(file, section);
}

void print_rows(FoundPaths& found, Section& section) {
    for (std::string& path : found.paths) {
        section.field(path);
        section.add('\n');
    }
}

void print_rows(ListedDirectory& directory, Section& section) {
    section.field(directory.path);
    section.add('\n');
    for (ListedEntry& entry : directory.entries) {
        section.add(std::string(2 * entry.depth, ' '));
        section.field(entry.name);
        if (entry.type == FileType::kSymlink && !entry.target.empty()) {
            section.add(" -> ");
            section.field(entry.target);
        }
        if (is_special(entry.type))
            section.add("  (" + std::string(file_type_name(entry.type)) + ")");
        if (entry.size) section.add("  " + std::to_string(*entry.size));
        if (!entry.remark.empty()) section.add("  (" + entry.remark + ")");
        section.add('\n');
    }
}

void print_rows(FileInfo& info, Section& section) {
    for (NamedValue& each : info.values) {
        if (&each != &info.values.front()) section.add('\n');
        section.add(each.name + ": ");
        if (auto* text = std::get_if<std::string>(&each.value)) {
            section.field(*text);
        } else {
            section.add(std::to_string(std::get<std::uint64_t>(each.value)));
        }
    }
}

void print_rows(std::monostate, Section&) {}

// With sections of their own.
std::vector<MatchedFile>* files_by_line(Found& found) {
    auto* matches = std::get_if<Matches>(&found);
    return matches != nullptr && matches->by_line ? &matches->files : nullptr;
}

}  // namespace

void Section::number(std::int64_t value, std::size_t width, char behind) {
    constexpr std::string_view kBlanks = "        ";
    constexpr std::size_t kBytesMax = 20;
    char* const column = room(kBlanks.size() + kBytesMax + 1);
    std::memcpy(column, kBlanks.data(), kBlanks.size());
    const std::size_t length = length_of(value);
    char* const begin = column + (length < width ? width - length : 0);
    char* const end = std::to_chars(begin, begin + kBytesMax, value).ptr;
    *end = behind;
    size_ += static_cast<std::size_t>(end + 1 - column);
}

void Section::carry_over(const secrets::Replacements& replaced) {
    secrets::CarryOver over(replaced);
    std::size_t kept = 0;
    std::size_t end = 0;  // of the field before, as it was
    for (const Field& field : fields_) {
        Field moved = field;
        moved.part = over.moved(field.part);
        if (kept == 0 || !over.is_joined_to(end)) {
            end = field.part.end;
            fields_[kept++] = moved;
            continue;
        }
        end = field.part.end;
        fields_[kept - 1].part.end = moved.part.end;
        if (field.value != nullptr) field.value->clear();
        if (field.line != nullptr) field.line->begin = kGone;
    }
    fields_.resize(kept);
}

void Section::redact_fields(const std::vector<secrets::Replacements>& passes,
                            const std::string& redacted) {
    for (const secrets::Replacements& replaced : passes) carry_over(replaced);
    for (const Field& field : fields_) {
        const auto [begin, end] = field.part;
        if (field.value != nullptr) *field.value = redacted.substr(begin, end - begin);
        if (field.line == nullptr) continue;
        field.line->begin = begin;
        field.line->size = end - begin;
    }
    if (lines_ == nullptr) return;
    lines_->text = redacted;
    std::erase_if(lines_->rows, [](const Line& line) { return line.begin == kGone; });
}

std::string cut_remark(const Line& line) {
    return line.cut == 0 ? "" : " [line cut: " + std::to_string(line.cut) + " more bytes]";
}

std::size_t section_count(Answer& answer) {
    const auto* files = files_by_line(answer.found);
    return files == nullptr ? 1 : files->size() + 1;
}

void print(Answer& answer, std::size_t number, Section& section) {
    if (auto* files = files_by_line(answer.found); files != nullptr && number < files->size()) {
        if (number > 0) section.add('\n');
        return print_lines((*files)[number], section);
    }
    std::visit([&](auto& rows) { print_rows(rows, section); }, answer.found);
    if (!answer.nothing.empty()) {
        section.field(answer.nothing);
        if (!std::holds_alternative<FileLines>(answer.found)) section.add('\n');
    }
    if (answer.notes.empty()) return;
    section.add("\n[");
    section.field(answer.notes);
    section.add("]");
}

void drop_empty_rows(Found& found) {
    if (auto* matches = std::get_if<Matches>(&found)) {
        std::erase_if(matches->files, [](const MatchedFile& file) { return file.path.empty(); });
    } else if (auto* paths = std::get_if<FoundPaths>(&found)) {
        std::erase(paths->paths, "");
    } else if (auto* directory = std::get_if<ListedDirectory>(&found)) {
        std::erase_if(directory->entries,
                      [](const ListedEntry& entry) { return entry.name.empty(); });
    }
}

}  // namespace paddock::tools
