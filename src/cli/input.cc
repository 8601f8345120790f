#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include <boost/json.hpp>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/outcome.h"
#include "cli/doctor_report.h"
#include "cli/terminal.h"
#include "fs/readable.h"
#include "sys/files.h"
#include "sys/process.h"
#include "sys/signal.h"

namespace paddock::cli {
namespace {

using Text = tl::expected<std::string, std::string>;

constexpr Mode kOpenToOthers = 0026;

tl::unexpected<std::string> unreadable(const Failure& failure, const std::string& path) {
    return tl::unexpected(as_error(failure, "read", path).message());
}

Text read_from(int fd, const std::string& path) {
    auto content = fs::read_content(fd, 0, limits::kReadFileBytesMax);
    if (!content) return unreadable(content.error(), path);
    return std::move(*content);
}

Text read_stdin() {
    if (is_terminal(STDIN_FILENO))
        complain("reading from the terminal; press Ctrl-D to end the text");
    return read_from(STDIN_FILENO, "-");
}

// Why not to use a file with a secret; empty if it is all right.
std::string distrust(const Stat& stat, const std::string& path) {
    if (stat.type != FileType::kRegular) return {};
    const std::string name = "'" + displayable(path) + "'";
    if (stat.uid != 0 && stat.uid != sys::effective_user()) {
        return name + " belongs to another user; copy it to a file of your own";
    }
    if ((stat.mode & kOpenToOthers) == 0) return {};
    return name + " can be read or written by others; run 'chmod 600 " + displayable(path) + "'";
}

}  // namespace

tl::expected<std::string, std::string> read_input(const std::string& path) {
    if (path == "-") return read_stdin();
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    if (!file) return unreadable(file.error(), path);
    return read_from(file->get(), path);
}

tl::expected<std::string, std::string> read_secret_input(const std::string& path) {
    if (path == "-") return read_stdin();
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    if (!file) return unreadable(file.error(), path);
    const auto stat = sys::fstat(file->get());
    if (!stat) return unreadable(stat.error(), path);
    if (std::string why = distrust(*stat, path); !why.empty()) return tl::unexpected(why);
    return read_from(file->get(), path);
}

CancelOnSignal::CancelOnSignal() {
    auto over = sys::make_wakeup();
    if (!over) return;
    auto signals = sys::hold_ending_signals();
    if (!signals) return;
    over_ = std::move(*over);
    signals_ = std::move(*signals);
    watcher_ = std::thread([this] { watch(); });
}

CancelOnSignal::~CancelOnSignal() {
    if (!watcher_.joinable()) return;
    sys::wake(over_.get());
    watcher_.join();
}

void CancelOnSignal::watch() {
    std::array<sys::Watched, 2> watched{sys::Watched{signals_.get()}, sys::Watched{over_.get()}};
    if (!sys::wait_readable(watched) || !watched[0].ready) return;
    caught_ = sys::take_signal(signals_.get());
    stop_.request_stop();
}

// The only file that includes Boost.JSON.
namespace {

std::string finish(const boost::json::object& document) {
    return boost::json::serialize(document) + "\n";
}

boost::json::object answer_of(const ResolveAnswer& answer) {
    boost::json::object object;
    object["path"] = displayable(answer.path);
    object["accepted"] = answer.result.has_value();
    if (!answer.result) {
        object["code"] = code_name(answer.result.error().code);
        object["message"] = answer.result.error().message();
        return object;
    }
    object["canonical"] = displayable(answer.result->path);
    object["exists"] = answer.result->exists;
    if (answer.result->exists) object["type"] = file_type_name(answer.result->type);
    object["access"] = answer.rule ? answer.rule->access : "allow";
    if (answer.rule) {
        object["rule"] = displayable(answer.rule->pattern);
        object["rule_from"] = answer.rule->from;
    }
    return object;
}

boost::json::object verdict_of(const prove::Verdict& verdict) {
    boost::json::object object;
    object["result"] = prove::kFateNames[static_cast<std::size_t>(verdict.fate)];
    const bool refused = verdict.fate == prove::Fate::kRefused;
    if (!verdict.detail.empty()) object[refused ? "code" : "detail"] = displayable(verdict.detail);
    object["tries"] = verdict.tries;
    return object;
}

boost::json::array rows_of(const prove::Group& group) {
    boost::json::array rows;
    for (const prove::Row& row : group.rows) {
        boost::json::object guarded;
        for (std::size_t i = 1; i < row.verdicts.size(); ++i) {
            guarded[group.contenders[i]] = verdict_of(row.verdicts[i]);
        }
        rows.push_back({{"id", row.id},
                        {"attack", row.title},
                        {"careless", verdict_of(row.verdicts[0])},
                        {"paddock", std::move(guarded)},
                        {"conclusive", row.conclusive()}});
    }
    return rows;
}

boost::json::object shell_of(const ShellFinding& shell) {
    boost::json::object object;
    object["available"] = shell.report.has_value();
    if (!shell.report) {
        object["refusal"] = displayable(shell.refusal);
        return object;
    }
    object["level"] = level_name(shell.report->level);
    object["landlock_abi"] = shell.report->landlock_abi;
    boost::json::array& layers = object["layers"].emplace_array();
    for (const Finding& layer : layers_of(*shell.report)) {
        layers.push_back({{"name", layer.name},
                          {"state", state_name(layer.state)},
                          {"detail", layer.detail},
                          {"without", layer.without},
                          {"remedy", layer.remedy}});
    }
    return object;
}

}  // namespace

std::string as_json(const ResolveReport& report) {
    boost::json::object document;
    document["root"] = displayable(report.root);
    document["resolver"] = resolver_name(report.resolver);
    boost::json::array& results = document["results"].emplace_array();
    for (const ResolveAnswer& answer : report.answers) results.push_back(answer_of(answer));
    return finish(document);
}

namespace {

boost::json::array toolchains_of(const sandbox::Toolchains& toolchains) {
    boost::json::array list;
    for (const sandbox::FoundToolchain& found : toolchains.found) {
        boost::json::array shown;
        for (const std::string& path : found.shown) shown.emplace_back(displayable(path));
        list.push_back({{"name", found.name},
                        {"directory", displayable(found.directory)},
                        {"reason", displayable(found.reason)},
                        {"shown", std::move(shown)}});
    }
    return list;
}

boost::json::array refused_of(const sandbox::Toolchains& toolchains) {
    boost::json::array list;
    for (const sandbox::RefusedPath& refused : toolchains.refused) {
        list.push_back({{"path", displayable(refused.path)}, {"reason", refused.reason}});
    }
    return list;
}

}  // namespace

std::string as_json(const std::vector<Finding>& findings, const ShellFinding& shell,
                    const WorldFinding& world) {
    boost::json::object document;
    boost::json::array& list = document["findings"].emplace_array();
    for (const Finding& finding : findings) {
        boost::json::object object;
        object["name"] = displayable(finding.name);
        object["state"] = state_name(finding.state);
        object["needed"] = is_needed(finding);
        object["detail"] = displayable(finding.detail);
        object["without"] = displayable(finding.without);
        object["remedy"] = displayable(finding.remedy);
        list.push_back(std::move(object));
    }
    document["shell"] = shell_of(shell);
    document["toolchains"] = toolchains_of(world.toolchains);
    document["toolchains_refused"] = refused_of(world.toolchains);
    document["homes"] = displayable(world.homes);
    return finish(document);
}

std::string as_json(const prove::Report& report) {
    const prove::Summary summary = prove::summarize(report);
    boost::json::object document;
    document["kernel"] = displayable(report.kernel);
    document["file_system"] = displayable(report.file_system);
    document["root_user"] = report.root_user;
    document["rounds"] = report.rounds;
    document["not_tried"] = displayable(report.paths.not_tried);
    document["attacks"] = rows_of(report.paths);
    const bool tried = !report.commands.contenders.empty();
    document["level"] = tried ? report.commands.contenders[1] : "";
    document["no_commands"] = displayable(report.commands.not_tried);
    document["commands"] = rows_of(report.commands);
    document["summary"] = {{"attacks", summary.attacks},
                           {"careless_leaks", summary.careless_leaks},
                           {"paddock_leaks", summary.paddock_leaks},
                           {"inconclusive", summary.inconclusive},
                           {"skipped", summary.skipped}};
    return finish(document);
}

}  // namespace paddock::cli
