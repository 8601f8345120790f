// One command of paddock: what it tells of itself, and how its words become a request.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cli/arguments.h"
#include "cli/manual.h"
#include "cli/parser.h"

namespace paddock::cli {

// Takes the words of one call.
class Form {
public:
    Form() = default;
    Form(const Form&) = delete;
    Form& operator=(const Form&) = delete;
    virtual ~Form() = default;

    virtual void declare(Parser& parser) = 0;

    // After the words were parsed without a complaint.
    virtual Request finish(Parser& parser) = 0;
};

struct Command {
    Manual manual;
    std::function<std::unique_ptr<Form>()> form;
};

// In the order of the overview.
const std::vector<Command>& commands();
const Command* find_command(const std::string& name);  // null: there is none

std::vector<Option> options_of(const Command& command);
Request parse(const Command& command, const Words& words);

// What `paddock --help` prints.
std::string overview();

}  // namespace paddock::cli
