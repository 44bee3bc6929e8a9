/* The publication's *server*, as far as it measures FIFOs, on the one of two nodes: what comes goes back. */

#include "../kolejki.h"

static unsigned char bufor[NAJWIEKSZY];
static int pipe1[2], pipe2[2];

static void petla(unsigned seria, unsigned i)
{
    while(i--) {
        czytaj(pipe1[0], bufor, wPetli[seria]);
        write(pipe2[1], bufor, wPetli[seria]);
    };
}

int main(void)
{
    pipe1[0] = otworz(KOLEJKA_TAM, O_RDONLY);
    pipe2[1] = otworz(KOLEJKA_Z_POWROTEM, O_WRONLY);
    /* Once before, as *test* does. */
    petla(0, 1);
    for (unsigned seria = 0; seria < SERIE_SIEC; seria++)
        for (unsigned partia = 0; partia < PARTIE; partia++)
            petla(seria, LP[partia]);
    return 0;
}
