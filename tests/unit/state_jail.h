// A Jail whose root is opened by hand, for tests of what lies below Root.
#pragma once

#include <fcntl.h>

#include <stdexcept>

#include "fs/probe.h"
#include "fs/resolver.h"
#include "fs/root_state.h"
#include "sys/files.h"
#include "testing/jail.h"

namespace paddock::testing {

class StateJail : public Jail {
protected:
    StateJail() {
        auto fd = sys::openat(AT_FDCWD, ws().c_str(), O_PATH | O_DIRECTORY);
        if (!fd) throw std::runtime_error("no workspace");
        state_.fd = std::move(*fd);
        state_.node = sys::node(state_.fd.get()).value();
        state_.rules.spellings.push_back(fs::spelling_of(ws()).value());
        state_.kernel = resolver_under_test() != ResolverKind::kWalk &&
                        fs::openat2_works(state_.fd.get()).value();
    }

    fs::RelPath at(std::string_view path) const {
        return fs::parse_path(path, state_.rules).value();
    }

    // A directory in the workspace, readable.
    UniqueFd open_directory(std::string_view path) const {
        return fs::open_object(state_, at(path), O_RDONLY | O_DIRECTORY).value();
    }

    fs::RootState state_;
};

}  // namespace paddock::testing
