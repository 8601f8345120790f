#include "tools/denied_reads.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace paddock::tools {
namespace {

// "host (option)" of each.
std::string found(std::string_view printed) {
    std::string text;
    for (const sandbox::Denial& denial : refused_look_ups(printed)) {
        EXPECT_EQ(denial.wall, sandbox::Wall::kNetwork);
        EXPECT_EQ(denial.operation, sandbox::DeniedOperation::kResolve);
        EXPECT_NE(denial.why.find("need a network namespace"), std::string::npos);
        text += denial.target + " (" + denial.option + ")";
    }
    return text;
}

TEST(RefusedLookUps, are_found_in_the_words_of_programs) {
    for (const auto& [printed, expected] : std::vector<std::array<std::string, 2>>{
             {"npm error request to https://registry.npmjs.org/left-pad failed, reason: "
              "getaddrinfo "
              "EAI_AGAIN registry.npmjs.org\nnpm error A complete log",
              "registry.npmjs.org (--net npm)"},
             {"Error: getaddrinfo ENOTFOUND a.example\n", "a.example (--allow-host a.example)"},
             {"fatal: unable to access 'https://github.com/a/b/': Could not resolve host: "
              "github.com",
              "github.com (--net github)"},
             {"ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
              "github.com (--net github)"},
             {"wget: unable to resolve host address \xe2\x80\x98"
              "a.example\xe2\x80\x99",
              "a.example (--allow-host a.example)"},
             {"Failed to resolve 'pypi.org' ([Errno -3] Temporary failure in name resolution)",
              "pypi.org (--net pypi)"},
             {"Temporary failure resolving 'deb.debian.org'", "deb.debian.org (--net debian)"},
             {"dial tcp: lookup proxy.golang.org: socket: address family not supported",
              "proxy.golang.org (--net go)"},
             {"([6] Could not resolve host: index.crates.io)", "index.crates.io (--net crates)"},
             {"Could not resolve host: a.example.\nCould not resolve host: b",
              "a.example (--allow-host a.example)b (--allow-host host:b)"},
             {"<urlopen error [Errno -3] Temporary failure in name resolution>", "any host ()"}}) {
        EXPECT_EQ(found(printed), expected) << printed;
    }
}

TEST(RefusedLookUps, are_found_nowhere_else) {
    for (const char* printed :
         {"", "a.example", "Could not resolve host",
          "Could not resolve host: ", "Could not resolve host: localhost",
          "getaddrinfo EAI_AGAIN app.localhost", "Could not resolve host: (((((((a.example",
          "Could not resolve host: ..", "lookup a.example", "Permission denied"}) {
        EXPECT_EQ(found(printed), "") << printed;
    }
}

}  // namespace
}  // namespace paddock::tools
