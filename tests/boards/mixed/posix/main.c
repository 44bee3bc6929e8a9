/* The POSIX client: a thread of it sends what the main thread asks for, by a connection of the manifest. */

#include <pthread.h>
#include <semaphore.h>

#include <riposte.h>

#include "rounds.h"
#include "verdict.h"

static unsigned char message[LONGEST], answer[1 + LONGEST];
static sem_t asked, answered;
static riposte_connection_t server;
static riposte_error_t error;
static unsigned length;

static void *send_rounds(void *argument)
{
    for (unsigned round = 0; round <= LONGEST; round++) {
        riposte_reply_t reply;
        sem_wait(&asked);
        error = riposte_send(server, message, length, answer, sizeof answer, &reply);
        if (error == RIPOSTE_OK && reply.length != 1 + length)
            error = RIPOSTE_ERROR_BAD_ARGUMENT;
        sem_post(&answered);
    }
    return argument;
}

int main(void)
{
    riposte_reply_t reply;
    pthread_t thread;
    begin("a POSIX client has its own answers of a server in Rust that has a client of QNX 4 too");
    CHECK(riposte_connect("server", &server) == RIPOSTE_OK);
    CHECK(sem_init(&asked, 0, 0) == 0 && sem_init(&answered, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, send_rounds, NULL) == 0);
    for (length = 0; length <= LONGEST; length++) {
        fill(message, length, 'p');
        memset(answer, 0xAA, sizeof answer);
        CHECK(sem_post(&asked) == 0 && sem_wait(&answered) == 0);
        CHECK(error == RIPOSTE_OK);
        CHECK(is_turned(message, length, answer));
    }
    CHECK(pthread_join(thread, NULL) == 0);
    end();
    /* The other one is answered first, and has said what it has to say. */
    riposte_send(server, "", 0, answer, sizeof answer, &reply);
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
