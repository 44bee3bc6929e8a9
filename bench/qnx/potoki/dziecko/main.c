/* The child of the publication's *test*: what its fork() was. Its pipes are its standard input and output. */

#include <unistd.h>

#include "../../shared/rozmiary.h"

static unsigned char bufor[NAJWIEKSZY];
static const int pipe1[2] = {STDIN_FILENO, -1}, pipe2[2] = {-1, STDOUT_FILENO};

/* The arguments: which size, and how many iterations. */
int main(int argc, char *argv[])
{
    const unsigned seria = argc == 3 ? (unsigned)atoi(argv[1]) : SERIE;
    unsigned i = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    if (seria >= SERIE_POTOK)
        return 1;
    while(i--) {
        read(pipe1[0], bufor, wPetli[seria]);
        write(pipe2[1], bufor, wPetli[seria]);
    };
    return 0;
}
