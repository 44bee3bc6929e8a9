/* Sends the waiter a signal each 300 microseconds, more or less. */

#include <signal.h>

#include <riposte.h>

int main(void)
{
    riposte_signal_target_t waiter;
    uint64_t moment = riposte_clock();
    uint32_t later = 0;
    if (riposte_signal_target("waiter", &waiter) != RIPOSTE_OK)
        return 1;
    for (;;) {
        later = (later + 7013) % 100000;
        moment += 300000;
        if (moment < riposte_clock())
            moment = riposte_clock() + 300000;
        riposte_sleep_until(moment + later);
        riposte_signal_send(waiter, SIGUSR1, 0);
    }
}
