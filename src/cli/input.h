// What a person hands to a command on standard input or in a file of their own.
#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/unique_fd.h>

#include "cli/doctor.h"
#include "cli/doctor_report.h"
#include "cli/host_commands.h"
#include "cli/prove/prove.h"

namespace paddock::cli {

// "-" is standard input. The error is a sentence for people. At most limits::kReadFileBytesMax.
tl::expected<std::string, std::string> read_input(const std::string& path);

// The same, of something that only its owner should know: a regular file is refused if it belongs
// to another user than root and the effective one, or others may read or write it. Its group may
// read.
tl::expected<std::string, std::string> read_secret_input(const std::string& path);

// While one exists, a signal that would end the process asks for a stop instead: a command is
// ended, and what it left under protected names is undone. One at a time; signals stay blocked
// afterwards, since the process is about to end.
class CancelOnSignal {
public:
    // Where descriptors cannot be had, signals do what they always do.
    CancelOnSignal();
    ~CancelOnSignal();
    CancelOnSignal(const CancelOnSignal&) = delete;
    CancelOnSignal& operator=(const CancelOnSignal&) = delete;

    std::stop_token token() const { return stop_.get_token(); }
    int caught() const noexcept { return caught_; }  // 0: none

private:
    void watch();

    UniqueFd signals_;
    UniqueFd over_;
    std::stop_source stop_;
    std::atomic<int> caught_ = 0;
    std::thread watcher_;
};

// Reports for programs: one JSON document each, in UTF-8, ended by a newline. Bytes that are not
// printable UTF-8 appear as \xNN.
std::string as_json(const ResolveReport& report);
std::string as_json(const std::vector<Finding>& findings, const ShellFinding& shell,
                    const WorldFinding& world);
std::string as_json(const prove::Report& report);

}  // namespace paddock::cli
