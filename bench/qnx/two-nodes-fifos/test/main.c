/* The publication's *test*, as far as it measures FIFOs, on the other one of two nodes: it writes to the first FIFO, and reads
 * from the second one what its *server* gives back. The host types a line before each batch, and counts what both nodes execute
 * until the next one. */

#include "../kolejki.h"

static unsigned char bufor[NAJWIEKSZY], wyslane[NAJWIEKSZY];
static int pipe1[2], pipe2[2];

/* Waits for the host. */
static void czekaj(void)
{
    char linia[8];
    size_t length;
    if (riposte_console_read_line(linia, sizeof linia, &length) != RIPOSTE_OK)
        nieudane("nothing can be typed");
}

static void petla(unsigned seria, unsigned i)
{
    while(i--) {
        write(pipe1[1], bufor, wPetli[seria]);
        czytaj(pipe2[0], bufor, wPetli[seria]);
    }
}

/* What is done before and after the loop is the same in each batch of a size, so that it is no part of a transfer. */
static void mierz(unsigned seria, unsigned i)
{
    printf("@batch fifos %u %u\n", wPetli[seria], i);
    czekaj();
    for (unsigned at = 0; at < wPetli[seria]; at++)
        wyslane[at] = (unsigned char)(at * 7 + i + 1);
    memcpy(bufor, wyslane, wPetli[seria]);
    petla(seria, i);
    if (memcmp(bufor, wyslane, wPetli[seria]) != 0)
        nieudane("something else comes back");
}

int main(void)
{
    pipe1[1] = otworz(KOLEJKA_TAM, O_WRONLY);
    /* Once before, until the other node is there: the second FIFO can be opened when something has come by it. */
    write(pipe1[1], bufor, wPetli[0]);
    pipe2[0] = otworz(KOLEJKA_Z_POWROTEM, O_RDONLY);
    czytaj(pipe2[0], bufor, wPetli[0]);
    /* What comes late is none of what is measured. */
    riposte_sleep(1000000000);
    for (unsigned seria = 0; seria < SERIE_SIEC; seria++)
        for (unsigned partia = 0; partia < PARTIE; partia++)
            mierz(seria, LP[partia]);
    printf("@done\n");
    czekaj();
    return (int)riposte_shutdown(0);
}
