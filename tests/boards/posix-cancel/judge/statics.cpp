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

} // namespace

void statics()
{
    begin("pthread_cancel: who makes a static is cancelled behind it, and others have it");
    const pthread_t thread = start(MORE_URGENT, makes, nullptr);
    CHECK(has_come && !is_made);
    CHECK(pthread_cancel(thread) == 0 && finish(thread) == PTHREAD_CANCELED);
    CHECK(is_made && !has_passed);
    is_made = false;
    CHECK(finish(start(MORE_URGENT, makes, nullptr)) == nullptr && has_passed && !is_made);
    end();
}
