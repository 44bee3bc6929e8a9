/* What is sent of streams. */

#ifndef STREAMS_H
#define STREAMS_H

#include <stdio.h>

/* Of one. */
int posix_send_stream(FILE *file);

/* Of all: what fflush(NULL) calls, of a program that opens streams. */
int posix_send_streams(void);

/* Of c/stdio.c: what was read ahead of the last descriptor of stdin goes. */
void riposte_private_forget_input(void);

#endif
