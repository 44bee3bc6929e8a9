/* The SD-server task in a process of its own, which answers through mailboxes in a region. */

#include "../exchange.h"

int main(void)
{
    void *memory;

    if (riposte_region("exchange", &memory, NULL, NULL) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no region `exchange`");
    serve((struct exchange *)memory);
}
