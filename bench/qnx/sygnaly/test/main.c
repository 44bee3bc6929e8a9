/* The publication's *test*, as far as it measures signals: each goes to the server, and comes back. */

#include <sys/kernel.h>
#include <sys/name.h>

#include "../../shared/pomiar.h"
#include "../sygnaly.h"

static uint32_t LP;   /* iterations */
static struct tms tms;
static pid_t server;
static riposte_signal_target_t serwer;
static volatile unsigned odebrane;

static void pusta(uint32_t number, uint32_t word)
{
    (void)number;
    (void)word;
    odebrane++;
}

static uint32_t zlec(uint32_t test)
{
    const struct zlecenie zlecenie = {test, 0, LP, 0};
    uint32_t ile = 0;
    if (Send(server, &zlecenie, &ile, sizeof zlecenie, sizeof ile) == -1)
        nieudane("the server does not answer");
    return ile;
}

static void sygnaly(const char *name, uint32_t test, uint32_t SIGUSR)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik = LP;
    clock_t start, stop;
    zlec(test);
    odebrane = 0;
    pomiar_begin();
    start = times(&tms);
    while(licznik--) {
        kill(serwer, SIGUSR);
        sigsuspend(&maska);
    };
    stop = times(&tms);
    pomiar_end();
    if (odebrane != LP || zlec(SUMA) != LP)
        nieudane("a signal was lost");
    pomiar_result(name, true, 0, LP, 2, stop - start, 2 * petla);
}

int main(void)
{
    riposte_setting("iterations", &LP);
    pomiar_init();
    serwer = znajdz_proces("server");
    przechwyc(SIGUSR1, pusta);
    przechwyc(SIGUSR2, pusta);
    /* The server, at the same priority, stands before this process in the manifest: it has its name already. */
    server = qnx_name_locate(0, NAZWA, NAJWIEKSZY, NULL);
    if (server == -1)
        nieudane("nobody has the name " NAZWA);
    sygnaly("signals-handler", SYGNALY_FUNKCJA, SIGUSR2);
    sygnaly("signals-suspend", SYGNALY, SIGUSR1);
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
