#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// Macros built from other macros, which Swift doesn't import.
static const int kits_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;
