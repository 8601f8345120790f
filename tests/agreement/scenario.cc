#include "agreement/scenario.h"

#include <fcntl.h>

#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <paddock/root.h>

#include "agreement/change.h"
#include "agreement/model.h"
#include "agreement/observe.h"
#include "agreement/texts.h"
#include "base/display.h"

namespace paddock::agreement {
namespace {

// Where this is off, the kernel follows planted links like any other.
bool kernel_stops_at_planted_links() {
    std::ifstream setting("/proc/sys/fs/protected_symlinks");
    int value = 0;
    return setting >> value && value != 0;
}

void list_mounts(const Node& node, const std::string& path, std::vector<std::string>& listed) {
    for (const auto& [name, child] : node.children) {
        const std::string own = path.empty() ? name : path + "/" + name;
        if (child.listed) listed.push_back(own);
        list_mounts(child, own, listed);
    }
}

RootOptions random_options(ByteSource& bytes, const Node& root) {
    RootOptions options;
    if (bytes.one_in(12)) options.absolute = AbsolutePaths::kReject;
    if (bytes.one_in(12)) options.dotdot = DotDot::kReject;
    if (bytes.one_in(12)) options.symlinks = Symlinks::kReject;
    if (bytes.one_in(12)) options.hardlinks = Hardlinks::kReject;
    list_mounts(root, {}, options.mounts);
    return options;
}

Root open_root(const std::string& path, RootOptions options, ResolverKind resolver) {
    options.resolver = resolver;
    auto root = Root::open(path, options);
    if (!root) throw std::runtime_error(root.error().message());
    return std::move(*root);
}

// Keeps the longest name from filling the report.
std::string shortened(std::string text) {
    const std::string name(255, 'n');
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, name.size(), "{255 n}");
    }
    return text;
}

class Scenario {
public:
    Scenario(ByteSource& bytes, Arena& arena, const Settings& settings, Tally& tally)
        : bytes_(bytes), arena_(arena), settings_(settings), tally_(tally) {
        plan_ = random_plan(bytes_, arena_.first(),
                            {.mounts = settings_.mounts, .owners = arena_.owners_change()});
        arena_.build(plan_);
        rules_.options = random_options(bytes_, plan_.root);
        rules_.modes_bind = arena_.modes_bind();
        static const bool planted_bind = kernel_stops_at_planted_links();
        rules_.planted_bind = planted_bind;
        given_ = bytes_.one_in(2) ? arena_.first().alias() : arena_.first().root();
        rules_.spellings = {given_, arena_.first().root()};
        kernel_ = open_root(given_, rules_.options, ResolverKind::kOpenat2);
        walk_ = open_root(given_, rules_.options, ResolverKind::kWalk);
        os_ = UniqueFd(::open(given_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    std::string run() {
        for (unsigned i = 0; i < settings_.looks && failure_.empty() && !bytes_.used_up(); ++i) {
            look(random_path(bytes_, arena_.first(), plan_.root));
        }
        if (failure_.empty() && !bytes_.used_up()) change();
        if (failure_.empty()) return {};
        return shortened(failure_ + "\nroot opened as " + given_ + options_text() + "\n" +
                         describe(plan_.root));
    }

private:
    void look(const std::string& path) {
        ++tally_.cases;
        const auto parsed = normalised(path, rules_);
        const Names* names = std::get_if<Names>(&parsed);
        for (const Look look : kLooks) {
            const Answer wanted = expected(look, path, plan_.root, rules_);
            const auto compare_with = [&](const char* who, const std::string& got) {
                if (wanted.text == got) return;
                compare(std::string(look_name(look)) + " '" + displayable(path) + "'", who,
                        wanted.text, got);
            };
            const std::string root_path = arena_.first().root();
            compare_with("openat2", observed(look, path, *kernel_, root_path));
            compare_with("walk", observed(look, path, *walk_, root_path));
            if (wanted.as_plain_os) compare_with("plain OS", plain_os(look, *names, os_.get()));
            if (look == Look::kStat) count(wanted.text, names);
        }
    }

    void count(const std::string& answer, const Names* names) {
        ++tally_.answers[answer.substr(0, answer.find(' '))];
        if (names == nullptr || answer != refused(Code::kPathEscape)) return;
        if (plain_os_leaves(*names, os_.get(), arena_.first().root())) ++tally_.leaks;
    }

    void change() {
        const std::string outside = arena_.outside();
        const Root twin = open_root(arena_.for_second(given_), rules_.options, ResolverKind::kWalk);
        std::string calls;
        for (unsigned i = 0; i < settings_.changes && failure_.empty() && !bytes_.used_up(); ++i) {
            const Change change = random_change(bytes_, arena_, plan_, *kernel_, twin);
            ++tally_.cases;
            ++tally_.changes;
            ++tally_.answers["change: " + change.first];
            calls += "\n    " + change.call + ": " + change.first;
            compare("a change", "walk, after" + calls, change.first, change.second);
            if (change.first == kNotSeen)
                compare("a change", "both, after" + calls, "ok", kNotSeen);
        }
        compare("what lies outside", "after" + calls, outside, arena_.outside());
        compare("the two workspaces", "the walk's after" + calls, arena_.first_content(),
                arena_.second_content());
    }

    void compare(const std::string& call, const std::string& who, const std::string& wanted,
                 const std::string& got) {
        if (wanted == got || !failure_.empty()) return;
        failure_ =
            call + "\n  expected: " + displayable(wanted) + "\n  " + who + ": " + displayable(got);
    }

    std::string options_text() const {
        std::string text;
        if (rules_.options.absolute == AbsolutePaths::kReject) text += ", absolute rejected";
        if (rules_.options.dotdot == DotDot::kReject) text += ", '..' rejected";
        if (rules_.options.symlinks == Symlinks::kReject) text += ", links rejected";
        if (rules_.options.hardlinks == Hardlinks::kReject) text += ", hard links rejected";
        if (rules_.modes_bind) text += ", modes bind";
        return text;
    }

    ByteSource& bytes_;
    Arena& arena_;
    const Settings& settings_;
    Tally& tally_;
    Plan plan_;
    Rules rules_;
    std::string given_;
    std::optional<Root> kernel_;
    std::optional<Root> walk_;
    UniqueFd os_;
    std::string failure_;
};

}  // namespace

std::string run_scenario(ByteSource& bytes, Arena& arena, const Settings& settings, Tally& tally) {
    try {
        return Scenario(bytes, arena, settings, tally).run();
    } catch (const std::runtime_error& fault) {
        return std::string("the workspace could not be set up: ") + fault.what();
    }
}

}  // namespace paddock::agreement
