// The protocol on the standard streams of a process: one message a line.
//
// What is quick is answered by the thread that reads, everything else by a few threads; the reader
// never waits for any of them, nor for a client that does not read, so that a cancellation is
// always seen. Memory is bounded: see limits.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/outcome.h"
#include "mcp/protocol.h"

namespace paddock::mcp {

enum class StdioEnd : std::uint8_t {
    kInput,   // there is no more; what was asked before is answered
    kReader,  // nobody reads the answers
    kParent,  // whoever started the server is gone
    kSignal,  // that would have ended the process
};

struct StdioServed {
    StdioEnd end = StdioEnd::kInput;
    // A call that cannot be cancelled is still running, in a thread that uses the protocol: the
    // process must leave without cleaning up.
    bool is_clean = true;
};

struct StdioStreams {
    int input = 0;
    int output = 1;
};

// What has to be prepared while the process may still open files and has one thread: the signals
// that end it are blocked from then on and SIGPIPE is ignored.
class StdioServer {
public:
    // Fails where descriptors cannot be had.
    static Outcome<StdioServer> prepare(const StdioStreams& streams = {});

    StdioServer(const StdioServer&) = delete;
    StdioServer& operator=(const StdioServer&) = delete;
    StdioServer(StdioServer&&) noexcept;
    StdioServer& operator=(StdioServer&&) noexcept;
    ~StdioServer();

    // Once. Returns when one of the ends has come, with nothing under way any more.
    StdioServed serve(const Protocol& protocol);

    struct State;  // inside stdio.cc

private:
    explicit StdioServer(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace paddock::mcp
