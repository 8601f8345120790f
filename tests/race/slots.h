// A scene that every round uses up, in many copies: putting them back takes one pause of the
// attacker for all of them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "race/attacker.h"

namespace paddock::testing {

class Slots {
public:
    // `build` makes the scene in the existing, empty directory that it is given.
    Slots(std::string directory, std::function<void(const std::string& slot)> build);

    std::string name() const;                         // of the present copy, below the directory
    std::string path(const std::string& name) const;  // of something in it, as a host path

    // A step that exchanges two names in the present copy.
    Attacker::Step exchange(std::string a, std::string b) const;

    // Goes on to the next copy.
    void next(Attacker& attacker);

private:
    void build_all();

    const std::string directory_;
    const std::function<void(const std::string& slot)> build_;
    const std::shared_ptr<std::atomic<int>> present_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace paddock::testing
