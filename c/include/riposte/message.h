/* Messages: the calls that are inline, so that they cost no more than Rust's. Included by riposte.h.
 *
 * A comment that begins with two stars is a page of the reference. */

#ifndef RIPOSTE_MESSAGE_H
#define RIPOSTE_MESSAGE_H

#include <string.h>

#include "fill.h"

#define RIPOSTE_PRIVATE_INLINE __attribute__((always_inline)) static inline
#define RIPOSTE_PRIVATE_COLD __attribute__((noinline, cold, unused)) static
#define RIPOSTE_PRIVATE_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* The message registers, in the order in which riposte_raw_call takes them. */
struct riposte_private_registers {
    uint32_t call, word0, info, generation, word1, word2, word3, word4;
};

/* One by one: at -Os a compiler would call memset for what are eight stores. */
RIPOSTE_PRIVATE_INLINE void riposte_private_zero(struct riposte_private_registers *r)
{
    r->call = r->word0 = r->info = r->generation = 0;
    r->word1 = r->word2 = r->word3 = r->word4 = 0;
}

/* What a call left in the registers of its stub. */
#define RIPOSTE_PRIVATE_STORE(r)                                                                     \
    ((r)->call = r_call, (r)->word0 = r_word0, (r)->info = r_info, (r)->generation = r_generation,   \
     (r)->word1 = r_word1, (r)->word2 = r_word2, (r)->word3 = r_word3, (r)->word4 = r_word4)

#if defined(__riscv)
#include "trap_riscv.h"
#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)
#include "trap_armv7m.h"
#else
#error "Riposte has no port for this processor"
#endif

/* --- What comes and goes in registers ---------------------------------------------------------- */

#define RIPOSTE_PRIVATE_CALL_WORD(operation, handle) ((uint32_t)(operation) << RIPOSTE_OPERATION_SHIFT | (handle))

/* The first `count` words, at most five, and zeros. */
RIPOSTE_PRIVATE_INLINE void riposte_private_load(struct riposte_private_registers *r, const uint32_t *words, size_t count)
{
    r->word0 = count > 0 ? words[0] : 0;
    r->word1 = count > 1 ? words[1] : 0;
    r->word2 = count > 2 ? words[2] : 0;
    r->word3 = count > 3 ? words[3] : 0;
    r->word4 = count > 4 ? words[4] : 0;
}

RIPOSTE_PRIVATE_INLINE void riposte_private_words(uint32_t words[5], const struct riposte_private_registers *r)
{
    words[0] = r->word0;
    words[1] = r->word1;
    words[2] = r->word2;
    words[3] = r->word3;
    words[4] = r->word4;
}

/* One by one: a memset would keep them from being registers. */
RIPOSTE_PRIVATE_INLINE void riposte_private_clear(uint32_t words[5])
{
    words[0] = words[1] = words[2] = words[3] = words[4] = 0;
}

/* Any call with a deadline; the others are shorter. */
RIPOSTE_PRIVATE_COLD void riposte_private_trap_until(struct riposte_private_registers *r, const void *buffer, size_t capacity,
                                                     riposte_deadline_t deadline)
{
    uint32_t extra[5] = {(uint32_t)deadline, (uint32_t)(deadline >> 32), (uint32_t)(uintptr_t)buffer,
                         capacity, 0};
    if (deadline != RIPOSTE_FOREVER)
        r->info |= RIPOSTE_INFO_DEADLINE;
    riposte_raw_call(&r->call, extra);
}

/* The error of a call that failed, which is never RIPOSTE_OK: so the compiler knows that whoever finds
 * RIPOSTE_OK has a result. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_error_of(const struct riposte_private_registers *r)
{
    if (r->call == 0)
        __builtin_unreachable();
    return (riposte_error_t)r->call;
}

/* The registers of an answer say how it went. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_check(const struct riposte_private_registers *r)
{
    return (riposte_error_t)(r->info & RIPOSTE_INFO_ERROR ? r->call : 0);
}

/* Bytes that the server accepted of those that were sent: registers always take theirs. */
RIPOSTE_PRIVATE_INLINE size_t riposte_private_accepted(const struct riposte_private_registers *r, size_t sent)
{
    return sent > RIPOSTE_MESSAGE_BYTES ? r->generation : sent;
}

/* What a send brought, in words. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_take_words(const struct riposte_private_registers *r,
                                                                  size_t sent, riposte_reply_t *reply)
{
    if (!RIPOSTE_PRIVATE_LIKELY((r->info & (RIPOSTE_INFO_ERROR | RIPOSTE_INFO_BYTES)) == 0)) {
        if (r->info & RIPOSTE_INFO_ERROR)
            return riposte_private_error_of(r);
        /* More bytes than registers hold, and no buffer for them. */
        if (reply) {
            reply->status = r->call;
            riposte_private_clear(reply->words);
            reply->length = 0;
            reply->offered = r->word1;
            reply->accepted = riposte_private_accepted(r, sent);
        }
        return RIPOSTE_OK;
    }
    if (reply) {
        reply->status = r->call;
        riposte_private_words(reply->words, r);
        reply->length = reply->offered = r->info & RIPOSTE_INFO_LENGTH_MASK;
        reply->accepted = riposte_private_accepted(r, sent);
    }
    return RIPOSTE_OK;
}

