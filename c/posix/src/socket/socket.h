/* Sockets: what this program knows of its own. Functions return an error as a negative number of <errno.h>. */

#ifndef SOCKET_H
#define SOCKET_H

#include <sys/socket.h>

#include "../descriptor/table.h"

/* The requests, as servers/network/client/src/protocol.rs has them. Their statuses are errno's. */
enum { NETWORK_LISTEN, NETWORK_ACCEPT, NETWORK_CONNECT, NETWORK_READ, NETWORK_WRITE, NETWORK_FINISH, NETWORK_CLOSE,
       NETWORK_BIND, NETWORK_SEND_TO, NETWORK_RECEIVE_FROM, NETWORK_STATE, NETWORK_CONNECTED, NETWORK_READY,
       NETWORK_WATCH, NETWORK_RESOLVE, NETWORK_PING = 17, NETWORK_SET_PEER, NETWORK_TRY = 1 << 8 };
/* The families of which a socket takes what comes, above its port; or of which addresses of a name are. */
enum { NETWORK_BOTH, NETWORK_IPV4, NETWORK_IPV6, NETWORK_FAMILIES = 16 };
enum { NETWORK_READY_READ = 1, NETWORK_READY_WRITE = 2, NETWORK_READY_ENDED = 4, NETWORK_READY_FAILED = 8 };
#define NETWORK_ADDRESS 20
/* Where in an address its port is: two bytes, the low one first. */
#define NETWORK_PORT 16
#define NETWORK_LONGEST 1472

/* What has become of a socket. */
enum posix_socket_state {
    /* It has no number at the server yet. */
    SOCKET_NEW,
    /* A stream's, with a port to listen at. */
    SOCKET_BOUND,
    /* A call is about to change it. */
    SOCKET_BUSY,
    SOCKET_LISTENING,
    /* A stream whose other side has not answered, as far as is known here. */
    SOCKET_CONNECTING,
    SOCKET_CONNECTED,
    /* For datagrams, with a port. */
    SOCKET_PORT,
};

struct posix_socket {
    /* SOCK_STREAM or SOCK_DGRAM; 0 if nobody has it. */
    uint8_t type;
    uint8_t state;
    /* Nothing more is read. */
    bool is_read;
    /* That it was reset, or its server has ended, was said. */
    bool is_told;
    /* With datagrams: sent to `other`, from whom alone the server takes what comes. */
    bool has_other;
    /* Of AF_INET6: without those of AF_INET, as IPV6_V6ONLY says. */
    bool is_ipv6_only;
    /* AF_INET or AF_INET6. */
    uint8_t family;
    uint16_t port;
    /* Milliseconds that is waited; 0: for ever. */
    uint32_t receives_for, sends_for;
    uint8_t other[NETWORK_ADDRESS];
};

extern const struct posix_operations posix_socket_operations;

/* The server: -EACCES if the manifest gives this program none. */
int posix_find_network(riposte_connection_t *server);

/* Sends a request with bytes behind it, in two pieces of which the second may be empty; how many bytes the answer has. */
ssize_t posix_ask_network(riposte_connection_t server, uint32_t operation, uint32_t number, const riposte_part_t more[2],
                          const riposte_part_t *answer, size_t answers, riposte_deadline_t deadline);

/* The same, of a word or nothing behind it. */
ssize_t posix_ask_of_socket(const struct posix_description *open, uint32_t operation, const uint32_t *word, void *answer,
                            size_t room, riposte_deadline_t deadline);

/* Finds the socket that a descriptor stands for, and keeps it open until posix_done: -EBADF, -ENOTSOCK. */
int posix_use_socket(int descriptor, struct posix_description **open, struct posix_socket **socket);

/* Sets a socket of that family and type aside; its place from 1 on: -ENOBUFS. */
int posix_new_socket(int family, int type);
/* Makes it free, if it was not. */
void posix_free_socket(uint8_t place);
struct posix_socket *posix_socket_at(uint8_t place);

/* Has a socket be BUSY that is in this state: false if it is not. */
bool posix_seize(struct posix_socket *socket, enum posix_socket_state state);

/* Gives a socket for datagrams a port, any if it is 0. */
int posix_give_port(struct posix_description *open, struct posix_socket *socket, uint16_t port);
/* Gives one for datagrams any port, if it has none yet. */
int posix_need_port(struct posix_description *open, struct posix_socket *socket);

/* Bytes of a stream, or a datagram and from whom it comes (which may be NULL). */
ssize_t posix_receive(struct posix_description *open, void *bytes, size_t length, int flags,
                      uint8_t from[NETWORK_ADDRESS]);
/* The counterpart; to NULL: to whom it is connected. */
ssize_t posix_send(struct posix_description *open, const void *bytes, size_t length, int flags,
                   const uint8_t to[NETWORK_ADDRESS]);

/* What SO_ERROR says, as a positive number. */
int posix_pending_error(struct posix_description *open, struct posix_socket *socket);

/* When a call gives up that would wait for so many milliseconds; 0: never. */
riposte_deadline_t posix_patience(uint32_t milliseconds);

/* Bytes of it without a port. */
#define NETWORK_HOST 16
/* Whether they are one of IPv4. */
bool posix_is_ipv4(const uint8_t host[NETWORK_HOST]);

/* What is above a port that a socket asks for. */
uint32_t posix_families(const struct posix_socket *socket);

/* An address of a family as requests have it: -EINVAL, -EAFNOSUPPORT. */
int posix_address_in(int family, const struct sockaddr *address, socklen_t length, uint8_t bytes[NETWORK_ADDRESS]);
/* And back, as much as there is room for. Either may be NULL. */
void posix_address_out(int family, const uint8_t bytes[NETWORK_ADDRESS], struct sockaddr *address, socklen_t *length);

#endif
