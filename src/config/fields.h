// Makes the reading and applying halves of a setting from the place of its value in the draft.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/setting.h"

namespace paddock::config {

template <class T>
using Field = T& (*)(Draft&);

// const_cast: a field is found in the same way whether it will be changed or not.
template <class T>
const T& look(Field<T> field, const Draft& draft) {
    return field(const_cast<Draft&>(draft));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// A value that is taken as it is: a switch, a text, a list.
template <class T>
Setting plain(Setting setting, Field<T> field) {
    setting.read = [field](const Draft& draft) -> Value { return look(field, draft); };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        field(draft) = std::get<T>(std::move(value));
        return {};
    };
    return setting;
}

// Every item is looked at by `wrong`, which says what is the matter or nothing.
inline Setting checked(Setting setting, Field<std::vector<std::string>> field,
                       std::string (*wrong)(const std::string& item)) {
    setting = plain(std::move(setting), field);
    setting.apply = [field, wrong](Value value, Draft& draft) -> std::string {
        auto items = std::get<std::vector<std::string>>(std::move(value));
        for (const std::string& item : items) {
            if (std::string problem = wrong(item); !problem.empty()) return problem;
        }
        field(draft) = std::move(items);
        return {};
    };
    return setting;
}

template <class T>
Setting number(Setting setting, Field<T> field) {
    setting.most = std::min<std::uint64_t>(setting.most, std::numeric_limits<T>::max());
    setting.read = [field](const Draft& draft) -> Value {
        return std::uint64_t{look(field, draft)};
    };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        field(draft) = static_cast<T>(std::get<std::uint64_t>(value));  // the range was checked
        return {};
    };
    return setting;
}

// 0 is none.
template <class T>
Setting limit(Setting setting, Field<std::optional<T>> field) {
    setting.most = std::min<std::uint64_t>(setting.most, std::numeric_limits<T>::max());
    setting.read = [field](const Draft& draft) -> Value {
        return std::uint64_t{look(field, draft).value_or(0)};
    };
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        const std::uint64_t most = std::get<std::uint64_t>(value);
        field(draft) = most == 0 ? std::nullopt : std::optional<T>(static_cast<T>(most));
        return {};
    };
    return setting;
}

template <class T>
Setting choice(Setting setting, Field<T> field,
               std::vector<std::pair<std::string, std::type_identity_t<T>>> words) {
    setting.kind = Kind::kChoice;
    for (const auto& [word, meaning] : words) setting.choices.push_back(word);
    setting.read = [field, words](const Draft& draft) -> Value {
        for (const auto& [word, meaning] : words) {
            if (meaning == look(field, draft)) return word;
        }
        return std::string();
    };
    setting.apply = [field, words](Value value, Draft& draft) -> std::string {
        for (const auto& [word, meaning] : words) {
            if (word == std::get<std::string>(value)) field(draft) = meaning;
        }
        return {};
    };
    return setting;
}

// Why a protection is given up. A bare "yes" is no reason: whoever comes later wants to know, and
// a variable that is set by habit must not open the workspace.
Setting reason(Setting setting, Field<std::string> field);

}  // namespace paddock::config
