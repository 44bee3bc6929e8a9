/* A service for the test of CMRX's calls. */

#include "../cmrx/service.h"

static int add(INSTANCE(instance), uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    struct Counter *counter = (struct Counter *)instance;
    counter->total += a * 1000 + b * 100 + c * 10 + d;
    return (int)counter->total;
}

static int total(INSTANCE(instance))
{
    const struct Counter *counter = (const struct Counter *)instance;
    return (int)counter->total;
}

static VTABLE struct CounterInterface interface = {.add = add, .total = total};

int main(void)
{
    static struct Counter counter = {.vtable = &interface};
    return (int)rpc_serve("counter", &counter);
}