/* A reply that came in registers, into a buffer; returns how many bytes found room. */
RIPOSTE_PRIVATE_COLD size_t riposte_private_unload(const struct riposte_private_registers *r, void *buffer, size_t capacity)
{
    uint32_t words[5];
    const size_t offered = r->info & RIPOSTE_INFO_LENGTH_MASK;
    const size_t length = offered < capacity ? offered : capacity;
    riposte_private_words(words, r);
    /* The compiler would conclude from it that there is a buffer. */
    __asm__("" : "+r"(buffer));
    memcpy(buffer, words, length);
    return length;
}

/* What a send brought, into a buffer. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_take_bytes(const struct riposte_private_registers *r, size_t sent,
                                                                  void *buffer, size_t capacity,
                                                                  riposte_reply_t *reply)
{
    size_t length, offered;
    const bool bytes = (r->info & (RIPOSTE_INFO_ERROR | RIPOSTE_INFO_BYTES)) == RIPOSTE_INFO_BYTES;
    if (RIPOSTE_PRIVATE_LIKELY(bytes)) {
        length = r->word0;
        offered = r->word1;
    } else if (r->info & RIPOSTE_INFO_ERROR) {
        return riposte_private_error_of(r);
    } else {
        const struct riposte_private_registers copy = *r;
        length = riposte_private_unload(&copy, buffer, capacity);
        offered = r->info & RIPOSTE_INFO_LENGTH_MASK;
    }
    if (reply) {
        reply->status = r->call;
        if (bytes)
            riposte_private_clear(reply->words);
        else
            riposte_private_words(reply->words, r);
        reply->length = length;
        reply->offered = offered;
        reply->accepted = riposte_private_accepted(r, sent);
    }
    return RIPOSTE_OK;
}

/* The word that begins at a byte of which `left` are left, and zeros behind them. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_word_at(const void *bytes, size_t position, size_t length)
{
    const uint8_t *at = (const uint8_t *)bytes + position;
    uint32_t word = 0;
    uint16_t half;
    if (length >= position + 4) {
        memcpy(&word, at, 4);
        return word;
    }
    if (length <= position)
        return 0;
    if (length == position + 1)
        return *at;
    memcpy(&half, at, 2);
    return length == position + 2 ? half : half | (uint32_t)at[2] << 16;
}

/* The registers of a message of bytes: in words if they fit, else where they lie. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_give_bytes(struct riposte_private_registers *r, const void *bytes, size_t length)
{
    if (length > RIPOSTE_MESSAGE_BYTES) {
        r->word0 = (uint32_t)(uintptr_t)bytes;
        r->word1 = length;
        return true;
    }
    r->info |= length;
    if (__builtin_constant_p(length)) {
        r->word0 = riposte_private_word_at(bytes, 0, length);
        r->word1 = riposte_private_word_at(bytes, 4, length);
        r->word2 = riposte_private_word_at(bytes, 8, length);
        r->word3 = riposte_private_word_at(bytes, 12, length);
        r->word4 = riposte_private_word_at(bytes, 16, length);
    } else {
        uint32_t words[5] = {0, 0, 0, 0, 0};
        /* The compiler would conclude from it that there are bytes. */
        __asm__("" : "+r"(bytes));
        memcpy(words, bytes, length);
        riposte_private_load(r, words, 5);
    }
    return false;
}

/* --- Sending ------------------------------------------------------------------------------------ */

