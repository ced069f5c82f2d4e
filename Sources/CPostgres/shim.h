#pragma once
#include <libpq-fe.h>
// Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
