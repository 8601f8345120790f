// What an inmate tries: one function per attempt, run inside the sandbox under test.
//
// An attempt uses the plain system, nothing of paddock, and touches only decoys of its scene (see
// scene.h). Where the inside cannot know whether it got anywhere, `seen` looks from outside
// afterwards and has the last word.
#pragma once

#include <map>
#include <span>
#include <string>

namespace inmates {

// As exit codes, and printed.
enum class Verdict : int {
    kSucceeded = 0,
    kBlocked = 1,
    kCannotTry = 2,  // this machine lacks what the attempt needs; the reason was printed
};

inline constexpr const char* kCannotTryLead = "cannot be tried here: ";
Verdict cannot_try(const char* reason);  // prints it

inline Verdict succeeded_if(bool succeeded) {
    return succeeded ? Verdict::kSucceeded : Verdict::kBlocked;
}

// What the inmate is told about its surroundings, by name: paths, ports, process ids.
class Ground {
public:
    static Ground load(const std::string& file);
    void save(const std::string& file) const;

    void set(const std::string& name, const std::string& value) { values_[name] = value; }
    const std::string& operator[](const std::string& name) const;
    int number(const std::string& name) const;

    // Does the machine have it, as seen from outside? What a sandbox answers is no evidence.
    bool has(const std::string& feature) const { return !(*this)[feature].empty(); }

    // A path below one of the scene's directories: "ws", "home", "sibling", "outside".
    std::string path(const std::string& directory, const std::string& below) const;

private:
    std::map<std::string, std::string> values_;
};

enum class Needs {
    kNothing,
    kRoot,  // fails for others without any sandbox
};

struct Attempt {
    const char* name;
    const char* what;
    Verdict (*act)(const Ground& ground);
    bool (*seen)(const Ground& ground) = nullptr;
    Needs needs = Needs::kNothing;
    bool terminal = false;  // gets one that belongs to the outside
};

struct Group {
    const char* name;
    std::span<const Attempt> attempts;
    bool wanted = false;  // work that a sandbox should allow
};

std::span<const Group> all_groups();
const Attempt* find_attempt(const std::string& name);

std::span<const Attempt> reading();
std::span<const Attempt> writing();
std::span<const Attempt> protected_names();
std::span<const Attempt> processes();
std::span<const Attempt> network();
std::span<const Attempt> kernel();
std::span<const Attempt> leaks();
std::span<const Attempt> usability();

}  // namespace inmates
