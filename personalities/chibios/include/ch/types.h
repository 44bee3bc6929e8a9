/* The types that the calls share. Included by ch.h. */

#ifndef CH_TYPES_H
#define CH_TYPES_H

typedef int32_t msg_t;
typedef int32_t cnt_t;
typedef uint32_t ucnt_t;
typedef int32_t eventid_t;
typedef uint32_t eventmask_t;
typedef uint32_t eventflags_t;
typedef uint32_t tprio_t;
typedef uint32_t trefs_t;
typedef uint32_t syssts_t;
typedef uint32_t systime_t;
typedef uint32_t sysinterval_t;
typedef uint64_t time_conv_t;
typedef uint32_t time_secs_t;
typedef uint32_t time_msecs_t;
typedef uint32_t time_usecs_t;

/* Why a thread goes on. */
#define MSG_OK ((msg_t)0)
#define MSG_TIMEOUT ((msg_t)-1)
#define MSG_RESET ((msg_t)-2)

typedef void (*tfunc_t)(void *argument);
/* What a thread does in version 2.4: it returns the message that chThdWait gets. */
typedef msg_t (*ch_tfunc_2_4_t)(void *argument);

struct ch_mutex;

/* A thread. It lies at the beginning of its working area, which may be in a region of several
 * processes: then threads of another one can send it messages and events. */
typedef struct ch_thread {
    uint32_t id;               /* the kernel's name of it */
    uint32_t events;           /* that were signalled and not taken */
    uint32_t waits_for_events; /* whether it waits at `events` */
    uint32_t inbox;            /* the newest sender that it has not seen, or 0; that one links to older ones */
    struct ch_thread *seen;    /* the oldest sender that it has seen and not taken */
    struct ch_thread *next;    /* of a sender: the next older one, or once it was seen the next newer one */
    uint32_t answered;         /* of a sender: whether `message` is the answer */
    msg_t message;             /* of a sender: what it sends, then what it gets */
    struct ch_mutex *owned;    /* the mutex that it has locked last */
    tfunc_t function;
    ch_tfunc_2_4_t function_2_4; /* instead of it, for programs of version 2.4 */
    void *argument;
    const char *name;
    uint32_t terminate; /* whether somebody has asked it to end */
    uint32_t ended;
    uint32_t held;      /* it was made, and waits for chThdStart */
    uint32_t parked;    /* it sleeps until ch_unpark; the system's lock guards it, and what follows */
    msg_t woken_with;   /* what ch_unpark says */
    struct ch_thread *behind; /* in a threads_queue_t: who came next */
    msg_t exit_message; /* once it has ended */
    trefs_t references; /* the registry's lock guards it, and what follows */
    struct ch_thread *newer, *older;
    void (*give_back)(void *from, void *area); /* its working area, once nobody refers to it; or NULL */
    void *given_by;     /* what that is given back to */
} thread_t;

/* What working areas are made of. */
typedef thread_t stkalign_t;

/* One thread that waits, or NULL: see chThdSuspendS. */
typedef thread_t *thread_reference_t;

#endif
