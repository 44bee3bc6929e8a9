/* Prints what the store has, every two seconds: a client in C of a server in Rust. */

#include <stdio.h>

#include <logger-api.h>

#define PERIOD UINT64_C(2000000000)

static riposte_connection_t store;

static void print(const store_summary_t *it)
{
    const long hundredths = it->mean < 0 ? -(long)it->mean : (long)it->mean;

    printf("report: %lu readings, %s%ld.%02ld degrees on average\n", (unsigned long)it->count,
           it->mean < 0 ? "-" : "", hundredths / 100, hundredths % 100);
}

int main(void)
{
    uint64_t next = riposte_clock();

    if (riposte_connect("store", &store) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no connection `store`");
    for (;;) {
        store_summary_t summary;
        uint32_t status;

        next += PERIOD;
        riposte_sleep_until(next);
        switch (store_summary(store, &summary, &status)) {
        case RIPOSTE_OK:
            if (status == 0)
                print(&summary);
            break;
        case RIPOSTE_ERROR_SERVER_DIED:
            /* Its next life has begun, or will. */
            riposte_connect("store", &store);
            break;
        default:
            puts("report: no answer");
        }
    }
}
