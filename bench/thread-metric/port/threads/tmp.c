#include "objects.h"
void tm_port_interrupts(void) {}
