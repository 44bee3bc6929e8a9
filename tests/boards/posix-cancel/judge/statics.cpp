// Who makes a static of C++ is not cancelled meanwhile.

extern "C" {
#include "check.h"
}

namespace {

volatile bool is_made;

struct Slow {
    Slow()
    {
        const timespec little = {0, 2000000};
        has_come = true;
        nanosleep(&little, nullptr);
        is_made = true;
    }
};

void *makes(void *)
{
    static Slow only;
    pthread_testcancel();
    has_passed = true;
    return nullptr;
}

void *computes(void *)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    static Slow only;
    has_passed = true;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
    return nullptr;
}

} // namespace

void statics()
{
    begin("pthread_cancel: who makes a static, and can be cancelled anywhere, is so directly behind it");
    const pthread_t other = start(MORE_URGENT, computes, nullptr);
    CHECK(has_come && !is_made);
    CHECK(pthread_cancel(other) == 0 && finish(other) == PTHREAD_CANCELED);
    CHECK(is_made && !has_passed);
    is_made = false;
    end();
    begin("pthread_cancel: who makes a static is cancelled behind it, and others have it");
    const pthread_t thread = start(MORE_URGENT, makes, nullptr);
    CHECK(has_come && !is_made);
    CHECK(pthread_cancel(thread) == 0 && finish(thread) == PTHREAD_CANCELED);
    CHECK(is_made && !has_passed);
    is_made = false;
    CHECK(finish(start(MORE_URGENT, makes, nullptr)) == nullptr && has_passed && !is_made);
    end();
}
