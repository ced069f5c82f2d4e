#pragma once
#include <nghttp2/nghttp2.h>

// Not part of Swift's Glibc module; the one user of nghttp2 is also the one with a loop of its own.
#include <sys/epoll.h>
#include <sys/eventfd.h>
