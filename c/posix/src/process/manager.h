/* The process manager, as servers/process/client/src/protocol.rs has it. */

#ifndef MANAGER_H
#define MANAGER_H

#include <sys/types.h>

#include <riposte.h>

/* Bytes of a program's name, its arguments and its environment, each with a zero behind it. */
#define MANAGER_BLOCK 256
/* Arguments that a child in C has, and names in its environment, those of its streams among them. */
#define CHILD_TEXTS 32
/* Bits above the operation and its flags. */
#define MANAGER_ARGUMENT 16

enum { MANAGER_SPAWN, MANAGER_WAIT, MANAGER_KILL, MANAGER_LIST, MANAGER_PROGRAMS, MANAGER_ARGUMENTS, MANAGER_PARENT,
       MANAGER_TRY = 1 << 8 };

/* Sends two words and bytes behind them; how many bytes the answer has, or the error of <errno.h>. -ENOSYS if the
 * manifest gives this process no process manager. */
ssize_t posix_ask_manager(uint32_t word, uint32_t second, const void *bytes, size_t length, void *answer, size_t room);

/* The PID of this process as the process manager knows it: 0 if it was not spawned, or does not know it yet. */
extern uint32_t posix_own_pid;

#endif
