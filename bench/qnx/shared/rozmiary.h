/* What the two programs of the publication share: its sizes, the memory, and the orders that *test* gives *server*. */

#ifndef ROZMIARY_H
#define ROZMIARY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "semaphore.h"

#include <riposte.h>

/* The names that the two programs register. */
#define NAZWA "/test/server"
#define NAZWA_KLIENTA "/test/klient"

/* Bytes of one transfer. */
static const unsigned wPetli[] = {1,    32,   100,  128,  512,  1024, 2048,  2560,  3072,
                                  3584, 4096, 5120, 6144, 8192, 10240, 12288, 15369, 22528};
#define SERIE (sizeof wPetli / sizeof wPetli[0])
#define NAJWIEKSZY 22528
/* A proxy's message has at most 100 bytes: the first three sizes. */
#define SERIE_PROXY 3
/* Pipes were measured with at most 4,096 bytes. */
#define SERIE_POTOK 11

/* The FIFOs (//1/tmp/testfifo.1 and .2 of the publication, and //1/ram), in the working directory. */
#define KOLEJKA_1 "testfifo.1"
#define KOLEJKA_2 "testfifo.2"

/* The node of the other program; 0 is the same one. */
static inline nid_t wezel(void)
{
    uint32_t wezel = 0;
    riposte_setting("other-node", &wezel);
    return (nid_t)wezel;
}

/* The buffer in which a message moves, to get past the cache. */
#define DUZY 65536
#define LINIA 64

/* The shared memory (//1/test/pamiec of the publication). */
struct pamiec {
    sem_t semTest, semSerwer;
    volatile uint32_t koniec;
    unsigned char buf[NAJWIEKSZY];
};

/* What the server is to do next, in the message before the loop. */
enum test { KOMUNIKATY, KOMUNIKATY_DUZY, RAZEM, SUMA, PRZEDSTAWICIELSTWA, SEMAFORY, PAMIEC, YIELD, SYGNALY, SYGNALY_FUNKCJA };

struct zlecenie {
    uint32_t test, seria, petle;
    pid_t proxy;
};

/* Ends a program that cannot go on; the benchmark fails. */
static inline void nieudane(const char *why)
{
    printf("@fail %s\n", why);
    exit(1);
}

/* The shared memory; NULL if the manifest gives none, as between two nodes. */
static inline struct pamiec *znajdz_pamiec(void)
{
    void *memory = NULL;
    size_t length;
    bool writable;
    if (riposte_region("pamiec", &memory, &length, &writable) != RIPOSTE_OK)
        return NULL;
    if (length < sizeof(struct pamiec))
        nieudane("the shared memory is too small");
    return memory;
}

/* Where the next message lies in the large buffer: behind the last one, as far as there is room. */
static inline unsigned dalej(unsigned przesuniecie, unsigned length)
{
    przesuniecie += (length + LINIA - 1) & ~(LINIA - 1U);
    return przesuniecie + length <= DUZY ? przesuniecie : 0;
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
