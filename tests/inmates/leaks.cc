#include <sys/mman.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kForks = 600;
constexpr std::size_t kMemory = std::size_t{1536} << 20;
constexpr std::size_t kFile = std::size_t{200} << 20;
constexpr int kInheritedDirectory = 8;
constexpr int kInheritedFile = 9;

Verdict fork_many(const Ground&) {
    int gate[2];
    if (::pipe(gate) != 0) return Verdict::kBlocked;
    int made = 0;
    for (; made < kForks; ++made) {
        const pid_t child = ::fork();
        if (child < 0) break;
        if (child == 0) {
            ::close(gate[1]);
            char byte = 0;
            (void)!::read(gate[0], &byte, 1);  // until the parent is done or gone
            ::_exit(0);
        }
    }
    ::close(gate[1]);
    while (::wait(nullptr) > 0) {
    }
    return succeeded_if(made == kForks);
}

Verdict take_memory(const Ground&) {
    auto* memory = static_cast<volatile char*>(
        ::mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED) return Verdict::kBlocked;
    for (std::size_t i = 0; i < kMemory; i += 4096) memory[i] = 1;
    return Verdict::kSucceeded;
}

Verdict fill_file(const Ground& ground) {
    const int file = ::open(ground.path("ws", "big").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::vector<char> block(std::size_t{1} << 20, 'x');
    for (std::size_t done = 0; done < kFile; done += block.size()) {
        if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
            return Verdict::kBlocked;
        }
    }
    return Verdict::kSucceeded;
}

Verdict read_inherited(const Ground& ground, int file) {
    char text[64] = {};
    return succeeded_if(file >= 0 && ::read(file, text, sizeof text - 1) > 0 &&
                        std::string(text).find(ground["secret"]) != std::string::npos);
}

Verdict find_variable(const Ground& ground) {
    const char* value = std::getenv("INMATE_DECOY_SECRET");
    return succeeded_if(value != nullptr && ground["secret"] == value);
}

constexpr Attempt kAttempts[] = {
    {"forks", "run 600 processes at once", fork_many},
    {"memory", "use 1.5 GiB of memory", take_memory},
    {"file-size", "write a file of 200 MiB", fill_file},
    {"inherited-file", "read from a descriptor that the caller had open",
     [](const Ground& g) { return read_inherited(g, kInheritedFile); }},
    {"inherited-directory", "open a file below a directory that the caller had open",
     [](const Ground& g) {
         return read_inherited(g, ::openat(kInheritedDirectory, "secret", O_RDONLY | O_CLOEXEC));
     }},
    {"environment", "find a secret in the environment", find_variable},
};

}  // namespace

std::span<const Attempt> leaks() { return kAttempts; }

}  // namespace inmates
