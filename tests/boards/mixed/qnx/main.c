/* The client written for QNX 4: it finds the server by its name, and sends in one part or in two. */

#include <sys/kernel.h>
#include <sys/name.h>

#include "rounds.h"
#include "verdict.h"

static unsigned char message[LONGEST], answer[1 + LONGEST];

int main(void)
{
    const pid_t server = qnx_name_locate(0, "/mixed/server", 0, NULL);
    begin("a client of QNX 4 has its own answers of a server in Rust that has a POSIX client too");
    CHECK(server > PROC_PID);
    for (unsigned length = 0; length <= LONGEST; length++) {
        struct _mxfer_entry sent[2], room[2];
        fill(message, length, 'q');
        memset(answer, 0xAA, sizeof answer);
        _setmx(&sent[0], message, length / 2);
        _setmx(&sent[1], message + length / 2, length - length / 2);
        _setmx(&room[0], answer, 1);
        _setmx(&room[1], answer + 1, LONGEST);
        if (length % 2)
            CHECK(Sendmx(server, 2, 2, sent, room) == 0);
        else
            CHECK(Send(server, message, answer, length, sizeof answer) == 0);
        CHECK(is_turned(message, length, answer));
    }
    end();
    /* The other one may stop the machine then. */
    Send(server, "", answer, 0, sizeof answer);
    return 0;
}
