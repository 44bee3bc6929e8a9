/* The objects by which the two threads of a case wake each other; in a region, if they are of two
 * processes. */

#ifndef STAGE_H
#define STAGE_H

#include <ch.h>

#define LETTERS 4

struct stage {
    uint32_t cleared; /* see pin_init */
    uint32_t turns;   /* how often the more urgent thread has cleared the pin in this case */
    msg_t last;       /* what it got last */
    semaphore_t semaphore;
    semaphore_t go;
    mailbox_t mailbox;
    msg_t letters[LETTERS];
    mutex_t mutex;
    thread_t low[1];  /* the working areas of the two */
    thread_t high[1];
};

/* Makes the objects. */
void stage_init(struct stage *stage);

/* What the more urgent thread does in each case: it waits, and clears the pin. */
void high_semaphore(void *stage);
void high_message(void *stage);
void high_mailbox(void *stage);
void high_event(void *stage);
void high_mutex(void *stage);

/* A case, and what the other thread does in it, while the more urgent one waits. */
typedef void (*low_t)(struct stage *stage, bool is_protected);
void low_semaphore(struct stage *stage, bool is_protected);
void low_message(struct stage *stage, bool is_protected);
void low_mailbox(struct stage *stage, bool is_protected);
void low_event(struct stage *stage, bool is_protected);
void low_mutex(struct stage *stage, bool is_protected);

#define CASES 5
extern const tfunc_t high_cases[CASES];
extern const low_t low_cases[CASES];

#endif
