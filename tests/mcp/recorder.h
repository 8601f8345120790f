// A client that remembers what it was sent, and a server of a few tools that do what a test says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "json/parse.h"
#include "json/write.h"
#include "mcp/protocol.h"
#include "mcp/tool_host.h"

namespace paddock::testing {

class Recorder final : public mcp::Peer {
public:
    void send(std::string message) override { take(std::move(message)); }
    void finish(std::string message, int error) override {
        take(std::move(message));
        const std::lock_guard lock(mutex_);
        errors_.push_back(error);
    }
    void drop() override {
        const std::lock_guard lock(mutex_);
        ++dropped_;
    }

    std::vector<json::Object> messages() const {
        const std::lock_guard lock(mutex_);
        return messages_;
    }
    std::vector<int> errors() const {  // of the answers, 0 for a result
        const std::lock_guard lock(mutex_);
        return errors_;
    }
    int dropped() const {
        const std::lock_guard lock(mutex_);
        return dropped_;
    }

private:
    void take(std::string message) {
        const json::Parsed parsed = json::parse(message);
        EXPECT_EQ(parsed.problem, "") << message;
        EXPECT_EQ(message.find('\n'), message.npos);
        const std::lock_guard lock(mutex_);
        ASSERT_NE(parsed.value.as_object(), nullptr) << message;
        messages_.push_back(*parsed.value.as_object());
    }

    mutable std::mutex mutex_;
    std::vector<json::Object> messages_;
    std::vector<int> errors_;
    int dropped_ = 0;
};

class FewTools final : public mcp::ToolHost {
public:
    using Run = std::function<mcp::Handled(mcp::RequestContext&, const json::Value& arguments)>;

    void add(std::string name, Run run, tools::Pace pace = tools::Pace::kQuick) {
        names_.push_back(name);
        tools_[std::move(name)] = {
            .call = [run = std::move(run)](
                        const auto& context,
                        const auto& arguments) { return run(*context, arguments); },
            .pace = pace};
    }

    std::vector<std::string> list() const override {
        std::vector<std::string> texts;
        for (const std::string& name : names_) {
            texts.push_back(json::to_text(json::Object{{"name", name}}));
        }
        return texts;
    }
    const mcp::HostedTool* find(std::string_view name) const override {
        const auto tool = tools_.find(name);
        return tool == tools_.end() ? nullptr : &tool->second;
    }

private:
    std::vector<std::string> names_;
    std::map<std::string, mcp::HostedTool, std::less<>> tools_;
};

// "a.b.c" of nested objects; null if there is none.
inline json::Value at(const json::Value& value, std::string_view path) {
    const json::Value* here = &value;
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        here = here->as_object() == nullptr ? nullptr : here->as_object()->find(name);
        if (here == nullptr) return {};
    }
    return *here;
}

inline std::string text_at(const json::Value& value, std::string_view path) {
    return json::to_text(at(value, path));
}

}  // namespace paddock::testing
