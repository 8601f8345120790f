// paddock: the command line.
#include <exception>
#include <new>
#include <variant>

#include "cli/arguments.h"
#include "cli/clean_command.h"
#include "cli/config_command.h"
#include "cli/diff_command.h"
#include "cli/doctor_report.h"
#include "cli/host_commands.h"
#include "cli/log_command.h"
#include "cli/mcp.h"
#include "cli/prove/prove.h"
#include "cli/registration.h"
#include "cli/run.h"
#include "cli/serve.h"
#include "cli/terminal.h"
#include "cli/tool_commands.h"
#include "cli/undo_command.h"
#include "sys/memory.h"

namespace paddock::cli {
namespace {

int run(const ExitMessage& ending) {
    if (ending.exit_code == 0) return print(ending.text) ? 0 : kUsageError;
    complain(ending.text);
    return ending.exit_code;
}

}  // namespace
}  // namespace paddock::cli

int main(int argc, char** argv) {
    using namespace paddock::cli;
    paddock::sys::return_large_blocks();
    try {
        const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
        return std::visit([](const auto& request) { return run(request); }, parse_arguments(words));
    } catch (const std::bad_alloc&) {
        complain("limit_reached: out of memory");
        return kUsageError;
    } catch (const std::exception& error) {
        complain(error.what());
        return kUsageError;
    }
}
