#include "inmates/attempt.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace inmates {

Verdict cannot_try(const char* reason) {
    std::printf("%s%s\n", kCannotTryLead, reason);
    return Verdict::kCannotTry;
}

Ground Ground::load(const std::string& file) {
    Ground ground;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) {
            ground.set(line.substr(0, equals), line.substr(equals + 1));
        }
    }
    return ground;
}

void Ground::save(const std::string& file) const {
    std::ofstream lines(file);
    for (const auto& [name, value] : values_) lines << name << '=' << value << '\n';
}

const std::string& Ground::operator[](const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
        std::printf("the scene has no '%s'\n", name.c_str());
        std::abort();
    }
    return found->second;
}

int Ground::number(const std::string& name) const { return std::atoi((*this)[name].c_str()); }

std::string Ground::path(const std::string& directory, const std::string& below) const {
    return (*this)[directory] + "/" + below;
}

std::span<const Group> all_groups() {
    static const Group kGroups[] = {
        {"read", reading()},
        {"write", writing()},
        {"protected names", protected_names()},
        {"processes", processes()},
        {"network and ipc", network()},
        {"kernel", kernel()},
        {"limits and leaks", leaks()},
        {"usability", usability(), true},
    };
    return kGroups;
}

const Attempt* find_attempt(const std::string& name) {
    for (const Group& group : all_groups()) {
        for (const Attempt& attempt : group.attempts) {
            if (name == attempt.name) return &attempt;
        }
    }
    return nullptr;
}

}  // namespace inmates
