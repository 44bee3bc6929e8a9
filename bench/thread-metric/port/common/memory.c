/* The library's pool of blocks, which belongs to one process; there is one, with the id 0. */

#include "objects.h"

#define BLOCKS 16

struct block {
    unsigned char bytes[128];
};

RIPOSTE_POOL(pool, struct block, BLOCKS);

int tm_memory_pool_create(int id)
{
    return id == 0 ? TM_SUCCESS : TM_ERROR;
}

/* An allocation does not wait: without a block it fails. */
int tm_memory_pool_allocate(int id, unsigned char **memory)
{
    void *block;
    if (id != 0 || riposte_pool_try_allocate(&pool, &block) != RIPOSTE_OK)
        return TM_ERROR;
    *memory = block;
    return TM_SUCCESS;
}

int tm_memory_pool_deallocate(int id, unsigned char *memory)
{
    return id == 0 && riposte_pool_release(&pool, memory) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}
