// A workspace with its tools, called as an agent does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <paddock/tools.h>

#include "json/value.h"
#include "testing/jail.h"
#include "tools/declaration.h"

namespace paddock::testing {

// One of its arguments names a path, or holds names as a patch does.
bool takes_a_path(const tools::Declaration& tool);

class Desk : public Jail {
protected:
    // The session is opened by the first call, with these.
    WorkspaceOptions options;

    tools::Answer call(std::string_view tool, const json::Object& arguments);

    // What the tool answers; a test failure if it is an error.
    std::string ok(std::string_view tool, const json::Object& arguments);

    // The error's code; a test failure if there is none.
    std::string refused(std::string_view tool, const json::Object& arguments);

    // Reads the file, so that it may be changed.
    void read(std::string_view path) { (void)ok("read_file", {{"path", path}}); }

    // The journal is there then: a change makes only its own system calls.
    void begin_journal();

    Workspace& workspace();
    void reopen() { workspace_.reset(); }  // another session, with the options as they are now

private:
    std::optional<Workspace> workspace_;
};

}  // namespace paddock::testing
