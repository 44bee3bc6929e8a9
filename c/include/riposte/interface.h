/* What headers stand on that are made of the traits of `#[riposte::interface]`. They include this one.
 *
 * A request is the method's number, a word, then its arguments without gaps: a number as its words, a structure
 * as its bytes; of a slice, a text or a room how many elements. The elements of slices and texts follow, each at a
 * multiple of its alignment, the first one at a multiple of the greatest. A reply is the values of the
 * result, then the elements of the room that are filled. */

#ifndef RIPOSTE_INTERFACE_H
#define RIPOSTE_INTERFACE_H

#include <assert.h>
#include <stdalign.h>

#include <riposte.h>

/* Statuses with which a generated server refuses a request: the interface has no method with that number; the
 * bytes are not those of its arguments, or those of an answer not its results; the server's buffer is too short. */
#define RIPOSTE_REFUSED_NO_SUCH_METHOD UINT32_MAX
#define RIPOSTE_REFUSED_MALFORMED (UINT32_MAX - 1)
#define RIPOSTE_REFUSED_TOO_LONG (UINT32_MAX - 2)

/* The answer to a request, which has not been given yet: see riposte_answer_and_receive. */
typedef struct riposte_answer_t {
    /* 0, or why there is none. */
    uint32_t status;
    /* Its bytes in the server's buffer; NULL if they are the words. */
    const void *bytes;
    /* How many. */
    size_t length;
    /* At most five words. */
    uint32_t words[5];
} riposte_answer_t;

/* Gives an answer and waits for the next message, in one system call: for a server with a loop of its own, which may
 * serve several interfaces and choose by the message's badge. Blocks until there is a message; errors are
 * those of riposte_reply_and_receive. */
static inline riposte_error_t riposte_answer_and_receive(riposte_channel_t channel, riposte_token_t token,
                                                         const riposte_answer_t *answer, void *buffer,
                                                         size_t capacity, riposte_message_t *message)
{
    const void *bytes = answer->bytes ? answer->bytes : answer->words;
    return riposte_reply_and_receive(channel, token, answer->status, bytes, answer->length, buffer, capacity, message);
}

#define RIPOSTE_PRIVATE_UNUSED __attribute__((unused)) static

/* --- Values ---------------------------------------------------------------------------------------- */

RIPOSTE_PRIVATE_INLINE void riposte_private_put_word(void *bytes, size_t place, uint32_t word)
{
    memcpy((uint8_t *)bytes + place, &word, 4);
}

RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_word(const void *bytes, size_t place)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)bytes + place, 4);
    return word;
}

RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_word_of_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

