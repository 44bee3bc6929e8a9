/* Tests what the C library keeps for each thread, and what needs no more than that. */

#include "check.h"

uint32_t run(uint32_t (*body)(void *), void *argument, uint32_t priority)
{
    const riposte_thread_settings_t how = {priority, RIPOSTE_POLICY_FIFO, 0};
    riposte_thread_t thread;
    uint32_t value = UINT32_MAX;
    CHECK(riposte_thread_spawn(body, argument, &how, &thread) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value) == RIPOSTE_OK);
    return value;
}

int main(void)
{
    storage();
    memory();
    library();
    puts("@done");
    return (int)riposte_shutdown(0);
}
