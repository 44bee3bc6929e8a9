/* The same interface in C: a client of the sensor, which is written in Rust. */

#include <stdio.h>

#include <thermometer-api.h>

int main(void)
{
    riposte_connection_t thermometer;
    uint32_t status;
    int32_t reading;
    char name[32];
    size_t length;

    if (riposte_connect("thermometer", &thermometer) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no connection `thermometer`");

    /* Two questions: did the kernel carry it, and what does the server say? */
    if (thermometer_read(thermometer, 0, &reading, &status) != RIPOSTE_OK)
        puts("panel: no answer");
    else if (status == THERMOMETER_NO_SUCH_PLACE)
        puts("panel: there is no such place");
    else if (status == 0)
        printf("panel: inside %ld\n", (long)reading);

    const uint64_t deadline = riposte_clock() + 5000000;
    if (thermometer_name_until(thermometer, 0, name, sizeof name, deadline, &length, &status) == RIPOSTE_OK && status == 0)
        printf("panel: inside has a name of %u letters\n", (unsigned)length);
    return 0;
}
