// A desk with a shell, in the sandbox that this machine gives.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>

#include "tools/desk.h"

namespace paddock::testing {

class BashDesk : public Desk {
protected:
    void SetUp() override {
        options.shell.emplace();
        options.limits.calls_per_second.reset();
        tree({"ROOT/a.txt=hello", "ROOT/sub/"});
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
        ASSERT_FALSE(answer.error) << answer.text();
    }

    std::string bash(std::string_view command) { return ok("bash", {{"command", command}}); }

    // Asks until the answer holds `part`; the command makes sure that it will.
    std::string output_with(const std::string& id, std::string_view part) {
        for (;;) {
            std::string text = ok("bash_output", {{"id", id}, {"offset", 0}});
            if (text.find(part) != text.npos || text.find("[running") == text.npos) return text;
            std::this_thread::yield();
        }
    }
};

// The id in an answer such as "..., id 'b2'...".
inline std::string id_in(const std::string& text) {
    const std::size_t begin = text.find("id '") + 4;
    return text.substr(begin, text.find('\'', begin) - begin);
}

inline bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace paddock::testing
