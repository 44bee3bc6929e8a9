/* A client in C of servers in both languages, and of one that lies. */

#include <stdio.h>

#include <interface-api.h>

static bool wrong;
static const char *server;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            wrong = true;                                                                                             \
            printf("@fail a client in C of %s: %d: %s\n", server, __LINE__, #condition);                              \
        }                                                                                                             \
    } while (0)

/* That a call brought a result; that it was refused with a status. */
#define GOOD(call) CHECK((call) == RIPOSTE_OK && status == 0)
#define REFUSED(call, why) CHECK((call) == RIPOSTE_OK && status == (why))

static void passes(const char *what)
{
    if (!wrong)
        printf("@pass %s: a client in C of %s\n", what, server);
    wrong = false;
}

static riposte_connection_t to(const char *suffix)
{
    char name[20];
    riposte_connection_t connection = {0};
    snprintf(name, sizeof name, "%s%s", server, suffix);
    CHECK(riposte_connect(name, &connection) == RIPOSTE_OK);
    return connection;
}

static const depot_block_t block = {77, {-3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}};

static void values(riposte_connection_t depot)
{
    uint32_t status, next = 0;
    int32_t product = 0;
    int64_t first = 0;
    uint64_t second = 0;
    float quotient = 0;
    depot_block_t turned = {0};
    uint16_t key[3] = {1, 2, 300};

    GOOD(depot_nothing(depot, &status));
    GOOD(depot_scale(depot, -100, 60000, false, &product, &status));
    CHECK(product == -6000000);
    GOOD(depot_scale(depot, -100, 60000, true, &product, &status));
    CHECK(product == 6000000);
    GOOD(depot_swap(depot, UINT64_C(1) << 40, -5, &first, &second, &status));
    CHECK(first == -5 && second == UINT64_C(1) << 40);
    GOOD(depot_half(depot, -3.0f, &quotient, &status));
    CHECK(quotient == -1.5f);
    GOOD(depot_turn(depot, &block, &turned, &status));
    CHECK(turned.number == 77 && turned.corner.x == -3 && turned.bytes[0] == 20 && turned.bytes[19] == 1);
    turned.number = 0;
    REFUSED(depot_turn(depot, &turned, &turned, &status), DEPOT_FAULT_EMPTY);
    GOOD(depot_table(depot, key, 255, &block, key, &next, &turned, &status));
    CHECK(key[0] == 2 && key[2] == 600 && next == 256 && memcmp(&turned, &block, sizeof block) == 0);
    passes("numbers, structures, arrays and tuples");
}

static void lengths(riposte_connection_t depot)
{
    static const uint64_t samples[3] = {UINT64_C(1) << 30, 20, 3};
    static const uint8_t raw[5] = {0};
    const size_t sum = ((size_t)1 << 30) + 23;
    uint64_t room[12];
    depot_point_t points[3];
    char text[16];
    size_t filled = 0, length = 0;
    uint32_t status;
    bool all = false;

    GOOD(depot_store(depot, "key", 3, samples, 3, raw, 5, &filled, &status));
    CHECK(filled == sum + 5);
    GOOD(depot_store(depot, "longer", 6, samples, 0, raw, 1, &filled, &status));
    CHECK(filled == 1);
    REFUSED(depot_store(depot, "full", 4, samples, 3, raw, 5, &filled, &status), DEPOT_FAULT_FULL);
    REFUSED(depot_store(depot, "\xC3\x28", 2, samples, 3, raw, 5, &filled, &status), RIPOSTE_REFUSED_MALFORMED);
    memset(room, 0xFF, sizeof room);
    GOOD(depot_load(depot, 5, room, 12, &filled, &all, &status));
    CHECK(filled == 10 && all && room[0] == 5 && room[9] == 14 && room[10] == UINT64_MAX);
    GOOD(depot_load(depot, 50, room, 3, &filled, &all, &status));
    CHECK(filled == 3 && !all && room[2] == 52 && room[3] == 8);
    GOOD(depot_load(depot, 50, NULL, 0, &filled, &all, &status));
    CHECK(filled == 0 && !all);
    REFUSED(depot_load(depot, 0, room, 3, &filled, &all, &status), DEPOT_FAULT_EMPTY);
    GOOD(depot_points(depot, "abcd", 4, points, 3, &filled, &status));
    CHECK(filled == 3 && points[2].x == 'c' && points[2].y == -'c');
    GOOD(depot_label(depot, 12, text, sizeof text, &all, &length, &status));
    CHECK(all && length == 10 && memcmp(text, "größe 12", 10) == 0);
    GOOD(depot_label(depot, 12, text, 9, &all, &length, &status));
    CHECK(!all && length == 8);
    passes("slices, text and rooms");
}

