/* A service for the test of CMRX's calls, written as CMRX's manual has it. */

#include "../cmrx/service.h"

#include <cmrx/rpc/implementation.h>

IMPLEMENTATION_OF(struct Counter, struct CounterInterface);

static int add(INSTANCE(this), uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    this->total += a * 1000 + b * 100 + c * 10 + d;
    return (int)this->total;
}

static int total(INSTANCE(this))
{
    return (int)this->total;
}

static VTABLE struct CounterInterface interface = {.add = add, .total = total};

/* CMRX knows of no signals. */
static void handle(uint32_t signal, uint32_t word)
{
    (void)signal;
    (void)word;
}

int main(void)
{
    static struct Counter counter = {.vtable = &interface};
    riposte_signal_handle(1, handle);
    return (int)rpc_serve("counter", &counter);
}
