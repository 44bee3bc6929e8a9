/* Waiting for an interrupt, and raising one: inline, as what messages take. Included by riposte.h. */

#ifndef RIPOSTE_INTERRUPT_H
#define RIPOSTE_INTERRUPT_H

/** Says that the last interrupt was handled, and waits for a message or a notice where interrupts
 * arrive; bits of an interrupt are a notice RIPOSTE_NOTICE_BITS. In one system call.
 *
 * @param interrupt The interrupt.
 * @param buffer The buffer for a message; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_BAD_HANDLE The interrupt is none, or was given up.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is one.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_interrupt_receive(riposte_interrupt_t interrupt, void *buffer,
                                                                 size_t capacity, riposte_message_t *message)
{
    struct riposte_private_registers r = {RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, interrupt.channel.handle),
                                  0, RIPOSTE_INFO_ACKNOWLEDGE, 0, 0, 0, interrupt.handle, 0};
    riposte_private_trap_buffer(&r, false, buffer, capacity, 0);
    return riposte_private_take(&r, buffer, message);
}

/* What is no interrupt: a client is not left waiting. */
RIPOSTE_PRIVATE_COLD riposte_error_t riposte_private_interrupt_other(uint32_t call, uint32_t info, uint32_t generation,
                                                                      uint32_t word0)
{
    riposte_token_t token;
    if (info & RIPOSTE_INFO_ERROR)
        return (riposte_error_t)call;
    token.tag = info & RIPOSTE_INFO_TAG_MASK;
    token.generation = generation;
    /* Moved memory would have its window for ever. */
    if (!(info & RIPOSTE_INFO_NOTICE) && (info & RIPOSTE_INFO_LENGTH_MASK) == RIPOSTE_INFO_MOVED)
        riposte_release((void *)(uintptr_t)word0);
    if (!(info & RIPOSTE_INFO_NOTICE))
        riposte_reply_error(token, RIPOSTE_ERROR_NOT_PERMITTED);
    return RIPOSTE_ERROR_INTERRUPTED;
}

/** Says that the last interrupt was handled, and waits for the next, in one system call. Where anything
 * else may come, call riposte_interrupt_receive.
 *
 * @param interrupt The interrupt.
 * @param bits Where the bits that were set are stored, or NULL.
 * @error RIPOSTE_ERROR_INTERRUPTED Something else came. A client is answered with the status
 * RIPOSTE_ERROR_NOT_PERMITTED.
 * @error RIPOSTE_ERROR_BAD_HANDLE The interrupt is none, or was given up.
 * @blocks Until there is one.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_interrupt_wait(riposte_interrupt_t interrupt, uint32_t *bits)
{
    struct riposte_private_registers r;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, interrupt.channel.handle);
    r.info = RIPOSTE_INFO_ACKNOWLEDGE;
    r.word3 = interrupt.handle;
    riposte_private_trap_acknowledge(&r);
    if (!RIPOSTE_PRIVATE_LIKELY(r.info == RIPOSTE_INFO_NOTICE && r.word0 == RIPOSTE_NOTICE_BITS))
        return riposte_private_interrupt_other(r.call, r.info, r.generation, r.word0);
    if (bits)
        *bits = r.word1;
    return RIPOSTE_OK;
}

/** Raises an interrupt by software, as if the device had.
 *
 * @param interrupt The interrupt.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up.
 * @blocks Never; its handler runs at once, if it is more urgent.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_interrupt_pend(riposte_interrupt_t interrupt)
{
    uint32_t error;
    const uint32_t info = riposte_private_trap_about(RIPOSTE_NUMBER_INTERRUPT_PEND, interrupt.handle, &error);
    return RIPOSTE_PRIVATE_LIKELY((info & RIPOSTE_INFO_ERROR) == 0) ? RIPOSTE_OK : (riposte_error_t)error;
}

#endif
