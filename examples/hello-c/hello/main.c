/* Asks the greeter for greetings, of words and of bytes, and prints them. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <riposte.h>

int main(void)
{
    riposte_connection_t greeter;
    riposte_reply_t reply;
    const uint32_t numbers[2] = {20, 22};
    const char *name = riposte_process_name();
    char greeting[64];

    if (riposte_connect("greeter", &greeter) != RIPOSTE_OK) {
        printf("app.toml gives %s no connection to a greeter\n", name);
        return EXIT_FAILURE;
    }
    if (riposte_send_words(greeter, numbers, 2, &reply) == RIPOSTE_OK)
        printf("20 + 22 = %u\n", (unsigned)reply.words[0]);
    if (riposte_send(greeter, name, strlen(name), greeting, sizeof greeting, &reply) == RIPOSTE_OK)
        printf("%.*s\n", (int)reply.length, greeting);
    /* Nothing else is to be done, so the machine stops; a real program would go on. */
    return (int)riposte_shutdown(0);
}
