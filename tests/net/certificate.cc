#include "net/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>

namespace paddock::testing {

bool make_certificate(const std::string& certificate_file, const std::string& key_file) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                  EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    if (key == nullptr || certificate == nullptr) return false;
    X509* made = certificate.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 86'400);
    X509_set_pubkey(made, key.get());
    X509_NAME* name = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(made, name);
    if (X509_sign(made, key.get(), EVP_sha256()) == 0) return false;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> first(
        std::fopen(certificate_file.c_str(), "w"), std::fclose);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> second(std::fopen(key_file.c_str(), "w"),
                                                                 std::fclose);
    return first != nullptr && second != nullptr && PEM_write_X509(first.get(), made) == 1 &&
           PEM_write_PrivateKey(second.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
               1;
}

}  // namespace paddock::testing
