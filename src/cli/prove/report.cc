#include "cli/prove/report.h"

#include <algorithm>

#include "base/display.h"
#include "cli/arguments.h"
#include "cli/ending.h"

namespace paddock::cli::prove {
namespace {

Cell cell_of(const Row& row, const Verdict& verdict, bool careless) {
    const std::string tries = std::to_string(verdict.tries);
    switch (verdict.fate) {
        case Fate::kLeaked:
            return {row.race ? "LEAKED, try " + tries : "LEAKED",
                    careless ? Tone::kDoubtful : Tone::kBad};
        case Fate::kWouldBlock: return {"would block", careless ? Tone::kDoubtful : Tone::kBad};
        case Fate::kRefused: return {std::string(code_name(*verdict.code)), Tone::kGood};
        case Fate::kHeld:
            if (careless) return {"did not leak", Tone::kQuiet};
            return {row.race ? "held " + tries + " tries" : "held", Tone::kGood};
        case Fate::kSkipped: break;
    }
    return {"skipped", Tone::kQuiet};
}

std::string counted(std::size_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string remarks(const std::vector<Row>& rows, const std::vector<std::string>& contenders) {
    std::string text;
    for (const Row& row : rows) {
        if (const Verdict* verdict = row.skipped()) {
            text += "skipped: " + row.id + ": " + displayable(verdict->detail) + "\n";
        } else if (!row.conclusive()) {
            text += "inconclusive: " + row.id + ": control did not leak";
            if (row.race) text += " in " + std::to_string(row.careless.tries) + " tries";
            text += "\n";
        }
        for (std::size_t i = 0; i < row.guarded.size(); ++i) {
            if (!row.guarded[i].is_leak()) continue;
            text += "LEAK: " + row.id + " (" + contenders[i] +
                    "): " + displayable(row.guarded[i].detail) + "\n";
        }
    }
    return text;
}

std::string set_apart(const std::string& text) { return text.empty() ? text : "\n" + text; }

// `control` is the one without paddock.
std::string table_of(const std::vector<Row>& results, const std::string& control,
                     const std::vector<std::string>& contenders, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    std::vector<Cell> head{
        {"id", Tone::kStrong}, {"attack", Tone::kStrong}, {control, Tone::kStrong}};
    for (const std::string& contender : contenders) {
        head.push_back({"paddock, " + contender, Tone::kStrong});
    }
    rows.push_back(std::move(head));
    for (const Row& row : results) {
        std::vector<Cell> cells{
            {row.id, Tone::kQuiet}, {row.title}, cell_of(row, row.careless, true)};
        for (const Verdict& verdict : row.guarded) cells.push_back(cell_of(row, verdict, false));
        rows.push_back(std::move(cells));
    }
    return table(rows, paint);
}

std::string commands_text(const Report& report, const Paint& paint) {
    if (report.rung.empty())
        return "\ncommands not tried: " + displayable(report.no_commands) + "\n";
    const std::vector<std::string> contenders{report.rung + " rung"};
    return "\n" + table_of(report.commands, "plain bash", contenders, paint) +
           set_apart(remarks(report.commands, contenders));
}

}  // namespace

std::string_view fate_name(Fate fate) noexcept {
    switch (fate) {
        case Fate::kLeaked: return "leaked";
        case Fate::kWouldBlock: return "would_block";
        case Fate::kRefused: return "refused";
        case Fate::kHeld: return "held";
        case Fate::kSkipped: break;
    }
    return "skipped";
}

const Verdict* Row::skipped() const noexcept {
    if (careless.fate == Fate::kSkipped) return &careless;
    const auto it = std::find_if(guarded.begin(), guarded.end(), [](const Verdict& verdict) {
        return verdict.fate == Fate::kSkipped;
    });
    return it == guarded.end() ? nullptr : &*it;
}

bool Row::conclusive() const noexcept { return skipped() == nullptr && careless.is_leak(); }

Summary summarize(const Report& report) {
    Summary summary;
    std::vector<const Row*> rows;
    rows.reserve(report.rows.size() + report.commands.size());
    for (const Row& row : report.rows) rows.push_back(&row);
    for (const Row& row : report.commands) rows.push_back(&row);
    for (const Row* each : rows) {
        const Row& row = *each;
        const bool skipped = row.skipped() != nullptr;
        summary.careless_leaks += row.conclusive() ? 1U : 0U;
        summary.skipped += skipped ? 1U : 0U;
        summary.inconclusive += !row.conclusive() && !skipped ? 1U : 0U;
        summary.paddock_leaks += static_cast<std::size_t>(
            std::count_if(row.guarded.begin(), row.guarded.end(),
                          [](const Verdict& verdict) { return verdict.is_leak(); }));
    }
    return summary;
}

int exit_code(const Report& report) {
    const Summary summary = summarize(report);
    if (summary.paddock_leaks > 0) return 1;
    return summary.skipped == report.rows.size() + report.commands.size() ? kUsageError : 0;
}

std::string as_text(const Report& report, const Paint& paint) {
    const Summary summary = summarize(report);
    std::vector<std::string> resolvers;
    resolvers.reserve(report.resolvers.size());
    for (const ResolverKind resolver : report.resolvers) {
        resolvers.emplace_back(resolver_name(resolver));
    }
    std::string not_tried;
    if (!report.not_tried.empty()) not_tried = "not tried: " + report.not_tried + "\n";
    std::string text = "Linux " + displayable(report.kernel) + ", " + report.file_system + ", " +
                       (report.root_user ? "as root" : "as an ordinary user") + "\n\n";
    text += table_of(report.rows, "careless tool", resolvers, paint) +
            set_apart(not_tried + remarks(report.rows, resolvers)) + commands_text(report, paint) +
            "\n";
    text += counted(report.rows.size() + report.commands.size(), "attack") + ". Without paddock " +
            std::to_string(summary.careless_leaks) + " succeeded. ";
    text += summary.paddock_leaks == 0
                ? paint(Tone::kGood, "Nothing leaked through paddock.")
                : paint(Tone::kBad, counted(summary.paddock_leaks, "leak") + " through paddock.");
    if (summary.inconclusive + summary.skipped > 0) {
        text += " " + std::to_string(summary.inconclusive) + " inconclusive, " +
                std::to_string(summary.skipped) + " skipped.";
    }
    return text + "\n";
}

}  // namespace paddock::cli::prove
