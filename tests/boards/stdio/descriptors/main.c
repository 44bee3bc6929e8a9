/* Letters of several bytes, more than go to the console in one piece. */

#include <stdio.h>
#include <unistd.h>

#include <riposte.h>

#define TEN "\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

int main(void)
{
    static const char text[] = HUNDRED;
    write(STDOUT_FILENO, text, sizeof text - 1);
    dprintf(STDOUT_FILENO, "%s", text);
    for (;;)
        riposte_sleep(UINT64_C(1000000000));
}
