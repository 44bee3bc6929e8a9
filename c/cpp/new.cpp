/* operator new and delete: malloc and free. Without exceptions there is one way to say that there is no memory. */

#include <malloc.h>
#include <new>
#include <stdlib.h>

#include <riposte.h>

namespace std {
const nothrow_t nothrow{};
}

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

/* Each object has an address of its own. */
static void *look_for(size_t size)
{
    return malloc(size ? size : 1);
}

static void *look_for(size_t size, align_val_t alignment)
{
    return memalign(static_cast<size_t>(alignment), size ? size : 1);
}

static void *found(void *memory)
{
    if (!memory)
        riposte_panic("new: no memory: raise `heap` in program.toml");
    return memory;
}

void *operator new(size_t size)
{
    return found(look_for(size));
}
void *operator new[](size_t size)
{
    return found(look_for(size));
}
void *operator new(size_t size, const nothrow_t &) noexcept
{
    return look_for(size);
}
void *operator new[](size_t size, const nothrow_t &) noexcept
{
    return look_for(size);
}
void *operator new(size_t size, align_val_t alignment)
{
    return found(look_for(size, alignment));
}
void *operator new[](size_t size, align_val_t alignment)
{
    return found(look_for(size, alignment));
}
void *operator new(size_t size, align_val_t alignment, const nothrow_t &) noexcept
{
    return look_for(size, alignment);
}
void *operator new[](size_t size, align_val_t alignment, const nothrow_t &) noexcept
{
    return look_for(size, alignment);
}
void operator delete(void *memory) noexcept
{
    free(memory);
}
void operator delete[](void *memory) noexcept
{
    free(memory);
}
void operator delete(void *memory, size_t) noexcept
{
    free(memory);
}
void operator delete[](void *memory, size_t) noexcept
{
    free(memory);
}
void operator delete(void *memory, const nothrow_t &) noexcept
{
    free(memory);
}
void operator delete[](void *memory, const nothrow_t &) noexcept
{
    free(memory);
}
void operator delete(void *memory, align_val_t) noexcept
{
    free(memory);
}
void operator delete[](void *memory, align_val_t) noexcept
{
    free(memory);
}
void operator delete(void *memory, size_t, align_val_t) noexcept
{
    free(memory);
}
void operator delete[](void *memory, size_t, align_val_t) noexcept
{
    free(memory);
}
