/* Memory: the core allocator, heaps, and pools of objects. Included by ch.h. All are within a process. */

#ifndef CH_MEMORY_H
#define CH_MEMORY_H

#define MEM_IS_VALID_ALIGNMENT(align) (((align) != 0) && (((align) & ((align) - 1)) == 0))
#define MEM_ALIGN_MASK(align) ((size_t)(align) - 1)
#define MEM_ALIGN_PREV(value, align) ((size_t)(value) & ~MEM_ALIGN_MASK(align))
#define MEM_ALIGN_NEXT(value, align) MEM_ALIGN_PREV((size_t)(value) + MEM_ALIGN_MASK(align), (align))
#define MEM_IS_ALIGNED(value, align) (((size_t)(value) & MEM_ALIGN_MASK(align)) == 0)

/* Where a heap or a pool gets more memory from: a block of so many bytes that is aligned so, or NULL. */
typedef void *(*memgetfunc_t)(size_t size, unsigned align);
/* The same, with a place in the block that is aligned so, as chCoreAllocAlignedWithOffset has it. */
typedef void *(*memgetfunc2_t)(size_t size, unsigned align, size_t offset);

/** Takes memory from the core, for good.
 *
 * @param size Bytes.
 * @param align What the block's address, less `offset`, is a multiple of: a power of two.
 * @param offset Bytes before that place in the block.
 * @return The block, at least `offset` bytes from what was taken before; or NULL if there is not so much left.
 * @blocks While another thread takes some.
 * @from Any thread. */
void *chCoreAllocAlignedWithOffset(size_t size, unsigned align, size_t offset);
#define chCoreAllocAlignedWithOffsetI(size, align, offset)                                           \
    chCoreAllocAlignedWithOffset((size), (align), (offset))

/** As chCoreAllocAlignedWithOffset, without an offset. */
void *chCoreAllocAligned(size_t size, unsigned align);
#define chCoreAllocAlignedI(size, align) chCoreAllocAligned((size), (align))
#define chCoreAlloc(size) chCoreAllocAligned((size), PORT_NATURAL_ALIGN)
#define chCoreAllocI(size) chCoreAlloc(size)

/** Tells how much of the core is left.
 *
 * @return Bytes.
 * @blocks Never.
 * @from Any thread. */
size_t chCoreGetStatusX(void);

/* Blocks of a heap begin at multiples of this. */
#define CH_HEAP_ALIGNMENT 8
/* What is before each block. */
union ch_heap_header {
    struct {
        union ch_heap_header *next; /* the next free block, behind this one */
        size_t size;                /* bytes behind the header */
    } free;
    struct {
        struct ch_memory_heap *heap;
        size_t size; /* and one more */
    } used;
    uint64_t aligned;
};
typedef union ch_heap_header heap_header_t;
#define CH_HEAP_AREA(name, size)                                                                     \
    ALIGNED_VAR(CH_HEAP_ALIGNMENT) uint8_t name[MEM_ALIGN_NEXT((size), CH_HEAP_ALIGNMENT)]

typedef struct ch_memory_heap {
    riposte_mutex_t lock;
    memgetfunc_t provider; /* of more memory, or NULL */
    heap_header_t *first;  /* of the free blocks, in the order of their addresses */
} memory_heap_t;

/** Makes a heap of an area.
 *
 * @param heap Where it is to be.
 * @param area The area; what is before and behind multiples of CH_HEAP_ALIGNMENT is not used.
 * @param size Bytes of it: enough for a block of CH_HEAP_ALIGNMENT bytes, else the process stops. */
void chHeapObjectInit(memory_heap_t *heap, void *area, size_t size);

/** Takes a block from a heap: the first that is large enough.
 *
 * @param heap The heap, or NULL: the one that takes its memory from the core.
 * @param size Bytes, not 0.
 * @param align What the block's address is a multiple of, a power of two.
 * @return The block, or NULL if there is none.
 * @blocks While another thread uses the heap.
 * @from Any thread. */
void *chHeapAllocAligned(memory_heap_t *heap, size_t size, unsigned align);
#define chHeapAlloc(heap, size) chHeapAllocAligned((heap), (size), CH_HEAP_ALIGNMENT)

/** Gives a block back to its heap, and joins it with its neighbours.
 *
 * @param block The block. One that is free, or of no heap, stops the process.
 * @blocks While another thread uses the heap.
 * @from Any thread. */
void chHeapFree(void *block);

/** Tells how much of a heap is free.
 *
 * @param heap The heap, or NULL.
 * @param total Where the free bytes are stored, or NULL.
 * @param largest Where the bytes of the largest free block are stored, or NULL.
 * @return How many free blocks there are.
 * @blocks While another thread uses the heap.
 * @from Any thread. */
size_t chHeapStatus(memory_heap_t *heap, size_t *total, size_t *largest);

/** Tells the size of a block, which may be more than was asked for.
 *
 * @param block The block.
 * @return Bytes. */
size_t chHeapGetSize(const void *block);

struct ch_pool_object {
    struct ch_pool_object *next;
};

