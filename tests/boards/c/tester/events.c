/* What arrives by itself: proxies, timers, interrupts, and bits of another process's channel. */

#include <string.h>

#include "check.h"

static riposte_channel_t channel;
static riposte_message_t message;
static char buffer[16];

static riposte_error_t next(riposte_deadline_t deadline)
{
    return riposte_receive_until(channel, buffer, sizeof buffer, deadline, &message);
}

static void proxies(void)
{
    riposte_proxy_t pulse, proxy, another;

    begin("a proxy's message arrives as often as it was triggered");
    CHECK(riposte_proxy("nothing", &pulse) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_proxy("pulse", &pulse) == RIPOSTE_OK);
    CHECK(riposte_proxy_trigger(pulse) == RIPOSTE_OK && riposte_proxy_trigger(pulse) == RIPOSTE_OK);
    for (int count = 0; count < 2; count++) {
        CHECK(next(RIPOSTE_IMMEDIATE) == RIPOSTE_OK && message.notice == RIPOSTE_NOTICE_PROXY);
        CHECK(message.length == 5 && message.offered == 5 && memcmp(buffer, "pulse", 5) == 0);
    }
    CHECK(next(RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);
    /* It is the manifest's, and this process's own. */
    CHECK(riposte_proxy_close(pulse) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_proxy_destroy(pulse) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_proxy_close((riposte_proxy_t){0}) == RIPOSTE_ERROR_BAD_HANDLE);
    end();

    begin("a proxy is made, as many as the manifest says, and destroyed");
    CHECK(riposte_proxy_create(channel, buffer, RIPOSTE_MAX_PROXY_BYTES + 1, &proxy)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_proxy_create(channel, (const void *)4, 8, &proxy) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_proxy_create((riposte_channel_t){server.handle}, "x", 1, &proxy)
          == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_proxy_create(channel, "made", 4, &proxy) == RIPOSTE_OK);
    CHECK(riposte_proxy_create(channel, "more", 4, &another) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_proxy_trigger(proxy) == RIPOSTE_OK && next(RIPOSTE_IMMEDIATE) == RIPOSTE_OK);
    CHECK(message.badge == proxy.handle && memcmp(buffer, "made", 4) == 0);
    CHECK(riposte_proxy_destroy(proxy) == RIPOSTE_OK);
    CHECK(riposte_proxy_destroy(proxy) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_proxy_trigger(proxy) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

static void timers(void)
{
    riposte_proxy_t proxy;
    riposte_timer_t timer, another;
    bool ran = true;
    const uint64_t before = riposte_clock();

    begin("a timer sets bits once, again and again, and no more");
    CHECK(riposte_timer_notifying(channel, 0, &timer) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_timer_notifying(channel, 4, &timer) == RIPOSTE_OK);
    CHECK(riposte_timer_notifying(channel, 4, &another) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_timer_after(timer, 100000) == RIPOSTE_OK && next(RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_BITS && message.words[1] == 4);
    CHECK(riposte_clock() >= before + 100000);
    CHECK(riposte_timer_cancel(timer, &ran) == RIPOSTE_OK && !ran);
    CHECK(riposte_timer_at(timer, 1) == RIPOSTE_OK && next(RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(riposte_timer_every(timer, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_timer_every(timer, 200000) == RIPOSTE_OK && next(RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(riposte_timer_every_from(timer, riposte_clock(), 200000) == RIPOSTE_OK);
    CHECK(next(RIPOSTE_FOREVER) == RIPOSTE_OK && next(RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(riposte_timer_cancel(timer, &ran) == RIPOSTE_OK && ran);
    CHECK(riposte_timer_destroy(timer) == RIPOSTE_OK);
    CHECK(riposte_timer_destroy(timer) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_timer_after(timer, 1) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_timer_cancel(timer, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
    /* What was due before the last one was cancelled. */
    next(RIPOSTE_IMMEDIATE);

    begin("a timer triggers a proxy");
    CHECK(riposte_proxy_create(channel, "tick", 4, &proxy) == RIPOSTE_OK);
    CHECK(riposte_timer_triggering(proxy, &timer) == RIPOSTE_OK);
    CHECK(riposte_timer_after(timer, 1000) == RIPOSTE_OK && next(RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_PROXY && memcmp(buffer, "tick", 4) == 0);
    CHECK(riposte_timer_destroy(timer) == RIPOSTE_OK && riposte_proxy_destroy(proxy) == RIPOSTE_OK);
    CHECK(riposte_timer_triggering(proxy, &timer) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

static void interrupts(void)
{
    riposte_interrupt_t line, again;
    uint32_t bits = 0;

    begin("an interrupt sets its bits, once for each acknowledgement");
    CHECK(riposte_interrupt_attach("uart0", channel, 8, &line) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_interrupt_attach("software", channel, 0, &line) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_interrupt_attach("software", channel, 8, &line) == RIPOSTE_OK);
    CHECK(riposte_interrupt_attach("software", channel, 8, &again) == RIPOSTE_ERROR_IN_USE);
    CHECK(riposte_interrupt_acknowledge(line) == RIPOSTE_OK);
    CHECK(riposte_interrupt_pend(line) == RIPOSTE_OK && next(RIPOSTE_IMMEDIATE) == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_BITS && message.words[1] == 8);
    CHECK(riposte_interrupt_pend(line) == RIPOSTE_OK && next(RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_interrupt_wait(line, &bits) == RIPOSTE_OK && bits == 8);
    CHECK(riposte_interrupt_pend(line) == RIPOSTE_OK);
    CHECK(riposte_interrupt_receive(line, buffer, sizeof buffer, &message) == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_BITS && message.words[1] == 8);
    CHECK(riposte_interrupt_mask(line) == RIPOSTE_OK);
    CHECK(riposte_interrupt_detach(line) == RIPOSTE_OK);
    CHECK(riposte_interrupt_detach(line) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_interrupt_pend(line) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_interrupt_mask(line) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_interrupt_acknowledge(line) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_interrupt_wait(line, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_interrupt_receive(line, NULL, 0, &message) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

static void bits_of_others(void)
{
    riposte_connection_t own;

    begin("bits of another process's channel are set with the right to");
    CHECK(riposte_notify_server(server, 1) == RIPOSTE_OK);
    CHECK(riposte_notify_server(server, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_connect("own", &own) == RIPOSTE_OK);
    CHECK(riposte_notify_server(own, 1) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_close(own) == RIPOSTE_OK);
    CHECK(riposte_notify_server(own, 1) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

void events(void)
{
    riposte_channel("events", &channel);
    proxies();
    timers();
    interrupts();
    bits_of_others();
}
