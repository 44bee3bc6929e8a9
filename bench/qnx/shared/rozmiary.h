/* What the two programs of the publication share: its sizes, and the orders that *test* gives *server*. */

#ifndef ROZMIARY_H
#define ROZMIARY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The name that the server registers. */
#define NAZWA "/test/server"

/* Bytes of one transfer. */
static const unsigned wPetli[] = {1,    32,   100,  128,  512,  1024, 2048,  2560,  3072,
                                  3584, 4096, 5120, 6144, 8192, 10240, 12288, 15369, 22528};
#define SERIE (sizeof wPetli / sizeof wPetli[0])
#define NAJWIEKSZY 22528

/* What the server is to do next, in the message before the loop. */
enum test { KOMUNIKATY, SUMA };

struct zlecenie {
    uint32_t test, seria, petle;
};

/* Ends a program that cannot go on; the benchmark fails. */
static inline void nieudane(const char *why)
{
    printf("@fail %s\n", why);
    exit(1);
}

/* A sum in which every byte and its place count. */
static inline uint32_t suma(const unsigned char *bytes, unsigned length)
{
    uint32_t sum = 1;
    while (length--)
        sum = sum * 31 + *bytes++;
    return sum;
}

#endif
