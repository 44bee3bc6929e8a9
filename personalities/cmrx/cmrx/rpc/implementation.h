/* For the sources that implement a service: `this` in its methods is the instance, of the service's own type.
 * Included behind the interface, in C. */

#ifndef CMRX_IMPLEMENTATION_H
#define CMRX_IMPLEMENTATION_H

#include "../../cmrx.h"

/** Says whose methods this source implements: those of one type of service. */
#define IMPLEMENTATION(service) typedef service cmrx_implemented_t

/** As IMPLEMENTATION, and refuses to compile if the service's `vtable` does not lead to such an interface. */
#define IMPLEMENTATION_OF(service, interface)                                                        \
    IMPLEMENTATION(service);                                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(*((service *)0)->vtable), const interface), \
                   "the vtable of " #service " is no " #interface)

/* The first parameter of a method, for which `this` is written. */
#undef INSTANCE
#define INSTANCE(name) void *name##_

/** The instance whose method this is. */
#define this ((cmrx_implemented_t *)this_)

#endif
