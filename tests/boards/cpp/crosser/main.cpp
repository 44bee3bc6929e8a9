// What can never be made, by the process's name: a static whose constructor waits for a thread that waits for that static
// (`crosser`), two whose constructors need each other's (`circler`), and one that needs itself (`again`).

#include <atomic>

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <riposte.h>

namespace {

pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
std::atomic<int> made;

struct Crossed {
    Crossed()
    {
        made++;
        pthread_mutex_lock(&taken);
        pthread_mutex_unlock(&taken);
    }
};

void *make(void *)
{
    static Crossed only;
    return &only;
}

void cross()
{
    pthread_t thread;
    if (pthread_mutex_lock(&taken) || pthread_create(&thread, nullptr, make, nullptr))
        return;
    while (!made)
        sched_yield();
    make(nullptr);
}

void *make_one(void *);
void *make_other(void *);

// Both are begun before either goes on.
template <void *(*other)(void *)> struct Half {
    Half()
    {
        made++;
        while (made != 2)
            sched_yield();
        other(nullptr);
    }
};

void *make_one(void *)
{
    static Half<make_other> one;
    return &one;
}

void *make_other(void *)
{
    static Half<make_one> other;
    return &other;
}

void circle()
{
    pthread_t thread;
    if (pthread_create(&thread, nullptr, make_other, nullptr) == 0)
        make_one(nullptr);
}

void *make_again();

struct Again {
    Again()
    {
        // Only once: what is made a second time would be seen.
        if (made++ == 0)
            make_again();
    }
};

void *make_again()
{
    static Again again;
    return &again;
}

} // namespace

int main()
{
    const char *const name = riposte_process_name();
    if (strcmp(name, "crosser") == 0)
        cross();
    else if (strcmp(name, "circler") == 0)
        circle();
    else
        make_again();
    return made;
}
