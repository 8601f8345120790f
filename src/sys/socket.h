// Sockets: messages with descriptors between two processes, the loopback of a network namespace,
// and waiting for several descriptors. Nothing here allocates.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

// A copy of a descriptor that a thread of another process has open. Needs the right to trace it.
Outcome<UniqueFd> borrow_descriptor(int process, int descriptor);

// Binds a Unix socket to a name in a directory; its address is the name alone. Changes the working
// directory of this process, for good.
Done bind_in(int socket, int directory, const char* name);

inline constexpr std::size_t kDescriptorsPerMessage = 8;

struct SocketPair {
    UniqueFd first;
    UniqueFd second;
};

// Keeps messages apart and in order. `bytes` is the largest message that fits.
Outcome<SocketPair> message_pair(std::size_t bytes);

// One message, as a whole or not at all. A peer that is gone is EPIPE, without a signal.
Done send_message(int socket, std::string_view bytes, std::span<const int> descriptors);

// The same, without waiting for room: EAGAIN.
Done send_message_now(int socket, std::string_view bytes, std::span<const int> descriptors);

struct Received {
    std::size_t bytes = 0;  // 0: the peer is gone
    std::size_t descriptors = 0;
};

// One message. Descriptors beyond those that fit are closed; a message that does not fit in
// `buffer`, or brought more descriptors, is EMSGSIZE.
Outcome<Received> receive_message(int socket, std::span<char> buffer,
                                  std::span<UniqueFd> descriptors);

// Waits until one of them is ready or `timeout_ms` has passed (negative: for ever); says how many.
Outcome<int> wait_ready(std::span<pollfd> polled, int timeout_ms);

// Of the network namespace of this process: its own 127.0.0.1 begins to work.
Done start_loopback();

struct Listener {
    UniqueFd socket;
    std::uint16_t port = 0;
};
// On 127.0.0.1; 0: at a port that the kernel chooses.
Outcome<Listener> listen_on_loopback(std::uint16_t port = 0);

}  // namespace paddock::sys
