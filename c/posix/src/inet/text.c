/* Addresses as text. */

#include <arpa/inet.h>
#include <string.h>

#include "../posix.h"

/* Most words of an address of IPv6. */
#define WORDS 8

/* Reads `a.b.c.d` up to the end of the text. */
static bool read_four(const char *text, uint8_t address[4])
{
    for (int n = 0; n < 4; n++) {
        unsigned value = 0;
        int digits = 0;
        for (; *text >= '0' && *text <= '9'; text++, digits++) {
            /* A leading zero might be meant as octal. */
            if (digits && !value)
                return false;
            value = value * 10 + (unsigned)(*text - '0');
            if (value > 255)
                return false;
        }
        if (!digits || *text != (n < 3 ? '.' : '\0'))
            return false;
        address[n] = (uint8_t)value;
        text++;
    }
    return true;
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F')
        return letter - 'A' + 10;
    return -1;
}

/* Reads words between colons, of which `::` stands for as many zeros as are missing, and `a.b.c.d` for the last two. */
static bool read_six(const char *text, uint8_t address[16])
{
    uint8_t bytes[2 * WORDS] = {0};
    size_t length = 0, gap = SIZE_MAX;
    bool is_behind_word = false;
    while (*text) {
        unsigned value = 0;
        int digits = 0;
        if (text[0] == ':' && text[1] == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = length;
            text += 2;
            is_behind_word = false;
            continue;
        }
        /* A colon is between two words. */
        if (is_behind_word)
            text++;
        if (length + 4 <= sizeof bytes && read_four(text, bytes + length)) {
            length += 4;
            break;
        }
        for (; digit_of(*text) >= 0; text++, digits++)
            value = value << 4 | (unsigned)digit_of(*text);
        if (digits < 1 || digits > 4 || length == sizeof bytes || (*text && *text != ':'))
            return false;
        bytes[length++] = (uint8_t)(value >> 8);
        bytes[length++] = (uint8_t)value;
        is_behind_word = true;
    }
    if ((length == sizeof bytes) != (gap == SIZE_MAX))
        return false;
    if (gap != SIZE_MAX) {
        const size_t behind = length - gap;
        memmove(bytes + sizeof bytes - behind, bytes + gap, behind);
        memset(bytes + gap, 0, sizeof bytes - length);
    }
    memcpy(address, bytes, sizeof bytes);
    return true;
}

int inet_pton(int family, const char *text, void *address)
{
    switch (family) {
    case AF_INET:
        return read_four(text, address);
    case AF_INET6:
        return read_six(text, address);
    default:
        return posix_fail(EAFNOSUPPORT);
    }
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_pton(AF_INET, text, &address) == 1 ? address.s_addr : (in_addr_t)-1;
}

static char *write_decimal(char *to, unsigned value)
{
    if (value >= 100)
        *to++ = (char)('0' + value / 100);
    if (value >= 10)
        *to++ = (char)('0' + value / 10 % 10);
    *to++ = (char)('0' + value % 10);
    return to;
}

static char *write_four(char *to, const uint8_t address[4])
{
    for (int n = 0; n < 4; n++) {
        if (n)
            *to++ = '.';
        to = write_decimal(to, address[n]);
    }
    return to;
}

static char *write_word(char *to, unsigned word)
{
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
        const unsigned digit = word >> shift & 0xF;
        begun |= digit || !shift;
        if (begun)
            *to++ = "0123456789abcdef"[digit];
    }
    return to;
}

/* As RFC 5952 wants it: in small letters, with `::` for the first of the longest rows of two zeros or more. */
static char *write_six(char *to, const uint8_t address[16])
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    unsigned words[WORDS];
    int from = -1, longest = 1;
    if (!memcmp(address, mapped, sizeof mapped)) {
        memcpy(to, "::ffff:", 7);
        return write_four(to + 7, address + 12);
    }
    for (int n = 0; n < WORDS; n++)
        words[n] = (unsigned)address[2 * n] << 8 | address[2 * n + 1];
    for (int n = 0, row = 0; n < WORDS; n++) {
        row = words[n] ? 0 : row + 1;
        if (row > longest) {
            longest = row;
            from = n + 1 - row;
        }
    }
    for (int n = 0; n < WORDS; n++) {
        if (n == from) {
            *to++ = ':';
            *to++ = ':';
            n += longest - 1;
            continue;
        }
        /* Behind `::` there is a colon already. */
        if (n && n != from + longest)
            *to++ = ':';
        to = write_word(to, words[n]);
    }
    return to;
}

const char *inet_ntop(int family, const void *address, char *text, socklen_t room)
{
    char all[INET6_ADDRSTRLEN];
    char *end;
    switch (family) {
    case AF_INET:
        end = write_four(all, address);
        break;
    case AF_INET6:
        end = write_six(all, address);
        break;
    default:
        posix_fail(EAFNOSUPPORT);
        return NULL;
    }
    *end++ = '\0';
    if ((size_t)(end - all) > room) {
        posix_fail(ENOSPC);
        return NULL;
    }
    memcpy(text, all, (size_t)(end - all));
    return text;
}
