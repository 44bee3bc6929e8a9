/* Verdicts, for `./riposte test`, and the threads that tests start. */

#ifndef CHECK_H
#define CHECK_H

#include <ch.h>

/* Says what is wrong, once a test. */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition))                                                                            \
            complain(__FILE__, __LINE__, #condition);                                                \
    } while (0)

void begin(const char *name);
void complain(const char *file, int line, const char *condition);
void end(void);

/* What threads note, in order. */
void note(char mark);
/* Whether that was noted since the last call. */
bool noted(const char *marks);

/* Starts a thread, one of four at a time. */
thread_t *start(unsigned place, tprio_t priority, tfunc_t function, void *argument);

/* The tests. */
void threads(void);
void references(void);
void memory(void);
void dynamic(void);
void queues(void);
void members(void);
void classes(void);
void times(void);
void deaths(void);
void semaphores(void);
void lifetimes(void);
void mutexes(void);
void condition_variables(void);
void messages(void);
void mailboxes(void);
void events(void);
void timers(void);
void signals(void);
void spellings_of_2_4(void);
void storms(void);

#endif
