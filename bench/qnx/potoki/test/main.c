/* The publication's *test*, as far as it measures pipes: it divides into two processes, which write and read in a loop. */

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../shared/pomiar.h"
#include "../../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY], wyslane[NAJWIEKSZY];
static int pipe1[2], pipe2[2];
static uint32_t LP;   /* iterations */
static struct tms tms;
static char *katalog;   /* where the FIFOs are */

/* Starts the other process; what it does with its standard input and output is in the actions. */
static pid_t uruchom(unsigned seria, char *czym, const posix_spawn_file_actions_t *actions)
{
    char ktora[12], ile[12];
    char *const argv[] = {"dziecko", ktora, ile, czym, NULL};
    pid_t dziecko;
    snprintf(ktora, sizeof ktora, "%u", seria);
    snprintf(ile, sizeof ile, "%lu", (unsigned long)LP + 1);
    if (posix_spawn(&dziecko, "dziecko", actions, NULL, argv, NULL) != 0)
        nieudane("cannot spawn");
    return dziecko;
}

/* Divides: the child has the other ends of both pipes. */
static pid_t podziel(unsigned seria)
{
    posix_spawn_file_actions_t actions;
    pid_t dziecko;
    if (pipe(pipe1) != 0 || pipe(pipe2) != 0)
        nieudane("there are no pipes");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe1[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipe2[1], STDOUT_FILENO);
    dziecko = uruchom(seria, NULL, &actions);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe1[0]);
    close(pipe2[1]);
    return dziecko;
}

/* Opens both FIFOs: each open waits for the other process to open the other side. */
static pid_t otworz_kolejki(unsigned seria)
{
    const pid_t dziecko = uruchom(seria, katalog, NULL);
    pipe1[1] = open(KOLEJKA_1, O_WRONLY);
    pipe2[0] = open(KOLEJKA_2, O_RDONLY);
    if (pipe1[1] == -1 || pipe2[0] == -1)
        nieudane("a FIFO cannot be opened");
    return dziecko;
}

static void wypelnij(unsigned seria)
{
    for (unsigned at = 0; at < wPetli[seria]; at++)
        wyslane[at] = (unsigned char)(at * 7 + seria + 1);
    memcpy(bufor, wyslane, wPetli[seria]);
}

static void dwa_procesy(const char *name, unsigned seria, pid_t (*polacz)(unsigned))
{
    const clock_t petla = pomiar_loop(LP);
    clock_t start, stop;
    pid_t dziecko;
    unsigned i;
    int status = -1;
    wypelnij(seria);
    dziecko = polacz(seria);
    /* Once before, until the child is there; what it gives back is what it got. */
    if (write(pipe1[1], bufor, wPetli[seria]) != (ssize_t)wPetli[seria])
        nieudane("pipes: a short write");
    memset(bufor, 0, sizeof bufor);
    if (read(pipe2[0], bufor, wPetli[seria]) != (ssize_t)wPetli[seria])
        nieudane("pipes: a short read");
    pomiar_begin();
    i = LP;
    start = times(&tms);
    while(i--) {
        write(pipe1[1], bufor, wPetli[seria]);
        read(pipe2[0], bufor, wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    if (memcmp(bufor, wyslane, wPetli[seria]) != 0)
        nieudane("pipes: wrong bytes");
    close(pipe1[1]);
    close(pipe2[0]);
    if (waitpid(dziecko, &status, 0) != dziecko || status != 0)
        nieudane("pipes: the child");
    pomiar_series(name, true, wPetli[seria], LP, 2, stop - start, 2 * petla);
}

/* Within one process, without switching to another one that reads. */
static void jeden_proces(unsigned seria)
{
    const clock_t petla = pomiar_loop(LP);
    clock_t start, stop;
    unsigned i;
    wypelnij(seria);
    if (pipe(pipe1) != 0)
        nieudane("there is no pipe");
    pomiar_begin();
    i = LP;
    start = times(&tms);
    while(i--) {
        write(pipe1[1], bufor, wPetli[seria]);
        read(pipe1[0], bufor, wPetli[seria]);
    }
    stop = times(&tms);
    pomiar_end();
    write(pipe1[1], bufor, wPetli[seria]);
    memset(bufor, 0, sizeof bufor);
    if (read(pipe1[0], bufor, wPetli[seria]) != (ssize_t)wPetli[seria] || memcmp(bufor, wyslane, wPetli[seria]) != 0)
        nieudane("pipes within one process: wrong bytes");
    close(pipe1[0]);
    close(pipe1[1]);
    pomiar_series("pipes-one-process", false, wPetli[seria], LP, 1, stop - start, petla);
}

static void kolejki(const char *name, char *gdzie)
{
    unsigned seria;
    katalog = gdzie;
    if (chdir(katalog) != 0 || mkfifo(KOLEJKA_1, 0600) != 0 || mkfifo(KOLEJKA_2, 0600) != 0)
        nieudane("there are no FIFOs");
    for (seria = 0; seria < SERIE_POTOK; seria++)
        dwa_procesy(name, seria, otworz_kolejki);
    unlink(KOLEJKA_1);
    unlink(KOLEJKA_2);
}

/* By the pipe manager, or by the file manager, which alone has FIFOs. */
int main(void)
{
    unsigned seria;
    uint32_t fsys = 0;
    riposte_setting("iterations", &LP);
    riposte_setting("fsys", &fsys);
    pomiar_init();
    if (fsys) {
        for (seria = 0; seria < SERIE_POTOK; seria++)
            dwa_procesy("pipes-by-files", seria, podziel);
        kolejki("fifos", "/ram");
        kolejki("fifos-card", "/safe");
        printf("@done\n");
        return (int)riposte_shutdown(0);
    }
    for (seria = 0; seria < SERIE_POTOK; seria++)
        dwa_procesy("pipes", seria, podziel);
    for (seria = 0; seria < SERIE_POTOK; seria++)
        jeden_proces(seria);
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
