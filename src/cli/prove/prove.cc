#include "cli/prove/prove.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <paddock/root.h>

#include "base/display.h"
#include "cli/input.h"
#include "cli/prove/attacks.h"
#include "cli/prove/trial.h"
#include "sys/files.h"
#include "sys/identity.h"

namespace paddock::cli {
namespace prove {
namespace {

Cell verdict_cell(const Verdict& verdict, bool race, bool control) {
    const std::string tries = std::to_string(verdict.tries);
    const Tone leak = control ? Tone::kDoubtful : Tone::kBad;
    switch (verdict.fate) {
        case Fate::kLeaked: return {race ? "LEAKED, try " + tries : "LEAKED", leak};
        case Fate::kWouldBlock: return {"would block", leak};
        case Fate::kRefused: return {verdict.detail, Tone::kGood};
        case Fate::kHeld:
            if (control) return {"did not leak", Tone::kQuiet};
            return {race ? "held " + tries + " tries" : "held", Tone::kGood};
        case Fate::kSkipped: break;
    }
    return {"skipped", Tone::kQuiet};
}

std::string counted(std::size_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

// A new directory that goes when the object goes. Signals that end the process wait until then.
class Scratch {
public:
    explicit Scratch(const std::string& parent) {
        const sigset_t ending = ending_signals();
        std::error_code error;
        // The careless checks compare with the real path.
        path_ = std::filesystem::canonical(parent, error) / "paddock-prove-XXXXXX";
        ::pthread_sigmask(SIG_BLOCK, &ending, &signals_before_);
        if (!error && ::mkdtemp(path_.data()) != nullptr) return;
        if (!error) error = {errno, std::generic_category()};
        throw std::runtime_error("cannot make a directory in '" + displayable(parent) +
                                 "': " + error.message() + ". Name another with --dir.");
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
        ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return path_; }

private:
    sigset_t signals_before_{};
    std::string path_;
};

std::string file_system_of(const std::string& directory) {
    constexpr struct {
        long type;
        const char* name;
    } kKnown[] = {{0xef53, "ext4"},         {0x58465342, "xfs"}, {0x9123683e, "btrfs"},
                  {0x01021994, "tmpfs"},    {0x2fc12fc1, "zfs"}, {0x6969, "nfs"},
                  {0x794c7630, "overlayfs"}};
    const UniqueFd here(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const auto found = sys::file_system(here.get());
    for (const auto& known : kKnown) {
        if (found && known.type == found->type) return known.name;
    }
    return "another file system";
}

// The resolvers asked for that work in this directory; `why_not` says why one does not.
std::vector<ResolverKind> usable(ResolverKind asked, const std::string& directory,
                                 std::string& why_not) {
    std::vector<ResolverKind> wanted{asked};
    if (asked == ResolverKind::kProbe) wanted = {ResolverKind::kOpenat2, ResolverKind::kWalk};
    std::erase_if(wanted, [&](ResolverKind kind) {
        RootOptions options;
        options.resolver = kind;
        const auto root = Root::open(directory, options);
        if (!root) why_not = root.error().message();
        return !root;
    });
    if (wanted.empty()) throw std::runtime_error(why_not);
    return wanted;
}

// Where rows go as soon as they are known: with --json to standard error, since the document
// follows on standard output.
struct Screen {
    explicit Screen(const Output& output)
        : stream(output.json ? stderr : stdout), paint(::fileno(stream), output.colours) {}

    void put(const std::string& text) const {
        if (is_interrupted()) return;
        const bool lost = std::fwrite(text.data(), 1, text.size(), stream) != text.size() ||
                          std::fflush(stream) != 0;
        if (!lost || stream == stderr || is_interrupted()) return;
        throw std::system_error(errno, std::generic_category(), "cannot write the output");
    }

    std::FILE* stream;
    Paint paint;
};

// `verdicts_on` tries one attack on all contenders of the group.
template <typename Attack, typename Verdicts>
void try_all(Group& group, const std::vector<Attack>& attacks, const Screen& screen,
             const Verdicts& verdicts_on) {
    constexpr std::size_t kVerdictWidth = 17;  // "permission_denied", "LEAKED, try 12345"
    Widths widths{0, 0, kVerdictWidth, kVerdictWidth};
    for (const Attack& attack : attacks) {
        widths[0] = std::max(widths[0], attack.id.size());
        widths[1] = std::max(widths[1], attack.title.size());
    }
    screen.put(head_text(group, widths, screen.paint));
    for (const Attack& attack : attacks) {
        Row row{attack.id, attack.title, verdicts_on(attack)};
        if (is_interrupted()) return;
        screen.put(row_text(row, widths, screen.paint));
        group.rows.push_back(std::move(row));
    }
    const std::string remarks = remarks_text(group);
    screen.put((remarks.empty() ? "" : "\n") + remarks + "\n");
}

Report try_everything(const ProveRequest& request, const std::string& scratch) {
    const Screen screen(request.output);
    Report report{.paths = {{"careless tool"}}};
    const auto resolvers = usable(request.resolver, scratch, report.paths.not_tried);
    for (const auto kind : resolvers) report.paths.contenders.emplace_back(resolver_name(kind));
    report.kernel = sys::kernel_release().value_or("of unknown release");
    report.file_system = file_system_of(scratch);
    report.root_user = ::geteuid() == 0;
    report.rounds = request.rounds;
    screen.put("Linux " + displayable(report.kernel) + ", " + report.file_system + ", " +
               (report.root_user ? "as root" : "as an ordinary user") + "\n\n");

    try_all(report.paths, path_attacks(), screen, [&](const PathAttack& attack) {
        std::vector<Verdict> verdicts{try_path(attack, std::nullopt, scratch, request.rounds)};
        for (const auto kind : resolvers) {
            verdicts.push_back(try_path(attack, kind, scratch, request.rounds));
        }
        return verdicts;
    });
    if (is_interrupted()) return report;

    report.commands = command_contenders(scratch);
    if (report.commands.contenders.empty()) {
        screen.put("commands not tried: " + displayable(report.commands.not_tried) + "\n\n");
    } else {
        try_all(report.commands, command_attacks(), screen, [&](const CommandAttack& attack) {
            return std::vector{try_command(attack, Runner::kPlainBash, scratch),
                               try_command(attack, Runner::kPaddock, scratch)};
        });
    }
    screen.put(summary_text(summarize(report), screen.paint));
    return report;
}

}  // namespace

const Verdict* Row::skipped() const noexcept {
    for (const Verdict& verdict : verdicts) {
        if (verdict.fate == Fate::kSkipped) return &verdict;
    }
    return nullptr;
}

Summary summarize(const Report& report) {
    Summary summary;
    for (const Group* group : {&report.paths, &report.commands}) {
        for (const Row& row : group->rows) {
            ++summary.attacks;
            if (row.skipped() != nullptr) {
                ++summary.skipped;
            } else if (row.conclusive()) {
                ++summary.careless_leaks;
            } else {
                ++summary.inconclusive;
            }
            for (std::size_t i = 1; i < row.verdicts.size(); ++i) {
                if (row.verdicts[i].is_leak()) ++summary.paddock_leaks;
            }
        }
    }
    return summary;
}

int exit_code(const Summary& summary) {
    if (summary.paddock_leaks > 0) return 1;
    return summary.skipped == summary.attacks ? kUsageError : 0;
}

std::string head_text(const Group& group, const Widths& widths, const Paint& paint) {
    std::vector<Cell> cells{{"id", Tone::kStrong}, {"attack", Tone::kStrong}};
    for (const std::string& contender : group.contenders) {
        cells.push_back({(cells.size() > 2 ? "paddock, " : "") + contender, Tone::kStrong});
    }
    return table({cells}, paint, widths);
}

std::string row_text(const Row& row, const Widths& widths, const Paint& paint) {
    std::vector<Cell> cells{{std::string(row.id), Tone::kQuiet}, {std::string(row.title)}};
    for (const Verdict& verdict : row.verdicts) {
        cells.push_back(verdict_cell(verdict, row.is_race(), cells.size() == 2));
    }
    return table({cells}, paint, widths);
}

std::string remarks_text(const Group& group) {
    std::string text;
    if (!group.not_tried.empty()) text = "not tried: " + displayable(group.not_tried) + "\n";
    for (const Row& row : group.rows) {
        const std::string id(row.id);
        if (const Verdict* verdict = row.skipped()) {
            text += "skipped: " + id + ": " + displayable(verdict->detail) + "\n";
        } else if (!row.conclusive()) {
            text += "inconclusive: " + id + ": control did not leak";
            text +=
                row.is_race() ? " in " + std::to_string(row.verdicts[0].tries) + " tries\n" : "\n";
        }
        for (std::size_t i = 1; i < row.verdicts.size(); ++i) {
            if (!row.verdicts[i].is_leak()) continue;
            text += "LEAK: " + id + " (" + group.contenders[i] +
                    "): " + displayable(row.verdicts[i].detail) + "\n";
        }
    }
    return text;
}

std::string summary_text(const Summary& summary, const Paint& paint) {
    const std::string leaks = counted(summary.paddock_leaks, "leak") + " through paddock.";
    std::string text = counted(summary.attacks, "attack") + ". Without paddock " +
                       std::to_string(summary.careless_leaks) + " succeeded. ";
    text += summary.paddock_leaks == 0 ? paint(Tone::kGood, "Nothing leaked through paddock.")
                                       : paint(Tone::kBad, leaks);
    if (summary.inconclusive + summary.skipped > 0) {
        text += " " + std::to_string(summary.inconclusive) + " inconclusive, " +
                std::to_string(summary.skipped) + " skipped.";
    }
    return text + "\n";
}

}  // namespace prove

int run(const ProveRequest& request) {
    const prove::Scratch scratch(request.directory);
    const prove::Report report = prove::try_everything(request, scratch.path());
    if (prove::is_interrupted()) return kUsageError;  // not seen: the signal ends the process
    if (request.output.json && !print(as_json(report))) return kUsageError;
    return prove::exit_code(prove::summarize(report));
}

}  // namespace paddock::cli
