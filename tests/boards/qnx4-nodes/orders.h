/* What the client on node 1 asks the server on node 2 for. */

#ifndef ORDERS_H
#define ORDERS_H

#include <sys/types.h>

#define CLIENT "/nodes/client"
#define SERVER "/nodes/server"
/* A process that takes the server's name when it is told. */
#define HEIR "/nodes/heir"
/* Nobody has it. */
#define ABSENT "/nodes/absent"

enum order { ECHO, HOLD, LET_GO, TRIGGER, PROXY, RECEIVED, SIGNALLED, KILL, TAKE_NAME, GIVE_NAME, LATE, DIE };

struct request {
    int order;
    pid_t proxy;
    int times;
    unsigned char bytes[200];
};

struct answer {
    int result, number;
    unsigned char bytes[200];
};

#endif
