// The bounds of HTTP, with their reasons; in the manner of <paddock/limits.h>, which everything
// includes.
#pragma once

#include <chrono>
#include <cstddef>

namespace paddock::limits {

// Connections of 'paddock serve' at once; the next ones are told to come back. A few kilobytes
// each.
inline constexpr std::size_t kHttpConnectionsMax = 1024;

// The head of a request, and the headers in it: what common servers accept.
inline constexpr std::size_t kHttpHeadBytesMax = std::size_t{16} << 10;
inline constexpr std::size_t kHttpHeadersMax = 100;

// The body of a request. It is held as a whole; a tool call that writes a large source file fits.
inline constexpr std::size_t kHttpBodyBytesMax = std::size_t{16} << 20;

// Events of one stream that wait for a slow client; further progress is dropped, the result is not.
inline constexpr std::size_t kHttpStreamBytesMax = std::size_t{1} << 20;

// How long a client may take to send a request, to send the next one, and to take 64 kB of an
// answer.
inline constexpr std::chrono::milliseconds kHttpRequestTime{30'000};
inline constexpr std::chrono::milliseconds kHttpIdleTime{60'000};
inline constexpr std::chrono::milliseconds kHttpWriteTime{30'000};

// A stream is never silent for longer: proxies cut at 30 to 60 seconds.
inline constexpr std::chrono::milliseconds kHttpSilenceMax{15'000};

// After a refusal the server still reads that long and that much, so that the client gets to see
// it.
inline constexpr std::chrono::milliseconds kHttpLingerTime{2'000};
inline constexpr std::size_t kHttpLingerBytesMax = std::size_t{1} << 20;

}  // namespace paddock::limits