RIPOSTE_PRIVATE_INLINE float riposte_private_float_of_word(uint32_t word)
{
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* --- The client ------------------------------------------------------------------------------------ */

/* A slice or a text of a request. */
struct riposte_private_slice {
    const void *elements;
    size_t bytes, alignment;
};

/* Sends the values of a request and its slices, and takes the values of the reply and the room that it fills. */
RIPOSTE_PRIVATE_UNUSED riposte_error_t riposte_private_exchange(
    riposte_connection_t connection, const void *request, size_t length, const struct riposte_private_slice *slices,
    size_t count, void *head, size_t head_bytes, void *room, size_t room_bytes, riposte_deadline_t deadline,
    riposte_reply_t *reply)
{
    static const uint8_t gap[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    riposte_part_t parts[RIPOSTE_MAX_PARTS], replies[2];
    size_t part = 1, slice;
    parts[0].address = (void *)(uintptr_t)request;
    parts[0].length = length;
    for (slice = 0; slice < count; slice++) {
        const size_t skipped = -length & (slices[slice].alignment - 1);
        parts[part].address = (void *)(uintptr_t)gap;
        parts[part++].length = skipped;
        parts[part].address = (void *)(uintptr_t)slices[slice].elements;
        parts[part++].length = slices[slice].bytes;
        length += skipped + slices[slice].bytes;
    }
    replies[0].address = head;
    replies[0].length = head_bytes;
    replies[1].address = room;
    replies[1].length = room_bytes;
    return riposte_send_vector_until(connection, parts, part, replies, 2, deadline, reply);
}

/* The status of a call, whose reply should have so many bytes, all of which are there. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_status(const riposte_reply_t *reply, size_t bytes)
{
    if (reply->status)
        return reply->status;
    return reply->offered == bytes && reply->length == bytes ? 0 : RIPOSTE_REFUSED_MALFORMED;
}

/* The same, where the reply's values are followed by as many elements as they say, in a room for at most so many. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_filled(const riposte_reply_t *reply, size_t head, size_t count,
                                                       size_t size, size_t most)
{
    if (reply->status)
        return reply->status;
    if (reply->offered < head || count > most)
        return RIPOSTE_REFUSED_MALFORMED;
    return riposte_private_status(reply, head + count * size);
}

/* --- The server ------------------------------------------------------------------------------------ */

RIPOSTE_PRIVATE_INLINE riposte_answer_t riposte_private_refuse(uint32_t status)
{
    const riposte_answer_t answer = {status, NULL, 0, {0, 0, 0, 0, 0}};
    return answer;
}

/* Why a request is refused that should have so many bytes, or at least so many; 0 if it is as it should be. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_private_refusal(const riposte_message_t *message, size_t bytes, bool or_more)
{
    if (message->offered > message->length)
        return RIPOSTE_REFUSED_TOO_LONG;
    return message->length == bytes || (or_more && message->length > bytes) ? 0 : RIPOSTE_REFUSED_MALFORMED;
}

/* The slices and texts of a request. */
struct riposte_private_tail {
    const uint8_t *bytes;
    size_t length, position;
    /* What of the server's buffer lies behind them. */
    uint8_t *rest;
    size_t left;
};

/* What follows the values of a request, of which all have been taken, aligned. Returns why it is refused, or 0. */
RIPOSTE_PRIVATE_UNUSED uint32_t riposte_private_tail(const riposte_message_t *message, size_t begin, size_t alignment,
                                                     void *buffer, size_t capacity, struct riposte_private_tail *tail)
{
    uint8_t *bytes = (uint8_t *)buffer;
    const size_t shift = (uintptr_t)buffer & (alignment - 1);
    if (message->length > capacity)
        return RIPOSTE_REFUSED_TOO_LONG;
    if (message->length < begin)
        return RIPOSTE_REFUSED_MALFORMED;
    tail->length = message->length - begin;
    tail->position = 0;
    /* Before the slices stand the values: at least as many bytes as these are moved by. */
    memmove(bytes + begin - shift, (const uint8_t *)riposte_message_bytes(message) + begin, tail->length);
    tail->bytes = bytes + begin - shift;
    tail->rest = bytes + message->length;
    tail->left = capacity - message->length;
    return 0;
}

/* The next slice, or NULL if the request is too short for it. */
RIPOSTE_PRIVATE_UNUSED const void *riposte_private_take_slice(struct riposte_private_tail *tail, uint32_t count, size_t size,
                                                              size_t alignment)
{
    const size_t begin = (tail->position + alignment - 1) & -alignment;
    if (begin > tail->length || count > (tail->length - begin) / size)
        return NULL;
    tail->position = begin + count * size;
    return tail->bytes + begin;
}

/* Where a reply stands whose values have so many bytes and are followed by a room, which is as large as the client's,
 * or as fits; NULL if not even the values fit. The room is zeros: what stands there is of other clients. */
RIPOSTE_PRIVATE_UNUSED uint8_t *riposte_private_room(uint8_t *bytes, size_t left, size_t head, size_t size,
                                                     size_t alignment, uint32_t wanted, size_t *elements)
{
    const size_t skipped = -((uintptr_t)bytes + head) & (alignment - 1);
    if (left < skipped || left - skipped < head)
        return NULL;
    *elements = (left - skipped - head) / size;
    if (*elements > wanted)
        *elements = wanted;
    memset(bytes + skipped, 0, head + *elements * size);
    return bytes + skipped;
}

/* Whether a message is a request: bytes, and neither memory nor in the parts of a receive. Memory that was moved goes
 * home: it would have its window for ever. */
RIPOSTE_PRIVATE_UNUSED bool riposte_private_is_request(const riposte_message_t *message)
{
    if (message->memory == RIPOSTE_INFO_MOVED)
        riposte_release((void *)(uintptr_t)message->words[0]);
    return message->memory == 0;
}

/* Waits for the next message, and passes over notices, clients that have left and signals that were handled. */
RIPOSTE_PRIVATE_UNUSED riposte_error_t riposte_private_next(riposte_channel_t channel, riposte_error_t error, void *buffer,
                                                            size_t capacity, riposte_message_t *message)
{
    while (error == RIPOSTE_OK ? message->notice : error == RIPOSTE_ERROR_NO_SUCH_CLIENT || error == RIPOSTE_ERROR_INTERRUPTED)
        error = riposte_receive(channel, buffer, capacity, message);
    return error;
}

#endif
