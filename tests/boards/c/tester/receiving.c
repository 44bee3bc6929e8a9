/* A server's calls, with the process's own second thread as the client. */

#include <string.h>

#include "check.h"

/* Sends to the channel `own` for ever: bytes, the third time as few as go in registers. */
RIPOSTE_THREAD(second_one)
{
    static const char text[] = "a message of more than twenty bytes";
    riposte_connection_t own;
    if (riposte_is_main_thread() || riposte_connect("own", &own) != RIPOSTE_OK)
        riposte_panic("no connection to its own process");
    for (unsigned sent = 0;; sent++)
        riposte_send(own, text, sent == 2 ? 9 : sizeof text, NULL, 0, NULL);
}

void receiving(void)
{
    riposte_channel_t own;
    riposte_connection_t itself;
    riposte_message_t message = {0};
    char buffer[64], head[4], tail[8];
    const riposte_part_t parts[2] = {{head, sizeof head}, {tail, sizeof tail}};
    riposte_token_t token;
    size_t copied = 0;

    riposte_channel("own", &own);
    begin("a message is received, as a whole, in parts, and from one peer");
    CHECK(riposte_receive(own, buffer, sizeof buffer, &message) == RIPOSTE_OK);
    CHECK(message.notice == 0 && message.memory == 0 && message.badge == 9);
    CHECK(message.length == 36 && message.offered == 36);
    token = message.token;
    CHECK(riposte_connect("own", &itself) == RIPOSTE_OK);
    CHECK(riposte_relay(token, itself, NULL, 21) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_relay(token, itself, NULL, 0) == RIPOSTE_OK);
    CHECK(riposte_relay(token, itself, NULL, 0) == RIPOSTE_ERROR_NO_SUCH_CLIENT);
    CHECK(riposte_receive(own, buffer, sizeof buffer, &message) == RIPOSTE_OK && message.length == 36);
    CHECK(memcmp(riposte_message_bytes(&message), "a message", 9) == 0);
    token = message.token;
    CHECK(riposte_read(token, 2, buffer, 7, &copied) == RIPOSTE_OK && copied == 7);
    CHECK(memcmp(buffer, "message", 7) == 0);
    CHECK(riposte_try_receive(own, buffer, sizeof buffer, &message) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_receive_until(own, buffer, sizeof buffer, RIPOSTE_IMMEDIATE, &message)
          == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_receive_until(own, buffer, sizeof buffer, riposte_clock() + 1000, &message)
          == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_receive_from_until(own, riposte_peer_client(token), NULL, 0, RIPOSTE_IMMEDIATE, &message)
          == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_reply(token, 3, NULL, 0, NULL) == RIPOSTE_OK);
    CHECK(riposte_receive_vector_until(own, parts, 2, RIPOSTE_FOREVER, &message) == RIPOSTE_OK);
    CHECK(message.length == 12 && message.offered == 36 && message.buffer == NULL);
    CHECK(memcmp(head, "a me", 4) == 0 && memcmp(tail, "ssage of", 8) == 0);
    CHECK(message.memory == RIPOSTE_INFO_BYTES && riposte_message_bytes(&message) == NULL);
    CHECK(riposte_reply_words(message.token, 0, NULL, 0) == RIPOSTE_OK);
    memset(head, 0, sizeof head);
    CHECK(riposte_receive_vector_until(own, parts, 2, RIPOSTE_FOREVER, &message) == RIPOSTE_OK);
    CHECK(message.length == 9 && message.offered == 9 && message.buffer == NULL);
    CHECK(memcmp(head, "a me", 4) == 0 && memcmp(tail, "ssage", 5) == 0);
    CHECK(message.memory == RIPOSTE_INFO_BYTES && message.words[0] == 0);
    CHECK(riposte_message_bytes(&message) == NULL);
    CHECK(riposte_reply_words(message.token, 0, NULL, 0) == RIPOSTE_OK);
    CHECK(riposte_receive_from_until(own, riposte_peer_badge(9), buffer, sizeof buffer, RIPOSTE_FOREVER,
                                     &message) == RIPOSTE_OK);
    CHECK(message.length == 36);
    end();

    begin("wrong buffers, tokens and handles: the error, and the client is not lost");
    CHECK(riposte_read(message.token, 0, NULL, 8, &copied) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_write(message.token, 0, (const void *)8, 8, &copied) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_read(token, 0, buffer, 8, &copied) == RIPOSTE_ERROR_NO_SUCH_CLIENT);
    CHECK(riposte_reply(token, 0, NULL, 0, NULL) == RIPOSTE_ERROR_NO_SUCH_CLIENT);
    CHECK(riposte_reply_in_place_and_receive(own, token, 8, buffer, sizeof buffer, &message)
          == RIPOSTE_ERROR_NO_SUCH_CLIENT);
    CHECK(riposte_reply_in_place_and_receive(own, message.token, 64, (void *)4, 64, &message)
          == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_receive((riposte_channel_t){server.handle}, NULL, 0, &message) != RIPOSTE_OK);
    CHECK(riposte_receive_vector_until(own, parts, RIPOSTE_MAX_PARTS + 1, RIPOSTE_IMMEDIATE, &message)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_reply(message.token, 0, NULL, 0, NULL) == RIPOSTE_OK);
    CHECK(riposte_receive(own, (void *)4, 64, &message) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_receive(own, buffer, sizeof buffer, &message) == RIPOSTE_OK);
    end();

    begin("notification bits come together, as a notice");
    CHECK(riposte_notify(own, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_notify((riposte_channel_t){0x0FFFFFFF}, 1) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_notify(own, 1) == RIPOSTE_OK && riposte_notify(own, 4) == RIPOSTE_OK);
    token = message.token;
    CHECK(riposte_receive(own, NULL, 0, &message) == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_BITS && message.words[1] == 5);
    end();
    /* The second thread waits for an answer from now on. */
    (void)token;
}