/** Sends words and waits for the answer, also in words.
 *
 * @param connection To whom.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5. Best a constant.
 * @param reply Where the answer is stored, or NULL.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_send_words(riposte_connection_t connection,
                                                          const uint32_t *words, size_t count,
                                                          riposte_reply_t *reply)
{
    struct riposte_private_registers r;
    if (count > RIPOSTE_MESSAGE_WORDS)
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SEND, connection.handle);
    r.info = count * 4;
    if (__builtin_constant_p(count)) {
        riposte_private_trap_words(&r, false, words, count);
    } else {
        riposte_private_load(&r, words, count);
        riposte_private_trap_buffer(&r, false, 0, 0, 0);
    }
    return riposte_private_take_words(&r, count * 4, reply);
}

/* Sends words with flags, until a deadline, and takes the handle that the answer may bring. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_send_words_with(riposte_connection_t connection,
                                                                       const uint32_t *words, size_t count,
                                                                       uint32_t flags, riposte_deadline_t deadline,
                                                                       riposte_reply_t *reply, uint32_t *brought)
{
    struct riposte_private_registers r;
    if (count > RIPOSTE_MESSAGE_WORDS)
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SEND, connection.handle);
    r.info = count * 4 | flags;
    r.generation = 0;
    riposte_private_load(&r, words, count);
    riposte_private_trap_until(&r, 0, 0, deadline);
    if (brought && !(r.info & RIPOSTE_INFO_ERROR))
        *brought = r.info & RIPOSTE_INFO_HANDLE ? r.word4 : 0;
    return riposte_private_take_words(&r, count * 4, reply);
}

/** As riposte_send_words, until a deadline.
 *
 * @param connection To whom.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_words_until(riposte_connection_t connection,
                                                       const uint32_t *words, size_t count,
                                                       riposte_deadline_t deadline,
                                                       riposte_reply_t *reply)
{
    return riposte_private_send_words_with(connection, words, count, 0, deadline, reply, 0);
}

/** Sends words and takes the connection that the answer may bring, with the answer's first four words.
 *
 * @param connection To whom.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored, or NULL.
 * @param brought Where the connection is stored; its handle is 0 if none came.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_for_handle_until(riposte_connection_t connection,
                                                            const uint32_t *words, size_t count,
                                                            riposte_deadline_t deadline,
                                                            riposte_reply_t *reply,
                                                            riposte_connection_t *brought)
{
    return riposte_private_send_words_with(connection, words, count, RIPOSTE_INFO_ACCEPT_HANDLE, deadline, reply,
                                           brought ? &brought->handle : 0);
}

/** As riposte_send_for_handle_until, where the answer may bring the right to trigger a proxy.
 *
 * @param connection To whom.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored, or NULL.
 * @param brought Where the proxy is stored; its handle is 0 if none came.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_for_proxy_until(riposte_connection_t connection,
                                                           const uint32_t *words, size_t count,
                                                           riposte_deadline_t deadline,
                                                           riposte_reply_t *reply,
                                                           riposte_proxy_t *brought)
{
    return riposte_private_send_words_with(connection, words, count, RIPOSTE_INFO_ACCEPT_HANDLE, deadline, reply,
                                           brought ? &brought->handle : 0);
}

/** As riposte_send_for_handle_until, where the answer may bring a region that was made at run time.
 *
 * @param connection To whom.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored, or NULL.
 * @param brought Where the region is stored; its handle is 0 if none came.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_for_region_until(riposte_connection_t connection,
                                                            const uint32_t *words, size_t count,
                                                            riposte_deadline_t deadline,
                                                            riposte_reply_t *reply,
                                                            riposte_region_handle_t *brought)
{
    return riposte_private_send_words_with(connection, words, count, RIPOSTE_INFO_ACCEPT_HANDLE, deadline, reply,
                                           brought ? &brought->handle : 0);
}

/** Sends bytes and waits for the answer, of which the buffer takes as much as fits.
 *
 * @param connection To whom.
 * @param request The bytes; may be NULL if there are none.
 * @param length How many.
 * @param buffer Where the answer's bytes are stored; may be NULL if there is no room. It may be the
 * request itself.
 * @param capacity Bytes of room.
 * @param reply Where the answer's status and lengths are stored, or NULL.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The request or the buffer is not in this process's memory. Of at most
 * 20 bytes, which go in registers, the caller itself faults instead.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_send(riposte_connection_t connection, const void *request,
                                                    size_t length, void *buffer, size_t capacity,
                                                    riposte_reply_t *reply)
{
    struct riposte_private_registers r;
    r.info = 0;
    if (riposte_private_give_bytes(&r, request, length)) {
        r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SEND_BYTES, connection.handle);
        riposte_private_trap_bytes(&r, false, buffer, capacity);
    } else {
        r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SEND, connection.handle);
        riposte_private_trap_buffer(&r, false, buffer, capacity, 0);
    }
    return riposte_private_take_bytes(&r, length, buffer, capacity, reply);
}

/** As riposte_send, until a deadline.
 *
 * @param connection To whom.
 * @param request The bytes; may be NULL if there are none.
 * @param length How many.
 * @param buffer Where the answer's bytes are stored; may be NULL if there is no room.
 * @param capacity Bytes of room.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer's status and lengths are stored, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The request or the buffer is not in this process's memory. Of at most
 * 20 bytes, which go in registers, the caller itself faults instead.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_until(riposte_connection_t connection, const void *request,
                                                 size_t length, void *buffer, size_t capacity,
                                                 riposte_deadline_t deadline, riposte_reply_t *reply)
{
    struct riposte_private_registers r;
    riposte_private_zero(&r);
    const bool bytes = riposte_private_give_bytes(&r, request, length);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(bytes ? RIPOSTE_OPERATION_SEND_BYTES : RIPOSTE_OPERATION_SEND,
                                       connection.handle);
    riposte_private_trap_until(&r, buffer, capacity, deadline);
    return riposte_private_take_bytes(&r, length, buffer, capacity, reply);
}

/** As riposte_send_for_handle_until, of bytes: what asks a server for a connection may be longer than words.
 *
 * @param connection To whom.
 * @param request The bytes; may be NULL if there are none.
 * @param length How many.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored: it comes in words. Or NULL.
 * @param brought Where the connection is stored; its handle is 0 if none came.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The request is not in this process's memory. Of at most 20 bytes, which go in
 * registers, the caller itself faults instead.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_bytes_for_handle_until(riposte_connection_t connection,
                                                                  const void *request, size_t length,
                                                                  riposte_deadline_t deadline,
                                                                  riposte_reply_t *reply,
                                                                  riposte_connection_t *brought)
{
    struct riposte_private_registers r;
    riposte_private_zero(&r);
    const bool bytes = riposte_private_give_bytes(&r, request, length);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(bytes ? RIPOSTE_OPERATION_SEND_BYTES : RIPOSTE_OPERATION_SEND,
                                       connection.handle);
    r.info |= RIPOSTE_INFO_ACCEPT_HANDLE;
    riposte_private_trap_until(&r, 0, 0, deadline);
    if (brought && !(r.info & RIPOSTE_INFO_ERROR))
        brought->handle = r.info & RIPOSTE_INFO_HANDLE ? r.word4 : 0;
    return riposte_private_take_words(&r, length, reply);
}

/* Scatters a reply that came in registers over the parts; returns how many bytes found room. */
RIPOSTE_PRIVATE_COLD size_t riposte_private_fill(const riposte_part_t *parts, size_t count,
                                                 const struct riposte_private_registers *r)
{
    uint32_t words[5];
    size_t done = 0, part;
    const size_t length = r->info & RIPOSTE_INFO_LENGTH_MASK;
    riposte_private_words(words, r);
    for (part = 0; part < count && done < length; part++) {
        const size_t left = length - done;
        const size_t room = parts[part].length < left ? parts[part].length : left;
        memcpy(parts[part].address, (const char *)words + done, room);
        done += room;
    }
    return done;
}

