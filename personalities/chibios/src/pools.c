/* Pools of objects: the free ones in a list. */

#include <ch.h>

void chPoolObjectInitAligned(memory_pool_t *pool, size_t size, unsigned align, memgetfunc_t provider)
{
    const memory_pool_t fresh = _MEMORYPOOL_DATA(fresh, size, align, provider);
    chDbgCheck(size >= sizeof(void *) && MEM_IS_VALID_ALIGNMENT(align) && align >= PORT_NATURAL_ALIGN);
    *pool = fresh;
}

/* What is from one object of an array to the next. */
static size_t step(const memory_pool_t *pool)
{
    return MEM_ALIGN_NEXT(pool->object_size, pool->align);
}

void chPoolLoadArray(memory_pool_t *pool, void *array, size_t count)
{
    uint8_t *object = (uint8_t *)array;
    for (; count != 0; count--, object += step(pool))
        chPoolFree(pool, object);
}

void *chPoolAlloc(memory_pool_t *pool)
{
    struct ch_pool_object *object;
    ch_lock(&pool->lock);
    object = pool->first;
    if (object != NULL)
        pool->first = object->next;
    ch_unlock(&pool->lock);
    if (object == NULL && pool->provider != NULL)
        return pool->provider(pool->object_size, pool->align);
    return object;
}

void chPoolFree(memory_pool_t *pool, void *object)
{
    struct ch_pool_object *const free = (struct ch_pool_object *)object;
    chDbgAssert(object != NULL && MEM_IS_ALIGNED((uintptr_t)object, pool->align), "chPoolFree: no object");
    ch_lock(&pool->lock);
    free->next = pool->first;
    pool->first = free;
    ch_unlock(&pool->lock);
}

void chGuardedPoolObjectInitAligned(guarded_memory_pool_t *pool, size_t size, unsigned align)
{
    chPoolObjectInitAligned(&pool->pool, size, align, NULL);
    chSemObjectInit(&pool->sem, 0);
}

void chGuardedPoolLoadArray(guarded_memory_pool_t *pool, void *array, size_t count)
{
    uint8_t *object = (uint8_t *)array;
    for (; count != 0; count--, object += step(&pool->pool))
        chGuardedPoolFree(pool, object);
}

void *chGuardedPoolAllocTimeout(guarded_memory_pool_t *pool, sysinterval_t timeout)
{
    return chSemWaitTimeout(&pool->sem, timeout) == MSG_OK ? chPoolAlloc(&pool->pool) : NULL;
}

void *chGuardedPoolAllocTimeoutS(guarded_memory_pool_t *pool, sysinterval_t timeout)
{
    return chSemWaitTimeoutS(&pool->sem, timeout) == MSG_OK ? chPoolAlloc(&pool->pool) : NULL;
}

void chGuardedPoolFree(guarded_memory_pool_t *pool, void *object)
{
    chPoolFree(&pool->pool, object);
    chSemSignal(&pool->sem);
}
