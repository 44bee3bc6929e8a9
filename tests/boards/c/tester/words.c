/* Words to wait at, and locks. */

#include "check.h"

void words(void)
{
    static uint32_t word, other, lock;
    const uint32_t *const misaligned = (const uint32_t *)((uintptr_t)&word + 1);
    uint32_t woken = 9, moved = 9;
    bool died = true;

    begin("a word to wait at");
    CHECK(riposte_futex_wait_until(&word, 1, RIPOSTE_FOREVER) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_futex_wait_until(&word, 0, riposte_clock() + 1000) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_futex_wake(&word, 1, &woken) == RIPOSTE_OK && woken == 0);
    CHECK(riposte_futex_requeue(&word, 0, 1, &other, 1, &woken, &moved) == RIPOSTE_OK);
    CHECK(woken == 0 && moved == 0);
    CHECK(riposte_futex_requeue(&word, 5, 1, &other, 1, &woken, &moved) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_futex_wait_until(misaligned, 0, RIPOSTE_FOREVER) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_futex_wait_until(NULL, 0, RIPOSTE_FOREVER) == RIPOSTE_ERROR_BAD_ADDRESS || NULL == (void *)&word);
    CHECK(riposte_word_wait(&word, 1) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_word_wait(misaligned, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_word_wait((uint32_t *)0x7FFFFFF0, 0) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_word_wake(&word, 1, &woken) == RIPOSTE_OK && woken == 0);
    CHECK(riposte_word_wake(misaligned, 1, &woken) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_word_give(&other) == RIPOSTE_OK && other == 1);
    CHECK(riposte_word_give((uint32_t *)(uintptr_t)misaligned) == RIPOSTE_ERROR_BAD_ARGUMENT);
    end();

    begin("a lock that the kernel gives");
    CHECK(riposte_futex_lock_until(&lock, RIPOSTE_FOREVER, &died) == RIPOSTE_OK && !died);
    CHECK((lock & RIPOSTE_LOCK_OWNER_MASK) != 0);
    CHECK(riposte_futex_lock_until(&lock, RIPOSTE_FOREVER, NULL) == RIPOSTE_ERROR_DEADLOCK);
    CHECK(riposte_futex_unlock(&lock) == RIPOSTE_OK && lock == 0);
    CHECK(riposte_futex_unlock(&lock) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_futex_lock_until((uint32_t *)0x7FFFFFF0, RIPOSTE_FOREVER, NULL) == RIPOSTE_ERROR_BAD_ADDRESS);
    end();
}
