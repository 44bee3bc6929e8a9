/* Begins again and again, and says each time whether its thread-local storage was as it is to be. */

#include <riposte.h>

static _Thread_local uint32_t first[3] = {1, 2, 3};
static _Thread_local uint32_t zero[40];

int main(void)
{
    riposte_connection_t tester;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 3; i++)
        wrong += first[i] != i + 1;
    for (uint32_t i = 0; i < 40; i++)
        wrong += zero[i] != 0;
    if (riposte_connect("restarts", &tester) != RIPOSTE_OK)
        return 1;
    riposte_send_words(tester, &wrong, 1, NULL);
    for (uint32_t i = 0; i < 3; i++)
        first[i] = UINT32_MAX;
    for (uint32_t i = 0; i < 40; i++)
        zero[i] = UINT32_MAX;
    return 0;
}
