/* <sys/signal.h>: another name of <signal.h>. */

#include <signal.h>
