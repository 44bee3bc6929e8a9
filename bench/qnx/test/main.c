/* The publication's *test*: finds *server* by its name, and measures each mechanism. */

#include <stdio.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../shared/pomiar.h"
#include "../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY], odpowiedz[NAJWIEKSZY];
static uint32_t LP;   /* iterations */
static pid_t server;

/* What an empty loop of as many iterations takes. */
static clock_t pusta(void)
{
    struct tms tms;
    unsigned licznik;
    clock_t start, stop;
    licznik = LP;
    start = times(&tms);
    while (licznik--)
        __asm__ volatile("" : "+r"(licznik));
    stop = times(&tms);
    return stop - start;
}

static uint32_t zlec(uint32_t test, unsigned seria)
{
    const struct zlecenie zlecenie = {test, seria, LP};
    uint32_t sum = 0;
    if (Send(server, &zlecenie, &sum, sizeof zlecenie, sizeof sum) == -1)
        nieudane("the server does not answer");
    return sum;
}

static void wypelnij(unsigned seria)
{
    for (unsigned at = 0; at < wPetli[seria]; at++)
        bufor[at] = (unsigned char)(at * 7 + seria + 1);
    memset(odpowiedz, 0, sizeof odpowiedz);
}

static void komunikaty(unsigned seria)
{
    const clock_t petla = pusta();
    struct tms tms;
    unsigned licznik;
    clock_t start, stop;
    wypelnij(seria);
    zlec(KOMUNIKATY, seria);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        Send(server, bufor, odpowiedz, wPetli[seria], wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    if (zlec(SUMA, seria) != suma(bufor, wPetli[seria]) || memcmp(bufor, odpowiedz, wPetli[seria]) != 0) {
        printf("@fail messages: wrong bytes of %u\n", wPetli[seria]);
        return;
    }
    pomiar_series("messages", true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

int main(void)
{
    unsigned seria;
    riposte_setting("iterations", &LP);
    pomiar_init();
    /* The server, at the same priority, stands before this process in the manifest: it has its name already. */
    server = qnx_name_locate(0, NAZWA, NAJWIEKSZY, NULL);
    if (server == -1)
        nieudane("nobody has the name " NAZWA);
    for (seria = 0; seria < SERIE; seria++)
        komunikaty(seria);
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
