/* Data of which each thread has its own: values by key, and what becomes of them when the thread ends. */

#include "thread.h"

/* A key in its lives: the number is odd in each of them, and no thread's value is of one that is over. */
static struct {
    uint32_t life;
    void (*destructor)(void *);
} keys[PTHREAD_KEYS_MAX];

/* The calling thread's values, and in which life of its key each was set. */
static __thread struct {
    uint32_t life;
    void *value;
} values[PTHREAD_KEYS_MAX];

static bool is_alive(uint32_t life)
{
    return (life & 1) != 0;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    pthread_key_t each;
    for (each = 0; each < PTHREAD_KEYS_MAX; each++) {
        uint32_t life = riposte_word_load(&keys[each].life);
        if (is_alive(life) || !riposte_word_compare_exchange(&keys[each].life, &life, life + 1))
            continue;
        /* Nobody has the key yet. */
        keys[each].destructor = destructor;
        *key = each;
        return 0;
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
    uint32_t life;
    if (key >= PTHREAD_KEYS_MAX)
        return EINVAL;
    life = riposte_word_load(&keys[key].life);
    if (!is_alive(life) || !riposte_word_compare_exchange(&keys[key].life, &life, life + 1))
        return EINVAL;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    if (key >= PTHREAD_KEYS_MAX || values[key].life != riposte_word_load(&keys[key].life))
        return NULL;
    return values[key].value;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    uint32_t life;
    if (key >= PTHREAD_KEYS_MAX)
        return EINVAL;
    life = riposte_word_load(&keys[key].life);
    if (!is_alive(life))
        return EINVAL;
    if (values[key].life != life) {
        /* A handler finds no value of an earlier life in this one. */
        values[key].value = NULL;
        RIPOSTE_PRIVATE_IN_ORDER();
        values[key].life = life;
        RIPOSTE_PRIVATE_IN_ORDER();
    }
    values[key].value = (void *)(uintptr_t)value;
    return 0;
}

/* Calls the destructor of each value that there is; whether there was one. */
static bool destroy_all(void)
{
    bool any = false;
    pthread_key_t key;
    for (key = 0; key < PTHREAD_KEYS_MAX; key++) {
        const uint32_t life = values[key].life;
        void *const value = pthread_getspecific(key);
        void (*const destructor)(void *) = keys[key].destructor;
        RIPOSTE_PRIVATE_IN_ORDER();
        /* Another thread may have deleted the key since, and made it anew, with another destructor. */
        if (!value || !destructor || riposte_word_load(&keys[key].life) != life)
            continue;
        values[key].value = NULL;
        destructor(value);
        any = true;
    }
    return any;
}

/* A destructor may set values again, for which there is another round. */
void posix_at_thread_end(void)
{
    int round;
    for (round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
        if (!destroy_all())
            return;
}