/** Sends the bytes of several parts in order, and scatters the answer over several others, of any
 * shape.
 *
 * @param connection To whom.
 * @param request The request's parts.
 * @param requests How many, at most RIPOSTE_MAX_PARTS.
 * @param buffers The parts that take the answer; may be NULL if there are none.
 * @param buffer_count How many, at most RIPOSTE_MAX_PARTS.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param reply Where the answer's status and lengths are stored, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Too many parts.
 * @error RIPOSTE_ERROR_BAD_ADDRESS A part, or what it names, is not in this process's memory. If the answer has one part
 * alone, the caller reads that, and faults instead where it is not.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the server may have had the request.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_send_vector_until(riposte_connection_t connection,
                                                        const riposte_part_t *request, size_t requests,
                                                        const riposte_part_t *buffers, size_t buffer_count,
                                                        riposte_deadline_t deadline, riposte_reply_t *reply)
{
    struct riposte_private_registers r;
    /* One part is its bytes, which take the kernel less to look at. */
    const bool one = buffer_count == 1;
    riposte_private_zero(&r);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SEND_VECTOR, connection.handle);
    r.info = buffer_count > 1 ? RIPOSTE_INFO_VECTOR : 0;
    r.word0 = (uint32_t)(uintptr_t)request;
    r.word1 = requests;
    riposte_private_trap_until(&r, one ? buffers->address : buffers, one ? buffers->length : buffer_count, deadline);
    if (r.info & RIPOSTE_INFO_ERROR)
        return (riposte_error_t)r.call;
    const bool bytes = (r.info & RIPOSTE_INFO_BYTES) != 0;
    const size_t length = bytes ? r.word0 : riposte_private_fill(buffers, buffer_count, &r);
    if (reply) {
        memset(reply, 0, sizeof *reply);
        reply->status = r.call;
        reply->length = length;
        reply->offered = bytes ? r.word1 : r.info & RIPOSTE_INFO_LENGTH_MASK;
        reply->accepted = r.generation;
    }
    return RIPOSTE_OK;
}

/* --- Receiving ---------------------------------------------------------------------------------- */

