/* What the functions of <netdb.h> have in common. */

#ifndef RIPOSTE_NETDB_H
#define RIPOSTE_NETDB_H

#include <netdb.h>

/* Most addresses of a host. */
#define NETDB_ADDRESSES 4

/* Asks the network server for the addresses of a name: how many, or an EAI_ error as a negative number. */
int netdb_ask(const char *name, struct in_addr addresses[NETDB_ADDRESSES]);

#endif
