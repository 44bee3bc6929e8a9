/* System calls on RISC-V (RV32). Included by riposte.h.
 *
 * A call is `ecall` with the eight message registers in s2 to s9 and the extra registers in s10, s11
 * and a2 to a4. It clobbers everything but sp, s0, s1, gp and tp: the compiler saves what it still
 * needs, and the kernel nothing. */

#ifndef RIPOSTE_TRAP_RISCV_H
#define RIPOSTE_TRAP_RISCV_H

#define RIPOSTE_PRIVATE_CLOBBERED                                                                    \
    "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a5", "a6", "a7", "s10", "s11"

/* Sends `count` words (a constant) with `info` in INFO, or answers with them, with `generation` in
 * GENERATION, and no buffer. GENERATION comes back from an answer only. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_words(struct riposte_private_registers *r, const bool answers,
                                                       const uint32_t *words, const size_t count)
{
    register uint32_t r_capacity __asm__("a3") = 0;
    register uint32_t r_call __asm__("s2") = r->call;
    register uint32_t r_word0 __asm__("s3") = count > 0 ? words[0] : 0;
    register uint32_t r_info __asm__("s4") = r->info;
    register uint32_t r_generation __asm__("s5") = answers ? r->generation : 0;
    register uint32_t r_word1 __asm__("s6") = count > 1 ? words[1] : 0;
    register uint32_t r_word2 __asm__("s7") = count > 2 ? words[2] : 0;
    register uint32_t r_word3 __asm__("s8") = count > 3 ? words[3] : 0;
    register uint32_t r_word4 __asm__("s9") = count > 4 ? words[4] : 0;
    if (answers)
        __asm__ volatile("ecall"
                         : "+r"(r_capacity), "+r"(r_call), "+r"(r_word0), "+r"(r_info),
                           "+r"(r_generation), "+r"(r_word1), "+r"(r_word2), "+r"(r_word3),
                           "+r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a4");
    else
        __asm__ volatile("ecall"
                         : "+r"(r_capacity), "+r"(r_call), "+r"(r_word0), "+r"(r_info), "+r"(r_word1),
                           "+r"(r_word2), "+r"(r_word3), "+r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a4", "s5");
    RIPOSTE_PRIVATE_STORE(r);
}

/* Sends what the registers say, or answers with it and a status, with a buffer, and without a deadline. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_buffer(struct riposte_private_registers *r, const bool answers,
                                                        const void *buffer, size_t capacity, uint32_t status)
{
    register const void *r_buffer __asm__("a2") = buffer;
    register size_t r_capacity __asm__("a3") = capacity;
    register uint32_t r_call __asm__("s2") = r->call;
    register uint32_t r_word0 __asm__("s3") = r->word0;
    register uint32_t r_info __asm__("s4") = r->info;
    register uint32_t r_generation __asm__("s5");
    register uint32_t r_word1 __asm__("s6") = r->word1;
    register uint32_t r_word2 __asm__("s7") = r->word2;
    register uint32_t r_word3 __asm__("s8") = r->word3;
    register uint32_t r_word4 __asm__("s9") = r->word4;
    if (answers) {
        register uint32_t r_status __asm__("a4") = status;
        r_generation = r->generation;
        __asm__ volatile("ecall"
                         : "+r"(r_buffer), "+r"(r_capacity), "+r"(r_status), "+r"(r_call), "+r"(r_word0),
                           "+r"(r_info), "+r"(r_generation), "+r"(r_word1), "+r"(r_word2),
                           "+r"(r_word3), "+r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED);
    } else {
        __asm__ volatile("ecall"
                         : "+r"(r_buffer), "+r"(r_capacity), "+r"(r_call), "+r"(r_word0), "+r"(r_info),
                           "=r"(r_generation), "+r"(r_word1), "+r"(r_word2), "+r"(r_word3), "+r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED, "a4");
    }
    RIPOSTE_PRIVATE_STORE(r);
}

/* Sends memory that words 0 and 1 name, or answers with it and status 0, with a buffer: words 2 to 4 reach
 * nobody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_bytes(struct riposte_private_registers *r, const bool answers,
                                                       const void *buffer, size_t capacity)
{
    register const void *r_buffer __asm__("a2") = buffer;
    register size_t r_capacity __asm__("a3") = capacity;
    register uint32_t r_call __asm__("s2") = r->call;
    register uint32_t r_word0 __asm__("s3") = r->word0;
    register uint32_t r_info __asm__("s4") = r->info;
    register uint32_t r_generation __asm__("s5");
    register uint32_t r_word1 __asm__("s6") = r->word1;
    register uint32_t r_word2 __asm__("s7");
    register uint32_t r_word3 __asm__("s8");
    register uint32_t r_word4 __asm__("s9");
    if (answers) {
        r_generation = r->generation;
        __asm__ volatile("ecall"
                         : "+r"(r_buffer), "+r"(r_capacity), "+r"(r_call), "+r"(r_word0), "+r"(r_info),
                           "+r"(r_generation), "+r"(r_word1), "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED, "a4");
    } else {
        __asm__ volatile("ecall"
                         : "+r"(r_buffer), "+r"(r_capacity), "+r"(r_call), "+r"(r_word0), "+r"(r_info),
                           "=r"(r_generation), "+r"(r_word1), "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                         :
                         : RIPOSTE_PRIVATE_CLOBBERED, "a4");
    }
    RIPOSTE_PRIVATE_STORE(r);
}

/* Waits for a message with a buffer: no word reaches anybody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_receive(struct riposte_private_registers *r, const void *buffer,
                                                         size_t capacity)
{
    register const void *r_buffer __asm__("a2") = buffer;
    register size_t r_capacity __asm__("a3") = capacity;
    register uint32_t r_call __asm__("s2") = r->call;
    register uint32_t r_word0 __asm__("s3");
    register uint32_t r_info __asm__("s4") = r->info;
    register uint32_t r_generation __asm__("s5");
    register uint32_t r_word1 __asm__("s6");
    register uint32_t r_word2 __asm__("s7");
    register uint32_t r_word3 __asm__("s8");
    register uint32_t r_word4 __asm__("s9");
    __asm__ volatile("ecall"
                     : "+r"(r_buffer), "+r"(r_capacity), "+r"(r_call), "=r"(r_word0), "+r"(r_info),
                       "=r"(r_generation), "=r"(r_word1), "=r"(r_word2), "=r"(r_word3), "=r"(r_word4)
                     :
                     : RIPOSTE_PRIVATE_CLOBBERED, "a4");
    RIPOSTE_PRIVATE_STORE(r);
}

/* A call about a word of memory, with one more number, and without a deadline. What comes back: INFO, and
 * the error or word 0. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_trap_at_word(uint32_t number, const uint32_t *word, uint32_t value,
                                                             uint32_t *error, uint32_t *result)
{
    register uint32_t r_call __asm__("s2") = number;
    register uint32_t r_word0 __asm__("s3") = (uint32_t)(uintptr_t)word;
    register uint32_t r_info __asm__("s4") = 0;
    register uint32_t r_word1 __asm__("s6") = value;
    __asm__ volatile("ecall"
                     : "+r"(r_call), "+r"(r_word0), "+r"(r_info), "+r"(r_word1)
                     :
                     : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a3", "a4", "s5", "s7", "s8", "s9");
    *error = r_call;
    *result = r_word0;
    return r_info;
}

/* A call about an object, by its handle alone. What comes back: INFO, and the error. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_trap_about(uint32_t number, uint32_t handle, uint32_t *error)
{
    register uint32_t r_call __asm__("s2") = number;
    register uint32_t r_word0 __asm__("s3") = handle;
    register uint32_t r_info __asm__("s4") = 0;
    __asm__ volatile("ecall"
                     : "+r"(r_call), "+r"(r_word0), "+r"(r_info)
                     :
                     : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a3", "a4", "s5", "s6", "s7", "s8", "s9");
    *error = r_call;
    return r_info;
}

/* Acknowledges the interrupt that word 3 names, and waits for a message without a buffer: the other words
 * reach nobody. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_acknowledge(struct riposte_private_registers *r)
{
    register size_t r_capacity __asm__("a3") = 0;
    register uint32_t r_call __asm__("s2") = r->call;
    register uint32_t r_word0 __asm__("s3");
    register uint32_t r_info __asm__("s4") = r->info;
    register uint32_t r_generation __asm__("s5");
    register uint32_t r_word1 __asm__("s6");
    register uint32_t r_word2 __asm__("s7");
    register uint32_t r_word3 __asm__("s8") = r->word3;
    register uint32_t r_word4 __asm__("s9");
    __asm__ volatile("ecall"
                     : "+r"(r_capacity), "+r"(r_call), "=r"(r_word0), "+r"(r_info),
                       "=r"(r_generation), "=r"(r_word1), "=r"(r_word2), "+r"(r_word3), "=r"(r_word4)
                     :
                     : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a4");
    RIPOSTE_PRIVATE_STORE(r);
}

/* A call that takes its number alone and gives nothing back. */
RIPOSTE_PRIVATE_INLINE void riposte_private_trap_bare(uint32_t number)
{
    register uint32_t r_call __asm__("s2") = number;
    register uint32_t r_info __asm__("s4") = 0;
    __asm__ volatile("ecall"
                     : "+r"(r_call), "+r"(r_info)
                     :
                     : RIPOSTE_PRIVATE_CLOBBERED, "a2", "a3", "a4", "s3", "s5", "s6", "s7", "s8", "s9");
}

/* Instructions that were executed, modulo 2^32. The boards whose processors have no atomic instructions
 * have no counters that a process may read either: it would fault. */
RIPOSTE_PRIVATE_INLINE bool riposte_instructions(uint32_t *count)
{
#ifdef __riscv_atomic
    __asm__ volatile(".option push\n\t"
                     ".option arch, +zicsr\n\t"
                     "rdinstret %0\n\t"
                     ".option pop"
                     : "=r"(*count));
    return true;
#else
    (void)count;
    return false;
#endif
}

/* The id of the running thread: the kernel keeps it in gp. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_own_id(void)
{
    uint32_t id;
    __asm__("mv %0, gp" : "=r"(id));
    return id;
}

/* Index of the process's main thread in the system. */
extern const uint32_t __riposte_first_thread;

/* The index of the running thread in its process. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_own_index(void)
{
    return (riposte_private_own_id() & RIPOSTE_THREAD_INDEX_MASK) - __riposte_first_thread;
}

#endif
