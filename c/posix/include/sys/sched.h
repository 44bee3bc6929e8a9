/* Of the C library's headers: all of it is in <sched.h>. */

#include <sched.h>