/* What is no message in words or of memory: an error, a notice, or bytes in the buffer. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_take_other(const struct riposte_private_registers *r, void *buffer,
                                                                  riposte_message_t *message)
{
    if (r->info & RIPOSTE_INFO_ERROR)
        return riposte_private_error_of(r);
    message->badge = r->call;
    message->token.tag = r->info & RIPOSTE_INFO_TAG_MASK;
    message->token.generation = r->generation;
    message->notice = 0;
    message->memory = 0;
    message->buffer = 0;
    message->length = message->offered = 0;
    if (r->info & RIPOSTE_INFO_NOTICE) {
        riposte_private_words(message->words, r);
        message->notice = r->word0;
        if (r->word0 == RIPOSTE_NOTICE_PROXY) {
            message->buffer = buffer;
            message->length = r->word1;
            message->offered = r->word2;
        }
    } else {
        message->buffer = buffer;
        message->length = r->word0;
        message->offered = r->word1;
        riposte_private_clear(message->words);
    }
    return RIPOSTE_OK;
}

/* What a receive brought. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_take(const struct riposte_private_registers *r, void *buffer,
                                                            riposte_message_t *message)
{
    /* The mark of memory is greater than any length. */
    const uint32_t mark = r->info & RIPOSTE_INFO_LENGTH_MASK;
    const bool words = RIPOSTE_PRIVATE_LIKELY(mark <= RIPOSTE_MESSAGE_BYTES);
    if (!RIPOSTE_PRIVATE_LIKELY((r->info & (RIPOSTE_INFO_ERROR | RIPOSTE_INFO_NOTICE | RIPOSTE_INFO_BYTES)) == 0))
        return riposte_private_take_other(r, buffer, message);
    message->badge = r->call;
    message->token.tag = r->info & RIPOSTE_INFO_TAG_MASK;
    message->token.generation = r->generation;
    message->notice = 0;
    message->memory = words ? 0 : mark;
    message->buffer = 0;
    message->length = message->offered = words ? mark : 0;
    riposte_private_words(message->words, r);
    return RIPOSTE_OK;
}

/** Waits for a message or a notice. What does not fit in registers is copied to the buffer, as far as
 * it fits; the rest stays with the client for riposte_read.
 *
 * @param channel Where.
 * @param buffer The buffer; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory. No message is lost.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was received.
 * @blocks Until there is one.
 * @from Any thread; several may receive from one channel. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_receive(riposte_channel_t channel, void *buffer,
                                                       size_t capacity, riposte_message_t *message)
{
    struct riposte_private_registers r;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, channel.handle);
    r.info = 0;
    riposte_private_trap_receive(&r, buffer, capacity);
    return riposte_private_take(&r, buffer, message);
}

/** As riposte_receive, until a deadline.
 *
 * @param channel Where.
 * @param buffer The buffer; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Nothing is there, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory. No message is lost.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was received.
 * @blocks Until there is one, or the deadline.
 * @from Any thread; several may receive from one channel. */
static inline riposte_error_t riposte_receive_until(riposte_channel_t channel, void *buffer,
                                                    size_t capacity, riposte_deadline_t deadline,
                                                    riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_zero(&r);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, channel.handle);
    riposte_private_trap_until(&r, buffer, capacity, deadline);
    return riposte_private_take(&r, buffer, message);
}

/** As riposte_receive, of what is there already.
 *
 * @param channel Where.
 * @param buffer The buffer; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Nothing is there.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory. No message is lost.
 * @blocks Never.
 * @from Any thread; several may receive from one channel. */
static inline riposte_error_t riposte_try_receive(riposte_channel_t channel, void *buffer,
                                                  size_t capacity, riposte_message_t *message)
{
    return riposte_receive_until(channel, buffer, capacity, RIPOSTE_IMMEDIATE, message);
}

/** The clients of one connection, for riposte_receive_from_until.
 *
 * @param badge The connection's badge.
 * @return Whom to wait for.
 * @blocks Never.
 * @from Any thread. */
static inline riposte_peer_t riposte_peer_badge(uint32_t badge)
{
    riposte_peer_t peer;
    peer.select = RIPOSTE_SELECT_BADGE;
    peer.first = badge;
    peer.second = 0;
    return peer;
}

/** The client that a token names, for riposte_receive_from_until.
 *
 * @param token Its token; it stays good.
 * @return Whom to wait for.
 * @blocks Never.
 * @from Any thread. */
static inline riposte_peer_t riposte_peer_client(riposte_token_t token)
{
    riposte_peer_t peer;
    peer.select = RIPOSTE_SELECT_TOKEN;
    peer.first = token.tag;
    peer.second = token.generation;
    return peer;
}

/** Waits for a message of one peer; others stay queued.
 *
 * @param channel Where.
 * @param peer From whom: see riposte_peer_badge and riposte_peer_client.
 * @param buffer The buffer; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_PEER_DIED The peer is gone, or goes.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Nothing is there, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The peer is neither kind.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory. No message is lost.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was received.
 * @blocks Until there is one, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_receive_from_until(riposte_channel_t channel, riposte_peer_t peer,
                                                         void *buffer, size_t capacity,
                                                         riposte_deadline_t deadline,
                                                         riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_zero(&r);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, channel.handle);
    r.info = RIPOSTE_INFO_SELECT;
    r.word0 = peer.select;
    r.word1 = peer.first;
    r.word2 = peer.second;
    riposte_private_trap_until(&r, buffer, capacity, deadline);
    return riposte_private_take(&r, buffer, message);
}

/** As riposte_receive_until, into several parts, in which the bytes of a message lie then, however it
 * came: its buffer is NULL, its words are 0, and its `memory` is RIPOSTE_INFO_BYTES. Memory that came is
 * told as ever.
 *
 * @param channel Where.
 * @param parts The parts.
 * @param count How many, at most RIPOSTE_MAX_PARTS.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Too many parts.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Nothing is there, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS A part, or what it names, is not in this process's memory. Of a message
 * that came in registers, the caller itself faults instead.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was received.
 * @blocks Until there is one, or the deadline.
 * @from Any thread. */
