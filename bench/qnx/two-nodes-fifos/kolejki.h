/* What the two programs share that measure FIFOs between nodes: the batches, as the host counts them. */

#ifndef KOLEJKI_H
#define KOLEJKI_H

#include <fcntl.h>
#include <unistd.h>

#include "../shared/rozmiary.h"

/* The FIFOs (//1/tmp/testfifo.1 and .2 of the publication): each goes from a pipe of the one node to that of the other. */
#define KOLEJKA_TAM "/pipe/testfifo1"
#define KOLEJKA_Z_POWROTEM "/pipe/testfifo2"
/* Between nodes FIFOs were measured with at most 2,048 bytes. */
#define SERIE_SIEC 7

/* Iterations, batch by batch: what few and many differ by is free of what begins and ends a batch, and the least of several of
 * what came late. */
static const unsigned LP[] = {1, 40, 1, 40, 1, 40};
#define PARTIE (sizeof LP / sizeof LP[0])

static inline int otworz(const char *nazwa, int jak)
{
    const int kolejka = open(nazwa, jak);
    if (kolejka == -1)
        nieudane("a FIFO cannot be opened");
    return kolejka;
}

/* The publication's read(): of more than 1,024 bytes pieces come, and it is called again until all are there. */
static inline void czytaj(int kolejka, unsigned char *bufor, unsigned ile)
{
    while (ile) {
        const ssize_t jest = read(kolejka, bufor, ile);
        if (jest <= 0)
            nieudane("a FIFO has ended");
        bufor += jest;
        ile -= (unsigned)jest;
    }
}

#endif
