/* The publication's *test*: finds *server* by its name, and measures each mechanism. */

#include <stdio.h>
#include <sys/irqinfo.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../shared/pomiar.h"
#include "../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY], odpowiedz[NAJWIEKSZY], duzy[DUZY];
static struct pamiec *pamiec;
static uint32_t LP;   /* iterations */
static pid_t server;
static struct tms tms;

/* Gives the server an order, for loops of as many iterations as ours and `dodatkowe` more; its answer. */
static uint32_t zlec(uint32_t test, unsigned seria, unsigned dodatkowe, pid_t proxy)
{
    const struct zlecenie zlecenie = {test, seria, LP + dodatkowe, proxy};
    uint32_t answer = 0;
    if (Send(server, &zlecenie, &answer, sizeof zlecenie, sizeof answer) == -1)
        nieudane("the server does not answer");
    return answer;
}

static void wypelnij(unsigned seria)
{
    for (unsigned at = 0; at < wPetli[seria]; at++)
        bufor[at] = (unsigned char)(at * 7 + seria + 1);
    memset(odpowiedz, 0, sizeof odpowiedz);
}

/* Whether the server has what was sent, and we have it back. */
static void sprawdz(const char *name, unsigned seria)
{
    if (zlec(SUMA, seria, 0, 0) != suma(bufor, wPetli[seria]) || memcmp(bufor, odpowiedz, wPetli[seria]) != 0)
        nieudane(name);
}