typedef struct ch_memory_pool {
    riposte_mutex_t lock;
    struct ch_pool_object *first; /* of the free ones */
    size_t object_size;
    unsigned align;
    memgetfunc_t provider; /* of more objects, or NULL */
} memory_pool_t;

/* What a pool begins as that is a part of something. */
#define _MEMORYPOOL_DATA(name, size, align, provider)                                                \
    {RIPOSTE_MUTEX, NULL, (size), (align), (provider)}
#define MEMORYPOOL_DECL(name, size, align, provider)                                                 \
    memory_pool_t name = _MEMORYPOOL_DATA(name, size, align, provider)

/** Makes a pool, which is empty.
 *
 * @param pool Where it is to be.
 * @param size Bytes of an object, at least those of a pointer.
 * @param align What an object's address is a multiple of: a power of two, at least that of a pointer.
 * @param provider Where it gets an object from when it is empty, or NULL. */
void chPoolObjectInitAligned(memory_pool_t *pool, size_t size, unsigned align, memgetfunc_t provider);
#define chPoolObjectInit(pool, size, provider)                                                       \
    chPoolObjectInitAligned((pool), (size), PORT_NATURAL_ALIGN, (provider))

/** Adds the objects of an array.
 *
 * @param pool The pool.
 * @param array The array.
 * @param count How many objects it has.
 * @blocks As chPoolFree. */
void chPoolLoadArray(memory_pool_t *pool, void *array, size_t count);

/** Takes an object.
 *
 * @param pool The pool.
 * @return The object, or NULL if there is none.
 * @blocks While another thread uses the pool.
 * @from Any thread. */
void *chPoolAlloc(memory_pool_t *pool);
#define chPoolAllocI(pool) chPoolAlloc(pool)

/** Gives an object back.
 *
 * @param pool The pool.
 * @param object The object. NULL, or one that is not aligned, stops the process.
 * @blocks While another thread uses the pool.
 * @from Any thread. */
void chPoolFree(memory_pool_t *pool, void *object);
#define chPoolFreeI(pool, object) chPoolFree((pool), (object))
#define chPoolAdd(pool, object) chPoolFree((pool), (object))
#define chPoolAddI(pool, object) chPoolFree((pool), (object))

/* A pool with a semaphore of its objects, at which who finds none waits. */
typedef struct ch_guarded_memory_pool {
    semaphore_t sem;
    memory_pool_t pool;
} guarded_memory_pool_t;

#define _GUARDEDMEMORYPOOL_DATA(name, size, align)                                                   \
    {_SEMAPHORE_DATA((name).sem, 0), _MEMORYPOOL_DATA((name).pool, size, align, NULL)}
#define GUARDEDMEMORYPOOL_DECL(name, size, align)                                                    \
    guarded_memory_pool_t name = _GUARDEDMEMORYPOOL_DATA(name, size, align)

/** Makes a guarded pool, which is empty. As chPoolObjectInitAligned. */
void chGuardedPoolObjectInitAligned(guarded_memory_pool_t *pool, size_t size, unsigned align);
#define chGuardedPoolObjectInit(pool, size)                                                          \
    chGuardedPoolObjectInitAligned((pool), (size), PORT_NATURAL_ALIGN)

/** Adds the objects of an array. As chPoolLoadArray. */
void chGuardedPoolLoadArray(guarded_memory_pool_t *pool, void *array, size_t count);

/** Takes an object, and waits for one.
 *
 * @param pool The pool.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return The object, or NULL if the time was over.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
void *chGuardedPoolAllocTimeout(guarded_memory_pool_t *pool, sysinterval_t timeout);
/** As chGuardedPoolAllocTimeout, within chSysLock, which a thread that waits is out of. */
void *chGuardedPoolAllocTimeoutS(guarded_memory_pool_t *pool, sysinterval_t timeout);
#define chGuardedPoolAllocI(pool) chGuardedPoolAllocTimeout((pool), TIME_IMMEDIATE)

/** Gives an object back, to the most urgent thread that waits for one.
 *
 * @param pool The pool.
 * @param object The object. NULL, or one that is not aligned, stops the process.
 * @blocks While another thread uses the pool; a more urgent thread that is woken runs at once.
 * @from Any thread. */
void chGuardedPoolFree(guarded_memory_pool_t *pool, void *object);
#define chGuardedPoolFreeI(pool, object) chGuardedPoolFree((pool), (object))
#define chGuardedPoolFreeS(pool, object) chGuardedPoolFree((pool), (object))
#define chGuardedPoolAdd(pool, object) chGuardedPoolFree((pool), (object))
#define chGuardedPoolAddI(pool, object) chGuardedPoolFree((pool), (object))
#define chGuardedPoolAddS(pool, object) chGuardedPoolFree((pool), (object))

/** Tells how many objects a guarded pool has; negative, how many threads wait for one. */
RIPOSTE_PRIVATE_INLINE cnt_t chGuardedPoolGetCounterI(const guarded_memory_pool_t *pool)
{
    return chSemGetCounterI(&pool->sem);
}

#endif
