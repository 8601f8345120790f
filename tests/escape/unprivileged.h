// Permission bits bind only a user without privileges: for a while, be one.
#pragma once

#include <unistd.h>

#include "testing/jail.h"

namespace paddock::testing {

// As root, gives up the effective user (and with it every capability) until the end of its life; as
// anybody else does nothing. Open the root before: the scratch directory is closed to others.
class Unprivileged {
public:
    Unprivileged() : changed_(is_root() && ::seteuid(kNobody) == 0) {}
    ~Unprivileged() {
        if (changed_) {
            EXPECT_EQ(::seteuid(0), 0);
        }
    }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

    bool is() const { return !is_root(); }

private:
    static constexpr uid_t kNobody = 65534;
    bool changed_;
};

}  // namespace paddock::testing
