/* The publication's *server*, as far as it measures signals: it sends each one back, in its loop or in its handler. */

#include <sys/kernel.h>
#include <sys/name.h>

#include "../sygnaly.h"

static riposte_signal_target_t klient;
static volatile unsigned odebrane;

static void pusta(uint32_t number, uint32_t word)
{
    (void)number;
    (void)word;
    odebrane++;
}

static void odsyla(uint32_t number, uint32_t word)
{
    (void)number;
    (void)word;
    odebrane++;
    kill(klient, SIGUSR2);
}

static void petla(unsigned licznik)
{
    while (licznik--) {
        sigsuspend(&maska);
        kill(klient, SIGUSR1);
    }
}

int main(void)
{
    struct zlecenie zlecenie;
    uint32_t ile;
    pid_t pid;
    klient = znajdz_proces("test");
    przechwyc(SIGUSR1, pusta);
    przechwyc(SIGUSR2, odsyla);
    if (qnx_name_attach(0, NAZWA) == -1)
        nieudane("cannot attach " NAZWA);
    while ((pid = Receive(0, &zlecenie, sizeof zlecenie)) != -1) {
        if (zlecenie.test == SUMA) {
            ile = odebrane;
            Reply(pid, &ile, sizeof ile);
            continue;
        }
        odebrane = 0;
        Reply(pid, 0, 0);
        if (zlecenie.test == SYGNALY)
            petla(zlecenie.petle);
        else
            while (odebrane < zlecenie.petle)
                sigsuspend(&maska);
    }
    nieudane("nothing to receive from");
}
