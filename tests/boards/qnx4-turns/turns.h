/* What clients and servers say to each other. */

#ifndef TURNS_H
#define TURNS_H

#include <sys/types.h>

#define CLIENTS 3
/* Who dies has the number behind the clients'. */
#define MORTAL CLIENTS

/* With two clients first, then with all. */
#define LEAST_CLIENTS 2
/* What each client sends to each server in a round, before it is at its end. */
#define TURNS 60

static const char *const servers[] = {"/turns/arrival", "/turns/priority"};
#define SERVERS (sizeof servers / sizeof servers[0])

/* In registers, the most that goes there, and past that. */
static const unsigned sizes[] = {8, 20, 21, 32, 100, 200};
#define SIZES (sizeof sizes / sizeof sizes[0])
#define MOST 200

/* Its first eight bytes say who sends the message and which one it is; the last one is the end of a round. The others are all
 * as its number and its sender have it. */
struct turn {
    unsigned short client, number, triggers;
    unsigned char ends, good;
    unsigned char bytes[MOST - 8];
};

/* The reply is as long as the next message. */
static inline unsigned size_of(unsigned number)
{
    return sizes[number % SIZES];
}

static inline unsigned char filling(unsigned client, unsigned number)
{
    return (unsigned char)(client * 64 + number);
}

static inline void fill(struct turn *turn, unsigned length)
{
    for (unsigned at = 8; at < length; at++)
        turn->bytes[at - 8] = filling(turn->client, turn->number);
}

static inline int is_filled(const struct turn *turn, unsigned length)
{
    for (unsigned at = 8; at < length; at++)
        if (turn->bytes[at - 8] != filling(turn->client, turn->number))
            return 0;
    return 1;
}

#endif
