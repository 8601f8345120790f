// What people do in a shell all day works in the sandbox, by the bash tool, on projects made here.
#include <gtest/gtest.h>

#include "tools/desk.h"

namespace paddock::testing {
namespace {

class RealWork : public Desk {
protected:
    void SetUp() override {
        options.shell.emplace();
        options.limits.calls_per_second.reset();
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
        ASSERT_FALSE(answer.error) << answer.text();
    }

    // Runs it to its end, where it must have succeeded.
    std::string work(const std::string& command) {
        const std::string text =
            ok("bash", {{"command", "set -e\n" + command}, {"timeout_ms", 600'000}});
        EXPECT_NE(text.find("[exit code 0 after "), text.npos) << command << "\n" << text;
        return text;
    }

    bool has(const std::string& program) {
        return ok("bash", {{"command", "command -v " + program}}).starts_with("/");
    }
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

#define NEEDS_PROGRAM(name) \
    if (!has(name)) GTEST_SKIP() << name << " is not among the system's programs"

TEST_F(RealWork, git_init_commit_branch_and_clone_of_a_local_path) {
    NEEDS_PROGRAM("git");
    const std::string text = work(R"(
git init -q -b main project
cd project
git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m first
echo one > file
git add file
git -c user.name=A -c user.email=a@example.org commit -q -m second
git checkout -q -b topic
echo two > file
git -c user.name=A -c user.email=a@example.org commit -q -am third
git checkout -q main
cd ..
git clone -q project copy
git clone -q --bare project bare.git
cd copy
git log --format=%s origin/topic
git -c user.name=A -c user.email=a@example.org merge -q origin/topic
cat file
)");
    EXPECT_TRUE(text.starts_with("third\nsecond\nfirst\ntwo\n")) << text;
    EXPECT_EQ(os_read(ws("copy/file")), "two\n");
    EXPECT_TRUE(holds(work("git status --short && git fsck --strict"), "[exit code 0"));
}

TEST_F(RealWork, a_build_with_cmake_and_a_compiler) {
    NEEDS_PROGRAM("cmake");
    NEEDS_PROGRAM("g++");
    tree(
        {"ROOT/CMakeLists.txt=cmake_minimum_required(VERSION 3.18)\nproject(p CXX)\n"
         "add_library(l STATIC l.cc)\nadd_executable(p p.cc)\ntarget_link_libraries(p l)\n"
         "enable_testing()\nadd_test(NAME t COMMAND p)\n",
         "ROOT/l.cc=int seven() { return 7; }\n",
         "ROOT/p.cc=#include <cstdio>\nint seven();\n"
         "int main() { std::printf(\"%d\\n\", seven()); }\n"});
    work("cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j 2");
    EXPECT_TRUE(work("build/p").starts_with("7\n"));
    EXPECT_TRUE(holds(work("ctest --test-dir build"), "100% tests passed"));
}

struct Runtime {
    const char* name;
    const char* program;
    const char* command;
};

// They reserve terabytes and use little.
class SmallMemory : public RealWork, public ::testing::WithParamInterface<Runtime> {};

TEST_P(SmallMemory, is_enough_to_start) {
    NEEDS_PROGRAM(GetParam().program);
    options.shell->limits.memory_bytes = std::uint64_t{256} << 20;
    reopen();
    tree(
        {"ROOT/a.cc=#include <cstdio>\n#include <thread>\n"
         "int main() { std::thread([] { std::puts(\"fine\"); }).join(); }\n"});
    EXPECT_TRUE(holds(work(GetParam().command), "fine\n"));
}

INSTANTIATE_TEST_SUITE_P(
    of, SmallMemory,
    ::testing::Values(Runtime{"address_sanitizer", "g++",
                              "g++ -fsanitize=address a.cc -o a && ./a"},
                      Runtime{"thread_sanitizer", "g++", "g++ -fsanitize=thread a.cc -o a && ./a"},
                      Runtime{"node", "node", "node -e 'console.log(\"fine\")'"},
                      Runtime{"java", "java", "java -version && echo fine"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(RealWork, node_and_npm_scripts) {
    NEEDS_PROGRAM("node");
    NEEDS_PROGRAM("npm");
    tree(
        {"ROOT/main.js=require('fs').writeFileSync('made', require('os').cpus().length > 0 ? "
         "'by node' : '');\n"});
    const std::string text = work(R"(
npm init -y >/dev/null
npm pkg set scripts.start='node main.js' scripts.test='node --check main.js'
npm run --silent start
npm test --silent
cat made
)");
    EXPECT_TRUE(text.starts_with("by node")) << text;
}

TEST_F(RealWork, python_with_a_virtual_environment) {
    NEEDS_PROGRAM("python3");
    const std::string text = work(R"(
python3 -c 'import ensurepip' 2>/dev/null && pip= || pip=--without-pip
python3 -m venv $pip env
. env/bin/activate
site=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo 'word = "from the environment"' > $site/hello.py
python -c 'import hello, sys; print(hello.word, sys.prefix != sys.base_prefix)'
)");
    EXPECT_TRUE(text.starts_with("from the environment True\n")) << text;
}

// Started by one command, reached by the next, and ended by a third.
TEST_F(RealWork, a_server_in_the_background_is_reached_on_the_loopback) {
    NEEDS_PROGRAM("python3");
    tree({"ROOT/page=the page",
          "ROOT/serve.py=import http.server, socketserver\n"
          "server = socketserver.TCPServer(('127.0.0.1', 0), "
          "http.server.SimpleHTTPRequestHandler)\n"
          "open('port', 'w').write(str(server.server_address[1]) + '\\n')\n"
          "server.serve_forever()\n"});
    const std::string probe = "python3 -c \"import socket; socket.socket()\"";
    if (!holds(ok("bash", {{"command", probe}}), "[exit code 0")) {
        GTEST_SKIP() << "without a network namespace commands have no sockets";
    }
    work("python3 serve.py >/dev/null 2>&1 & echo $! > pid; while ! test -s port; do :; done");
    const std::string fetch =
        "python3 -c \"import urllib.request as r; "
        "print(r.urlopen('http://127.0.0.1:' + open('port').read().strip() + '/page')"
        ".read().decode())\"";
    EXPECT_TRUE(work(fetch).starts_with("the page\n"));
    work("kill $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do :; done");
    EXPECT_FALSE(holds(ok("bash", {{"command", fetch}}), "the page"));
}

TEST_F(RealWork, a_socket_in_the_workspace_is_reached_by_the_next_command) {
    NEEDS_PROGRAM("python3");
    const std::string probe = "python3 -c \"import socket; socket.socket(socket.AF_UNIX)\"";
    if (!holds(ok("bash", {{"command", probe}}), "[exit code 0")) {
        GTEST_SKIP() << "without a network namespace commands have no sockets";
    }
    tree(
        {"ROOT/serve.py=import os, socket\n"
         "server = socket.socket(socket.AF_UNIX)\nserver.bind('s')\nserver.listen()\n"
         "os.rename('s', 'socket')\n"
         "while True: server.accept()[0].sendall(b'from the server')\n",
         "ROOT/ask.py=import socket\nclient = socket.socket(socket.AF_UNIX)\n"
         "client.connect('socket')\nprint(client.recv(100).decode())\n"});
    const std::string serve =
        "python3 serve.py >/dev/null 2>&1 & echo $! > pid; while ! test -S socket; do :; done";
    work(serve);
    EXPECT_TRUE(work("python3 ask.py").starts_with("from the server\n"));
    work("kill $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do :; done");
    work("rm socket; " + serve);
    EXPECT_TRUE(work("python3 ask.py").starts_with("from the server\n"));
}

}  // namespace
}  // namespace paddock::testing
