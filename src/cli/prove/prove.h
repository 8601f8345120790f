// `paddock prove`: tries the attacks here and now, on decoys in a scratch directory; what a run
// came to, and how it is shown.
//
// The directory is removed at the end, also after SIGINT, SIGTERM, SIGHUP and SIGPIPE; these then
// end the process as they would have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/terminal.h"

namespace paddock::cli::prove {

enum class Fate : std::uint8_t {
    kLeaked,
    kWouldBlock,  // the tool would have waited for ever
    kRefused,     // the detail is the error's code
    kHeld,        // allowed, and did no harm
    kSkipped,     // could not be tried here, see the detail
};
inline constexpr std::string_view kFateNames[] = {"leaked", "would_block", "refused", "held",
                                                  "skipped"};

struct Verdict {
    Fate fate = Fate::kSkipped;
    std::string detail = {};
    int tries = 1;

    bool is_leak() const noexcept { return fate == Fate::kLeaked || fate == Fate::kWouldBlock; }
};

struct Row {
    std::string_view id;
    std::string_view title;
    std::vector<Verdict> verdicts = {};  // one for each of Group::contenders

    bool is_race() const noexcept { return id.starts_with("RACE"); }
    const Verdict* skipped() const noexcept;  // the first one, or nullptr
    // A row proves something only if all were tried, and the control leaks.
    bool conclusive() const noexcept { return skipped() == nullptr && verdicts[0].is_leak(); }
};

// Attacks that are put to the same contenders.
struct Group {
    std::vector<std::string> contenders;  // the first is the control; empty if none could be tried
    std::string not_tried = {};           // why a contender is absent
    std::vector<Row> rows = {};
};

struct Report {
    std::string kernel = {};
    std::string file_system = {};
    bool root_user = false;
    int rounds = 0;
    Group paths = {};     // contenders: "careless tool", "openat2", "walk"
    Group commands = {};  // contenders: "plain bash", "full"
};

struct Summary {
    std::size_t attacks = 0;
    std::size_t careless_leaks = 0;
    std::size_t paddock_leaks = 0;
    std::size_t inconclusive = 0;
    std::size_t skipped = 0;
};
Summary summarize(const Report& report);

// 1 if anything leaked through paddock, kUsageError if nothing at all could be tried.
int exit_code(const Summary& summary);

// A report is printed while it is made, in these parts. Columns are as wide as `widths` says.
using Widths = std::vector<std::size_t>;
std::string head_text(const Group& group, const Widths& widths, const Paint& paint);
std::string row_text(const Row& row, const Widths& widths, const Paint& paint);
std::string remarks_text(const Group& group);  // on rows that prove nothing, or leaked
std::string summary_text(const Summary& summary, const Paint& paint);

}  // namespace paddock::cli::prove

namespace paddock::cli {

int run(const ProveRequest& request);  // throws std::runtime_error if nothing can be tried

}  // namespace paddock::cli
