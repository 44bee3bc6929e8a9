/* System calls on ARMv7-M. Included by riposte.h.
 *
 * A call is `svc 0` with the eight message registers in r4 to r11 and the extra registers in r0 to r3
 * and r12, which the hardware's frame brings back, like lr. The compiler may need r7 as its frame
 * pointer, so that r7 is no operand: it is kept in lr for the time of the call, and its value travels
 * in r0, if anybody asks for it. The floating-point registers are clobbered. */

#ifndef RIPOSTE_TRAP_ARMV7M_H
#define RIPOSTE_TRAP_ARMV7M_H

#if defined(__ARM_FP)
#define RIPOSTE_PRIVATE_CLOBBERED                                                                    \
    "cc", "memory", "lr", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",  \
        "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24",   \
        "s25", "s26", "s27", "s28", "s29", "s30", "s31"
#else
#define RIPOSTE_PRIVATE_CLOBBERED "cc", "memory", "lr"
#endif

/* Zeros for the message words that a caller does not use: one load clears them all. */
static const uint32_t riposte_zeros[5] = {0, 0, 0, 0, 0};

/* The same value, which the compiler then keeps in a register rather than build it again for each turn
 * of a loop. */
RIPOSTE_PRIVATE_INLINE const uint32_t *riposte_private_kept(const uint32_t *value)
{
    __asm__("" : "+r"(value));
    return value;
}

/* A call that hands r7 nothing and takes nothing from it; one that takes GENERATION from it; and one that
 * hands it GENERATION, too. */
#define RIPOSTE_PRIVATE_CALL                                                                         \
    "mov lr, r7\n\t"                                                                                 \
    "svc 0\n\t"                                                                                      \
    "mov r7, lr"
#define RIPOSTE_PRIVATE_CALL_FOR_GENERATION                                                          \
    "mov lr, r7\n\t"                                                                                 \
    "svc 0\n\t"                                                                                      \
    "mov r0, r7\n\t"                                                                                 \
    "mov r7, lr"
#define RIPOSTE_PRIVATE_CALL_WITH_GENERATION                                                         \
    "mov lr, r7\n\t"                                                                                 \
    "mov r7, r0\n\t"                                                                                 \
    "svc 0\n\t"                                                                                      \
    "mov r0, r7\n\t"                                                                                 \
    "mov r7, lr"

/* A call with `count` words, a constant. What follows `trap` are its operands, with a comma before each. */
#define RIPOSTE_PRIVATE_WORDS(trap, ...)                                                             \
    do {                                                                                             \
        if (count == 0)                                                                              \
            __asm__ volatile("ldm %[zeros], {r5, r8, r9, r10, r11}\n\t" trap                         \
                             : "+r"(r_call), "+r"(r_info), "=&r"(r_word0), "=&r"(r_word1),           \
                               "=&r"(r_word2), "=&r"(r_word3), "=&r"(r_word4) __VA_ARGS__            \
                             : [zeros] "r"(zeros), "r"(r_capacity)                                   \
                             : RIPOSTE_PRIVATE_CLOBBERED);                                           \
        else if (count == 1)                                                                         \
            __asm__ volatile("ldm %[zeros], {r8, r9, r10, r11}\n\t" trap                             \
                             : "+r"(r_call), "+r"(r_info), "+r"(r_word0), "=&r"(r_word1),            \
                               "=&r"(r_word2), "=&r"(r_word3), "=&r"(r_word4) __VA_ARGS__            \
                             : [zeros] "r"(zeros), "r"(r_capacity)                                   \
                             : RIPOSTE_PRIVATE_CLOBBERED);                                           \
        else if (count == 2)                                                                         \
            __asm__ volatile("ldm %[zeros], {r9, r10, r11}\n\t" trap                                 \
                             : "+r"(r_call), "+r"(r_info), "+r"(r_word0), "+r"(r_word1),             \
                               "=&r"(r_word2), "=&r"(r_word3), "=&r"(r_word4) __VA_ARGS__            \
                             : [zeros] "r"(zeros), "r"(r_capacity)                                   \
                             : RIPOSTE_PRIVATE_CLOBBERED);                                           \
        else if (count == 3)                                                                         \
            __asm__ volatile("ldm %[zeros], {r10, r11}\n\t" trap                                     \
                             : "+r"(r_call), "+r"(r_info), "+r"(r_word0), "+r"(r_word1),             \
                               "+r"(r_word2), "=&r"(r_word3), "=&r"(r_word4) __VA_ARGS__             \
                             : [zeros] "r"(zeros), "r"(r_capacity)                                   \
                             : RIPOSTE_PRIVATE_CLOBBERED);                                           \
        else                                                                                         \
            __asm__ volatile(trap                                                                    \
                             : "+r"(r_call), "+r"(r_info), "+r"(r_word0), "+r"(r_word1),             \
                               "+r"(r_word2), "+r"(r_word3), "+r"(r_word4) __VA_ARGS__               \
                             : "r"(r_capacity)                                                       \
                             : RIPOSTE_PRIVATE_CLOBBERED);                                           \
    } while (0)

