/* A source in C beside those in C++. */

#include "shared.h"

int plain_c(int number)
{
    return number + 1;
}
