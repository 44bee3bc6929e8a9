// Two threads that wait for each other, the one in a static's constructor, the other for that static.

#include <atomic>

#include <pthread.h>
#include <sched.h>

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

} // namespace

int main()
{
    pthread_t thread;
    if (pthread_mutex_lock(&taken) || pthread_create(&thread, nullptr, make, nullptr))
        return 0;
    while (!made)
        sched_yield();
    make(nullptr);
    return made;
}
