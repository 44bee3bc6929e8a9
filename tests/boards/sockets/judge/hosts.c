/* Addresses of hosts by their names. The server of names answers as a name's first part says: tests/boards/hosts/teller. */

#include "check.h"

#include <netdb.h>
#include <riposte.h>
#include <stdlib.h>
#include <string.h>

/* An address without a socket's kind. */
static const struct addrinfo stream = {.ai_socktype = SOCK_STREAM};

/* Whether one that was found is this address and port, of a socket of that type. */
static bool is(const struct addrinfo *found, const char *address, uint16_t port, int type)
{
    struct sockaddr_in in, wanted = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (!found || found->ai_family != AF_INET || found->ai_socktype != type || found->ai_addrlen != sizeof in
        || found->ai_protocol != (type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
        return false;
    memcpy(&in, found->ai_addr, sizeof in);
    inet_pton(AF_INET, address, &wanted.sin_addr);
    return !memcmp(&in, &wanted, sizeof in);
}

/* What there is to say of a name: 0, of which the first address is this, or an error. */
static int find(const char *name, const char *address)
{
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(name, "80", &stream, &found);
    const bool is_it = !error && is(found, address, 80, SOCK_STREAM);
    freeaddrinfo(found);
    return error || is_it ? error : -1;
}

/* What is said of what is wanted. */
static int error_of(const char *host, const char *service, struct addrinfo hints)
{
    struct addrinfo *found;
    const int error = getaddrinfo(host, service, &hints, &found);
    if (!error)
        freeaddrinfo(found);
    return error;
}

static void found(void)
{
    struct addrinfo *all, *rest;
    char name[] = "one.test";
    begin("getaddrinfo: a name has an address, with each kind of socket, and the port that was given");
    CHECK(getaddrinfo(name, "8080", NULL, &all) == 0);
    CHECK(is(all, "10.1.0.1", 8080, SOCK_STREAM) && is(all->ai_next, "10.1.0.1", 8080, SOCK_DGRAM));
    CHECK(!all->ai_next->ai_next && !all->ai_canonname);
    freeaddrinfo(all);
    end();
    begin("getaddrinfo, freeaddrinfo: of several addresses each, as they were told; any end of the list is given back");
    CHECK(getaddrinfo("many.test", NULL, &stream, &all) == 0);
    CHECK(is(all, "10.1.0.1", 0, SOCK_STREAM) && is(all->ai_next, "10.1.0.2", 0, SOCK_STREAM));
    rest = all->ai_next->ai_next;
    CHECK(is(rest, "10.1.0.3", 0, SOCK_STREAM) && is(rest->ai_next, "10.1.0.4", 0, SOCK_STREAM));
    CHECK(!rest->ai_next->ai_next);
    all->ai_next->ai_next = NULL;
    freeaddrinfo(rest);
    freeaddrinfo(all);
    freeaddrinfo(NULL);
    end();
    begin("getaddrinfo: AI_CANONNAME, of the first one; by another name; and with a dot at the end");
    CHECK(getaddrinfo(name, NULL, &(struct addrinfo){.ai_flags = AI_CANONNAME}, &all) == 0);
    memset(name, 'x', 3);
    CHECK(all->ai_canonname && !strcmp(all->ai_canonname, "one.test") && !all->ai_next->ai_canonname);
    freeaddrinfo(all);
    CHECK(find("alias.test", "10.1.0.7") == 0 && find("one.test.", "10.1.0.1") == 0);
    end();
    begin("freeaddrinfo: all of it is given back");
    for (int n = 0; n < 200 && !wrong; n++)
        CHECK(find("one.test", "10.1.0.1") == 0);
    end();
}

static void numbers(void)
{
    struct addrinfo *all;
    begin("getaddrinfo: numbers, of which nobody is asked; without a host the own machine");
    CHECK(find("10.0.0.77", "10.0.0.77") == 0);
    CHECK(getaddrinfo("10.0.0.2", "65535", &(struct addrinfo){.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, &all) == 0);
    CHECK(is(all, "10.0.0.2", 65535, SOCK_STREAM));
    freeaddrinfo(all);
    struct addrinfo own = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    CHECK(getaddrinfo(NULL, "80", &own, &all) == 0 && is(all, "127.0.0.1", 80, SOCK_STREAM));
    freeaddrinfo(all);
    own = (struct addrinfo){.ai_flags = AI_PASSIVE, .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    CHECK(getaddrinfo(NULL, "80", &own, &all) == 0);
    CHECK(is(all, "0.0.0.0", 80, SOCK_DGRAM) && !all->ai_next);
    freeaddrinfo(all);
    end();
    begin("getnameinfo: an address and its port as numbers, in as much room as they take");
    char host[9], service[4];
    struct sockaddr_in in = peer_at(443);
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host, service, sizeof service, 0) == 0);
    CHECK(!strcmp(host, "10.0.0.2") && !strcmp(service, "443"));
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host, NULL, 0, NI_NUMERICHOST) == 0);
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host - 1, NULL, 0, 0) == EAI_OVERFLOW);
    CHECK(getnameinfo(ADDRESS(in), NULL, 0, service, sizeof service - 1, 0) == EAI_OVERFLOW);
    CHECK(getnameinfo(ADDRESS(in), NULL, 0, NULL, 0, 0) == EAI_NONAME);
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host, NULL, 0, NI_NAMEREQD) == EAI_NONAME);
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host, NULL, 0, 1 << 20) == EAI_BADFLAGS);
    CHECK(getnameinfo((struct sockaddr *)&in, sizeof in - 1, host, sizeof host, NULL, 0, 0) == EAI_FAMILY);
    in.sin_family = 77;
    CHECK(getnameinfo(ADDRESS(in), host, sizeof host, NULL, 0, 0) == EAI_FAMILY);
    end();
}

