#ifndef CHECK_H
#define CHECK_H

#include <arpa/inet.h>
#include <errno.h>

#include "verdict.h"

/* The address of the peer's machine, with this port. */
struct sockaddr_in peer_at(uint16_t port);
/* This machine's. */
struct sockaddr_in any_at(uint16_t port);
#define ADDRESS(address) ((struct sockaddr *)&(address)), sizeof(address)

/* A stream to that port of the peer. Waits until it listens. */
int stream_to(uint16_t port);

void texts(void);
void hosts(void);
void making(void);
void streams(void);
void waiting(void);
void datagrams(void);
void options(void);
/* What getsockopt says of an option of the level of sockets; -2 if it says nothing. */
int option(int descriptor, int which);
void ends(void);

#endif
