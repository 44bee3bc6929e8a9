/* What is sent of streams. */

#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stdio.h>

#include <riposte.h>

/* Of one. */
int posix_send_stream(FILE *file);

/* Of all, but for those that another thread is in, of which only what was written is waited for, and that only if `waits`.
 * What fflush(NULL) and exit call, of a program that opens streams. */
int posix_send_streams(bool waits);

/* Takes a standard stream for the calling thread, which may have it already; false if it has not got it by a deadline. Of another
 * one nothing is done. c/stdio.c has both called before and behind each letter, where they are linked. */
bool posix_enter_stream(FILE *stream, riposte_deadline_t deadline);
void posix_leave_stream(FILE *stream);

/* What a mode says, for the stream and for open; 0 with EINVAL if it is none. */
int posix_mode(const char *mode, int *flags);

/* Of c/stdio.c: what was read ahead of the last descriptor of stdin goes. */
void riposte_private_forget_input(void);

#endif
