// What there is of C++, part by part.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include <riposte.h>

#include "shared.h"

extern "C" {
#include "verdict.h"
}

int constructed;

namespace {

Made second{2};

struct Shape {
    virtual int corners() const = 0;
    virtual ~Shape();
};
int destroyed;
Shape::~Shape()
{
    destroyed++;
}

struct Square final : Shape {
    int corners() const override
    {
        return 4;
    }
};

struct alignas(64) Wide {
    char bytes[64];
};

void objects()
{
    begin("constructors: those of statics run before main, of all sources");
    CHECK(constructed == 3 && first.number == 1 && second.number == 2 && from_plain_c == 21);
    end();

    begin("new, delete: from the heap, with constructors and virtual destructors; what has no memory is null with nothrow");
    {
        Shape *const shape = new Square;
        CHECK(shape->corners() == 4 && destroyed == 0);
        delete shape;
        CHECK(destroyed == 1);
        int *const numbers = new int[8]{1, 2, 3};
        CHECK(numbers[2] == 3 && numbers[7] == 0);
        delete[] numbers;
        CHECK(!new (std::nothrow) char[1 << 20]);
        Wide *const wide = new Wide;
        CHECK(reinterpret_cast<std::uintptr_t>(wide) % 64 == 0);
        delete wide;
        alignas(Square) unsigned char room[sizeof(Square)];
        Square *const placed = new (room) Square;
        CHECK(static_cast<void *>(placed) == room);
        placed->~Square();
        CHECK(destroyed == 2);
        // More than the heap has at once.
        for (int turn = 0; turn < 100; turn++) {
            char *const memory = new char[1024];
            memory[0] = 1;
            delete[] memory;
        }
        int sum = 0;
        for (const int each : std::initializer_list<int>{1, 2, 3})
            sum += each;
        CHECK(sum == 6);
    }
    end();
}

std::atomic<int> count{0};
std::atomic<std::uint8_t> small{250};
std::atomic<bool> ready{false};
std::atomic<const char *> text{nullptr};
std::atomic<std::int16_t> negative{-3};
std::atomic_flag flag = ATOMIC_FLAG_INIT;
enum class Colour : std::uint8_t { red, green };
struct Pair {
    std::int16_t one, other;
};

// Lets the other one come between a value's load and its change.
int one_more_than(int number)
{
    sched_yield();
    return number + 1;
}

void *counts(void *)
{
    for (int turn = 0; turn < 200; turn++) {
        int seen = count;
        while (!count.compare_exchange_weak(seen, one_more_than(seen)))
            ;
    }
    return nullptr;
}

void atomics()
{
    begin("atomic: numbers, truth, addresses, enumerations and small structures");
    small += 10;
    CHECK(small == 4 && small.fetch_sub(5) == 4 && small == 255 && ++small == 0 && small-- == 0 && small == 255);
    CHECK(negative.load() == -3 && negative.fetch_add(4) == -3 && negative == 1 && (negative ^= -1) == -2);
    CHECK(!ready.exchange(true) && ready);
    const char letters[] = "ab";
    text = letters;
    CHECK(text.fetch_add(1) == letters && *text.load() == 'b');
    CHECK(!flag.test_and_set() && flag.test_and_set());
    flag.clear();
    CHECK(!flag.test_and_set());
    std::atomic<Colour> colour{Colour::red};
    Colour expected = Colour::green;
    CHECK(!colour.compare_exchange_strong(expected, Colour::green) && expected == Colour::red);
    CHECK(colour.compare_exchange_strong(expected, Colour::green) && colour == Colour::green);
    std::atomic<Pair> pair{Pair{1, -2}};
    CHECK(pair.load().other == -2 && pair.exchange(Pair{3, 4}).one == 1);
    static_assert(std::atomic<int>::is_always_lock_free, "of all that there are");
    end();

    begin("atomic: threads that change a value at once lose nothing");
    pthread_t one, other;
    CHECK(pthread_create(&one, nullptr, counts, nullptr) == 0 && pthread_create(&other, nullptr, counts, nullptr) == 0);
    CHECK(pthread_join(one, nullptr) == 0 && pthread_join(other, nullptr) == 0);
    CHECK(count == 400);
    end();
}

std::atomic<int> locals_made, locals_destroyed;
struct Local {
    int number = 5;
    Local()
    {
        locals_made++;
    }
    ~Local()
    {
        locals_destroyed++;
    }
};
thread_local int plain = 7;
thread_local Local local;

void *uses_local(void *)
{
    const bool is_fresh = plain == 7 && local.number == 5;
    plain = 8;
    local.number = 6;
    return is_fresh ? &locals_made : nullptr;
}

std::atomic<int> statics_made;
struct Static {
    Static()
    {
        statics_made++;
        // Whoever comes meanwhile waits.
        sched_yield();
        sched_yield();
    }
};

void *uses_static(void *)
{
    static Static only;
    return &only;
}

void threads()
{
    begin("thread_local: each thread has its own, made when it is used and destroyed when the thread ends");
    for (int turn = 0; turn < 3; turn++) {
        pthread_t thread;
        void *is_fresh = nullptr;
        CHECK(pthread_create(&thread, nullptr, uses_local, nullptr) == 0 && pthread_join(thread, &is_fresh) == 0);
        CHECK(is_fresh && plain == 7);
    }
    CHECK(locals_made == 3 && locals_destroyed == 3);
    end();

    begin("static: one of a function is made once, whoever comes at once");
    pthread_t all[3];
    void *first_one = nullptr, *one = nullptr;
    for (pthread_t &each : all)
        CHECK(pthread_create(&each, nullptr, uses_static, nullptr) == 0);
    for (pthread_t each : all) {
        CHECK(pthread_join(each, &one) == 0);
        CHECK(!first_one || one == first_one);
        first_one = one;
    }
    CHECK(statics_made == 1);
    end();
}

sem_t told;

struct Table {
    int number = 3;
    Table()
    {
        statics_made++;
    }
};

void *uses_table(void *)
{
    static Table table;
    sem_post(&told);
    return &table;
}

struct Client {
    pthread_t worker;
    bool is_good;
    Client()
    {
        statics_made++;
        is_good = pthread_create(&worker, nullptr, uses_table, nullptr) == 0 && sem_wait(&told) == 0;
    }
};

Client &uses_client()
{
    static Client client;
    return client;
}

void waits()
{
    begin("static: its constructor can wait for a thread that makes another one");
    statics_made = 0;
    CHECK(sem_init(&told, 0, 0) == 0);
    void *table = nullptr;
    CHECK(uses_client().is_good && pthread_join(uses_client().worker, &table) == 0);
    CHECK(table && static_cast<Table *>(table)->number == 3 && statics_made == 2);
    end();
}

struct Slow {
    Slow()
    {
        sem_post(&told);
    }
};

void *uses_slow(void *)
{
    static Slow slow;
    return &slow;
}

std::atomic<bool> has_idled;

void *idles(void *)
{
    has_idled = true;
    return nullptr;
}

pthread_t start(void *(*function)(void *), int priority)
{
    pthread_attr_t attributes;
    sched_param parameters = {};
    pthread_t thread = {};
    parameters.sched_priority = priority;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedparam(&attributes, &parameters) == 0);
    CHECK(pthread_create(&thread, &attributes, function, nullptr) == 0);
    return thread;
}

