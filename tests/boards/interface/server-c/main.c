/* The server of the test in C: it does what the one in Rust does. */

#include <stdio.h>
#include <stdlib.h>

#include <interface-api.h>

/* The badges of connections to the second interface begin here. */
#define ADMIN 16

struct server {
    uint32_t calls;
    bool has_last;
    depot_block_t last;
};

static uint32_t nothing(void *self)
{
    (void)self;
    return 0;
}

static uint32_t scale(void *self, int8_t number, uint16_t factor, bool negative, int32_t *result)
{
    (void)self;
    *result = (negative ? -1 : 1) * number * factor;
    return 0;
}

static uint32_t swap(void *self, uint64_t low, int64_t high, int64_t *first, uint64_t *second)
{
    (void)self;
    *first = high;
    *second = low;
    return 0;
}

static uint32_t half(void *self, float value, float *result)
{
    (void)self;
    *result = value / 2;
    return 0;
}

static uint32_t turn(void *self, const depot_block_t *block, depot_block_t *result)
{
    struct server *const server = self;
    if (block->number == 0)
        return DEPOT_FAULT_EMPTY;
    *result = *block;
    for (size_t byte = 0; byte < sizeof block->bytes; byte++)
        result->bytes[byte] = block->bytes[sizeof block->bytes - 1 - byte];
    server->last = *result;
    server->has_last = true;
    return 0;
}

static uint32_t table(void *self, const uint16_t key[3], uint8_t number, const depot_block_t *block, uint16_t result[3],
                      uint32_t *next, depot_block_t *same)
{
    (void)self;
    for (size_t place = 0; place < 3; place++)
        result[place] = (uint16_t)(key[place] * 2);
    *next = number + 1u;
    *same = *block;
    return 0;
}

static uint32_t store(void *self, const char *key, size_t length, const uint64_t *samples, size_t count, const uint8_t *raw,
                      size_t raw_count, size_t *result)
{
    uint64_t sum = 0;
    (void)self;
    (void)raw;
    if (length == 0)
        return DEPOT_FAULT_EMPTY;
    if (length == 4 && memcmp(key, "full", 4) == 0)
        return DEPOT_FAULT_FULL;
    for (size_t sample = 0; sample < count; sample++)
        sum += samples[sample];
    *result = (size_t)sum + raw_count;
    return 0;
}

static uint32_t load(void *self, uint32_t first, uint64_t *room, size_t capacity, size_t *filled, bool *all)
{
    (void)self;
    if (first == 0)
        return DEPOT_FAULT_EMPTY;
    *filled = capacity < 10 ? capacity : 10;
    *all = *filled == 10;
    for (size_t place = 0; place < *filled; place++)
        room[place] = first + place;
    return 0;
}

static uint32_t points(void *self, const char *key, size_t length, depot_point_t *room, size_t capacity, size_t *filled)
{
    (void)self;
    *filled = length < capacity ? length : capacity;
    for (size_t place = 0; place < *filled; place++) {
        room[place].x = (uint8_t)key[place];
        room[place].y = (int16_t)-room[place].x;
    }
    return 0;
}

static uint32_t label(void *self, uint8_t number, char *text, size_t capacity, bool *all, size_t *length)
{
    char line[16];
    const size_t word = strlen("größe ");
    const size_t whole = (size_t)snprintf(line, sizeof line, "größe %u", number);
    (void)self;
    *all = whole <= capacity;
    *length = *all ? whole : word <= capacity ? word : 0;
    memcpy(text, line, *length);
    return 0;
}

static uint32_t calls(void *self, uint32_t *result)
{
    *result = ((struct server *)self)->calls;
    return 0;
}

static uint32_t last(void *self, admin_block_t *result)
{
    const struct server *const server = self;
    *result = server->last;
    return server->has_last ? 0 : ADMIN_FAULT_EMPTY;
}

static uint32_t fall(void *self)
{
    (void)self;
    riposte_exit(3);
}

static const depot_server_t depot = {
    .nothing = nothing,
    .scale = scale,
    .swap = swap,
    .half = half,
    .turn = turn,
    .table = table,
    .store = store,
    .load = load,
    .points = points,
    .label = label,
};
static const admin_server_t admin = {.calls = calls, .last = last, .fall = fall};

int main(void)
{
    static struct server server;
    static uint8_t buffer[256];
    riposte_channel_t channel;
    riposte_message_t message;
    riposte_error_t error;

    if (riposte_channel("server-c", &channel) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no channel `server-c`");
    error = riposte_receive(channel, buffer, sizeof buffer, &message);
    while (error == RIPOSTE_OK) {
        riposte_answer_t answer;
        if (message.badge >= ADMIN) {
            answer = admin_dispatch(&admin, &server, &message, buffer, sizeof buffer);
        } else {
            server.calls++;
            answer = depot_dispatch(&depot, &server, &message, buffer, sizeof buffer);
        }
        error = riposte_answer_and_receive(channel, message.token, &answer, buffer, sizeof buffer, &message);
        if (error == RIPOSTE_ERROR_NO_SUCH_CLIENT)
            error = riposte_receive(channel, buffer, sizeof buffer, &message);
    }
    return (int)error;
}