static void errors(void)
{
    char longest[256];
    begin("getaddrinfo EAI_NONAME: no such host, none with an address, none that can be called so, or none given");
    CHECK(find("none.test", "") == EAI_NONAME && find("empty.test", "") == EAI_NONAME);
    CHECK(find("", "") == EAI_NONAME && find("a b", "") == EAI_NONAME && find("10.0.0.256", "") == EAI_NONAME);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(find(longest, "") == EAI_NONAME);
    CHECK(error_of(NULL, NULL, stream) == EAI_NONAME);
    CHECK(error_of("one.test", "80", (struct addrinfo){.ai_flags = AI_NUMERICHOST}) == EAI_NONAME);
    CHECK(error_of("one.test", "http", (struct addrinfo){.ai_flags = AI_NUMERICSERV}) == EAI_NONAME);
    end();
    begin("getaddrinfo EAI_AGAIN: the server of names keeps silent, for ten seconds, or cannot tell");
    const riposte_deadline_t began = riposte_clock();
    CHECK(find("silent.test", "") == EAI_AGAIN);
    CHECK(riposte_clock() - began >= UINT64_C(10000000000) && riposte_clock() - began < UINT64_C(12000000000));
    CHECK(find("broken.test", "") == EAI_AGAIN);
    end();
    begin("getaddrinfo EAI_SERVICE, EAI_FAMILY, EAI_SOCKTYPE, EAI_BADFLAGS");
    CHECK(error_of("one.test", "http", stream) == EAI_SERVICE && error_of("one.test", "65536", stream) == EAI_SERVICE);
    CHECK(error_of("one.test", "", stream) == EAI_SERVICE && error_of("one.test", "-1", stream) == EAI_SERVICE);
    CHECK(error_of("one.test", NULL, (struct addrinfo){.ai_family = 77}) == EAI_FAMILY);
    /* The program `network` has none of IPv6. */
    CHECK(error_of("one.test", NULL, (struct addrinfo){.ai_family = AF_INET6}) == EAI_NONAME);
    CHECK(error_of("one.test", NULL, (struct addrinfo){.ai_socktype = 77}) == EAI_SOCKTYPE);
    CHECK(error_of("one.test", NULL, (struct addrinfo){.ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_UDP})
          == EAI_SOCKTYPE);
    CHECK(error_of("one.test", NULL, (struct addrinfo){.ai_flags = 1 << 20}) == EAI_BADFLAGS);
    CHECK(error_of(NULL, "80", (struct addrinfo){.ai_flags = AI_CANONNAME}) == EAI_BADFLAGS);
    end();
    begin("getaddrinfo EAI_MEMORY: the heap has no room, and all of it is given back");
    void *taken[64];
    int count = 0;
    while (count < 64 && (taken[count] = malloc(32)))
        count++;
    CHECK(count < 64 && find("one.test", "10.1.0.1") == EAI_MEMORY);
    free(taken[--count]);
    free(taken[--count]);
    free(taken[--count]);
    CHECK(error_of("many.test", NULL, (struct addrinfo){.ai_flags = AI_CANONNAME}) == EAI_MEMORY);
    CHECK(find("one.test", "10.1.0.1") == 0);
    while (count)
        free(taken[--count]);
    end();
    begin("gai_strerror: each error says something of its own");
    static const int all[] = {EAI_AGAIN,  EAI_BADFLAGS, EAI_FAIL,     EAI_FAMILY, EAI_MEMORY,  EAI_NONAME,
                              EAI_SERVICE, EAI_SOCKTYPE, EAI_SYSTEM, EAI_OVERFLOW, 0, 99};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        for (size_t other = 0; other < n; other++)
            CHECK(strcmp(gai_strerror(all[n]), gai_strerror(all[other])));
    end();
}

/* Another thread asks for what nobody tells. */
static uint32_t ask(void *error)
{
    *(int *)error = find("silent.test", "");
    return (uint32_t)errno;
}

static void system_errors(void)
{
    static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
    riposte_process_t network;
    riposte_thread_t thread;
    uint32_t value = 0;
    int error = 0, again;
    begin("getaddrinfo EAI_SYSTEM: EMFILE, as the program asks for as many names as it may");
    CHECK(riposte_thread_spawn(ask, &error, &second, &thread) == RIPOSTE_OK);
    riposte_sleep(50000000);
    errno = 0;
    CHECK(find("one.test", "") == EAI_SYSTEM && errno == EMFILE);
    CHECK(riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && error == EAI_AGAIN);
    CHECK(find("one.test", "10.1.0.1") == 0);
    end();
    begin("getaddrinfo EAI_SYSTEM: EIO, as the server ends; its next life tells the name");
    CHECK(riposte_thread_spawn(ask, &error, &second, &thread) == RIPOSTE_OK);
    riposte_sleep(50000000);
    CHECK(riposte_process("network", &network) == RIPOSTE_OK && riposte_process_restart(network) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && error == EAI_SYSTEM);
    CHECK(value == EIO);
    while ((again = find("one.test", "10.1.0.1")) == EAI_SYSTEM && errno == EIO)
        riposte_sleep(1000000);
    CHECK(again == 0);
    end();
}

void hosts(void)
{
    found();
    numbers();
    errors();
    system_errors();
}
