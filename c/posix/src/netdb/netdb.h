/* What the functions of <netdb.h> have in common. */

#ifndef RIPOSTE_NETDB_H
#define RIPOSTE_NETDB_H

#include <netdb.h>

/* Most addresses of a host. */
#define NETDB_ADDRESSES 4

/* Asks the network server for the addresses of a name, of a family or with AF_UNSPEC of both: how many, or an EAI_ error as a
 * negative number. Those of IPv4 are `::ffff:a.b.c.d`. */
int netdb_ask(const char *name, int family, struct in6_addr addresses[NETDB_ADDRESSES]);

#endif
