// The same server behind TLS.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "net/certificate.h"
#include "net/client.h"
#include "net/service.h"
#include "net/tls_client.h"

namespace paddock::testing {
namespace {

class Tls : public ::testing::Test {
protected:
    void SetUp() override {
        const char* base = std::getenv("TMPDIR");
        directory_ =
            std::string(base == nullptr ? "/tmp" : base) + "/paddock-tls-" + std::string(6, 'X');
        ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
        settings_.certificate_file = directory_ + "/server.crt";
        settings_.key_file = directory_ + "/server.key";
        ASSERT_TRUE(make_certificate(settings_.certificate_file, settings_.key_file));
    }

    void TearDown() override {
        for (const char* name : {"/server.crt", "/server.key", "/other"}) {
            ::unlink((directory_ + name).c_str());
        }
        ::rmdir(directory_.c_str());
    }

    std::string directory_;
    net::Settings settings_;
};

TEST_F(Tls, answers_in_both_versions) {
    Service service(settings_);
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client(service.port(), settings_.certificate_file, version);
        ASSERT_TRUE(client.is_connected());
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(client.send(get("/hello")));
            EXPECT_EQ(body_of(client.read_until("hello")), "hello");
        }
    }
    TlsClient old(service.port(), settings_.certificate_file, TLS1_1_VERSION);
    EXPECT_FALSE(old.is_connected());
}

TEST_F(Tls, carries_large_bodies_and_pipelines) {
    Service service(settings_);
    TlsClient client(service.port(), settings_.certificate_file);
    std::string requests;
    for (int i = 0; i < 200; ++i) requests += post("/echo", "abc");
    ASSERT_TRUE(client.send(requests + post("/length", std::string(1'000'000, 'x'))));
    EXPECT_NE(client.read_until("1000000").find("1000000"), std::string::npos);
    ASSERT_TRUE(client.send(get("/large") + get("/hello")));
    EXPECT_GT(client.read_until("hello").size(), 8'000'000U);
}

TEST_F(Tls, a_client_that_closes_is_noticed) {
    Service service(settings_);
    TlsClient client(service.port(), settings_.certificate_file);
    client.send(get("/stream"));
    const auto held = service.held();
    client.close();
    service.wait_until_closed(1);
}

TEST_F(Tls, plain_text_and_silence_get_nowhere) {
    settings_.limits.request_time = std::chrono::milliseconds(100);
    Service service(settings_);
    Client plain(service.port());
    plain.send(get("/hello"));
    EXPECT_EQ(plain.read_all().find("hello"), std::string::npos);
    Client silent(service.port());
    EXPECT_TRUE(silent.is_closed());
    TlsClient client(service.port(), settings_.certificate_file);
    client.send(get("/hello"));
    EXPECT_EQ(body_of(client.read_until("hello")), "hello");
}

TEST_F(Tls, unusable_files_are_refused_by_kind) {
    net::Settings settings = settings_;
    settings.key_file = directory_ + "/none";
    EXPECT_EQ(net::Server::listen(settings).error().code, Code::kNotFound);
    settings.key_file = settings_.certificate_file;
    EXPECT_EQ(net::Server::listen(settings).error().code, Code::kInvalidArgument);
    std::ofstream(directory_ + "/other") << "no certificate";
    settings = settings_;
    settings.certificate_file = directory_ + "/other";
    const auto refused = net::Server::listen(settings);
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    EXPECT_EQ(refused.error().path, settings.certificate_file) << "as the operator wrote it";
    EXPECT_EQ(refused.error().message().find("no certificate"), std::string::npos) << "its content";
    settings.certificate_file.clear();
    EXPECT_FALSE(net::Server::listen(settings));
}

}  // namespace
}  // namespace paddock::testing
