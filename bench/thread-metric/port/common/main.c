/* Where a program begins whose test has no main function but tm_main, as some copies of the suite do. */

#include "objects.h"

__attribute__((weak)) void tm_main(void);

__attribute__((weak)) int main(void)
{
    if (tm_main)
        tm_main();
    return 0;
}