void lends()
{
    begin("static: whoever waits for it lends its maker its priority");
    const pthread_t maker = start(uses_slow, 8);
    CHECK(sem_wait(&told) == 0);
    // The maker is in the constructor, and less urgent than this one.
    const pthread_t other = start(idles, 9);
    void *const made = uses_slow(nullptr);
    CHECK(!has_idled);
    void *by_maker = nullptr;
    CHECK(pthread_join(maker, &by_maker) == 0 && pthread_join(other, nullptr) == 0);
    CHECK(made == by_maker && has_idled);
    end();
}

int mortals_begun;

struct Mortal {
    Mortal()
    {
        if (mortals_begun++ == 0)
            pthread_exit(nullptr);
    }
};

void *uses_mortal(void *)
{
    static Mortal mortal;
    return &mortal;
}

void outlives()
{
    begin("static: one whose maker ended is made by whoever comes next");
    pthread_t thread;
    void *made = &thread;
    CHECK(pthread_create(&thread, nullptr, uses_mortal, nullptr) == 0 && pthread_join(thread, &made) == 0);
    CHECK(!made && mortals_begun == 1);
    made = uses_mortal(nullptr);
    CHECK(mortals_begun == 2);
    CHECK(pthread_create(&thread, nullptr, uses_mortal, nullptr) == 0);
    void *seen = nullptr;
    CHECK(pthread_join(thread, &seen) == 0 && seen == made && mortals_begun == 2);
    end();
}

