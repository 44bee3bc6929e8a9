/* The child of the publication's *test*: what its fork() was, and of FIFOs its *server*. Its pipes are its standard input
 * and output; FIFOs it opens. */

#include <fcntl.h>
#include <unistd.h>

#include "../../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY];
static int pipe1[2] = {STDIN_FILENO, -1}, pipe2[2] = {-1, STDOUT_FILENO};

/* The arguments: which size, how many iterations, and where FIFOs are, if it is by them. */
int main(int argc, char *argv[])
{
    const unsigned seria = argc >= 3 ? (unsigned)atoi(argv[1]) : SERIE;
    unsigned i = argc >= 3 ? (unsigned)atoi(argv[2]) : 0;
    if (seria >= SERIE_POTOK)
        return 1;
    if (argc == 4) {
        if (chdir(argv[3]) != 0)
            return 1;
        pipe1[0] = open(KOLEJKA_1, O_RDONLY);
        pipe2[1] = open(KOLEJKA_2, O_WRONLY);
    }
    while(i--) {
        read(pipe1[0], bufor, wPetli[seria]);
        write(pipe2[1], bufor, wPetli[seria]);
    };
    return 0;
}
