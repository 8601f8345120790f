// What a run of the gallery came to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/root_options.h>

#include "cli/terminal.h"

namespace paddock::cli::prove {

enum class Fate : std::uint8_t {
    kLeaked,
    kWouldBlock,  // the tool would have waited for ever
    kRefused,     // with `code`
    kHeld,        // was let through, and did no harm
    kSkipped,     // could not be tried here, see `detail`
};

// "leaked", "would_block", "refused", "held", "skipped".
std::string_view fate_name(Fate fate) noexcept;

struct Verdict {
    bool is_leak() const noexcept { return fate == Fate::kLeaked || fate == Fate::kWouldBlock; }

    Fate fate = Fate::kSkipped;
    std::optional<Code> code;
    std::string detail;
    int tries = 1;
};

inline Verdict skipped(std::string why) { return {Fate::kSkipped, {}, std::move(why), 0}; }

struct Row {
    std::string id;
    std::string title;
    bool race = false;
    Verdict careless;
    std::vector<Verdict> guarded;  // one for each of Report::resolvers

    // The first of all verdicts that is kSkipped; nullptr if there is none.
    const Verdict* skipped() const noexcept;

    // Does it say anything? Only if all were tried, and the attack works where paddock is not.
    bool conclusive() const noexcept;
};

struct Report {
    std::string kernel;
    std::string file_system;
    bool root_user = false;
    int rounds = 0;
    std::vector<ResolverKind> resolvers;
    std::string not_tried;  // why there is no other resolver, if one was wanted
    std::vector<Row> rows;

    std::string rung;           // of the sandbox for commands; empty if there is none
    std::string no_commands;    // why not
    std::vector<Row> commands;  // what they tried; plain bash is the careless one
};

struct Summary {
    std::size_t careless_leaks = 0;
    std::size_t paddock_leaks = 0;
    std::size_t inconclusive = 0;
    std::size_t skipped = 0;
};
Summary summarize(const Report& report);

// 1 if anything leaked through paddock, kUsageError if nothing at all could be tried.
int exit_code(const Report& report);

std::string as_text(const Report& report, const Paint& paint);

}  // namespace paddock::cli::prove
