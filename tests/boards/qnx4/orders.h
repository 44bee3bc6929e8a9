/* What the client asks the server for. */

#ifndef ORDERS_H
#define ORDERS_H

#include <sys/types.h>

#define CLIENT "/test/client"
#define VISITOR "/test/visitor"
#define BACK "/back"

enum order { ECHO, PARTS, READ_AND_WRITE, TRIGGER, DIE, TWICE, SUM, RELAY, HOLD, LATE };

struct request {
    int order;
    pid_t proxy;
    unsigned char bytes[200];
};

struct answer {
    int result, number;
    unsigned char bytes[200];
};

#endif