static inline riposte_error_t riposte_receive_vector_until(riposte_channel_t channel,
                                                           const riposte_part_t *parts, size_t count,
                                                           riposte_deadline_t deadline,
                                                           riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_zero(&r);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, channel.handle);
    r.info = RIPOSTE_INFO_VECTOR;
    riposte_private_trap_until(&r, parts, count, deadline);
    const riposte_error_t error = riposte_private_take(&r, 0, message);
    /* What a proxy brings lies there, too. */
    if (error == RIPOSTE_OK && message->notice == RIPOSTE_NOTICE_PROXY)
        message->memory = RIPOSTE_INFO_BYTES;
    if (error == RIPOSTE_OK && !message->notice && !message->memory) {
        if (!(r.info & RIPOSTE_INFO_BYTES))
            message->length = riposte_private_fill(parts, count, &r);
        riposte_private_clear(message->words);
        message->memory = RIPOSTE_INFO_BYTES;
    }
    return error;
}

/** Where the bytes of a message are: in its buffer or in its words.
 *
 * @param message The message.
 * @return The first of its `length` bytes; as good as the message, and as the buffer. NULL if they lie in
 * the parts of the receive.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE const void *riposte_message_bytes(const riposte_message_t *message)
{
    if (message->buffer)
        return message->buffer;
    return message->memory == RIPOSTE_INFO_BYTES ? NULL : (const void *)message->words;
}

/* --- Answering ---------------------------------------------------------------------------------- */

/* An answer's registers but for the call word and the words. */
RIPOSTE_PRIVATE_INLINE void riposte_private_answer(struct riposte_private_registers *r, riposte_token_t token,
                                                   uint32_t status)
{
    r->info = (token.tag & RIPOSTE_INFO_TAG_MASK) | (status ? RIPOSTE_INFO_STATUS : 0);
    r->generation = token.generation;
}

