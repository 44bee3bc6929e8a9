/* The publication's *server*: provides one service, to give back what it was sent. */

#include <stdio.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY];

static void komunikaty(unsigned seria, unsigned licznik)
{
    pid_t klient;
    while (licznik--) {
        klient = Receive(0, bufor, wPetli[seria]);
        Reply(klient, bufor, wPetli[seria]);
    }
}

int main(void)
{
    struct zlecenie zlecenie;
    pid_t klient;
    uint32_t sum;
    if (qnx_name_attach(0, NAZWA) == -1)
        nieudane("cannot attach " NAZWA);
    while ((klient = Receive(0, &zlecenie, sizeof zlecenie)) != -1) {
        switch (zlecenie.test) {
        case KOMUNIKATY:
            Reply(klient, 0, 0);
            komunikaty(zlecenie.seria, zlecenie.petle);
            break;
        case SUMA:
            sum = suma(bufor, wPetli[zlecenie.seria]);
            Reply(klient, &sum, sizeof sum);
            break;
        }
    }
    nieudane("nothing to receive from");
}
