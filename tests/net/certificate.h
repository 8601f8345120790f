// A key and a certificate of its own, in two files.
#pragma once

#include <string>

namespace paddock::testing {

// False: OpenSSL refused. Both are PEM; the certificate is for "localhost".
bool make_certificate(const std::string& certificate_file, const std::string& key_file);

}  // namespace paddock::testing
