/* The descriptors of a program that does not say how many it wants: as many as the standard asks for at least. */

#include <riposte/descriptors.h>

RIPOSTE_DESCRIPTORS(20);
