/* Whether, and how, the calling thread can be cancelled. */

#include "cancel.h"

#include <pthread.h>

_Thread_local struct posix_cancellation posix_cancellation;

int pthread_setcancelstate(int state, int *before)
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (before)
        *before = posix_cancellation.is_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    posix_cancellation.is_disabled = state == PTHREAD_CANCEL_DISABLE;
    posix_cancel_look();
    return 0;
}

int pthread_setcanceltype(int type, int *before)
{
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (before)
        *before = posix_cancellation.is_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    posix_cancellation.is_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    posix_cancel_look();
    return 0;
}

void pthread_testcancel(void)
{
    if (posix_cancel_is_due && posix_cancel_is_due())
        posix_cancel_now();
}