static void komunikaty(uint32_t test, const char *name, unsigned seria)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik;
    clock_t start, stop;
    wypelnij(seria);
    zlec(test, seria, 0, 0);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        Send(server, bufor, odpowiedz, wPetli[seria], wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    sprawdz(name, seria);
    pomiar_series(name, true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

/* Past the cache: the buffer lies elsewhere at each transfer. */
static void komunikaty_duzy(unsigned seria)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik, przesuniecie = 0, ostatnie = 0;
    clock_t start, stop;
    wypelnij(seria);
    for (unsigned at = 0; at + wPetli[seria] <= DUZY; at = dalej(at, wPetli[seria])) {
        memcpy(duzy + at, bufor, wPetli[seria]);
        if (dalej(at, wPetli[seria]) == 0)
            break;
    }
    zlec(KOMUNIKATY_DUZY, seria, 0, 0);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        Send(server, duzy + przesuniecie, duzy + przesuniecie, wPetli[seria], wPetli[seria]);
        ostatnie = przesuniecie;
        przesuniecie = dalej(przesuniecie, wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    memcpy(odpowiedz, duzy + ostatnie, wPetli[seria]);
    sprawdz("messages past the cache", seria);
    pomiar_series("messages-past-cache", true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

static void przedstawicielstwa(unsigned seria)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik;
    clock_t start, stop;
    pid_t proxy, jego;
    wypelnij(seria);
    proxy = qnx_proxy_attach(0, bufor, (int)wPetli[seria], -1);
    if (proxy == -1)
        nieudane("there is no proxy");
    jego = (pid_t)zlec(PRZEDSTAWICIELSTWA, seria, 1, qnx_proxy_rem_attach(wezel(), proxy));
    /* The first time each side asks the other for the right. */
    if (Trigger(jego) == -1 || Receive(0, odpowiedz, wPetli[seria]) != proxy)
        nieudane("the server's proxy cannot be triggered");
    memset(odpowiedz, 0, sizeof odpowiedz);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        Trigger(jego);
        Receive(0, odpowiedz, wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    /* The server's proxy brought what it was attached with. */
    qnx_proxy_detach(proxy);
    if (memcmp(bufor, odpowiedz, wPetli[seria]) != 0)
        nieudane("proxies: wrong bytes");
    memset(bufor, (int)seria + 1, wPetli[seria]);
    memcpy(odpowiedz, bufor, wPetli[seria]);
    sprawdz("proxies: the server has wrong bytes", seria);
    pomiar_series("proxies", true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

static void semafory(void)
{
    const clock_t petla = pomiar_loop(LP);
    sem_t *const semTest = &pamiec->semTest, *const semSerwer = &pamiec->semSerwer;
    unsigned licznik;
    clock_t start, stop;
    zlec(SEMAFORY, 0, 0, 0);
    sem_post(semTest);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        sem_wait(semTest);
        sem_post(semSerwer);
    }
    stop = times(&tms);
    pomiar_end();
    /* The server's last one: it has done all of its own. */
    sem_wait(semTest);
    pomiar_result("semaphores", true, 0, LP, 2, stop - start, 2 * petla);
}

static void przez_pamiec(unsigned seria)
{
    const clock_t petla = pomiar_loop(LP);
    sem_t *const semTest = &pamiec->semTest, *const semSerwer = &pamiec->semSerwer;
    unsigned char *const buf = pamiec->buf;
    unsigned licznik;
    clock_t start, stop;
    wypelnij(seria);
    memcpy(buf, bufor, wPetli[seria]);
    zlec(PAMIEC, seria, 0, 0);
    memset(bufor, 0, wPetli[seria]);
    sem_post(semTest);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) {
        sem_wait(semTest);
        memcpy(bufor, buf, wPetli[seria]);
        memcpy(buf, bufor, wPetli[seria]);
        sem_post(semSerwer);
    }
    stop = times(&tms);
    pomiar_end();
    sem_wait(semTest);
    memcpy(odpowiedz, bufor, wPetli[seria]);
    wypelnij(seria);
    memcpy(odpowiedz, buf, wPetli[seria]);
    sprawdz("shared memory: wrong bytes", seria);
    pomiar_series("shared-memory", true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

/* Two processes of one priority, each of which lets the other one run: two switches an iteration. */
static void przelaczanie(void)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik;
    clock_t start, stop;
    pamiec->koniec = 0;
    zlec(YIELD, 0, 0, 0);
    Yield();
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--) Yield();
    stop = times(&tms);
    pomiar_end();
    pamiec->koniec = 1;
    pomiar_result("yield", true, 0, LP, 2, stop - start, petla);
}

static void kopia(void)
{
    const clock_t petla = pomiar_loop(LP);
    unsigned licznik;
    clock_t start, stop;
    wypelnij(SERIE - 1);
    pomiar_begin();
    licznik = LP;
    start = times(&tms);
    while (licznik--)
        memcpy(odpowiedz, bufor, NAJWIEKSZY);
    stop = times(&tms);
    pomiar_end();
    if (memcmp(bufor, odpowiedz, NAJWIEKSZY) != 0)
        nieudane("memcpy: wrong bytes");
    pomiar_series("memcpy", false, NAJWIEKSZY, LP, 1, stop - start, petla);
}

#define PRZERWANIE 0
#define MAKS_PRZERW 1000

/* Turns of the outer loop, as many as take the time of so many interrupts. */
static unsigned MAKS_ZEWN = 1;
#define CZAS_PETLI UINT64_C(20000000)

static volatile unsigned przer_licz;

static pid_t far przerwanie(void){
    ++przer_licz;
    return (0);
}

/* The loop during which interrupts come, or do not. */
static clock_t petla_przerwan(void)
{
    unsigned licz1, licz2;
    clock_t start, stop;
    licz2 = MAKS_ZEWN;
    start = times(&tms);
    while(licz2--){
        licz1 = MAKS_PRZERW;
        while(licz1--)
            __asm__ volatile("" : "+r"(licz1));
    };
    stop = times(&tms);
    return stop - start;
}

static void przerwania(void)
{
    clock_t czas, czasBezPrzerwan;
    unsigned licznik;
    uint64_t since;
    int id;
    for (;;) {
        since = riposte_clock();
        czasBezPrzerwan = petla_przerwan();
        if (riposte_clock() - since >= CZAS_PETLI)
            break;
        MAKS_ZEWN *= 2;
    }
    przer_licz=0;
    if((id=qnx_hint_attach(PRZERWANIE, &przerwanie, FP_SEG(
        &przer_licz))) == -1) {
        nieudane("Nie moge dolaczyc przerwania!");
        return;
    }
    qnx_hint_mask(PRZERWANIE,1);
    pomiar_begin();
    przer_licz=0;
    czas = petla_przerwan();
    licznik = przer_licz;
    pomiar_end();
    qnx_hint_detach(id);
    if (licznik < 5)
        nieudane("too few interrupts came");
    pomiar_result("interrupt-handler", false, 0, licznik, 1, czas, czasBezPrzerwan);
}

int main(void)
{
    unsigned seria;
    riposte_setting("iterations", &LP);
    pomiar_init();
    pamiec = znajdz_pamiec();
    /* The server, at the same priority, stands before this process in the manifest: it has its name already. */
    server = qnx_name_locate(0, NAZWA, NAJWIEKSZY, NULL);
    if (server == -1 || qnx_name_attach(0, NAZWA_KLIENTA) == -1)
        nieudane("nobody has the name " NAZWA);
    for (seria = 0; seria < SERIE; seria++)
        komunikaty(KOMUNIKATY, "messages", seria);
    for (seria = 0; seria < SERIE; seria++)
        komunikaty_duzy(seria);
    komunikaty(RAZEM, "messages-joined", 1);
    for (seria = 0; seria < SERIE_PROXY; seria++)
        przedstawicielstwa(seria);
    if (pamiec) {
        semafory();
        for (seria = 0; seria < SERIE; seria++)
            przez_pamiec(seria);
        przelaczanie();
    }
    kopia();
    przerwania();
    /* Between nodes there is no shared memory: all that goes across has come to its end, which is a test's verdict. */
    if (!pamiec)
        printf("@pass %s\n", "the_publications_test_and_server_run_on_two_nodes");
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
