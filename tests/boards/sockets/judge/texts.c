/* Addresses as text. */

#include "check.h"

#include <string.h>

static bool is(int family, const char *text, const char *again)
{
    uint8_t bytes[16];
    char written[INET6_ADDRSTRLEN];
    return inet_pton(family, text, bytes) == 1 && inet_ntop(family, bytes, written, sizeof written) == written
           && !strcmp(written, again);
}

void texts(void)
{
    static const char *const none[] = {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", ".1.2.3", "1..2.3", "01.2.3.4",
                                       "1.2.3.4 ", "a.2.3.4", "1.2.3.4294967297", "-1.2.3.4"};
    static const char *const none_six[] = {"", ":", ":1", "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::",
                                           ":::1", "1:::2", "12345::", "g::", "1:2:3:4:5:6:7:8::", "::1.2.3", "1.2.3.4::",
                                           "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5"};
    uint8_t bytes[16];
    char text[INET6_ADDRSTRLEN];
    begin("htonl, htons, ntohl, ntohs: the highest byte is the first");
    const uint32_t word = htonl(0x01020304);
    const uint16_t half = htons(0x0102);
    CHECK(!memcmp(&word, "\1\2\3\4", 4) && !memcmp(&half, "\1\2", 2));
    CHECK(ntohl(word) == 0x01020304 && ntohs(half) == 0x0102);
    end();
    begin("inet_pton, inet_ntop: an address of IPv4 and back");
    CHECK(inet_pton(AF_INET, "10.0.200.255", bytes) == 1 && !memcmp(bytes, "\12\0\310\377", 4));
    CHECK(is(AF_INET, "0.0.0.0", "0.0.0.0") && is(AF_INET, "255.10.9.100", "255.10.9.100"));
    end();
    begin("inet_pton: 0 of what is no address of IPv4");
    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        CHECK(inet_pton(AF_INET, none[n], bytes) == 0);
    end();
    begin("inet_pton, inet_ntop: an address of IPv6, in the shortest form");
    CHECK(is(AF_INET6, "::", "::") && is(AF_INET6, "::1", "::1") && is(AF_INET6, "1::", "1::"));
    CHECK(is(AF_INET6, "2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1") && is(AF_INET6, "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"));
    CHECK(is(AF_INET6, "0:0:1:0:0:0:2:3", "0:0:1::2:3") && is(AF_INET6, "::ffff:10.0.0.2", "::ffff:10.0.0.2"));
    CHECK(is(AF_INET6, "1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a") && is(AF_INET6, "1::ffff", "1::ffff"));
    CHECK(inet_pton(AF_INET6, "fe80::1:20", bytes) == 1);
    CHECK(!memcmp(bytes, "\376\200\0\0\0\0\0\0\0\0\0\0\0\1\0\40", 16));
    end();
    begin("inet_pton: 0 of what is no address of IPv6");
    for (size_t n = 0; n < sizeof none_six / sizeof *none_six; n++)
        CHECK(inet_pton(AF_INET6, none_six[n], bytes) == 0);
    end();
    begin("inet_ntop ENOSPC: too little room; EAFNOSUPPORT of another family, inet_pton too");
    memset(bytes, 0xFF, sizeof bytes);
    CHECK(inet_ntop(AF_INET, bytes, text, 16) == text && !strcmp(text, "255.255.255.255"));
    CHECK(IS_NULL(inet_ntop(AF_INET, bytes, text, 15), ENOSPC) && IS_NULL(inet_ntop(1, bytes, text, 46), EAFNOSUPPORT));
    CHECK(FAILS(inet_pton(1, "1.2.3.4", bytes), EAFNOSUPPORT));
    end();
    begin("inet_addr: the address, or -1");
    CHECK(inet_addr("10.0.0.2") == htonl(0x0A000002) && inet_addr("10.0.0") == (in_addr_t)-1);
    end();
}
