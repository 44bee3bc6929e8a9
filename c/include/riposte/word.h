/* Words that threads change in one step, on every board. Included by riposte.h.
 *
 * There is one processor: threads see its memory in the order of the program, and it is the compiler
 * alone that must not change the order. Where the processor has no atomic instructions, the library has
 * sequences that the kernel lets begin anew when they are interrupted: user/src/trap/word. */

#ifndef RIPOSTE_WORD_H
#define RIPOSTE_WORD_H

/* Keeps the compiler from moving accesses of memory across it. */
#define RIPOSTE_PRIVATE_IN_ORDER() __asm__ volatile("" ::: "memory")

#if defined(__riscv) && !defined(__riscv_atomic)
#define RIPOSTE_PRIVATE_SEQUENCE(name, word, operand, old)                                           \
    do {                                                                                             \
        register uint32_t *r_word __asm__("a0") = (word);                                            \
        register uint32_t r_operand __asm__("a1") = (operand);                                       \
        register uint32_t r_old __asm__("a3");                                                       \
        __asm__ volatile("call riposte_sequence_" name                                               \
                         : "=&r"(r_old)                                                              \
                         : "r"(r_word), "r"(r_operand)                                               \
                         : "ra", "a2", "memory");                                                    \
        (old) = r_old;                                                                               \
    } while (0)
#else
#define RIPOSTE_PRIVATE_ATOMIC(old, step)                                                            \
    do {                                                                                             \
        RIPOSTE_PRIVATE_IN_ORDER();                                                                  \
        (old) = (step);                                                                              \
        RIPOSTE_PRIVATE_IN_ORDER();                                                                  \
    } while (0)
#endif

/** Tells what a word holds.
 *
 * @param word The word, aligned.
 * @return What it holds.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_word_load(const uint32_t *word)
{
    uint32_t value;
    RIPOSTE_PRIVATE_IN_ORDER();
    value = *(const volatile uint32_t *)word;
    RIPOSTE_PRIVATE_IN_ORDER();
    return value;
}

/** Puts a value into a word.
 *
 * @param word The word, aligned.
 * @param value The value.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_word_store(uint32_t *word, uint32_t value)
{
    RIPOSTE_PRIVATE_IN_ORDER();
    *(volatile uint32_t *)word = value;
    RIPOSTE_PRIVATE_IN_ORDER();
}

/** Puts a value into a word if that holds what is expected.
 *
 * @param word The word, aligned.
 * @param expected What it must hold; if it holds something else, that is stored here.
 * @param desired The value.
 * @return Whether it did.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE bool riposte_word_compare_exchange(uint32_t *word, uint32_t *expected, uint32_t desired)
{
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    const uint32_t wanted = *expected;
    register uint32_t *r_word __asm__("a0") = word;
    register uint32_t r_expected __asm__("a1") = wanted;
    register uint32_t r_desired __asm__("a2") = desired;
    register uint32_t r_old __asm__("a3");
    __asm__ volatile("call riposte_sequence_compare_exchange"
                     : "=&r"(r_old)
                     : "r"(r_word), "r"(r_expected), "r"(r_desired)
                     : "ra", "memory");
    *expected = r_old;
    return *expected == wanted;
#else
    bool done;
    RIPOSTE_PRIVATE_IN_ORDER();
    done = __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    /* Behind the branch, so that the caller's own is the only one. */
    if (done) {
        RIPOSTE_PRIVATE_IN_ORDER();
        return true;
    }
    RIPOSTE_PRIVATE_IN_ORDER();
    return false;
#endif
}

/* As riposte_word_compare_exchange, for who looks again if it fails: it may also fail when an interrupt
 * comes between, and does not say what the word holds. Each way of failing is a branch of its own, so that
 * nothing has to be decided behind. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_word_change(uint32_t *word, uint32_t expected, uint32_t desired)
{
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    return riposte_word_compare_exchange(word, &expected, desired);
#elif defined(__arm__)
    __asm__ goto("ldrex r3, [%0]\n\t"
                 "cmp r3, %1\n\t"
                 "bne %l[changed]\n\t"
                 "strex r3, %2, [%0]\n\t"
                 "cmp r3, #0\n\t"
                 "bne %l[changed]"
                 :
                 : "r"(word), "rI"(expected), "r"(desired)
                 : "r3", "cc", "memory"
                 : changed);
    return true;
changed:
    return false;
#else
    __asm__ goto("lr.w t0, (%0)\n\t"
                 "bne t0, %z1, %l[changed]\n\t"
                 "sc.w t0, %z2, (%0)\n\t"
                 "bnez t0, %l[changed]"
                 :
                 : "r"(word), "rJ"(expected), "rJ"(desired)
                 : "t0", "memory"
                 : changed);
    return true;
changed:
    return false;
#endif
}

/* Puts a value into a word if that holds 0; whether it did. It may fail although the word holds 0, when
 * an interrupt comes between. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_word_take(uint32_t *word, uint32_t value)
{
#if defined(__arm__)
    /* With one decision: what the word held, and whether the store failed, are 0 if it was taken. */
    register uint32_t r_refused __asm__("r3");
    __asm__ volatile("ldrex r3, [%1]\n\t"
                     "cbnz r3, 0f\n\t"
                     "strex r3, %2, [%1]\n"
                     "0:"
                     : "=&r"(r_refused)
                     : "r"(word), "r"(value)
                     : "memory");
    return r_refused == 0;
#elif defined(__riscv_atomic)
    uint32_t refused;
    __asm__ volatile("lr.w %0, (%1)\n\t"
                     "bnez %0, 0f\n\t"
                     "sc.w %0, %2, (%1)\n"
                     "0:"
                     : "=&r"(refused)
                     : "r"(word), "r"(value)
                     : "memory");
    return refused == 0;
