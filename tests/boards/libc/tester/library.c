/* Functions of the C library that need nothing but thread-local storage, or nothing at all. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "check.h"

static void numbers(void)
{
    char *end_of;
    begin("strtol and its like: value, end and error");
    errno = 0;
    CHECK(strtol(" -42x", &end_of, 10) == -42 && *end_of == 'x' && errno == 0);
    CHECK(strtol("0x1F", NULL, 0) == 31 && strtol("017", NULL, 0) == 15 && strtol("zz", NULL, 36) == 35 * 36 + 35);
    CHECK(strtol("none", &end_of, 10) == 0 && *end_of == 'n');
    CHECK(strtol("-9999999999", NULL, 10) == LONG_MIN && errno == ERANGE);
    errno = 0;
    CHECK(strtoul("9999999999", NULL, 10) == ULONG_MAX && errno == ERANGE);
    errno = 0;
    CHECK(strtoll("-9223372036854775808", NULL, 10) == LLONG_MIN && errno == 0);
    CHECK(strtoull("18446744073709551616", NULL, 10) == ULLONG_MAX && errno == ERANGE);
    errno = 0;
    CHECK(strtol("1", NULL, 99) == 0 && errno == EINVAL);
    CHECK(strtoimax("77", NULL, 8) == 63 && atoi("12") == 12 && atol("-5") == -5 && atoll("6000000000") == 6000000000);
    end();

    begin("strtod and atof: value, end and error");
    errno = 0;
    CHECK(atof("2.5") == 2.5 && strtod("-1e3z", &end_of) == -1000.0 && *end_of == 'z' && errno == 0);
    CHECK(strtof("0.125", NULL) == 0.125f && isinf(strtod("inf", NULL)) && isnan(strtod("nan", NULL)));
    CHECK(strtod("1e999", NULL) == HUGE_VAL && errno == ERANGE);
    errno = 0;
    CHECK(strtod("0x1p-2", NULL) == 0.25 && errno == 0);
    end();
}

static void texts(void)
{
    char text[] = "a,,b;c", *place;
    begin("strtok, strtok_r and strsep");
    CHECK(strcmp(strtok(text, ",;"), "a") == 0 && strcmp(strtok(NULL, ",;"), "b") == 0);
    CHECK(strcmp(strtok(NULL, ",;"), "c") == 0 && strtok(NULL, ",;") == NULL);
    strcpy(text, "x y");
    CHECK(strcmp(strtok_r(text, " ", &place), "x") == 0 && strcmp(strtok_r(NULL, " ", &place), "y") == 0);
    end();

    begin("strerror and perror say what an error is");
    CHECK(strlen(strerror(ENOMEM)) > 3 && strcmp(strerror(ENOMEM), strerror(EINVAL)) != 0);
    errno = ERANGE;
    perror("what perror says");
    CHECK(errno == ERANGE);
    end();

    begin("the locale is C's");
    CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0 && strcmp(localeconv()->decimal_point, ".") == 0);
    CHECK(setlocale(LC_ALL, "C") != NULL && isalpha('x') && !isalpha('1') && toupper('q') == 'Q');
    mbstate_t state = {0};
    wchar_t wide = 0;
    CHECK(mbrtowc(&wide, "z", 1, &state) == 1 && wide == L'z' && mblen("z", 1) == 1);
    end();
}

static int by_value(const void *left, const void *right)
{
    const int l = *(const int *)left, r = *(const int *)right;
    return (l > r) - (l < r);
}

static void sorts(void)
{
    int values[100];
    bool sorted = true;
    begin("qsort and bsearch");
    srand(5);
    for (int i = 0; i < 100; i++)
        values[i] = rand() % 50;
    values[17] = 1000;
    qsort(values, 100, sizeof *values, by_value);
    for (int i = 1; i < 100; i++)
        sorted = sorted && values[i - 1] <= values[i];
    CHECK(sorted);
    CHECK(bsearch(&(int){1000}, values, 100, sizeof *values, by_value) == &values[99]);
    CHECK(bsearch(&(int){999}, values, 100, sizeof *values, by_value) == NULL);
    CHECK(div(-7, 2).quot == -3 && div(-7, 2).rem == -1 && abs(-4) == 4);
    end();
}

static void cleared(void)
{
    void (*const volatile clear)(void *, size_t) = bzero;
    char text[] = "0123456789";
    begin("bzero, explicit_bzero: as many bytes are zeros, and no more");
    explicit_bzero(text + 1, 5);
    CHECK(text[0] == '0' && !text[1] && !text[5] && text[6] == '6');
    clear(text + 7, 2);
    CHECK(text[6] == '6' && !text[7] && !text[8] && text[9] == '9');
    end();
}

static jmp_buf back;

__attribute__((noinline)) static void deep(int depth)
{
    riposte_connection_t none;
    volatile char room[32];
    memset((void *)room, depth, sizeof room);
    /* System calls between a setjmp and its longjmp. */
    riposte_yield();
    riposte_connect("nobody", &none);
    if (depth == 0)
        longjmp(back, 7);
    if (room[0] == depth)
        deep(depth - 1);
}

static uint32_t jumps(void *argument)
{
    volatile uint32_t count = 0;
    volatile double number = 1.5;
    jmp_buf own;
    (void)argument;
    const int first = setjmp(own);
    if (first < 3) {
        count++;
        number += 1.0;
        riposte_yield();
        longjmp(own, first + 1);
    }
    return count == 3 && number == 4.5 ? 0 : 1;
}

static void jumping(void)
{
    volatile int local = 5;
    volatile bool came_back = false;
    begin("longjmp leaves functions that made system calls, and each thread has its own way back");
    switch (setjmp(back)) {
    case 0:
        local = 6;
        deep(5);
        break;
    case 7:
        came_back = true;
        break;
    }
    CHECK(came_back && local == 6);
    CHECK(run(jumps, NULL, 11) == 0 && run(jumps, NULL, 9) == 0);
    switch (setjmp(back)) {
    case 0:
        longjmp(back, 0);
    case 1:
        break;
    default:
        CHECK(false);
    }
    end();
}

void library(void)
{
    numbers();
    texts();
    sorts();
    cleared();
    jumping();
}
