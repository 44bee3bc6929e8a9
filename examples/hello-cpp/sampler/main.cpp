// A thread takes samples, and the main thread prints what they come to.

#include <atomic>
#include <new>

#include <pthread.h>
#include <stdio.h>

#include <riposte.h>

namespace {

// A lock for as long as an object of this lives.
class Locked {
    pthread_mutex_t &mutex;

public:
    explicit Locked(pthread_mutex_t &mutex) : mutex(mutex)
    {
        pthread_mutex_lock(&mutex);
    }
    ~Locked()
    {
        pthread_mutex_unlock(&mutex);
    }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;
};

struct Sample {
    int value;
    Sample *next;
};

// What was sampled and not looked at yet, the last one first.
class Samples {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    Sample *first = nullptr;

public:
    bool put(int value)
    {
        Sample *const sample = new (std::nothrow) Sample{value, nullptr};
        if (!sample)
            return false;
        const Locked locked(mutex);
        sample->next = first;
        first = sample;
        return true;
    }
    // Gives each to a function, and its memory back. How many there were.
    template <class Function>
    int drain(Function function)
    {
        Sample *next;
        {
            const Locked locked(mutex);
            next = first;
            first = nullptr;
        }
        int count = 0;
        while (next) {
            Sample *const sample = next;
            next = sample->next;
            function(sample->value);
            delete sample;
            count++;
        }
        return count;
    }
};

Samples samples;
std::atomic<unsigned> lost{0};
thread_local int taken;

void *take(void *)
{
    for (; taken < 100; taken++)
        if (!samples.put(taken))
            ++lost;
    return nullptr;
}

} // namespace

int main()
{
    pthread_t taker;
    int sum = 0;
    if (pthread_create(&taker, nullptr, take, nullptr))
        return 1;
    pthread_join(taker, nullptr);
    const int count = samples.drain([&sum](int value) { sum += value; });
    printf("%d samples come to %d; %u found no memory, and this thread has taken %d\n", count, sum, lost.load(), taken);
    return static_cast<int>(riposte_shutdown(0));
}
