// What the other source makes before its main function.

#include "shared.h"

Made first{1};
int from_plain_c = plain_c(20);
