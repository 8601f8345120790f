#include "cli/doctor_report.h"

#include <unistd.h>

#include <algorithm>

#include "base/display.h"
#include "cli/doctor_shell.h"
#include "cli/doctor_toolchains.h"
#include "cli/json.h"
#include "cli/terminal.h"

namespace paddock::cli {
namespace {

Tone tone_of(State state) {
    switch (state) {
        case State::kOn: return Tone::kGood;
        case State::kPartial: return Tone::kDoubtful;
        case State::kMissing: break;
    }
    return Tone::kBad;
}

bool lacks_a_need(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.state == State::kMissing && is_needed(finding);
    });
}

std::string advice(const Finding& finding, const Paint& paint) {
    std::string text = "\n" + paint(Tone::kStrong, finding.name) + "\n";
    text += "  without it  " + finding.without + "\n";
    if (!finding.remedy.empty()) text += "  to do       " + finding.remedy + "\n";
    return text;
}

std::string table_of(const std::vector<Finding>& findings, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    rows.reserve(findings.size());
    for (const Finding& finding : findings) {
        rows.push_back({{std::string(state_name(finding.state)), tone_of(finding.state)},
                        {finding.name},
                        {finding.detail}});
    }
    return table(rows, paint);
}

std::string shell_text(const ShellFinding& shell, const Paint& paint) {
    if (!shell.report)
        return paint(Tone::kBad, "commands are refused") + "  " + shell.refusal + "\n";
    const std::vector<Finding> layers = layers_of(*shell.report);
    std::string text = paint(Tone::kStrong, "commands") + "  in a sandbox of the " +
                       std::string(rung_name(shell.report->rung)) + " rung\n" +
                       table_of(layers, paint);
    std::string_view last;
    for (const Finding& layer : layers) {
        if (layer.state == State::kOn || layer.remedy == last) continue;
        last = layer.remedy;
        text += "\n" + paint(Tone::kStrong, layer.name) + "\n  to do       " + layer.remedy + "\n";
    }
    return text;
}

std::string world_text(const WorldFinding& world, const Paint& paint) {
    const sandbox::Toolchains& toolchains = world.toolchains;
    std::string text =
        "\n" + paint(Tone::kStrong, "toolchains") + "  that commands can read, and not change\n";
    std::vector<std::vector<Cell>> rows;
    for (const sandbox::FoundToolchain& found : toolchains.found) {
        rows.push_back({{std::string(found.name), Tone::kGood},
                        {displayable(found.directory)},
                        {displayable(found.reason) + "; " + std::to_string(found.shown.size()) +
                         (found.shown.size() == 1 ? " part" : " parts")}});
    }
    for (const sandbox::RefusedPath& refused : toolchains.refused) {
        rows.push_back(
            {{"refused", Tone::kBad}, {displayable(refused.path)}, {std::string(refused.reason)}});
    }
    text += rows.empty() ? "none is on PATH\n" : table(rows, paint);
    text += "\n" + paint(Tone::kStrong, "home") + "  of commands " +
            (world.homes.empty() ? "ends with the session"
                                 : "lasts, one for each workspace in " + displayable(world.homes)) +
            "\n";
    return text;
}

std::string as_text(const std::vector<Finding>& findings, const ShellFinding& shell,
                    const WorldFinding& world, const Paint& paint) {
    std::string advices;
    for (const Finding& finding : findings) {
        if (finding.state != State::kOn) advices += advice(finding, paint);
    }
    return table_of(findings, paint) + advices + "\n" + shell_text(shell, paint) +
           world_text(world, paint) +
           (lacks_a_need(findings) ? "\npaddock cannot protect a workspace on this host.\n"
                                   : "\npaddock can protect a workspace on this host.\n");
}

}  // namespace

bool is_needed(const Finding& finding) noexcept {
    return finding.name == "mount_ids" || finding.name == "landlock";
}

int run(const DoctorRequest& request) {
    const std::vector<Finding> findings = examine_host();
    const ShellFinding shell = examine_shell();
    const WorldFinding world = examine_world();
    if (!print(request.output.json ? as_json(findings, shell, world)
                                   : as_text(findings, shell, world,
                                             Paint(STDOUT_FILENO, request.output.colours)))) {
        return kUsageError;
    }
    return lacks_a_need(findings) ? 1 : 0;
}

}  // namespace paddock::cli