/** Answers a client with a status and bytes.
 *
 * @param token Which client, by the token of its message.
 * @param status 0, or an error of the server's own.
 * @param bytes The bytes; may be NULL if there are none.
 * @param length How many.
 * @param accepted Where it is stored how many the client took, or NULL.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The bytes are not in this process's memory; the client waits on. Of at
 * most 20 bytes, which go in registers, the caller itself faults instead.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_reply(riposte_token_t token, uint32_t status,
                                                     const void *bytes, size_t length, size_t *accepted)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, status);
    r.word2 = r.word3 = r.word4 = 0;
    const bool in_memory = riposte_private_give_bytes(&r, bytes, length);
    r.call = in_memory ? RIPOSTE_NUMBER_REPLY_BYTES : RIPOSTE_NUMBER_REPLY;
    if (in_memory && __builtin_constant_p(status) && status == 0)
        riposte_private_trap_bytes(&r, true, 0, 0);
    else
        riposte_private_trap_buffer(&r, true, 0, 0, status);
    if (accepted && !(r.info & RIPOSTE_INFO_ERROR))
        *accepted = r.word0;
    return riposte_private_check(&r);
}

/** Answers a client with a status and words.
 *
 * @param token Which client, by the token of its message.
 * @param status 0, or an error of the server's own.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5. Best a constant.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words; the client waits on.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_reply_words(riposte_token_t token, uint32_t status,
                                                           const uint32_t *words, size_t count)
{
    struct riposte_private_registers r;
    if (count > RIPOSTE_MESSAGE_WORDS)
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    riposte_private_answer(&r, token, status);
    r.call = RIPOSTE_NUMBER_REPLY;
    r.info |= count * 4;
    riposte_private_load(&r, words, count);
    riposte_private_trap_buffer(&r, true, 0, 0, status);
    return riposte_private_check(&r);
}

/** Answers a client with status 0 and the bytes of several parts, in order.
 *
 * @param token Which client, by the token of its message.
 * @param parts The parts.
 * @param count How many, at most RIPOSTE_MAX_PARTS.
 * @param accepted Where it is stored how many bytes the client took, or NULL.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Too many parts; the client waits on.
 * @error RIPOSTE_ERROR_BAD_ADDRESS A part, or what it names, is not in this process's memory; the client
 * waits on.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_vector(riposte_token_t token, const riposte_part_t *parts,
                                                   size_t count, size_t *accepted)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, 0);
    r.call = RIPOSTE_NUMBER_REPLY_VECTOR;
    r.word0 = (uint32_t)(uintptr_t)parts;
    r.word1 = count;
    r.word2 = r.word3 = r.word4 = 0;
    riposte_private_trap_buffer(&r, true, 0, 0, 0);
    if (accepted && !(r.info & RIPOSTE_INFO_ERROR))
        *accepted = r.word0;
    return riposte_private_check(&r);
}

/** Answers a client with an error of the server's own and no bytes.
 *
 * @param token Which client, by the token of its message.
 * @param status The error, not 0.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_error(riposte_token_t token, uint32_t status)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, status);
    r.info |= RIPOSTE_INFO_STATUS;
    r.call = RIPOSTE_NUMBER_REPLY_ERROR;
    r.word0 = r.word1 = r.word2 = r.word3 = r.word4 = 0;
    riposte_private_trap_buffer(&r, true, 0, 0, status);
    return riposte_private_check(&r);
}

/* Answers with four words and a handle. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_private_reply_with_handle(riposte_token_t token, const uint32_t words[4],
                                                                         uint32_t handle)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, 0);
    r.call = RIPOSTE_NUMBER_REPLY_HANDLE;
    r.info |= 16;
    riposte_private_load(&r, words, 4);
    r.word4 = handle;
    riposte_private_trap_buffer(&r, true, 0, 0, 0);
    return riposte_private_check(&r);
}

/** Answers a client with status 0 and four words, and hands it a connection, which must have the right
 * `transfer`. This process keeps its own.
 *
 * @param token Which client, by the token of its message.
 * @param words The four words.
 * @param connection The connection.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The connection may not be handed on, or the client takes none; it waits
 * on.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale; the client waits on.
 * @error RIPOSTE_ERROR_NO_HANDLES The client has no room for it.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_handle(riposte_token_t token, const uint32_t words[4],
                                                   riposte_connection_t connection)
{
    return riposte_private_reply_with_handle(token, words, connection.handle);
}

/** Answers a client with status 0 and four words, and hands it a region that was made at run time, which must
 * have the right `transfer`. This process keeps its own handle. The client takes it by
 * riposte_send_for_region_until; it can write if this one can, and hands it on only if that is `onward`.
 *
 * @param token Which client, by the token of its message.
 * @param words The four words.
 * @param region The region.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The region may not be handed on, or the client takes none; it waits on.
 * @error RIPOSTE_ERROR_BAD_HANDLE The region is none, or was closed; the client waits on.
 * @error RIPOSTE_ERROR_NO_HANDLES The client has no room for it.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_region(riposte_token_t token, const uint32_t words[4],
                                                   riposte_region_handle_t region)
{
    return riposte_private_reply_with_handle(token, words, region.handle);
}

/** Answers a client with status 0 and four words, and lets it trigger a proxy: one of this process, or
 * one that may be handed on. The client takes it by riposte_send_for_proxy_until.
 *
 * @param token Which client, by the token of its message.
 * @param words The four words.
 * @param proxy The proxy.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The proxy may not be handed on, or the client takes none; it waits on.
 * @error RIPOSTE_ERROR_BAD_HANDLE The proxy is none, or was destroyed; the client waits on.
 * @error RIPOSTE_ERROR_SERVER_DIED The proxy's owner is dead; the client waits on.
 * @error RIPOSTE_ERROR_NO_HANDLES The client has no room for it.
 * @blocks Never.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_proxy(riposte_token_t token, const uint32_t words[4],
                                                  riposte_proxy_t proxy)
{
    return riposte_private_reply_with_handle(token, words, proxy.handle);
}

/** Answers a client with a status and bytes, and waits for the next message, in one system call.
 *
 * @param channel Where to wait.
 * @param token Which client to answer, by the token of its message.
 * @param status 0, or an error of the server's own.
 * @param bytes The bytes; may be NULL if there are none. They may lie in the buffer.
 * @param length How many.
 * @param buffer The buffer for the next message; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits: then nothing was received either.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The bytes or the buffer are not in this process's memory. Of at most
 * 20 bytes to send, which go in registers, the caller itself faults instead.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile: the client was answered, and nothing received.
 * @blocks Until there is a message.
 * @from Any thread of the process that received the message. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_reply_and_receive(riposte_channel_t channel, riposte_token_t token,
                                                                 uint32_t status, const void *bytes,
                                                                 size_t length, void *buffer, size_t capacity,
                                                                 riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, status);
    if (riposte_private_give_bytes(&r, bytes, length)) {
        r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_BYTES_RECEIVE, channel.handle);
        if (__builtin_constant_p(status) && status == 0) {
            riposte_private_trap_bytes(&r, true, buffer, capacity);
            return riposte_private_take(&r, buffer, message);
        }
        r.word2 = r.word3 = r.word4 = 0;
    } else {
        r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_RECEIVE, channel.handle);
    }
    riposte_private_trap_buffer(&r, true, buffer, capacity, status);
    return riposte_private_take(&r, buffer, message);
}

/** Answers a client with status 0 and the first bytes of a buffer, and waits for the next message in the
 * same buffer: the shortest form of riposte_reply_and_receive for a server that works in place.
 *
 * @param channel Where to wait.
 * @param token Which client to answer, by the token of its message.
 * @param length How many bytes; all that the buffer has if they are fewer.
 * @param buffer The buffer; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits: then nothing was received either.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile: the client was answered, and nothing received.
 * @blocks Until there is a message.
 * @from Any thread of the process that received the message. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_reply_in_place_and_receive(riposte_channel_t channel,
                                                                          riposte_token_t token, size_t length,
                                                                          void *buffer, size_t capacity,
                                                                          riposte_message_t *message)
{
    struct riposte_private_registers r;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_BYTES_RECEIVE, channel.handle);
    r.info = token.tag;
    r.generation = token.generation;
    r.word0 = (uint32_t)(uintptr_t)buffer;
    r.word1 = length < capacity ? length : capacity;
    riposte_private_trap_bytes(&r, true, buffer, capacity);
    return riposte_private_take(&r, buffer, message);
}

/** Answers a client with status 0 and words, and waits for the next message that fits in registers: the
 * shortest form of riposte_reply_and_receive.
 *
 * @param channel Where to wait.
 * @param token Which client to answer, by the token of its message.
 * @param words The words; may be NULL if there are none.
 * @param count How many, at most 5. Best a constant.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits: then nothing was received either.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 5 words; the client waits on.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile: the client was answered, and nothing received.
 * @blocks Until there is a message.
 * @from Any thread of the process that received the message. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_reply_words_and_receive(riposte_channel_t channel,
                                                                       riposte_token_t token,
                                                                       const uint32_t *words, size_t count,
                                                                       riposte_message_t *message)
{
    struct riposte_private_registers r;
    if (count > RIPOSTE_MESSAGE_WORDS)
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_RECEIVE, channel.handle);
    r.info = token.tag | count * 4;
    r.generation = token.generation;
    if (__builtin_constant_p(count)) {
        riposte_private_trap_words(&r, true, words, count);
    } else {
        riposte_private_load(&r, words, count);
        riposte_private_trap_buffer(&r, true, 0, 0, 0);
    }
    return riposte_private_take(&r, 0, message);
}

/** Answers a client with status 0 and the bytes of several parts, and waits for the next message, in one
 * system call.
 *
 * @param channel Where to wait.
 * @param token Which client to answer, by the token of its message.
 * @param parts The parts.
 * @param count How many, at most RIPOSTE_MAX_PARTS.
 * @param buffer The buffer for the next message; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits: then nothing was received either.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Too many parts; the client waits on.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The parts or the buffer are not in this process's memory.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile: the client was answered, and nothing received.
 * @blocks Until there is a message.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_vector_and_receive(riposte_channel_t channel,
                                                               riposte_token_t token,
                                                               const riposte_part_t *parts, size_t count,
                                                               void *buffer, size_t capacity,
                                                               riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, 0);
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_VECTOR_RECEIVE, channel.handle);
    r.word0 = (uint32_t)(uintptr_t)parts;
    r.word1 = count;
    r.word2 = r.word3 = r.word4 = 0;
    riposte_private_trap_buffer(&r, true, buffer, capacity, 0);
    return riposte_private_take(&r, buffer, message);
}

/** Answers a client with an error of the server's own and no bytes, and waits for the next message, in
 * one system call.
 *
 * @param channel Where to wait.
 * @param token Which client to answer, by the token of its message.
 * @param status The error, not 0.
 * @param buffer The buffer for the next message; may be NULL if there is none.
 * @param capacity Its bytes.
 * @param message Where the message or the notice is stored.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits: then nothing was received either.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is none of this process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile: the client was answered, and nothing received.
 * @blocks Until there is a message.
 * @from Any thread of the process that received the message. */
static inline riposte_error_t riposte_reply_error_and_receive(riposte_channel_t channel,
                                                              riposte_token_t token, uint32_t status,
                                                              void *buffer, size_t capacity,
                                                              riposte_message_t *message)
{
    struct riposte_private_registers r;
    riposte_private_answer(&r, token, status);
    r.info |= RIPOSTE_INFO_STATUS;
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_ERROR_RECEIVE, channel.handle);
    r.word0 = r.word1 = r.word2 = r.word3 = r.word4 = 0;
    riposte_private_trap_buffer(&r, true, buffer, capacity, status);
    return riposte_private_take(&r, buffer, message);
}

/* --- The shortest calls -------------------------------------------------------------------------- */

/** Lets the next ready thread of the same priority run.
 *
 * @blocks Until this thread's turn comes again.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_yield(void)
{
    riposte_private_trap_bare(RIPOSTE_NUMBER_YIELD);
}

/** Makes a system call that does nothing: what a call costs.
 *
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_null_call(void)
{
    riposte_private_trap_bare(RIPOSTE_NUMBER_NULL);
}

#endif