pthread_mutex_t beside = PTHREAD_MUTEX_INITIALIZER;

// Waits in its constructor until a moment, perhaps for who waits for it.
struct Patient {
    int error;
    Patient()
    {
        timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 3000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        error = pthread_mutex_timedlock(&beside, &until);
    }
};

void *uses_patient(void *)
{
    static Patient patient;
    return &patient;
}

void patience()
{
    pthread_t thread;
    void *seen = nullptr;
    begin("static: whose maker waits until a moment for the thread that waits for it is made behind that");
    CHECK(pthread_mutex_lock(&beside) == 0);
    CHECK(pthread_create(&thread, nullptr, uses_patient, nullptr) == 0 && sched_yield() == 0);
    auto *const patient = static_cast<Patient *>(uses_patient(nullptr));
    CHECK(patient->error == ETIMEDOUT && pthread_mutex_unlock(&beside) == 0);
    CHECK(pthread_join(thread, &seen) == 0 && seen == patient);
    end();
}

// Whether a record is of a panic with this text.
bool says(const riposte_fault_record_t &record, const char *text)
{
    return record.reason == RIPOSTE_FAULT_PANIC && record.text_length == strlen(text)
        && memcmp(record.text, text, record.text_length) == 0;
}

void crosses()
{
    constexpr uint32_t crosser = 2, circler = 3, again = 4, ender = 5;
    riposte_channel_t faults;
    riposte_message_t message = {};
    riposte_fault_record_t record = {};

    begin("static: who could only wait for its maker in vain panics, and makes no second one");
    CHECK(riposte_channel("faults", &faults) == RIPOSTE_OK);
    for (int turn = 0; turn < 4; turn++) {
        CHECK(riposte_receive_until(faults, nullptr, 0, riposte_clock() + 1000000000, &message) == RIPOSTE_OK);
        CHECK(message.notice == RIPOSTE_NOTICE_FAULT);
    }
    for (const uint32_t process : {crosser, circler}) {
        CHECK(riposte_fault_record(process, &record) == RIPOSTE_OK);
        CHECK(says(record, "a static: whoever makes it waits for this thread"));
    }
    CHECK(riposte_fault_record(again, &record) == RIPOSTE_OK);
    CHECK(says(record, "a static: its own constructor comes to it again"));
    end();

    begin("static: destructors of any number run when the program ends, in order with atexit, the last one first");
    CHECK(riposte_fault_record(ender, &record) == RIPOSTE_OK);
    CHECK(record.reason == RIPOSTE_FAULT_EXIT && record.address == 77);
    end();

    begin("destructor: functions with that attribute run behind those of statics, the lowest priority last");
    CHECK(record.address == 77);
    end();
}

int cleaned;

void cleans(void *)
{
    cleaned++;
}

void refusals()
{
    begin("pthread_cancel [ENOSYS], pthread_cleanup_push: without signals in the application nobody is cancelled");
    pthread_cleanup_push(cleans, nullptr);
    CHECK(pthread_cancel(pthread_self()) == ENOSYS);
    pthread_testcancel();
    pthread_cleanup_pop(1);
    CHECK(cleaned == 1);
    end();
}

} // namespace

int main()
{
    objects();
    atomics();
    threads();
    waits();
    lends();
    outlives();
    patience();
    crosses();
    refusals();
    puts("@done");
    return static_cast<int>(riposte_shutdown(0));
}
