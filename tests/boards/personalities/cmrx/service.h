/* The interfaces of the test of CMRX. */

#include <cmrx/ipc/mutex.h>
#include <cmrx/ipc/notify.h>
#include <cmrx/ipc/rpc.h>
#include <cmrx/ipc/thread.h>
#include <cmrx/ipc/timer.h>

struct CounterInterface {
    int (*add)(INSTANCE(counter), uint32_t, uint32_t, uint32_t, uint32_t);
    int (*total)(INSTANCE(counter));
};

struct Counter {
    const struct CounterInterface *vtable;
    uint32_t total;
};

/* The counter's, and a method that it does not have. */
struct WiderInterface {
    struct CounterInterface counter;
    int (*missing)(INSTANCE(counter));
};

struct Wider {
    const struct WiderInterface *vtable;
};

struct JudgeInterface {
    int (*judge)(INSTANCE(judge));
};

struct Judge {
    const struct JudgeInterface *vtable;
};
