#include "cli/prove/prove.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <paddock/root.h>

#include "base/display.h"
#include "cli/json.h"
#include "cli/prove/command_attack.h"
#include "cli/prove/gallery.h"
#include "cli/prove/interrupt.h"
#include "cli/prove/report.h"
#include "cli/prove/trial.h"
#include "cli/terminal.h"
#include "sys/host.h"
#include "sys/stat.h"

namespace paddock::cli {
namespace prove {
namespace {

class Scratch {
public:
    explicit Scratch(const std::string& parent) {
        // The careless checks compare with realpath's answer.
        std::error_code error;
        path_ = std::filesystem::canonical(parent, error) / "paddock-prove-XXXXXX";
        if (error) {
            error_ = error.message();
        } else if (::mkdtemp(path_.data()) == nullptr) {
            error_ = std::generic_category().message(errno);
        }
    }
    ~Scratch() {
        std::error_code ignored;
        if (error_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return path_; }
    const std::string& error() const { return error_; }

private:
    std::string path_;
    std::string error_;
};

std::string file_system_of(int directory) {
    constexpr std::array<std::pair<long, const char*>, 9> kNames{{{0xef53, "ext4"},
                                                                  {0x58465342, "xfs"},
                                                                  {0x9123683e, "btrfs"},
                                                                  {0x01021994, "tmpfs"},
                                                                  {0x794c7630, "overlayfs"},
                                                                  {0x2fc12fc1, "zfs"},
                                                                  {0xf2f52010, "f2fs"},
                                                                  {0x6969, "nfs"},
                                                                  {0x01021997, "9p"}}};
    const auto found = sys::file_system(directory);
    if (!found) return "unknown file system";
    for (const auto& [type, name] : kNames) {
        if (type == found->type) return name;
    }
    std::array<char, 2 * sizeof found->type + 1> digits{};
    std::to_chars(digits.begin(), digits.end() - 1, static_cast<unsigned long>(found->type), 16);
    return std::string("file system 0x") + digits.data();
}

// Those asked for that work on this directory; the error of the last one that does not.
std::vector<ResolverKind> usable(ResolverKind asked, const std::string& directory,
                                 std::string& error) {
    std::vector<ResolverKind> wanted{asked};
    if (asked == ResolverKind::kProbe) wanted = {ResolverKind::kOpenat2, ResolverKind::kWalk};
    std::vector<ResolverKind> working;
    for (const ResolverKind kind : wanted) {
        RootOptions options;
        options.resolver = kind;
        const auto root = Root::open(directory, options);
        if (root) working.push_back(kind);
        if (!root) error = root.error().message();
    }
    return working;
}

void run_gallery(Report& report, const Terms& terms) {
    const std::vector<Attack> gallery = whole_gallery();
    Progress progress(gallery.size());
    for (const Attack& attack : gallery) {
        progress.show(report.rows.size(), attack.title);
        Row row;
        row.id = attack.id;
        row.title = attack.title;
        row.race = attack.race.has_value();
        row.careless = try_attack(attack, std::nullopt, terms);
        for (const ResolverKind resolver : report.resolvers) {
            row.guarded.push_back(try_attack(attack, resolver, terms));
        }
        if (Interrupt::caught() != 0) return;
        report.rows.push_back(std::move(row));
    }
}

void run_commands(Report& report, const std::string& scratch) {
    report.rung = rung_in(scratch, report.no_commands);
    if (report.rung.empty()) return;
    const std::vector<CommandAttack> gallery = command_gallery();
    Progress progress(gallery.size());
    for (const CommandAttack& attack : gallery) {
        progress.show(report.commands.size(), attack.title);
        Row row;
        row.id = attack.id;
        row.title = attack.title;
        row.careless = try_command(attack, Runner::kPlainBash, scratch);
        row.guarded.push_back(try_command(attack, Runner::kPaddock, scratch));
        if (Interrupt::caught() != 0) return;
        report.commands.push_back(std::move(row));
    }
}

// Nothing if there was nowhere to try, or no resolver to try; the reason has been told then.
std::optional<Report> try_everything(const ProveRequest& request) {
    const Scratch scratch(request.directory);
    if (!scratch.error().empty()) {
        complain("cannot make a directory in '" + displayable(request.directory) +
                 "': " + scratch.error() + ". Name another with --dir.");
        return std::nullopt;
    }
    Report report;
    std::string error;
    report.resolvers = usable(request.resolver, scratch.path(), error);
    if (report.resolvers.empty()) {
        complain(error);
        return std::nullopt;
    }
    report.not_tried = error;
    report.kernel = sys::kernel_release().value_or("of unknown release");
    const UniqueFd here(::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    report.file_system = file_system_of(here.get());
    report.root_user = ::geteuid() == 0;
    report.rounds = request.rounds;
    run_gallery(report, {scratch.path(), request.rounds});
    if (Interrupt::caught() == 0) run_commands(report, scratch.path());
    return report;
}

}  // namespace
}  // namespace prove

int run(const ProveRequest& request) {
    std::optional<prove::Report> report;
    {
        const prove::Interrupt interrupt;
        report = prove::try_everything(request);
    }
    if (const int signal = prove::Interrupt::caught(); signal != 0) {
        static_cast<void>(std::raise(signal));
        return kUsageError;
    }
    if (!report) return kUsageError;
    const std::string text =
        request.output.json ? as_json(*report)
                            : prove::as_text(*report, Paint(STDOUT_FILENO, request.output.colours));
    return print(text) ? prove::exit_code(*report) : kUsageError;
}

}  // namespace paddock::cli
