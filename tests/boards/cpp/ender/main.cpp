// More statics with destructors than a fixed table would hold, of the program and of a function, and a function of atexit
// amid them; then functions that are marked as destructors. The status tells whether they went in the opposite order: 77.

#include <stdlib.h>

#include <riposte.h>

namespace {

constexpr int half = 20, all = 2 * half;

int left = all;
bool in_order = true;

// Made first, it is destroyed last.
struct Last {
    ~Last()
    {
        in_order = in_order && left-- == 0;
    }
} last;

// Behind all of them: first those without a priority, then the one with the highest number.
__attribute__((destructor)) void behind()
{
    in_order = in_order && left-- == -1;
}

__attribute__((destructor(202))) void one_more()
{
    in_order = in_order && left-- == -2;
}

__attribute__((destructor(201))) void at_the_end()
{
    riposte_exit(in_order && left == -3 ? 77 : 78);
}

template <int number> struct Numbered {
    ~Numbered()
    {
        in_order = in_order && --left == number;
    }
};

template <int number> void make()
{
    if constexpr (number % half != 0)
        make<number - 1>();
    static Numbered<number> one;
}

void amid()
{
    in_order = in_order && left == half;
}

} // namespace

int main()
{
    make<half - 1>();
    if (atexit(amid))
        return 1;
    make<all - 1>();
    return 2;
}
