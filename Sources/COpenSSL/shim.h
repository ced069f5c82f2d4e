#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// An OSSL_PARAM keeps the address of its name. A name that is passed as a Swift string lives only during the call that
// makes the parameter, so lists of parameters are put together here, where names are literals.

static inline int kits_mac_init_sha256(EVP_MAC_CTX *context, const unsigned char *key, size_t count) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_init(context, key, count, parameters);
}

static inline EVP_PKEY *kits_p256_public_key(EVP_PKEY_CTX *context, const unsigned char *point, size_t count) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
      OSSL_PARAM_construct_end(),
  };
  if (EVP_PKEY_fromdata_init(context) != 1) return NULL;
  if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) return NULL;
  return key;
}
