// Random files, random changes to them, and a shell to hand them to a reference program.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/effort.h"

namespace paddock::reference {

struct File {
    std::string content;
    bool executable = false;
    friend bool operator==(const File&, const File&) = default;
};

using Files = std::map<std::string, File>;  // by path

enum class Endings { kUniform, kMixed };

// Up to 60 lines, many of them equal; sometimes CRLF, sometimes without a final newline.
std::string draft(Random& random, Endings endings);

// A few lines added, removed, replaced or doubled.
std::string revised(Random& random, std::string_view text, Endings endings);

void write_files(const std::string& directory, const Files& files);
Files read_files(const std::string& directory);

std::string slurp(const std::string& path);
void spill(const std::string& path, std::string_view content);

// True if the program is installed.
bool have(const std::string& program);

// Runs a script with `sh -e` in `directory`, git blind to any settings of this machine; true if it
// succeeds.
bool shell(const std::string& directory, const std::string& script);

}  // namespace paddock::reference
