/* The publication's *server*: provides one service, to give back what it was sent, by each mechanism. */

#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../shared/rozmiary.h"

/* What came last lies in `bufor`, or where it came in `duzy`. */
static unsigned char bufor[NAJWIEKSZY], duzy[DUZY];
static struct pamiec *pamiec;

static void komunikaty(unsigned seria, unsigned licznik)
{
    pid_t klient;
    while (licznik--) {
        klient = Receive(0, bufor, wPetli[seria]);
        Reply(klient, bufor, wPetli[seria]);
    }
}

/* The same, the buffer elsewhere each time. */
static void komunikaty_duzy(unsigned seria, unsigned licznik)
{
    unsigned przesuniecie = 0, ostatnie = 0;
    pid_t klient;
    while (licznik--) {
        klient = Receive(0, duzy + przesuniecie, wPetli[seria]);
        Reply(klient, duzy + przesuniecie, wPetli[seria]);
        ostatnie = przesuniecie;
        przesuniecie = dalej(przesuniecie, wPetli[seria]);
    }
    memcpy(bufor, duzy + ostatnie, wPetli[seria]);
}

/* The same as the first, in one call. */
static void razem(unsigned seria, unsigned licznik)
{
    pid_t klient = Receive(0, bufor, wPetli[seria]);
    while (--licznik)
        klient = ReplyReceive(klient, bufor, wPetli[seria], bufor, wPetli[seria]);
    Reply(klient, bufor, wPetli[seria]);
}

static void przedstawicielstwa(pid_t proxy, unsigned seria, unsigned licznik)
{
    while (licznik--) {
        Receive(0, bufor, wPetli[seria]);
        Trigger(proxy);
    }
}

static void semafory(unsigned licznik)
{
    while (licznik--) {
        sem_wait(&pamiec->semSerwer);
        sem_post(&pamiec->semTest);
    }
}

static void przez_pamiec(unsigned seria, unsigned licznik)
{
    while (licznik--) {
        sem_wait(&pamiec->semSerwer);
        memcpy(bufor, pamiec->buf, wPetli[seria]);
        memcpy(pamiec->buf, bufor, wPetli[seria]);
        sem_post(&pamiec->semTest);
    }
}

/* Does what the order says. */
static void wykonaj(pid_t klient, const struct zlecenie *zlecenie)
{
    const unsigned seria = zlecenie->seria, licznik = zlecenie->petle;
    uint32_t sum;
    pid_t proxy, jego;
    switch (zlecenie->test) {
    case KOMUNIKATY:
        Reply(klient, 0, 0);
        komunikaty(seria, licznik);
        break;
    case KOMUNIKATY_DUZY:
        Reply(klient, 0, 0);
        komunikaty_duzy(seria, licznik);
        break;
    case RAZEM:
        Reply(klient, 0, 0);
        razem(seria, licznik);
        break;
    case PRZEDSTAWICIELSTWA:
        memset(bufor, (int)seria + 1, wPetli[seria]);
        proxy = qnx_proxy_attach(0, bufor, (int)wPetli[seria], -1);
        if (proxy == -1 || qnx_name_locate(0, NAZWA_KLIENTA, 0, NULL) == -1)
            nieudane("the server has no proxy");
        jego = qnx_proxy_rem_attach(wezel(), proxy);
        Reply(klient, &jego, sizeof jego);
        przedstawicielstwa(zlecenie->proxy, seria, licznik);
        qnx_proxy_detach(proxy);
        break;
    case SEMAFORY:
        Reply(klient, 0, 0);
        semafory(licznik);
        break;
    case PAMIEC:
        Reply(klient, 0, 0);
        przez_pamiec(seria, licznik);
        break;
    case YIELD:
        Reply(klient, 0, 0);
        while (!pamiec->koniec)
            Yield();
        break;
    case SUMA:
        sum = suma(bufor, wPetli[seria]);
        Reply(klient, &sum, sizeof sum);
        break;
    default:
        nieudane("an order that the server does not know");
    }
}

int main(void)
{
    struct zlecenie zlecenie;
    pid_t klient;
    pamiec = znajdz_pamiec();
    if (qnx_name_attach(0, NAZWA) == -1)
        nieudane("cannot attach " NAZWA);
    while ((klient = Receive(0, &zlecenie, sizeof zlecenie)) != -1)
        wykonaj(klient, &zlecenie);
    nieudane("nothing to receive from");
}
