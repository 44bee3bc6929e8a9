/* Signals that timers and message queues send: each is known by its number and value when somebody takes it. */

#include "event.h"

static const riposte_signal_target_t itself = {RIPOSTE_SIGNAL_OWN};

static riposte_mutex_t lock = RIPOSTE_MUTEX;
static struct posix_event *events;

uint64_t posix_events_lock(void)
{
    const uint64_t masked = posix_signals_defer();
    riposte_mutex_lock(&lock);
    return masked;
}

void posix_events_unlock(uint64_t masked)
{
    riposte_mutex_unlock(&lock);
    posix_signals_admit(masked);
}

bool posix_is_notification(const struct sigevent *how)
{
    switch (how->sigev_notify) {
    case SIGEV_NONE:
        return true;
    case SIGEV_SIGNAL:
        return is_signal(how->sigev_signo);
    case SIGEV_THREAD:
        return how->sigev_notify_function != NULL;
    default:
        return false;
    }
}

void posix_event_add(struct posix_event *event)
{
    event->next = events;
    events = event;
}

void posix_event_remove(struct posix_event *event)
{
    struct posix_event **at = &events;
    while (*at && *at != event)
        at = &(*at)->next;
    if (*at)
        *at = event->next;
}

void posix_event_send(struct posix_event *event)
{
    const riposte_error_t error =
        riposte_signal_send(itself, event->number, (uint32_t)event->value.sival_int);
    event->is_owed = error == RIPOSTE_ERROR_EXHAUSTED;
    if (error == RIPOSTE_OK)
        event->sent++;
}

bool posix_events_send_owed(void)
{
    bool is_owed = false;
    struct posix_event *each;
    for (each = events; each; each = each->next) {
        if (each->is_owed)
            posix_event_send(each);
        is_owed |= each->is_owed;
    }
    return is_owed;
}

static bool is_from(const struct posix_event *event, uint32_t number, uint32_t word)
{
    return event->sent != 0 && event->number == number
        && (number < SIGRTMIN || (uint32_t)event->value.sival_int == word);
}

int posix_event_take(uint32_t number, uint32_t *word)
{
    const uint32_t brought = *word;
    int code = 0;
    struct posix_event *each;
    riposte_mutex_lock(&lock);
    for (each = events; each; each = each->next) {
        if (!is_from(each, number, brought))
            continue;
        if (!code) {
            code = each->code;
            *word = (uint32_t)each->value.sival_int;
        } else if (number >= SIGRTMIN) {
            continue;
        }
        /* A signal without a value waits once, whoever has sent it how often. */
        each->sent = number < SIGRTMIN ? 0 : each->sent - 1;
        if (each->taken)
            each->taken(each);
    }
    /* There is room for one more. */
    posix_events_send_owed();
    riposte_mutex_unlock(&lock);
    return code;
}
