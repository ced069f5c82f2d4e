#pragma once
#include <microhttpd.h>

// MHD_start_daemon and MHD_get_connection_info are variadic, which Swift can't call. Everything else is called directly.

struct kits_mhd_options {
  void *cls;
  int listen_socket;
  unsigned int threads;
  unsigned int connection_limit;
  unsigned int per_address_limit;
  size_t pool_bytes;
  void (*log)(void *cls, const char *format, va_list arguments);
  void *(*target)(void *cls, const char *target, struct MHD_Connection *connection);
  size_t (*unescape)(void *cls, struct MHD_Connection *connection, char *text);
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
};

static inline struct MHD_Daemon *kits_mhd_start(const struct kits_mhd_options *o) {
  // A pool of one thread is refused by the library: one thread is no pool.
  struct MHD_OptionItem pool[] = {
    { o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t) o->threads, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, o->access, o->cls,
      // First, so that messages about the options that follow reach it too.
      MHD_OPTION_EXTERNAL_LOGGER, o->log, o->cls,
      MHD_OPTION_LISTEN_SOCKET, o->listen_socket,
      MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, o->per_address_limit,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->pool_bytes,
      MHD_OPTION_CONNECTION_TIMEOUT, 0u,
      MHD_OPTION_URI_LOG_CALLBACK, o->target, o->cls,
      MHD_OPTION_UNESCAPE_CALLBACK, o->unescape, o->cls,
      MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->cls,
      MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->cls,
      MHD_OPTION_ARRAY, pool,
      MHD_OPTION_END);
}

static inline int kits_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *kits_mhd_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

static inline size_t kits_mhd_head_bytes(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

static inline void *kits_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

// glibc's struct tcp_info ends before the byte counts that the kernel has reported since Linux 4.1.
struct kits_tcp_info {
  unsigned char state;
  unsigned char between[127];
  uint64_t received;
};
