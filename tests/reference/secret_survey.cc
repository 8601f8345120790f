// What the secret scanner takes out of real trees: secret_survey [--list | --check ACCEPTED]
// DIRECTORY...
//
// Prints a line for each tree: text read, findings, findings in 10 MB, and how many of each kind.
// With --list each finding comes first, as "hash path:line: kind: the line", for a person to judge.
// With --check so do those whose hash begins no line of the file ACCEPTED, and only they count;
// more than one in 10 MB of all trees together is a failure. Files that are not text are passed
// over, as the tools do.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "reference/drafts.h"
#include "secrets/scanner.h"

namespace {

namespace stdfs = std::filesystem;

constexpr std::string_view kMark = "[REDACTED:";
constexpr std::size_t kHeadBytes = 8192;

bool is_text(std::string_view content) {
    return content.substr(0, kHeadBytes).find('\0') == std::string_view::npos;
}

struct Wish {
    bool list = false;
    std::set<std::string> accepted;  // hashes
};

struct Survey {
    std::size_t files = 0;
    std::size_t bytes = 0;
    std::size_t findings = 0;
    std::map<std::string, std::size_t> kinds;
};

std::string_view line_around(std::string_view text, std::size_t at) {
    constexpr std::size_t kShown = 160;
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    // Of a very long line, what stands around the finding.
    const std::size_t from = at - begin > kShown / 2 ? at - kShown / 2 : begin;
    return text.substr(from, std::min(end - from, kShown));
}

// Of a finding, wherever its line stands: FNV-1a.
std::string hash_of(std::string_view kind, std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    std::uint64_t hash = 14695981039346656037U;
    for (const std::string_view part : {kind, line.substr(begin)}) {
        for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

// The text between two marks is that of the original, so it shows where a mark stands.
void judge(const std::string& path, std::string_view before, std::string_view after,
           const Wish& wish, Survey& survey) {
    std::size_t place = 0;  // in `before`
    for (std::size_t at = 0;;) {
        const std::size_t mark = after.find(kMark, at);
        if (mark == after.npos) return;
        place += mark - at;
        const std::size_t end = std::min(after.find(']', mark), after.size() - 1) + 1;
        const std::string kind(after.substr(mark + kMark.size(), end - mark - kMark.size() - 1));
        at = end;
        const bool was_there = before.substr(place).starts_with(after.substr(mark, end - mark));
        if (was_there) {
            place += end - mark;
            continue;
        }
        const std::string_view shown = line_around(before, place);
        const std::string hash = hash_of(kind, shown);
        if (!wish.accepted.contains(hash)) {
            ++survey.findings;
            ++survey.kinds[kind];
            const auto line =
                std::count(before.begin(), before.begin() + static_cast<long>(place), '\n');
            if (wish.list) {
                std::printf("%s %s:%ld: %s: %.*s\n", hash.c_str(), path.c_str(), line + 1,
                            kind.c_str(), static_cast<int>(shown.size()), shown.data());
            }
        }
        const std::string_view next =
            after.substr(at, std::min<std::size_t>(64, after.find(kMark, at) - at));
        place = next.empty() ? place : std::min(before.find(next, place), before.size());
    }
}

void add(const std::string& path, const paddock::secrets::SecretScanner& scanner, const Wish& wish,
         Survey& survey) {
    const std::string before = paddock::reference::slurp(path);
    if (!is_text(before)) return;
    ++survey.files;
    survey.bytes += before.size();
    std::string after = before;
    if (scanner.redact(after) > 0) judge(path, before, after, wish, survey);
}

void report(const std::string& directory, const Survey& survey) {
    const double megabytes = static_cast<double>(survey.bytes) / 1e6;
    const double rate = static_cast<double>(survey.findings) / (megabytes / 10);
    std::printf("%s: %zu files, %.1f MB of text, %zu findings, %.2f in 10 MB", directory.c_str(),
                survey.files, megabytes, survey.findings, survey.bytes == 0 ? 0 : rate);
    for (const auto& [kind, count] : survey.kinds) std::printf(", %s %zu", kind.c_str(), count);
    std::printf("\n");
}

Survey survey_of(const char* directory, const paddock::secrets::SecretScanner& scanner,
                 const Wish& wish) {
    Survey survey;
    std::error_code failure;
    for (stdfs::recursive_directory_iterator it(
             directory, stdfs::directory_options::skip_permission_denied, failure);
         !failure && it != stdfs::recursive_directory_iterator(); it.increment(failure)) {
        if (it->symlink_status().type() == stdfs::file_type::regular) {
            add(it->path(), scanner, wish, survey);
        }
    }
    return survey;
}

}  // namespace

int main(int count, char** arguments) {
    constexpr double kBytesForOne = 10e6;
    const std::string_view option = count > 1 ? arguments[1] : "";
    const bool check = option == "--check";
    const int first = check ? 3 : option == "--list" ? 2 : 1;
    const auto scanner = paddock::secrets::SecretScanner::create();
    if (!scanner || count <= first) {
        std::fputs("usage: secret_survey [--list | --check ACCEPTED] DIRECTORY...\n", stderr);
        return 2;
    }
    Wish wish{first > 1, {}};
    std::istringstream lines(check ? paddock::reference::slurp(arguments[2]) : "");
    for (std::string hash, rest; lines >> hash; std::getline(lines, rest))
        wish.accepted.insert(hash);
    Survey all;
    for (int i = first; i < count; ++i) {
        const Survey survey = survey_of(arguments[i], *scanner, wish);
        report(arguments[i], survey);
        all.findings += survey.findings;
        all.bytes += survey.bytes;
    }
    const double allowed = static_cast<double>(all.bytes) / kBytesForOne;
    if (!check || (all.bytes > 0 && static_cast<double>(all.findings) <= allowed)) return 0;
    std::printf("more than one finding in 10 MB that is not accepted, or nothing to read\n");
    return 1;
}
