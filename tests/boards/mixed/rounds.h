/* What both clients do: of each length from nothing to the longest, words and bytes, a message and its answer. */

#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>
#include <string.h>

#define LONGEST 64

static inline void fill(unsigned char *message, unsigned length, unsigned char seed)
{
    for (unsigned at = 0; at < length; at++)
        message[at] = (unsigned char)(seed + at);
}

static inline bool is_turned(const unsigned char *message, unsigned length, const unsigned char *answer)
{
    for (unsigned at = 0; at < length; at++)
        if (answer[1 + at] != message[length - 1 - at])
            return false;
    return answer[0] == length;
}

#endif
