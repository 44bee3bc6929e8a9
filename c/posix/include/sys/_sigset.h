/* A set of signals, as <sys/types.h> and <sys/select.h> want it: bit n is signal n. */

#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_

typedef unsigned long long __sigset_t;

#endif
