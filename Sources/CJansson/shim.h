#pragma once
#include <jansson.h>

// In jansson `json_error_code` names an enum and an inline function, which Swift can't tell apart.
static inline int kits_json_error_code(const json_error_t *error) {
  return (int)json_error_code(error);
}