/* Sends `count` words (a constant) with `info` in INFO, or answers with them, with `generation` in
 * GENERATION, and no buffer. GENERATION comes back from an answer only. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_words(struct riposte_private_registers *r, const bool answers,
                                                       const uint32_t *words, const size_t count)
{
    register uint32_t r_generation __asm__("r0") = answers ? r->generation : 0;
    register uint32_t r_capacity __asm__("r3") = (uint32_t)(uintptr_t)riposte_private_kept(0);
    register uint32_t r_call __asm__("r4") = r->call;
    register uint32_t r_word0 __asm__("r5") = count > 0 ? words[0] : 0;
    register uint32_t r_info __asm__("r6") = r->info;
    register uint32_t r_word1 __asm__("r8") = count > 1 ? words[1] : 0;
    register uint32_t r_word2 __asm__("r9") = count > 2 ? words[2] : 0;
    register uint32_t r_word3 __asm__("r10") = count > 3 ? words[3] : 0;
    register uint32_t r_word4 __asm__("r11") = count > 4 ? words[4] : 0;
    const uint32_t *zeros = count < 4 ? riposte_private_kept(riposte_zeros) : 0;
    if (answers)
        RIPOSTE_PRIVATE_WORDS(RIPOSTE_PRIVATE_CALL_WITH_GENERATION, , "+r"(r_generation));
    else
        RIPOSTE_PRIVATE_WORDS(RIPOSTE_PRIVATE_CALL, );
    RIPOSTE_PRIVATE_STORE(r);
}

/* Sends what the registers say, or answers with it and a status, with a buffer, and without a deadline. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_buffer(struct riposte_private_registers *r, const bool answers,
                                                        const void *buffer, size_t capacity, uint32_t status)
{
    register uint32_t r_generation __asm__("r0");
    register const void *r_buffer __asm__("r2") = buffer;
    register size_t r_capacity __asm__("r3") = capacity;
    register uint32_t r_call __asm__("r4") = r->call;
    register uint32_t r_word0 __asm__("r5") = r->word0;
    register uint32_t r_info __asm__("r6") = r->info;
    register uint32_t r_word1 __asm__("r8") = r->word1;
    register uint32_t r_word2 __asm__("r9") = r->word2;
    register uint32_t r_word3 __asm__("r10") = r->word3;
    register uint32_t r_word4 __asm__("r11") = r->word4;
    if (answers) {
        register uint32_t r_status __asm__("r12") = status;
        r_generation = r->generation;
        __asm__ volatile(RIPOSTE_PRIVATE_CALL_WITH_GENERATION
                         : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "+r"(r_generation), "+r"(r_word1),
                           "+r"(r_word2), "+r"(r_word3), "+r"(r_word4)
                         : "r"(r_buffer), "r"(r_capacity), "r"(r_status)
                         : RIPOSTE_PRIVATE_CLOBBERED);
    } else {
        __asm__ volatile(RIPOSTE_PRIVATE_CALL_FOR_GENERATION
                         : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "=r"(r_generation), "+r"(r_word1),
                           "+r"(r_word2), "+r"(r_word3), "+r"(r_word4)
                         : "r"(r_buffer), "r"(r_capacity)
                         : RIPOSTE_PRIVATE_CLOBBERED);
    }
    RIPOSTE_PRIVATE_STORE(r);
}

/* Sends memory that words 0 and 1 name, or answers with it and status 0, with a buffer: words 2 to 4 reach
 * nobody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_bytes(struct riposte_private_registers *r, const bool answers,
                                                       const void *buffer, size_t capacity)
{
    register uint32_t r_generation __asm__("r0");
    register const void *r_buffer __asm__("r2") = buffer;
    register size_t r_capacity __asm__("r3") = capacity;
    register uint32_t r_call __asm__("r4") = r->call;
    register uint32_t r_word0 __asm__("r5") = r->word0;
    register uint32_t r_info __asm__("r6") = r->info;
    register uint32_t r_word1 __asm__("r8") = r->word1;
    register uint32_t r_word2 __asm__("r9");
    register uint32_t r_word3 __asm__("r10");
    register uint32_t r_word4 __asm__("r11");
    if (answers) {
        r_generation = r->generation;
        __asm__ volatile(RIPOSTE_PRIVATE_CALL_WITH_GENERATION
                         : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "+r"(r_generation), "+r"(r_word1),
                           "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                         : "r"(r_buffer), "r"(r_capacity)
                         : RIPOSTE_PRIVATE_CLOBBERED);
    } else {
        __asm__ volatile(RIPOSTE_PRIVATE_CALL_FOR_GENERATION
                         : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "=r"(r_generation), "+r"(r_word1),
                           "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                         : "r"(r_buffer), "r"(r_capacity)
                         : RIPOSTE_PRIVATE_CLOBBERED);
    }
    RIPOSTE_PRIVATE_STORE(r);
}

/* Waits for a message with a buffer: no word reaches anybody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_receive(struct riposte_private_registers *r, const void *buffer,
                                                         size_t capacity)
{
    register uint32_t r_generation __asm__("r0");
    register const void *r_buffer __asm__("r2") = buffer;
    register size_t r_capacity __asm__("r3") = capacity;
    register uint32_t r_call __asm__("r4") = r->call;
    register uint32_t r_word0 __asm__("r5");
    register uint32_t r_info __asm__("r6") = r->info;
    register uint32_t r_word1 __asm__("r8");
    register uint32_t r_word2 __asm__("r9");
    register uint32_t r_word3 __asm__("r10");
    register uint32_t r_word4 __asm__("r11");
    __asm__ volatile(RIPOSTE_PRIVATE_CALL_FOR_GENERATION
                     : "+r"(r_call), "=r"(r_word0), "+r"(r_info), "=r"(r_generation), "=r"(r_word1),
                       "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                     : "r"(r_buffer), "r"(r_capacity)
                     : RIPOSTE_PRIVATE_CLOBBERED);
    RIPOSTE_PRIVATE_STORE(r);
}

/* Acknowledges the interrupt that word 3 names, and waits for a message without a buffer: the other words
 * reach nobody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_acknowledge(struct riposte_private_registers *r)
{
    register uint32_t r_generation __asm__("r0");
    register size_t r_capacity __asm__("r3") = 0;
    register uint32_t r_call __asm__("r4") = r->call;
    register uint32_t r_word0 __asm__("r5");
    register uint32_t r_info __asm__("r6") = r->info;
    register uint32_t r_word1 __asm__("r8");
    register uint32_t r_word2 __asm__("r9");
    register uint32_t r_word3 __asm__("r10") = r->word3;
    register uint32_t r_word4 __asm__("r11");
    __asm__ volatile(RIPOSTE_PRIVATE_CALL_FOR_GENERATION
                     : "+r"(r_call), "=r"(r_word0), "+r"(r_info), "=r"(r_generation), "=r"(r_word1),
                       "=r"(r_word2), "+r"(r_word3), "=r"(r_word4)
                     : "r"(r_capacity)
                     : RIPOSTE_PRIVATE_CLOBBERED);
    RIPOSTE_PRIVATE_STORE(r);
}

/* A call about a word of memory, with one more number, and without a deadline. What comes back: INFO, and
 * the error or word 0. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_trap_at_word(uint32_t number, const uint32_t *word, uint32_t value,
                                                             uint32_t *error, uint32_t *result)
{
    register uint32_t r_call __asm__("r4") = number;
    register uint32_t r_word0 __asm__("r5") = (uint32_t)(uintptr_t)word;
    register uint32_t r_info __asm__("r6") = 0;
    register uint32_t r_word1 __asm__("r8") = value;
    __asm__ volatile(RIPOSTE_PRIVATE_CALL
                     : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "+r"(r_word1)
                     :
                     : "r9", "r10", "r11", RIPOSTE_PRIVATE_CLOBBERED);
    *error = r_call;
    *result = r_word0;
    return r_info;
}

/* A call about an object, by its handle alone. What comes back: INFO, and the error. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_trap_about(uint32_t number, uint32_t handle, uint32_t *error)
{
    register uint32_t r_call __asm__("r4") = number;
    register uint32_t r_word0 __asm__("r5") = handle;
    register uint32_t r_info __asm__("r6") = 0;
    __asm__ volatile(RIPOSTE_PRIVATE_CALL
                     : "+r"(r_call), "+r"(r_word0), "+r"(r_info)
                     :
                     : "r8", "r9", "r10", "r11", RIPOSTE_PRIVATE_CLOBBERED);
    *error = r_call;
    return r_info;
}

/* A call that takes its number alone and gives nothing back. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_bare(uint32_t number)
{
    register uint32_t r_call __asm__("r4") = number;
    register uint32_t r_info __asm__("r6") = 0;
    __asm__ volatile(RIPOSTE_PRIVATE_CALL
                     : "+r"(r_call), "+r"(r_info)
                     :
                     : "r5", "r8", "r9", "r10", "r11", RIPOSTE_PRIVATE_CLOBBERED);
}

#undef RIPOSTE_PRIVATE_CALL
#undef RIPOSTE_PRIVATE_CALL_FOR_GENERATION
#undef RIPOSTE_PRIVATE_CALL_WITH_GENERATION
#undef RIPOSTE_PRIVATE_WORDS

/* Instructions that were executed, modulo 2^32: this processor does not count them. */
RIPOSTE_PRIVATE_INLINE bool riposte_instructions(uint32_t *count)
{
    (void)count;
    return false;
}

/* What the linker knows of the threads of the process: an address that is a number of bits (32, which
 * leaves nothing of an address, if there is one stack); for each
 * granule of so many of memory's addresses, whose stack is there; and the threads' ids, which are no
 * others while the threads live. */
extern const uint8_t __thread_shift[];
extern const uint8_t __thread_granules[];
extern const uint32_t __thread_ids[];

/* The index of the running thread in its process. A thread's own granule never changes: the compiler is
 * told of no memory, so that it need not ask again. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_own_index(void)
{
    uintptr_t stack;
    uint32_t index;
    __asm__("mov %0, sp" : "=r"(stack));
    __asm__("ldrb %0, [%1, %2]"
            : "=r"(index)
            : "r"(__thread_granules), "r"(stack >> (uintptr_t)__thread_shift));
    return index;
}

/* The id of the running thread: nor does that. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_own_id(void)
{
    uint32_t id;
    __asm__("ldr %0, [%1, %2, lsl #2]" : "=r"(id) : "r"(__thread_ids), "r"(riposte_private_own_index()));
    return id;
}

#endif
