/* flockfile and its kind: streams that a thread has to itself. Those of fopen and fdopen have a lock of their own; the
 * standard ones have theirs here, which c/stdio.c takes before what it keeps for all threads, if this is linked. */

#include <stdbool.h>
#include <stdio-bufio.h>
#include <stdio.h>

#include <riposte.h>

#include "../cancel/cancel.h"
#include "../posix.h"
#include "lock.h"
#include "streams.h"

static riposte_recursive_mutex_t locks[3];

/* That of a standard stream; NULL if it is none. */
static riposte_recursive_mutex_t *standard(const FILE *stream)
{
    if (stream == stdin)
        return &locks[0];
    if (stream == stdout)
        return &locks[1];
    return stream == stderr ? &locks[2] : NULL;
}

/* The caller has the lock, unless it was refused. What a thread that died with it left is in order at any moment. */
static bool has_entered(riposte_recursive_mutex_t *lock, riposte_error_t error)
{
    if (error != RIPOSTE_OK)
        return false;
    posix_repair(&lock->lock);
    /* Who is cancelled gives no stream back. */
    if (posix_cancel_hold)
        posix_cancel_hold();
    return true;
}

bool posix_enter_stream(FILE *stream, riposte_deadline_t deadline)
{
    riposte_recursive_mutex_t *const lock = standard(stream);
    return !lock || has_entered(lock, stream_take_until(lock, deadline));
}

void posix_leave_stream(FILE *stream)
{
    riposte_recursive_mutex_t *const lock = standard(stream);
    if (!lock || riposte_recursive_mutex_unlock(lock) != RIPOSTE_OK)
        return;
    if (posix_cancel_release)
        posix_cancel_release();
}

void flockfile(FILE *stream)
{
    riposte_recursive_mutex_t *const lock = standard(stream);
    if (stream->flags & __SBUF)
        __bufio_lock(stream);
    else if (lock)
        has_entered(lock, stream_take(lock));
}

int ftrylockfile(FILE *stream)
{
    riposte_recursive_mutex_t *lock;
    if (stream->flags & __SBUF)
        return __retarget_lock_try_acquire_recursive(((struct __file_bufio *)(void *)stream)->lock) ? 0 : -1;
    lock = standard(stream);
    return !lock || has_entered(lock, riposte_recursive_mutex_try_lock(lock)) ? 0 : -1;
}

void funlockfile(FILE *stream)
{
    if (stream->flags & __SBUF)
        __bufio_unlock(stream);
    else
        posix_leave_stream(stream);
}

/* A lock that the caller has already is taken once more. */

int getc_unlocked(FILE *stream)
{
    return getc(stream);
}

int getchar_unlocked(void)
{
    return getc(stdin);
}

int putc_unlocked(int letter, FILE *stream)
{
    return putc(letter, stream);
}

int putchar_unlocked(int letter)
{
    return putc(letter, stdout);
}
