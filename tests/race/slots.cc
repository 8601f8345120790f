#include "race/slots.h"

#include <sys/stat.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "race/naive.h"

namespace paddock::testing {
namespace {

constexpr int kCount = 64;

}  // namespace

Slots::Slots(std::string directory, std::function<void(const std::string& slot)> build)
    : directory_(std::move(directory)), build_(std::move(build)) {
    build_all();
}

std::string Slots::name() const { return "slot" + std::to_string(*present_); }

std::string Slots::path(const std::string& name) const {
    return directory_ + '/' + this->name() + '/' + name;
}

Attacker::Step Slots::exchange(std::string a, std::string b) const {
    std::vector<Attacker::Step> steps;
    for (int i = 0; i < kCount; ++i) {
        const std::string slot = directory_ + "/slot" + std::to_string(i) + '/';
        steps.push_back(testing::exchange(slot + a, slot + b));
    }
    return [steps = std::move(steps), present = present_] {
        return steps[static_cast<std::size_t>(present->load())]();
    };
}

void Slots::next(Attacker& attacker) {
    const int following = *present_ + 1;
    if (following < kCount) {
        *present_ = following;
        return;
    }
    attacker.while_paused([this] { build_all(); });
}

void Slots::build_all() {
    for (int i = 0; i < kCount; ++i) {
        *present_ = i;
        const std::string slot = directory_ + '/' + name();
        naive::remove_all(slot);
        if (::mkdir(slot.c_str(), 0755) != 0) throw std::runtime_error("cannot make " + slot);
        build_(slot);
    }
    *present_ = 0;
}

}  // namespace paddock::testing