/* Longer than the server's buffer. */
static void too_long(riposte_connection_t depot)
{
    static const alignas(8) uint8_t raw[300] = {0};
    uint64_t room[100];
    size_t filled = 0;
    uint32_t status;
    bool all;

    REFUSED(depot_store(depot, "key", 3, NULL, 0, raw, 300, &filled, &status), RIPOSTE_REFUSED_TOO_LONG);
    GOOD(depot_load(depot, 1, room, 100, &filled, &all, &status));
    CHECK(filled == 10);
    passes("a server without room refuses");
}

static void services(riposte_connection_t depot, riposte_connection_t admin)
{
    uint32_t status, before = 0, after = 0;
    admin_block_t last = {0};

    GOOD(admin_calls(admin, &before, &status));
    GOOD(depot_nothing(depot, &status));
    GOOD(admin_calls(admin, &after, &status));
    CHECK(after == before + 1);
    GOOD(admin_last(admin, &last, &status));
    CHECK(last.number == 77);
    /* The other interface has fewer methods. */
    REFUSED(depot_half(admin, 1.0f, &(float){0}, &status), RIPOSTE_REFUSED_NO_SUCH_METHOD);
    passes("two interfaces at one channel");
}

/* The call that ends the server fails; a connection that is opened again leads to its next life, which begins later. */
static void death(riposte_connection_t *depot, riposte_connection_t *admin)
{
    uint32_t status, calls = 1;

    CHECK(admin_fall(*admin, &status) == RIPOSTE_ERROR_SERVER_DIED);
    CHECK(depot_nothing(*depot, &status) == RIPOSTE_ERROR_SERVER_DIED);
    *depot = to("");
    *admin = to("-admin");
    CHECK(depot_nothing_until(*depot, riposte_clock() + 100000, &status) == RIPOSTE_ERROR_TIMED_OUT);
    GOOD(admin_calls(*admin, &calls, &status));
    CHECK(calls == 0);
    passes("a client waits for a server that is started again");
}

static void honest(const char *name)
{
    server = name;
    riposte_connection_t depot = to(""), admin = to("-admin");
    values(depot);
    lengths(depot);
    too_long(depot);
    services(depot, admin);
    death(&depot, &admin);
}

static void lies(void)
{
    server = "liar";
    const riposte_connection_t liar = to("");
    const uint32_t malformed = RIPOSTE_REFUSED_MALFORMED;
    uint64_t room[5] = {1, 1, 1, 1, 1};
    char text[8];
    uint32_t status;
    int32_t product = 5;
    size_t filled = 99;
    bool all;
    float quotient;

    for (int turn = 0; turn < 2; turn++)
        REFUSED(depot_scale(liar, 1, 1, false, &product, &status), malformed);
    CHECK(product == 5);
    for (int turn = 0; turn < 2; turn++) {
        depot_block_t turned;
        REFUSED(depot_turn(liar, &block, &turned, &status), malformed);
    }
    for (int turn = 0; turn < 5; turn++)
        REFUSED(depot_load(liar, 1, room, 4, &filled, &all, &status), malformed);
    CHECK(filled == 99 && room[4] == 1);
    for (int turn = 0; turn < 4; turn++)
        REFUSED(depot_label(liar, 1, text, sizeof text, &all, &filled, &status), malformed);
    CHECK(filled == 99);
    passes("an answer that is cut or lies is refused");

    CHECK(depot_half_until(liar, 1.0f, riposte_clock() + 1000000, &quotient, &status) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(depot_load_until(liar, 1, room, 4, 1, &filled, &all, &status) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(depot_turn_until(liar, &block, 1, &(depot_block_t){0}, &status) == RIPOSTE_ERROR_TIMED_OUT);
    passes("a call ends at its deadline");
}

int main(void)
{
    riposte_connection_t turn;
    honest("server");
    honest("server-c");
    lies();
    if (riposte_connect("turn", &turn) == RIPOSTE_OK)
        riposte_send_words(turn, NULL, 0, NULL);
    return 0;
}
