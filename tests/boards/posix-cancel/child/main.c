/* Waits for the signal that ends it. */

#include <unistd.h>

int main(void)
{
    for (;;)
        pause();
}
