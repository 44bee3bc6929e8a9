/* Constructors and threads; a proxy that is received in parts. */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <riposte.h>

static volatile uint32_t constructed, seen = 2;

__attribute__((constructor)) static void construct(void)
{
    constructed = 1;
}

RIPOSTE_THREAD(early)
{
    seen = constructed;
    for (;;)
        riposte_sleep_until(RIPOSTE_FOREVER);
}

int main(void)
{
    riposte_channel_t channel;
    riposte_proxy_t pulse;
    riposte_message_t message = {0};
    char room[64] = "";
    const riposte_part_t parts[2] = {{room, 8}, {room + 8, 56}};

    printf(seen == 1 ? "@pass constructors\n" : "@fail constructors have run before a thread begins: it saw %u\n",
           (unsigned)seen);
    riposte_channel("parts", &channel);
    riposte_proxy("pulse", &pulse);
    riposte_proxy_trigger(pulse);
    riposte_receive_vector_until(channel, parts, 2, RIPOSTE_FOREVER, &message);
    if (message.notice != RIPOSTE_NOTICE_PROXY || message.length != 40 || memcmp(room, "a message of forty", 18) != 0)
        printf("@fail a proxy is received in parts\n");
    const char *bytes = riposte_message_bytes(&message);
    if (bytes == NULL)
        printf("@pass bytes in parts\n");
    else
        printf("@fail bytes that lie in parts are not shown: %u bytes at words + %d, which are %u\n",
               (unsigned)message.length, (int)(bytes - (const char *)message.words), (unsigned)sizeof message.words);
    unsigned misaligned = 0;
    for (size_t size = 16; size < 80; size += 8)
        misaligned += (uintptr_t)malloc(size) % _Alignof(max_align_t) != 0;
    if (misaligned)
        printf("@fail memory of malloc is aligned for any type: %u of 8 are not at multiples of %u\n", misaligned,
               (unsigned)_Alignof(max_align_t));
    return 0;
}