#else
    return riposte_private_word_change(word, 0, value);
#endif
}

/** Puts a value into a word.
 *
 * @param word The word, aligned.
 * @param value The value.
 * @return What it held.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_word_swap(uint32_t *word, uint32_t value)
{
    uint32_t old;
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    RIPOSTE_PRIVATE_SEQUENCE("swap", word, value, old);
#else
    RIPOSTE_PRIVATE_ATOMIC(old, __atomic_exchange_n(word, value, __ATOMIC_RELAXED));
#endif
    return old;
}

/** Adds to a word, modulo 2^32.
 *
 * @param word The word, aligned.
 * @param more What is added.
 * @return What it held.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_word_add(uint32_t *word, uint32_t more)
{
    uint32_t old;
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    RIPOSTE_PRIVATE_SEQUENCE("add", word, more, old);
#else
    RIPOSTE_PRIVATE_ATOMIC(old, __atomic_fetch_add(word, more, __ATOMIC_RELAXED));
#endif
    return old;
}

/** Sets bits of a word.
 *
 * @param word The word, aligned.
 * @param bits The bits.
 * @return What it held.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_word_or(uint32_t *word, uint32_t bits)
{
    uint32_t old;
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    RIPOSTE_PRIVATE_SEQUENCE("or", word, bits, old);
#else
    RIPOSTE_PRIVATE_ATOMIC(old, __atomic_fetch_or(word, bits, __ATOMIC_RELAXED));
#endif
    return old;
}

/** Keeps only some bits of a word.
 *
 * @param word The word, aligned.
 * @param bits The bits that stay.
 * @return What it held.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_word_and(uint32_t *word, uint32_t bits)
{
    uint32_t old;
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    RIPOSTE_PRIVATE_SEQUENCE("and", word, bits, old);
#else
    RIPOSTE_PRIVATE_ATOMIC(old, __atomic_fetch_and(word, bits, __ATOMIC_RELAXED));
#endif
    return old;
}

/* Takes the first one off the list that begins with the first of these words: where its word is, in bytes
 * behind that one; 0 if the list is empty. In one step: a list that has changed and begins again with the
 * same one may go on with another. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_word_unlink(uint32_t *links)
{
    uint32_t old;
#if defined(RIPOSTE_PRIVATE_SEQUENCE)
    RIPOSTE_PRIVATE_SEQUENCE("unlink", links, 0, old);
#elif defined(__arm__)
    uint32_t next, failed;
    __asm__ volatile("0: ldrex %0, [%3]\n\t"
                     "ldr %1, [%3, %0]\n\t"
                     "strex %2, %1, [%3]\n\t"
                     "cmp %2, #0\n\t"
                     "bne 0b"
                     : "=&r"(old), "=&r"(next), "=&r"(failed)
                     : "r"(links)
                     : "cc", "memory");
#else
    uint32_t next;
    __asm__ volatile("0: lr.w %0, (%2)\n\t"
                     "add %1, %2, %0\n\t"
                     "lw %1, 0(%1)\n\t"
                     "sc.w %1, %1, (%2)\n\t"
                     "bnez %1, 0b"
                     : "=&r"(old), "=&r"(next)
                     : "r"(links)
                     : "memory");
#endif
    return old;
}

/** Waits at a word until somebody wakes the thread, without a deadline: riposte_futex_wait_until inline, for
 * who is measured by it.
 *
 * @param word The word, aligned, in memory that this process may write, for good or as a region that it has
 * mapped; it may be shared.
 * @param expected What it must be.
 * @error RIPOSTE_ERROR_WOULD_BLOCK The word is something else.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in such memory, or that was unmapped meanwhile.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile.
 * @blocks Until somebody wakes the thread.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_word_wait(const uint32_t *word, uint32_t expected)
{
    uint32_t error, unused;
    const uint32_t info = riposte_private_trap_at_word(RIPOSTE_NUMBER_FUTEX_WAIT, word, expected, &error, &unused);
    return RIPOSTE_PRIVATE_LIKELY((info & RIPOSTE_INFO_ERROR) == 0) ? RIPOSTE_OK : (riposte_error_t)error;
}

/** Gives a unit of the semaphore whose word this is: to the most urgent thread that waits for one, or else
 * to the word. For riposte_semaphore_give, when the word says that somebody waits.
 *
 * @param word The word, aligned, in memory that this process may write; it may be shared.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There are 2^31 - 1 units: nothing is added.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_word_give(uint32_t *word)
{
    uint32_t error, unused;
    const uint32_t info = riposte_private_trap_at_word(RIPOSTE_NUMBER_FUTEX_GIVE, word, 0, &error, &unused);
    return RIPOSTE_PRIVATE_LIKELY((info & RIPOSTE_INFO_ERROR) == 0) ? RIPOSTE_OK : (riposte_error_t)error;
}

/** Wakes threads that wait at a word, the most urgent first: riposte_futex_wake inline.
 *
 * @param word The word.
 * @param most How many at most.
 * @param woken Where it is stored how many were woken.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write, for good or as a
 * region that it has mapped.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_word_wake(const uint32_t *word, uint32_t most, uint32_t *woken)
{
    uint32_t error;
    const uint32_t info = riposte_private_trap_at_word(RIPOSTE_NUMBER_FUTEX_WAKE, word, most, &error, woken);
    return RIPOSTE_PRIVATE_LIKELY((info & RIPOSTE_INFO_ERROR) == 0) ? RIPOSTE_OK : (riposte_error_t)error;
}

#undef RIPOSTE_PRIVATE_SEQUENCE
#undef RIPOSTE_PRIVATE_ATOMIC

#endif
