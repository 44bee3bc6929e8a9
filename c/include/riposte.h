/* The C library of a Riposte process.
 *
 * Generated from abi/ and c/src: change those, then run
 *     RIPOSTE_WRITE=1 cargo test -p riposte-host --test c_header
 *
 * Kernel errors are a riposte_error_t, which every call that can fail returns; what a server says of its
 * work is a status, and the two never share space. Results are stored where the caller says, and only if
 * there was no error. An address that is handed to the kernel may be anything: the kernel refuses what
 * is not this process's. What goes in registers, words and at most 20 bytes, the caller itself loads and
 * stores: if it may not, it faults. A place for a result is the caller's to be written, or NULL where the
 * comment says so. */

#ifndef RIPOSTE_H
#define RIPOSTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a deadline: as long as it takes. */
#define RIPOSTE_FOREVER UINT64_MAX
/* Of a deadline: do not block; of a message, only for the answer of a server that waits. */
#define RIPOSTE_IMMEDIATE UINT64_C(0)

#ifdef __cplusplus
#define RIPOSTE_PRIVATE_ENTRY extern "C" __attribute__((noreturn)) void
#else
#define RIPOSTE_PRIVATE_ENTRY __attribute__((noreturn)) void
#endif
/* The function of a thread that the manifest names, which never returns:
 *     RIPOSTE_THREAD(worker) { for (;;) ... }
 * A `-` of the manifest's name is a `_` here. It is a function of its own also for the compiler, which
 * else might ask which thread runs before the library knows. */
#define RIPOSTE_THREAD(name)                                                                         \
    __attribute__((noreturn, noinline)) static void riposte_private_body_##name(void);               \
    RIPOSTE_PRIVATE_ENTRY riposte_thread_##name(uint32_t argument, uint32_t index, uint32_t id);     \
    RIPOSTE_PRIVATE_ENTRY riposte_thread_##name(uint32_t argument, uint32_t index, uint32_t id)      \
    {                                                                                                \
        (void)argument;                                                                              \
        riposte_private_thread_begin(index, id);                                                     \
        riposte_private_body_##name();                                                               \
    }                                                                                                \
    static void riposte_private_body_##name(void)

/**
 * Machine words that a message can carry in registers.
 */
#define RIPOSTE_MESSAGE_WORDS 5

/**
 * Bytes that a message can carry in registers.
 */
#define RIPOSTE_MESSAGE_BYTES (RIPOSTE_MESSAGE_WORDS * 4)

/**
 * Most priority levels a manifest may ask for.
 */
#define RIPOSTE_MAX_PRIORITIES 256

/**
 * Fewest priority levels of a system.
 */
#define RIPOSTE_MIN_PRIORITIES 32

/**
 * Most threads of a system, its idle one included: a reply token names its thread with eight bits.
 */
#define RIPOSTE_MAX_THREADS 256

/**
 * Bytes of a restartable sequence, which stands at a multiple of them. Where a processor has no atomic
 * instructions, a program has such sequences between its symbols `__restartable_start` and
 * `__restartable_end`: a thread that is interrupted in one begins it anew, so that its last
 * instruction, the only one that changes memory, takes effect as if all were one.
 */
#define RIPOSTE_RESTARTABLE_BYTES 16

/**
 * Most parts of a scattered or gathered message.
 */
#define RIPOSTE_MAX_PARTS 16

/**
 * The badge of the process with index 0 in a connection to a channel that tells processes apart, whoever has handed
 * it over (the right `own-badge`); that of each other process is this plus its index. No `badge` of the manifest is
 * one of these 256.
 */
#define RIPOSTE_PROCESS_BADGES 2147483392

/**
 * Most bytes of a proxy's message.
 */
#define RIPOSTE_MAX_PROXY_BYTES 100

/**
 * Most triggers of a proxy that have not been received.
 */
#define RIPOSTE_MAX_TRIGGERS UINT16_MAX

/**
 * Shortest period of a timer, in nanoseconds; how often all timers of a process are due together is
 * limited by its manifest.
 */
#define RIPOSTE_LEAST_PERIOD 100000

/**
 * Nanoseconds until the machine is reset after a process has reached a limit whose manifest says so.
 */
#define RIPOSTE_RESET_DELAY 1000000000

/**
 * How often the delay of restarts is doubled at most.
 */
#define RIPOSTE_MOST_DOUBLINGS 6

/**
 * Operation shift in the call word.
 */
#define RIPOSTE_OPERATION_SHIFT 28

/**
 * Generation shift in the call word.
 */
#define RIPOSTE_GENERATION_SHIFT 8

/**
 * Mask of the handle part of the call word.
 */
#define RIPOSTE_HANDLE_MASK 268435455

/**
 * Mask of the index part of a handle.
 */
#define RIPOSTE_INDEX_MASK 255

/**
 * Largest handle generation. Behind it comes 1 again.
 */
#define RIPOSTE_MAX_GENERATION 1048575

/**
 * A call without a handle; see `super::number`.
 */
#define RIPOSTE_OPERATION_OTHER 0

/**
 * Send words in registers and wait for the reply.
 */
#define RIPOSTE_OPERATION_SEND 1

/**
 * Send `WORD1` bytes at `WORD0`.
 */
#define RIPOSTE_OPERATION_SEND_BYTES 2

/**
 * Send what the `WORD1` `crate::Part`s at `WORD0` name, in order.
 */
#define RIPOSTE_OPERATION_SEND_VECTOR 3

/**
 * Wait for a message.
 */
#define RIPOSTE_OPERATION_RECEIVE 4

/**
 * Lend the `WORD1` bytes at `WORD0`, which the server may read until it answers, with the words
 * `WORD2` to `WORD4`.
 */
#define RIPOSTE_OPERATION_LEND 5

/**
 * Lend the `WORD1` bytes at `WORD0`, which the server may read and write until it answers, with
 * the words `WORD2` to `WORD4`.
 */
#define RIPOSTE_OPERATION_LEND_MUT 6

/**
 * Give the server the `WORD1` bytes at `WORD0` for its own, with the words `WORD2` to `WORD4`.
 */
#define RIPOSTE_OPERATION_MOVE 7

/**
 * Answer with words, then wait for the next message. (Bit 31 is set in all that answer and wait.)
 */
#define RIPOSTE_OPERATION_REPLY_RECEIVE 8

/**
 * Answer with `WORD1` bytes at `WORD0`, then wait for the next message.
 */
#define RIPOSTE_OPERATION_REPLY_BYTES_RECEIVE 9

/**
 * Answer with the `WORD1` parts at `WORD0`, then wait for the next message.
 */
#define RIPOSTE_OPERATION_REPLY_VECTOR_RECEIVE 10

/**
 * Answer with the error status in `x4` and no bytes, then wait for the next message.
 */
#define RIPOSTE_OPERATION_REPLY_ERROR_RECEIVE 11

/**
 * A call about regions that are made at run time; its number stands where others have a handle (`crate::region`).
 */
#define RIPOSTE_OPERATION_REGION 12

/**
 * A call about signals; its number stands where others have a handle (`crate::signal`).
 */
#define RIPOSTE_OPERATION_SIGNAL 13

/**
 * Hands the client of the token in `INFO` and `GENERATION` on to the server of this connection: it waits there as if it
 * had sent its message through it. If it has sent words, these are `WORD0` to `WORD4` from now on, as many bytes as
 * `INFO` says. Needs the `relay` grant; `BadCall` where nobody
 * has it. Never blocks.
 */
#define RIPOSTE_OPERATION_RELAY 14

/**
 * Does nothing: what a system call costs.
 */
#define RIPOSTE_NUMBER_NULL 0

/**
 * Lets the next ready thread of the same priority run.
 */
#define RIPOSTE_NUMBER_YIELD 1

/**
 * Returns the monotonic time in nanoseconds: low word in `WORD0`, high word in `WORD1`.
 */
#define RIPOSTE_NUMBER_CLOCK 2

/**
 * Sleeps until the monotonic time in `x0`, `x1`.
 */
#define RIPOSTE_NUMBER_SLEEP 3

/**
 * Makes the other threads of this process ready, the first time it is called.
 */
#define RIPOSTE_NUMBER_START_THREADS 4

/**
 * Ends this process: `WORD0` is its exit status. It is handled as the manifest's `on_exit` says.
 */
#define RIPOSTE_NUMBER_EXIT 5

/**
 * Stops the machine: `WORD0` is the exit code. Needs the `shutdown` grant.
 */
#define RIPOSTE_NUMBER_SHUTDOWN 6

/**
 * Opens connection slot `WORD0` of the manifest, or finds the process's own proxy of the manifest
 * there: a handle in `WORD0`, or the error.
 */
#define RIPOSTE_NUMBER_CONNECT 7

/**
 * Closes the connection handle in `WORD0`, or that of another process's proxy, or of a region.
 */
#define RIPOSTE_NUMBER_CLOSE 8

/**
 * Answers with words: token in `INFO` and `GENERATION`. Never blocks.
 */
#define RIPOSTE_NUMBER_REPLY 9

/**
 * Answers with `WORD1` bytes at `WORD0`. Never blocks.
 */
#define RIPOSTE_NUMBER_REPLY_BYTES 10

/**
 * Answers with the `WORD1` parts at `WORD0`. Never blocks.
 */
#define RIPOSTE_NUMBER_REPLY_VECTOR 11

/**
 * Answers with the error status in `x4` and no bytes. Never blocks.
 */
#define RIPOSTE_NUMBER_REPLY_ERROR 12

/**
 * Copies from the waiting client's message: `WORD0` buffer, `WORD1` length, `WORD2` offset.
 * Returns the bytes copied in `WORD0`.
 */
#define RIPOSTE_NUMBER_READ 13

/**
 * Copies into the waiting client's reply buffer: `WORD0` bytes, `WORD1` length, `WORD2`
 * offset. Returns the bytes copied in `WORD0`.
 */
#define RIPOSTE_NUMBER_WRITE 14

/**
 * Answers with four words and hands the client the connection handle in `WORD4`, or the right to
 * trigger the proxy there, or a handle of the region there. The status is 0, whatever
 * the server says.
 */
#define RIPOSTE_NUMBER_REPLY_HANDLE 15

/**
 * Copies the `crate::fault::Record` of process `WORD0` to `x2`, `x3`. Needs the `supervisor` grant.
 */
#define RIPOSTE_NUMBER_FAULT_RECORD 16

/**
 * Faults the calling process with a message: `WORD1` bytes at `WORD0`, at most
 * `crate::fault::TEXT_BYTES` of which are kept.
 */
#define RIPOSTE_NUMBER_PANIC 17

/**
 * Gives up the moved memory in the caller's window at `WORD0`: it goes home. Or unmaps the region that is mapped
 * there: threads of the process that wait at words in it are told `crate::Error::BadAddress`, and locks in it
 * that they own go to who waits for them.
 */
#define RIPOSTE_NUMBER_RELEASE 18

/**
 * Takes back into use what has come home of the `WORD1` bytes at `WORD0` in the caller's pages:
 * it is cleared first.
 */
#define RIPOSTE_NUMBER_RECLAIM 19

/**
 * ORs the bits of `WORD1`, at least one, into those of a channel: its server gets them with a
 * notice, all at once. `WORD0` is the handle of the channel, one of the caller's process, or of
 * a connection to it with the right `notify`. Never blocks.
 */
#define RIPOSTE_NUMBER_NOTIFY 20

/**
 * Waits at the word at address `WORD0` until `FUTEX_WAKE`, as long as it holds `WORD1` now;
 * otherwise it is refused with `crate::Error::WouldBlock`.
 */
#define RIPOSTE_NUMBER_FUTEX_WAIT 21

/**
 * Wakes at most `WORD1` of the threads that wait at the word at address `WORD0`, the most urgent
 * ones first. Returns in `WORD0` how many. The word is the process's to write. Never blocks.
 */
#define RIPOSTE_NUMBER_FUTEX_WAKE 22

/**
 * Wakes at most `WORD2` of the threads that wait at the word at address `WORD0`, as long as it
 * holds `WORD1`, and lets at most `WORD4` further ones wait at the word at address `WORD3`
 * instead. Returns in `WORD0` how many it has woken, in `WORD1` how many wait there now. Both are
 * the process's to write, and lie in one region, or both where no other process can write. Never
 * blocks.
 */
#define RIPOSTE_NUMBER_FUTEX_REQUEUE 23

/**
 * Waits until the caller owns the lock at address `WORD0` (`crate::lock`). Returns 1 in `WORD0`
 * if what the lock protects was left by an owner that has died, else 0.
 */
#define RIPOSTE_NUMBER_FUTEX_LOCK 24

/**
 * Gives the caller's lock at address `WORD0` to the most urgent thread that waits for it. Never
 * blocks.
 */
#define RIPOSTE_NUMBER_FUTEX_UNLOCK 25

/**
 * Starts a spare thread of the caller's process: at code address `WORD0`, with argument `WORD1` in
 * its first register and `x0` in its fourth, at priority `WORD2` (at most the process's
 * `priority_limit`), by policy `WORD3` (`crate::thread::policy`; by that and the priority of the caller if it is
 * `crate::thread::policy::SAME`), on a stack of at least `WORD4` bytes. Returns its id in `WORD0`. Never blocks.
 */
#define RIPOSTE_NUMBER_THREAD_CREATE 26

/**
 * Ends the calling thread: `WORD0` is its exit value. That of the main thread is its process's
 * `EXIT`, with that status.
 */
#define RIPOSTE_NUMBER_THREAD_EXIT 27

/**
 * Waits until the thread `WORD0` of the caller's process has ended. Returns its exit value in
 * `WORD0`; the id is stale then.
 */
#define RIPOSTE_NUMBER_THREAD_JOIN 28

/**
 * Gives the thread `WORD0` of the caller's process (0: the caller) priority `WORD1` (0: the same
 * as before) and policy `WORD2` (`crate::thread::policy`). Returns what they were in `WORD0` and
 * `WORD1`, and the caller's effective priority in `WORD2`. Never blocks.
 */
#define RIPOSTE_NUMBER_THREAD_SCHEDULE 29

/**
 * Nobody will join the thread `WORD0` of the caller's process: once it has ended, its slot is
 * free. Never blocks.
 */
#define RIPOSTE_NUMBER_THREAD_DETACH 30

/**
 * Makes a proxy, a message that is triggered without blocking: it brings the `WORD2` bytes at
 * `WORD1`, at most `crate::MAX_PROXY_BYTES`, to the caller's channel `WORD0`. Returns its
 * handle in `WORD0`.
 */
#define RIPOSTE_NUMBER_PROXY_CREATE 31

/**
 * Ends the proxy `WORD0` that the caller's process has made, and what it has counted.
 */
#define RIPOSTE_NUMBER_PROXY_DESTROY 32

/**
 * Triggers the proxy `WORD0`: it is received once more. Never blocks, and says
 * `crate::Error::WouldBlock` while `crate::MAX_TRIGGERS` have not been received.
 */
#define RIPOSTE_NUMBER_TRIGGER 33

/**
 * Makes a timer that triggers the proxy `WORD0`, or sets the bits `WORD1` of the caller's
 * channel `WORD0`. Returns its handle in `WORD0`.
 */
#define RIPOSTE_NUMBER_TIMER_CREATE 34

/**
 * Starts the timer `WORD0`, running or not: it is due at the monotonic time in `x0`, `x1`, and
 * then every `WORD1` (low), `WORD2` (high) nanoseconds: 0 for once, or at least
 * `crate::LEAST_PERIOD`. Says `crate::Error::Exhausted` if the periodic timers of the process
 * that run would be due more often together than its manifest allows: it goes on as before.
 */
#define RIPOSTE_NUMBER_TIMER_SET 35

/**
 * Stops the timer `WORD0`. Returns in `WORD0` whether it ran.
 */
#define RIPOSTE_NUMBER_TIMER_CANCEL 36

/**
 * Attaches the interrupt of position `WORD0` in the manifest's `interrupts` of the process to its
 * channel with the handle `WORD1`: from its first acknowledgement on it sets the bits `WORD2`
 * there. Returns the interrupt's handle in `WORD0`.
 */
#define RIPOSTE_NUMBER_INTERRUPT_ATTACH 37

/**
 * Detaches the interrupt with the handle `WORD0`: its line is masked, and the handle is gone.
 */
#define RIPOSTE_NUMBER_INTERRUPT_DETACH 38

/**
 * Acknowledges the interrupt with the handle `WORD0`: its line is unmasked. See also
 * `crate::info::ACKNOWLEDGE`.
 */
#define RIPOSTE_NUMBER_INTERRUPT_ACK 39

/**
 * Masks the line of the interrupt with the handle `WORD0` until it is acknowledged.
 */
#define RIPOSTE_NUMBER_INTERRUPT_MASK 40

/**
 * Raises the interrupt with the handle `WORD0` as its device would. Never blocks.
 */
#define RIPOSTE_NUMBER_INTERRUPT_PEND 41

/**
 * Ends the timer `WORD0`.
 */
#define RIPOSTE_NUMBER_TIMER_DESTROY 42

/**
 * Gives a unit of the semaphore (`crate::semaphore`) at address `WORD0` to the most urgent thread
 * that waits there, which is woken, or else adds it to the word; unless that has as many as it can
 * hold: `crate::Error::WouldBlock`. Returns in `WORD0` how many threads it has woken. Never
 * blocks.
 */
#define RIPOSTE_NUMBER_FUTEX_GIVE 43

/**
 * Restarts the process at position `WORD0` among those that the caller's process controls, whatever
 * state it is in. It counts as none of its restarts, which are counted from zero again. Never blocks.
 */
#define RIPOSTE_NUMBER_PROCESS_RESTART 44

/**
 * Stops the process at position `WORD0` among those that the caller's process controls, whatever state
 * it is in. Never blocks.
 */
#define RIPOSTE_NUMBER_PROCESS_STOP 45

/**
 * Counts the bytes of the stack of thread `WORD1` of process `WORD0` that it has not used since the
 * start of the system, however often the process was restarted: `WORD0`. The guard below it is not among
 * them. Never blocks. Needs the `supervisor` grant, or `inspect`.
 */
#define RIPOSTE_NUMBER_STACK_UNUSED 46

/**
 * Says what thread `WORD1` of process `WORD0` is doing: its state (`crate::thread::state`) in `WORD0`; its
 * effective priority, its own priority and its policy in bits 7..0, 15..8 and 17..16 of `WORD1`; what it waits
 * for in `WORD2`; the bytes of its stack in `WORD3`, without the guard below it. Never blocks. Needs the
 * `inspect` grant.
 */
#define RIPOSTE_NUMBER_THREAD_STATE 47

/**
 * One more than the largest; not all below are calls.
 */
#define RIPOSTE_NUMBER_COUNT 48

/**
 * Mask of the length.
 */
#define RIPOSTE_INFO_LENGTH_MASK 31

/**
 * Mask of the token's tag.
 */
#define RIPOSTE_INFO_TAG_MASK 4294967040

/**
 * Shift of the thread index in the tag.
 */
#define RIPOSTE_INFO_THREAD_SHIFT 8

/**
 * Shift of the generation's high part in the tag.
 */
#define RIPOSTE_INFO_HIGH_SHIFT 16

/**
 * In: the call has a deadline in `x0` (low) and `x1` (high), nanoseconds of monotonic time.
 * Deadline 0 means: do not block; of a send, only for the answer of a server that waits, and of whom that hands the client to.
 */
#define RIPOSTE_INFO_DEADLINE (1 << 5)

/**
 * In: `x2` and `x3` name an array of `crate::Part`s and their count, not a buffer.
 */
#define RIPOSTE_INFO_VECTOR (1 << 6)

/**
 * In, reply calls: `x4` is the status; without it the status is 0.
 */
#define RIPOSTE_INFO_STATUS (1 << 7)

/**
 * In, `RECEIVE`: if the call does not fail at once, acknowledge the interrupt with the handle `WORD3`
 * (`crate::call::number::INTERRUPT_ACK`) before it waits.
 */
#define RIPOSTE_INFO_ACKNOWLEDGE (1 << 4)

/**
 * In, send calls: the client takes a handle that the reply may bring.
 */
#define RIPOSTE_INFO_ACCEPT_HANDLE (1 << 7)

/**
 * In, `RECEIVE`: take only the peer that `WORD0` selects (see `select`).
 */
#define RIPOSTE_INFO_SELECT (1 << 7)

/**
 * Out: the bytes were copied to the buffer: `WORD0` of them, out of `WORD1` that were offered.
 */
#define RIPOSTE_INFO_BYTES (1 << 5)

/**
 * Out, server: not a message but a notice; `WORD0` says which (`crate::notice`). Needs no reply.
 */
#define RIPOSTE_INFO_NOTICE (1 << 6)

/**
 * Out, client: the reply brought a handle, in `WORD4`.
 */
#define RIPOSTE_INFO_HANDLE (1 << 6)

/**
 * Out: the call failed; `CALL` holds the `crate::Error`.
 */
#define RIPOSTE_INFO_ERROR (1 << 7)

/**
 * Out, server, in place of a length: memory is lent with the message, to be read until it is
 * answered: `WORD1` bytes at `WORD0`. The words `WORD2` to `WORD4` are the message's.
 */
#define RIPOSTE_INFO_LENT 29

/**
 * Out, server, in place of a length: as `LENT`, to be read and written.
 */
#define RIPOSTE_INFO_LENT_MUT 30

/**
 * Out, server, in place of a length: the memory has come to stay, until
 * `crate::call::number::RELEASE` or a further `crate::call::operation::MOVE`. Out, client, with `ERROR`: the
 * server that has died had received what was moved.
 */
#define RIPOSTE_INFO_MOVED 31

/**
 * The client connection with the badge in `WORD1`.
 */
#define RIPOSTE_SELECT_BADGE 1

/**
 * The client thread named by the token in `WORD1` (tag) and `WORD2` (generation), in the life in which it sent that.
 */
#define RIPOSTE_SELECT_TOKEN 2

/**
 * A client that used the connection with badge `CALL` has died. At a channel with `client_names`, where there are
 * programs: a process that has that connection by the manifest, whether it has used it or not, and `WORD1` says how often it
 * has ended by now, if it is a program.
 */
#define RIPOSTE_NOTICE_CLIENT_DIED 1

/**
 * The client named by the token in `INFO` and `GENERATION` wants to be unblocked: it stays
 * REPLY-blocked until it is answered. `WORD1` says why; `CALL` is its badge.
 */
#define RIPOSTE_NOTICE_UNBLOCK 2

/**
 * Process `WORD1` has faulted; its record waits for `crate::call::number::FAULT_RECORD`.
 */
#define RIPOSTE_NOTICE_FAULT 3

/**
 * Bits were set by `crate::call::number::NOTIFY` or by an interrupt: `WORD1` holds all since the last such notice.
 */
#define RIPOSTE_NOTICE_BITS 4

/**
 * A proxy was triggered, and this is one time of those. `WORD1` bytes of its message were copied to
 * the buffer, out of `WORD2`; `CALL` is what its owner, who receives this, calls it.
 */
#define RIPOSTE_NOTICE_PROXY 5

/**
 * Its deadline has passed.
 */
#define RIPOSTE_UNBLOCK_LATE 0

/**
 * It has no deadline, or that has not passed: a signal waits for it, which it handles when it is answered.
 */
#define RIPOSTE_UNBLOCK_SIGNAL 1

/**
 * Somebody waits: the kernel unlocks it.
 */
#define RIPOSTE_LOCK_WAITERS (1 << 31)

/**
 * What the lock protects was left by an owner that has died. An owner that has put it in order
 * clears the bit, in one step.
 */
#define RIPOSTE_LOCK_OWNER_DIED (1 << 30)

/**
 * Mask of the owner's thread id.
 */
#define RIPOSTE_LOCK_OWNER_MASK (RIPOSTE_LOCK_OWNER_DIED - 1)

/**
 * Perhaps somebody waits: the kernel gives.
 */
#define RIPOSTE_SEMAPHORE_WAITERS 2147483648

/**
 * As many units as there can be.
 */
#define RIPOSTE_SEMAPHORE_MAX_UNITS 2147483647

/**
 * The largest signal; the smallest is 1.
 */
#define RIPOSTE_SIGNAL_MAX 63

/**
 * The smallest signal of those that are queued, each with a word; the others only wait or don't.
 */
#define RIPOSTE_SIGNAL_FIRST_QUEUED 32

/**
 * Most signals with a word that can wait in a process.
 */
#define RIPOSTE_SIGNAL_MAX_QUEUED 32

/**
 * In place of a position: the caller's own process.
 */
#define RIPOSTE_SIGNAL_OWN 4294967295

/**
 * The signals of the caller's process go to its code at address `WORD0`. Further ones are masked while one is
 * handled: those in `WORD1`, `WORD2`.
 */
#define RIPOSTE_SIGNAL_CALL_ACTION 0

/**
 * The signals of the calling thread are handled on the `WORD1` bytes of stack at `WORD0`; on its own one if
 * they are 0.
 */
#define RIPOSTE_SIGNAL_CALL_STACK 1

/**
 * Sends signal `WORD1` to the process at position `WORD0` among those that the caller's process may send to, or
 * to its own (`super::OWN`); there to the thread with the id `WORD3`, if that is not 0. A signal from
 * `super::FIRST_QUEUED` on brings `WORD2`. Never blocks.
 */
#define RIPOSTE_SIGNAL_CALL_SEND 2

/**
 * Changes which signals are masked in the calling thread: by the set in `WORD1`, `WORD2`, as `WORD0` says
 * (`super::how`). Returns which ones were in `WORD0`, `WORD1`; and which ones wait in `WORD2`, `WORD3`. Never
 * blocks.
 */
#define RIPOSTE_SIGNAL_CALL_MASK 3

/**
 * Ends the handler with the frame at `WORD0`: the thread goes on where it was.
 */
#define RIPOSTE_SIGNAL_CALL_RETURN 4

/**
 * Waits, with the set in `WORD0`, `WORD1` masked, until a signal has been handled: it fails with
 * `crate::Error::Interrupted`.
 */
#define RIPOSTE_SIGNAL_CALL_SUSPEND 5

/**
 * Takes one of the signals in `WORD0`, `WORD1`, or waits for it, masked or not: its number in `WORD0`, and what it
 * brings in `WORD1`. No handler is called.
 */
#define RIPOSTE_SIGNAL_CALL_WAIT 6

/**
 * It is the set.
 */
#define RIPOSTE_SIGNAL_HOW_SET 0

/**
 * The set is added.
 */
#define RIPOSTE_SIGNAL_HOW_BLOCK 1

/**
 * The set is taken away.
 */
#define RIPOSTE_SIGNAL_HOW_UNBLOCK 2

/**
 * Mask of the system-wide index in a thread's id.
 */
#define RIPOSTE_THREAD_INDEX_MASK 255

/**
 * Shift of the life in a thread's id: it counts the thread's starts, from 1.
 */
#define RIPOSTE_THREAD_LIFE_SHIFT 8

/**
 * The last life before the first one comes again.
 */
#define RIPOSTE_THREAD_MAX_LIFE 4194303

/**
 * It runs until it blocks or yields.
 */
#define RIPOSTE_POLICY_FIFO 0

/**
 * After a slice the next one of its level runs.
 */
#define RIPOSTE_POLICY_ROUND_ROBIN 1

/**
 * As `ROUND_ROBIN`; and a thread that uses up its slice drops one level, until it blocks.
 */
#define RIPOSTE_POLICY_ADAPTIVE 2

/**
 * `crate::call::number::THREAD_SCHEDULE`: what it was. `crate::call::number::THREAD_CREATE`: the caller's, with
 * the caller's priority.
 */
#define RIPOSTE_POLICY_SAME UINT32_MAX

/**
 * It has not been started, has ended, or its process is stopped or held.
 */
#define RIPOSTE_STATE_STOPPED 0

/**
 * It runs, or is ready to.
 */
#define RIPOSTE_STATE_READY 1

/**
 * Its message waits to be received, at this channel of this process.
 */
#define RIPOSTE_STATE_SEND_BLOCKED 2

/**
 * This thread of this process has received its message, and has not answered.
 */
#define RIPOSTE_STATE_REPLY_BLOCKED 3

/**
 * It waits for a message, at this channel of its own process.
 */
#define RIPOSTE_STATE_RECEIVE_BLOCKED 4

/**
 * It waits at a word, or for a lock.
 */
#define RIPOSTE_STATE_FUTEX_BLOCKED 5

/**
 * It waits for the end of a thread of its process.
 */
#define RIPOSTE_STATE_JOINING 6

/**
 * It sleeps.
 */
#define RIPOSTE_STATE_SLEEPING 7

/**
 * It waits for a signal.
 */
#define RIPOSTE_STATE_SIGNAL_WAITING 8

/**
 * Map the region to be written.
 */
#define RIPOSTE_RIGHT_WRITE (1 << 0)

/**
 * Hand it on in a reply. Whoever gets it can write if the giver can, and hands it on only if that is `ONWARD`.
 */
#define RIPOSTE_RIGHT_TRANSFER (1 << 1)

/**
 * Whoever gets it has the same rights as the giver, so that it may hand it on, too.
 */
#define RIPOSTE_RIGHT_ONWARD (1 << 2)

/**
 * All of them.
 */
#define RIPOSTE_RIGHT_ALL ((RIPOSTE_RIGHT_WRITE | RIPOSTE_RIGHT_TRANSFER) | RIPOSTE_RIGHT_ONWARD)

/**
 * Bytes of a panic message that the record keeps.
 */
#define RIPOSTE_FAULT_TEXT_BYTES 256

/**
 * Return addresses that the record keeps.
 */
#define RIPOSTE_FAULT_TRACE 8

/**
 * Registers that the record keeps.
 */
#define RIPOSTE_FAULT_REGISTERS 32

/**
 * Read or write outside its memory; `address` says where.
 */
#define RIPOSTE_FAULT_MEMORY 1

/**
 * Its stack overflowed; `address` says where, if the hardware tells.
 */
#define RIPOSTE_FAULT_STACK_OVERFLOW 2

/**
 * Fetched an instruction outside its code.
 */
#define RIPOSTE_FAULT_EXECUTE 3

/**
 * Illegal instruction.
 */
#define RIPOSTE_FAULT_ILLEGAL 4

/**
 * Unaligned access, or division by zero where that traps.
 */
#define RIPOSTE_FAULT_ARITHMETIC 5

/**
 * A bus error, exact or not.
 */
#define RIPOSTE_FAULT_BUS 6

/**
 * It panicked; `text` says why.
 */
#define RIPOSTE_FAULT_PANIC 7

/**
 * It asked for a breakpoint with no debugger there.
 */
#define RIPOSTE_FAULT_BREAKPOINT 8

/**
 * It ended; `address` is its exit status.
 */
#define RIPOSTE_FAULT_EXIT 9

/**
 * Another process restarted or stopped it; `address` is that one's index in the manifest.
 */
#define RIPOSTE_FAULT_CONTROLLED 10

/**
 * It ended a handler of a signal with a frame that is not that handler's; `address` is it.
 */
#define RIPOSTE_FAULT_SIGNAL_FRAME 11

/**
 * It was started again.
 */
#define RIPOSTE_ACTION_RESTARTED 1

/**
 * It stays stopped.
 */
#define RIPOSTE_ACTION_STOPPED 2

/**
 * It is held as it was for a debugger.
 */
#define RIPOSTE_ACTION_HELD 3

/**
 * It was to be restarted, but has reached its limit, and stays stopped.
 */
#define RIPOSTE_ACTION_LIMIT 4

/**
 * The word of a block that is taken.
 */
#define RIPOSTE_PRIVATE_POOL_TAKEN UINT32_MAX

/**
 * Why the kernel refused or ended a call. Values are those of the C library's `errno`.
 */
enum riposte_error_t
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No error.
     */
    RIPOSTE_OK = 0,
    /**
     * The right or grant is not in the manifest.
     */
    RIPOSTE_ERROR_NOT_PERMITTED = 1,
    /**
     * No such client waits: answered already, gone, or never was.
     */
    RIPOSTE_ERROR_NO_SUCH_CLIENT = 3,
    /**
     * The call was interrupted.
     */
    RIPOSTE_ERROR_INTERRUPTED = 4,
    /**
     * The peer that a selective receive names has died.
     */
    RIPOSTE_ERROR_PEER_DIED = 6,
    /**
     * No such handle, or a stale one.
     */
    RIPOSTE_ERROR_BAD_HANDLE = 9,
    /**
     * Nothing there now, and the call was not to block.
     */
    RIPOSTE_ERROR_WOULD_BLOCK = 11,
    /**
     * No free object of this kind is left; raise its number in the manifest.
     */
    RIPOSTE_ERROR_EXHAUSTED = 12,
    /**
     * A range is outside the memory of the process that named it.
     */
    RIPOSTE_ERROR_BAD_ADDRESS = 14,
    /**
     * Somebody still holds a part of the memory, or waits for the thread already.
     */
    RIPOSTE_ERROR_IN_USE = 16,
    /**
     * A length, count or flag is out of range.
     */
    RIPOSTE_ERROR_BAD_ARGUMENT = 22,
    /**
     * No free handle slot; raise `handles` in the manifest.
     */
    RIPOSTE_ERROR_NO_HANDLES = 23,
    /**
     * The server died or closed its channel while the client waited, or before.
     */
    RIPOSTE_ERROR_SERVER_DIED = 32,
    /**
     * The call would close a cycle of waiting threads, or wait for more of them than `kernel.depth`.
     */
    RIPOSTE_ERROR_DEADLOCK = 45,
    /**
     * No such system call.
     */
    RIPOSTE_ERROR_BAD_CALL = 88,
    /**
     * This memory cannot be lent or moved to this server now; its bytes can be sent.
     */
    RIPOSTE_ERROR_CANNOT_LEND = 95,
    /**
     * The deadline passed.
     */
    RIPOSTE_ERROR_TIMED_OUT = 116,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum riposte_error_t riposte_error_t;
#else
typedef uint32_t riposte_error_t;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A mutex: one thread at a time holds it. While nobody waits, it is taken and given up without a
 * system call. Its holder has at least the priority of all who wait. If a thread or process dies with
 * it, the next one gets it, and is told by riposte_mutex_owner_died. Several processes can use one in
 * a region. See RIPOSTE_MUTEX.
 */
typedef struct riposte_mutex_t {
    /**
     * RIPOSTE_LOCK_*: who holds it.
     */
    uint32_t word;
} riposte_mutex_t;

/**
 * What threads wait for: part of what follows.
 */
typedef struct riposte_private_event {
    /**
     * How often it was signalled while anybody waited.
     */
    uint32_t signals;
    /**
     * How many threads wait, in the low half; and how often that began anew.
     */
    uint32_t waiting;
} riposte_private_event;

/**
 * What threads change of a queue of bytes.
 */
typedef struct riposte_private_byte_queue_state {
    /**
     * Who copies.
     */
    struct riposte_mutex_t lock;
    /**
     * Which words are full.
     */
    uint32_t ring;
    /**
     * A message was sent.
     */
    struct riposte_private_event sent;
    /**
     * A message was received.
     */
    struct riposte_private_event received;
} riposte_private_byte_queue_state;

/**
 * A queue of messages of bytes, first in, first out, by copy. A message takes a word more than its
 * bytes, which are rounded up to words, of the queue's. Who sends waits for room, who receives waits
 * for a message, each in order of priority; a message is there whole or not at all. But room is for whoever it
 * is enough for: senders of short messages, however little urgent, can keep one of a long message waiting for as
 * long as they go on. Several processes can use one in a region, each through such a structure of its own. See RIPOSTE_BYTE_QUEUE and
 * RIPOSTE_BYTE_QUEUE_IN.
 */
typedef struct riposte_byte_queue_t {
    /**
     * What threads change; all zeros at first.
     */
    struct riposte_private_byte_queue_state *state;
    /**
     * Where the messages lie.
     */
    uint32_t *words;
    /**
     * How many words there are, 1 to 65,535.
     */
    uint32_t count;
} riposte_byte_queue_t;

/**
 * A moment until which a call may block, in nanoseconds of monotonic time since the kernel's start
 * (see riposte_clock); or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
 */
typedef uint64_t riposte_deadline_t;

/**
 * The right to answer one waiting client, once. A second answer is an error, never somebody else's.
 */
typedef struct riposte_token_t {
    /**
     * Which thread waits.
     */
    uint32_t tag;
    /**
     * In which of its waits.
     */
    uint32_t generation;
} riposte_token_t;

/**
 * A client's right to send to one channel.
 */
typedef struct riposte_connection_t {
    /**
     * The handle; 0 is none.
     */
    uint32_t handle;
} riposte_connection_t;

/**
 * 32 event flags: threads set them, and wait until any or all of some are set. While nobody waits,
 * nothing makes a system call. Several processes can use them in a region. See RIPOSTE_EVENT_FLAGS.
 */
typedef struct riposte_event_flags_t {
    /**
     * Those that are set.
     */
    uint32_t flags;
    /**
     * Some were set.
     */
    struct riposte_private_event changed;
} riposte_event_flags_t;

/**
 * A mailbox: a place for one word that is not 0. Who posts waits while it is full, who fetches waits
 * while it is empty, each in order of priority. Several processes can use one in a region. See
 * RIPOSTE_MAILBOX.
 */
typedef struct riposte_mailbox_t {
    /**
     * The word; 0 if it is empty.
     */
    uint32_t word;
    /**
     * A word was posted.
     */
    struct riposte_private_event posted;
    /**
     * A word was fetched.
     */
    struct riposte_private_event fetched;
} riposte_mailbox_t;

/**
 * What threads change of a heap.
 */
typedef struct riposte_private_heap_state {
    /**
     * Is nobody's business.
     */
    uint32_t words[5];
} riposte_private_heap_state;

/**
 * A heap for all threads of the process. What it does takes longer the more free blocks of similar
 * sizes there are, so that what must be on time takes its memory from a pool. Whoever waits for it
 * lends the holder its priority. See RIPOSTE_HEAP.
 */
typedef struct riposte_heap_t {
    /**
     * Its memory.
     */
    void *memory;
    /**
     * Bytes of that.
     */
    size_t length;
    /**
     * All zeros at first.
     */
    struct riposte_private_heap_state state;
} riposte_heap_t;

/**
 * Where a server receives.
 */
typedef struct riposte_channel_t {
    /**
     * The handle; 0 is none.
     */
    uint32_t handle;
} riposte_channel_t;

/**
 * An interrupt that this process handles.
 */
typedef struct riposte_interrupt_t {
    /**
     * The handle; 0 is none.
     */
    uint32_t handle;
    /**
     * Where it arrives.
     */
    struct riposte_channel_t channel;
} riposte_interrupt_t;

/**
 * What came back from a server.
 */
typedef struct riposte_reply_t {
    /**
     * What the server says: 0, or an error of its own. It never shares space with the kernel's.
     */
    uint32_t status;
    /**
     * The words, of a reply in registers; what the length does not cover is 0.
     */
    uint32_t words[5];
    /**
     * Bytes of the reply that are in the words or in the buffer.
     */
    size_t length;
    /**
     * Bytes that the server offered: more than the length if there was no room for them.
     */
    size_t offered;
    /**
     * Bytes of the request that the server accepted at once.
     */
    size_t accepted;
} riposte_reply_t;

/**
 * A condition variable: threads give up a mutex and wait until another one notifies them that what it
 * protects has changed. Several processes can use one in a region. See RIPOSTE_CONDVAR.
 */
typedef struct riposte_condvar_t {
    /**
     * The notification.
     */
    struct riposte_private_event event;
} riposte_condvar_t;

/**
 * A device whose registers this process may use.
 */
typedef struct riposte_peripheral_t {
    /**
     * Its first register.
     */
    void *address;
    /**
     * Bytes from there on that the process may use.
     */
    size_t length;
    /**
     * What the board says it is, such as "ns16550"; "" if it does not say.
     */
    const char *kind;
} riposte_peripheral_t;

/**
 * Something that is done once. If whoever does it dies doing it, the next one begins anew. Afterwards
 * it costs a load. Several processes can use one in a region. See RIPOSTE_ONCE.
 */
typedef struct riposte_once_t {
    /**
     * 0: it is not yet done.
     */
    uint32_t done;
    /**
     * Who does it.
     */
    struct riposte_mutex_t lock;
} riposte_once_t;

/**
 * A barrier: so many threads wait at it until all have come. A thread that dies waiting has come.
 * Several processes can use one in a region. See RIPOSTE_BARRIER.
 */
typedef struct riposte_barrier_t {
    /**
     * How many.
     */
    uint32_t threads;
    /**
     * How many have come, and how often all have.
     */
    uint32_t come;
    /**
     * All have come.
     */
    struct riposte_private_event complete;
} riposte_barrier_t;

/**
 * A canned message that is triggered without blocking: the channel receives it, with a notice
 * RIPOSTE_NOTICE_PROXY, as often as it was triggered.
 */
typedef struct riposte_proxy_t {
    /**
     * The handle; 0 is none. Of a notice of a proxy, the badge is the owner's handle.
     */
    uint32_t handle;
} riposte_proxy_t;

/**
 * At a time, or again and again, it triggers a proxy or sets notification bits.
 */
typedef struct riposte_timer_t {
    /**
     * The handle; 0 is none.
     */
    uint32_t handle;
} riposte_timer_t;

/**
 * What threads change of a queue.
 */
typedef struct riposte_private_queue_state {
    /**
     * Who copies.
     */
    struct riposte_mutex_t lock;
    /**
     * Which places are full.
     */
    uint32_t ring;
    /**
     * An item was sent.
     */
    struct riposte_private_event sent;
    /**
     * An item was received.
     */
    struct riposte_private_event received;
} riposte_private_queue_state;

/**
 * A queue of items of one size, first in, first out, by copy. Who sends waits while it is full, who
 * receives waits while it is empty, each in order of priority. While nobody has to wait, neither makes
 * a system call; who dies while it sends has sent nothing. Several processes can use one in a region,
 * each through such a structure of its own. See RIPOSTE_QUEUE and RIPOSTE_QUEUE_IN.
 */
typedef struct riposte_queue_t {
    /**
     * What threads change; all zeros at first.
     */
    struct riposte_private_queue_state *state;
    /**
     * The places of the items.
     */
    void *items;
    /**
     * Bytes of an item.
     */
    size_t size;
    /**
     * How many places there are, 1 to 65,535.
     */
    uint32_t length;
} riposte_queue_t;

/**
 * What threads change of a pool.
 */
typedef struct riposte_private_pool_state {
    /**
     * How many blocks were taken at least once.
     */
    uint32_t fresh;
    /**
     * A block was given back.
     */
    struct riposte_private_event freed;
} riposte_private_pool_state;

/**
 * A pool of blocks of one size, for the threads of one process. To take one and to give it back each
 * take the same few instructions, however many there are. Who waits for a block gets one in order of
 * priority. See RIPOSTE_POOL.
 */
typedef struct riposte_pool_t {
    /**
     * What threads change; all zeros at first.
     */
    struct riposte_private_pool_state *state;
    /**
     * The free blocks that were taken before: a word, and one for each block; all zeros at first.
     */
    uint32_t *links;
    /**
     * The blocks.
     */
    void *blocks;
    /**
     * Bytes of a block.
     */
    size_t size;
    /**
     * How many there are.
     */
    uint32_t count;
} riposte_pool_t;

/**
 * A region that was made at run time: the right to map it, and perhaps to write it and to hand it on. It is there as
 * long as anybody has a handle of it, or has it mapped.
 */
typedef struct riposte_region_handle_t {
    /**
     * The handle; 0 is none.
     */
    uint32_t handle;
} riposte_region_handle_t;

/**
 * A read-write lock: several threads hold it to read, or one to write. Who writes has at least the
 * priority of all who wait; readers are only counted, and one that dies reading keeps writers out for
 * ever. If a thread dies writing, the next who writes is told by riposte_mutex_owner_died of the gate.
 * All zeros is a free lock. See RIPOSTE_RWLOCK.
 */
typedef struct riposte_rwlock_t {
    /**
     * Who writes.
     */
    struct riposte_mutex_t gate;
    /**
     * Two for each thread that reads, and one more while a writer waits for them.
     */
    uint32_t readers;
} riposte_rwlock_t;

/**
 * A counting semaphore: units that threads give and take. While there are units and nobody waits,
 * neither makes a system call. Several processes can use one in a region. See RIPOSTE_SEMAPHORE.
 */
typedef struct riposte_semaphore_t {
    /**
     * How many units there are, and whether perhaps somebody waits (RIPOSTE_SEMAPHORE_WAITERS).
     */
    uint32_t word;
} riposte_semaphore_t;

/**
 * Another process that signals can be sent to.
 */
typedef struct riposte_signal_target_t {
    /**
     * Its position among those of the manifest, or RIPOSTE_SIGNAL_OWN.
     */
    uint32_t position;
} riposte_signal_target_t;

/**
 * Names a thread of the system in one of its lives.
 */
typedef struct riposte_thread_t {
    /**
     * The id, as in the word of a mutex; never 0 of a thread that there is.
     */
    uint32_t id;
} riposte_thread_t;

/**
 * The record, as `crate::call::number::FAULT_RECORD` copies it: 32-bit words in this order,
 * then the text.
 */
typedef struct riposte_fault_record_t {
    /**
     * Faults of this process so far; 0 means that there is no record.
     */
    uint32_t count;
    /**
     * Index of the process in the manifest.
     */
    uint32_t process;
    /**
     * Index of the thread within the process.
     */
    uint32_t thread;
    /**
     * `reason`.
     */
    uint32_t reason;
    /**
     * `action`.
     */
    uint32_t action;
    /**
     * What it touched, where the hardware tells; else 0.
     */
    uint32_t address;
    /**
     * 1 if `address` is valid.
     */
    uint32_t address_valid;
    /**
     * Registers, as the processor has them; 0 where it has none, or it is not known. Cortex-M: r0
     * to r12, stack pointer, link register, program counter, status. RISC-V: the program counter,
     * then x1 to x31.
     */
    uint32_t registers[RIPOSTE_FAULT_REGISTERS];
    /**
     * Words of its stack that look like return addresses, newest first; 0 ends them.
     */
    uint32_t trace[RIPOSTE_FAULT_TRACE];
    /**
     * Bytes of `text` that are used.
     */
    uint32_t text_length;
    /**
     * Panic message, UTF-8.
     */
    uint8_t text[RIPOSTE_FAULT_TEXT_BYTES];
} riposte_fault_record_t;

/**
 * What a thread was doing at one moment.
 */
typedef struct riposte_thread_state_t {
    /**
     * RIPOSTE_STATE_*.
     */
    uint32_t state;
    /**
     * At which priority it runs, whoever waits for it. Out of date while it waits for a message.
     */
    uint32_t priority;
    /**
     * Its own priority.
     */
    uint32_t own_priority;
    /**
     * RIPOSTE_POLICY_*.
     */
    uint32_t policy;
    /**
     * While it sends or waits for a reply, the index in the manifest of the process for which it waits; while it
     * receives, that of its own.
     */
    uint32_t process;
    /**
     * While it sends or receives, the index of the channel in the manifest; while it waits for a reply, that of the
     * thread that has its message, within its process.
     */
    uint32_t peer;
    /**
     * Bytes of its stack.
     */
    uint32_t stack;
} riposte_thread_state_t;

/**
 * A process that this one controls.
 */
typedef struct riposte_process_t {
    /**
     * Among those that this one controls.
     */
    uint32_t position;
} riposte_process_t;

/**
 * How a thread is to run: {10} is at priority 10, until it blocks.
 */
typedef struct riposte_thread_settings_t {
    /**
     * Its priority, at most the process's `priority_limit`.
     */
    uint32_t priority;
    /**
     * RIPOSTE_POLICY_FIFO, RIPOSTE_POLICY_ROUND_ROBIN or RIPOSTE_POLICY_ADAPTIVE; or RIPOSTE_POLICY_SAME: the caller's,
     * with the caller's priority.
     */
    uint32_t policy;
    /**
     * Least bytes of its stack; 0 for any.
     */
    uint32_t stack;
} riposte_thread_settings_t;

/**
 * What a channel delivers: a client's message, or a notice of the kernel.
 */
typedef struct riposte_message_t {
    /**
     * 0 for a message; else one of RIPOSTE_NOTICE_*, and nobody waits.
     */
    uint32_t notice;
    /**
     * The badge of the connection through which it came: who sent it, by the manifest. Of a proxy's
     * message: the handle of the proxy.
     */
    uint32_t badge;
    /**
     * Who waits for the answer.
     */
    struct riposte_token_t token;
    /**
     * The words of a message in registers; what the length does not cover is 0. Of a notice: words[1]
     * is the process that faulted, or the bits that were set. Of memory: its address, its length in
     * bytes, and the message's three words.
     */
    uint32_t words[5];
    /**
     * Bytes that were accepted.
     */
    size_t length;
    /**
     * Bytes that the client offered; what is beyond the length can be read with riposte_read.
     */
    size_t offered;
    /**
     * The bytes: the buffer of the receive, or NULL if they came in the words, or lie in parts.
     */
    void *buffer;
    /**
     * 0; or RIPOSTE_INFO_LENT, RIPOSTE_INFO_LENT_MUT or RIPOSTE_INFO_MOVED if memory came. What is lent is
     * gone when the client is answered, or when the thread that has received it ends. RIPOSTE_INFO_BYTES if the
     * bytes lie in the parts of riposte_receive_vector_until.
     */
    uint32_t memory;
} riposte_message_t;

/**
 * One part of a message that is gathered or scattered.
 */
typedef struct riposte_part_t {
    /**
     * The first byte.
     */
    void *address;
    /**
     * Length in bytes.
     */
    size_t length;
} riposte_part_t;

/**
 * Whom a selective receive waits for: RIPOSTE_SELECT_BADGE and the badge, or RIPOSTE_SELECT_TOKEN and
 * the token's tag and generation. See riposte_peer_badge and riposte_peer_client.
 */
typedef struct riposte_peer_t {
    /**
     * RIPOSTE_SELECT_*.
     */
    uint32_t select;
    /**
     * The badge, or the token's tag.
     */
    uint32_t first;
    /**
     * 0, or the token's generation.
     */
    uint32_t second;
} riposte_peer_t;

/**
 * A mutex that its holder may take again. Else it is as riposte_mutex_t, which is cheaper and finds
 * mistakes. See RIPOSTE_RECURSIVE_MUTEX.
 */
typedef struct riposte_recursive_mutex_t {
    /**
     * The mutex: riposte_mutex_owner_died and riposte_mutex_repaired are for it, too.
     */
    struct riposte_mutex_t lock;
    /**
     * How often its holder has taken it again.
     */
    uint32_t again;
} riposte_recursive_mutex_t;

/**
 * A value of which each thread of the process has its own. See RIPOSTE_THREAD_LOCAL.
 */
typedef struct riposte_thread_local_t {
    /**
     * Of each value, whose it is.
     */
    uint32_t *owners;
    /**
     * The values.
     */
    void *values;
    /**
     * Bytes of one.
     */
    size_t size;
    /**
     * How many there are.
     */
    uint32_t threads;
} riposte_thread_local_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sends a message, and waits for room until a deadline; for another thread's copy some 20 ms if that is
 * RIPOSTE_IMMEDIATE.
 *
 * @param queue The queue.
 * @param message The message; it is copied. May be NULL if it has no bytes.
 * @param length Its bytes, which may be 0.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is longer than the queue's words but one hold; or a stranger has
 * written to the queue.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was sent.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
 * @blocks Until there is room, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_byte_queue_send_until(const struct riposte_byte_queue_t *queue,
                                              const void *message,
                                              size_t length,
                                              riposte_deadline_t deadline);

/**
 * Receives the first message, or as much of it as there is room for, and waits for one until a
 * deadline; for another thread's copy some 20 ms if that is RIPOSTE_IMMEDIATE. What there was no room for is lost.
 *
 * @param queue The queue.
 * @param buffer Where it is stored; may be NULL if there is no room.
 * @param capacity Bytes of room.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param length Where it is stored how many bytes the message had, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is a message, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_byte_queue_receive_until(const struct riposte_byte_queue_t *queue,
                                                 void *buffer,
                                                 size_t capacity,
                                                 riposte_deadline_t deadline,
                                                 size_t *length);

/**
 * Waits for a line that is typed at the console. It is stored with its end, a line feed, and a zero behind that. What
 * does not fit comes with the next read; 257 bytes take every line. A length of 0 is the end of the input, which a
 * person types as Ctrl-D. What stdin has taken and not given is not among it.
 *
 * @param buffer Where the line is stored.
 * @param capacity Bytes of the buffer, the zero included.
 * @param length Where the length is stored, in bytes, without the zero.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no connection `console`, or the console's process
 * not the interrupt `uart0-receive`.
 * @error RIPOSTE_ERROR_EXHAUSTED As many readers wait as `readers` in the `settings` of the console's process says.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The buffer has no room for a byte and a zero.
 * @error RIPOSTE_ERROR_SERVER_DIED The console's server is not there.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
 * @blocks Until a line was typed.
 * @from Any thread.
 */
riposte_error_t riposte_console_read_line(char *buffer,
                                          size_t capacity,
                                          size_t *length);

/**
 * As riposte_console_read_line, if the line has been typed already.
 *
 * @param buffer Where the line is stored.
 * @param capacity Bytes of the buffer, the zero included.
 * @param length Where the length is stored, in bytes, without the zero.
 * @error RIPOSTE_ERROR_WOULD_BLOCK It has not, or others wait for it.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @blocks Only until the console's server has looked.
 * @from Any thread.
 */
riposte_error_t riposte_console_try_read_line(char *buffer, size_t capacity, size_t *length);

/**
 * As riposte_console_read_line, until a deadline. What was typed of the line by then is still there for the next read.
 *
 * @param buffer Where the line is stored.
 * @param capacity Bytes of the buffer, the zero included.
 * @param length Where the length is stored, in bytes, without the zero.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no line, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @blocks Until a line was typed, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_console_read_line_until(char *buffer,
                                                size_t capacity,
                                                size_t *length,
                                                riposte_deadline_t deadline);

/**
 * Waits for a byte that is typed at the console, as it comes: nothing is edited or echoed, and a key that is no letter
 * of ASCII is several bytes.
 *
 * @param key Where the byte is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
 * @blocks Until a key was typed.
 * @from Any thread.
 */
riposte_error_t riposte_console_read_key(uint8_t *key);

/**
 * As riposte_console_read_key, if a key has been typed already.
 *
 * @param key Where the byte is stored.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None has, or others wait for it.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @blocks Only until the console's server has looked.
 * @from Any thread.
 */
riposte_error_t riposte_console_try_read_key(uint8_t *key);

/**
 * As riposte_console_read_key, until a deadline.
 *
 * @param key Where the byte is stored.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no key, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @blocks Until a key was typed, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_console_read_key_until(uint8_t *key, riposte_deadline_t deadline);

/**
 * Tells how many bytes were typed and lost since the console's server has begun: nobody read them in time, their line was
 * too long, or the receiver was not emptied in time (each time counts as one).
 *
 * @param count Where the number is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
 * @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
 * @blocks Only for the server's answer.
 * @from Any thread.
 */
riposte_error_t riposte_console_lost_input(uint32_t *count);

/**
 * Copies bytes of a waiting client's message.
 *
 * @param token Which client, by the token of its message; it stays good.
 * @param offset From which byte of the message on.
 * @param buffer Where to.
 * @param length How many at most, in bytes.
 * @param copied Where it is stored how many: fewer at the message's end. NULL if nobody asks.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory.
 * @blocks Never, and never unblocks the client.
 * @from Any thread of the process that received the message.
 */
riposte_error_t riposte_read(struct riposte_token_t token,
                             uint32_t offset,
                             void *buffer,
                             size_t length,
                             size_t *copied);

/**
 * Copies bytes into a waiting client's reply buffer.
 *
 * @param token Which client, by the token of its message; it stays good.
 * @param offset To which byte of the reply buffer.
 * @param bytes The bytes.
 * @param length How many.
 * @param copied Where it is stored how many found room. NULL if nobody asks.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The bytes are not in this process's memory.
 * @blocks Never, and never unblocks the client.
 * @from Any thread of the process that received the message.
 */
riposte_error_t riposte_write(struct riposte_token_t token,
                              uint32_t offset,
                              const void *bytes,
                              size_t length,
                              size_t *copied);

/**
 * Hands a client on to the server of a connection, which answers it in this one's place, as if it had sent its message
 * there: with the connection's badge, in the form in which it has sent it. Its priority and its deadline go with it.
 *
 * @param token Which client, by the token of its message.
 * @param connection Where it goes.
 * @param words What that server gets of a message that came in registers; NULL if there is nothing. Of any other message
 * it is not looked at.
 * @param length Its bytes, at most 20.
 * @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no grant "relay".
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application has it.
 * @error RIPOSTE_ERROR_CANNOT_LEND The client has lent or given memory.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT More than 20 bytes.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or closed.
 * @error RIPOSTE_ERROR_SERVER_DIED Nobody is left at its other end.
 * @error RIPOSTE_ERROR_DEADLOCK That server waits for the client.
 * @blocks Never. After an error the client waits for this process as before.
 * @from Any thread of the process that received the message.
 */
riposte_error_t riposte_relay(struct riposte_token_t token,
                              struct riposte_connection_t connection,
                              const void *words,
                              size_t length);

/**
 * The half of riposte_event_flags_wait_until for the case that the flags are not set.
 *
 * @param flags The flags.
 * @param wanted Which are wanted.
 * @param how RIPOSTE_ANY or RIPOSTE_ALL, and RIPOSTE_CLEAR.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param found Where those that were found are stored, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was cleared.
 * @error RIPOSTE_ERROR_WOULD_BLOCK They are not set, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was cleared.
 * @blocks Until the flags are set, or the deadline.
 * @from riposte_event_flags_wait_until.
 */
riposte_error_t riposte_private_event_flags_wait_for(struct riposte_event_flags_t *flags,
                                                     uint32_t wanted,
                                                     uint32_t how,
                                                     riposte_deadline_t deadline,
                                                     uint32_t *found);

/**
 * The half of riposte_mailbox_post_until for the case that there is a word in the mailbox.
 *
 * @param mailbox The mailbox.
 * @param word The word, not 0.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was posted.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is a word in it, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is 0.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was posted.
 * @blocks Until the mailbox is empty, or the deadline.
 * @from riposte_mailbox_post_until.
 */
riposte_error_t riposte_private_mailbox_wait_to_post(struct riposte_mailbox_t *mailbox,
                                                     uint32_t word,
                                                     riposte_deadline_t deadline);

/**
 * The half of riposte_mailbox_fetch_until for the case that there is no word.
 *
 * @param mailbox The mailbox.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param word Where it is stored.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is a word, or the deadline.
 * @from riposte_mailbox_fetch_until.
 */
riposte_error_t riposte_private_mailbox_wait_to_fetch(struct riposte_mailbox_t *mailbox,
                                                      riposte_deadline_t deadline,
                                                      uint32_t *word);

/**
 * Waits at a word until somebody wakes the thread. Threads wait in the order of their priorities, and
 * of their coming within one. In a system where no two threads have memory in common, and no process
 * takes signals, nobody can wake it: it waits until the deadline.
 *
 * @param word The word, aligned, in memory that this process may write, for good or as a region that it
 * has mapped; it may be shared.
 * @param expected What it must be.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_WOULD_BLOCK The word is something else, or the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in such memory, or that was unmapped meanwhile.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile.
 * @blocks Until somebody wakes the thread, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_futex_wait_until(const uint32_t *word,
                                         uint32_t expected,
                                         riposte_deadline_t deadline);

/**
 * Wakes threads that wait at a word, the most urgent first.
 *
 * @param word The word.
 * @param most How many at most.
 * @param woken Where it is stored how many were woken, or NULL.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write, for good or as
 * a region that it has mapped.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread.
 */
riposte_error_t riposte_futex_wake(const uint32_t *word,
                                   uint32_t most,
                                   uint32_t *woken);

/**
 * Wakes threads that wait at a word, and has others of them wait at another word instead: what a
 * condition variable needs.
 *
 * @param word The word.
 * @param expected What it must be.
 * @param most How many are woken at most.
 * @param other The other word.
 * @param most_moved How many wait there at most.
 * @param woken Where it is stored how many were woken, or NULL.
 * @param moved Where it is stored how many wait there now instead, or NULL.
 * @error RIPOSTE_ERROR_WOULD_BLOCK The word is something else.
 * @error RIPOSTE_ERROR_BAD_ADDRESS A word is not in memory that this process may write, for good or as a
 * region that it has mapped; or they are not in one region, nor both in memory that no other process can
 * write.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A word is misaligned, or both are the same.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread.
 */
riposte_error_t riposte_futex_requeue(const uint32_t *word,
                                      uint32_t expected,
                                      uint32_t most,
                                      const uint32_t *other,
                                      uint32_t most_moved,
                                      uint32_t *woken,
                                      uint32_t *moved);

/**
 * Takes a lock whose word was not 0, which one has tried to replace by one's thread id. The owner runs
 * with the priority of the most urgent thread that waits.
 *
 * @param word The lock's word, aligned, in memory that this process may write; it may be shared.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param owner_died Where it is stored whether the former owner died owning it, so that what it
 * protects may be in disorder; or NULL.
 * @error RIPOSTE_ERROR_DEADLOCK The thread would wait for itself, at last.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody owns it, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned, or names no thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the lock is not this thread's.
 * @blocks Until the lock is this thread's, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_futex_lock_until(uint32_t *word,
                                         riposte_deadline_t deadline,
                                         bool *owner_died);

/**
 * Gives a lock up whose word says that somebody waits: the most urgent thread gets it.
 *
 * @param word The lock's word.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The calling thread does not own it.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that owns it.
 */
riposte_error_t riposte_futex_unlock(uint32_t *word);

/**
 * Takes a block of memory, aligned for any type of C: to 8 bytes, and to 16 on RISC-V.
 *
 * @param heap The heap.
 * @param size Bytes of the block; it may be 0.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_EXHAUSTED There is no room for it.
 * @blocks While another thread takes or gives back a block.
 * @from Any thread.
 */
riposte_error_t riposte_heap_allocate(struct riposte_heap_t *heap, size_t size, void **block);

/**
 * Takes a block of memory at a multiple of a power of two.
 *
 * @param heap The heap.
 * @param size Bytes of the block; it may be 0.
 * @param alignment What its address is to be a multiple of; if it is less, it is aligned as any block.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_EXHAUSTED There is no room for it.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The alignment is no power of two.
 * @blocks While another thread takes or gives back a block.
 * @from Any thread.
 */
riposte_error_t riposte_heap_allocate_aligned(struct riposte_heap_t *heap,
                                              size_t size,
                                              size_t alignment,
                                              void **block);

/**
 * Gives a block of memory back.
 *
 * @param heap The heap.
 * @param block The block, from riposte_heap_allocate of the same heap; or NULL, which is none.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is no block of the heap, or was given back already; or what lies before
 * it was overwritten.
 * @blocks While another thread takes or gives back a block.
 * @from Any thread.
 */
riposte_error_t riposte_heap_release(struct riposte_heap_t *heap,
                                     void *block);

/**
 * Tells how many bytes a block of memory has.
 *
 * @param heap The heap.
 * @param block The block, from riposte_heap_allocate of the same heap.
 * @param size Where its bytes are stored, as it was asked for, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is no block of the heap, or was given back; or what lies before it was
 * overwritten.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_heap_size(const struct riposte_heap_t *heap,
                                  void *block,
                                  size_t *size);

/**
 * Has an interrupt set notification bits of a channel. The line is masked until it is waited for, or
 * acknowledged, for the first time; and from each interrupt to the next of these.
 *
 * @param name The line's name on the board, as in `interrupts` of app.toml.
 * @param channel A channel of this process.
 * @param bits The bits, at least one.
 * @param interrupt Where the interrupt is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process, or the channel is another
 * one's.
 * @error RIPOSTE_ERROR_IN_USE It is attached already.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_interrupt_attach(const char *name,
                                         struct riposte_channel_t channel,
                                         uint32_t bits,
                                         struct riposte_interrupt_t *interrupt);

/**
 * Gives an interrupt up; the line is masked.
 *
 * @param interrupt The interrupt.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_interrupt_detach(struct riposte_interrupt_t interrupt);

/**
 * Says that an interrupt was handled: the line may interrupt again. riposte_interrupt_wait does this,
 * too.
 *
 * @param interrupt The interrupt.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_interrupt_acknowledge(struct riposte_interrupt_t interrupt);

/**
 * Masks an interrupt until it is acknowledged.
 *
 * @param interrupt The interrupt.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_interrupt_mask(struct riposte_interrupt_t interrupt);

/**
 * Lends memory to a server, which may read it until it answers. No byte is copied.
 *
 * @param connection To whom.
 * @param memory The memory. Of a process with several threads it must lie in its `pages`.
 * @param length Its bytes.
 * @param words Three words that go with it, or NULL for zeros.
 * @param deadline Until when to wait for a server that has not received it, in nanoseconds of
 * monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE. A server that has received it is told.
 * @param reply Where the answer is stored, or NULL.
 * @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, or the server has no free window for it:
 * send its bytes instead.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
 * @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead. The memory is back.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_lend(struct riposte_connection_t connection,
                             const void *memory,
                             size_t length,
                             const uint32_t *words,
                             riposte_deadline_t deadline,
                             struct riposte_reply_t *reply);

/**
 * Lends memory to a server, which may read and write it until it answers. No byte is copied.
 *
 * @param connection To whom.
 * @param memory The memory. Of a process with several threads it must lie in its `pages`.
 * @param length Its bytes.
 * @param words Three words that go with it, or NULL for zeros.
 * @param deadline Until when to wait for a server that has not received it, in nanoseconds of
 * monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE. A server that has received it is told.
 * @param reply Where the answer is stored, or NULL.
 * @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, or the server has no free window for it:
 * send its bytes instead.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
 * @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead. The memory is back.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_lend_mut(struct riposte_connection_t connection,
                                 void *memory,
                                 size_t length,
                                 const uint32_t *words,
                                 riposte_deadline_t deadline,
                                 struct riposte_reply_t *reply);

/**
 * Gives memory of this process's `pages` to a server for its own; or gives memory on that was moved
 * here. No byte is copied.
 *
 * @param connection To whom.
 * @param memory The memory.
 * @param length Its bytes.
 * @param words Three words that go with it, or NULL for zeros.
 * @param deadline Until when to wait for a server that has not received it, in nanoseconds of
 * monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
 * @param reply Where the answer is stored, or NULL.
 * @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, it is not in the pages, too much of them
 * is away, or the server has no free window for it: send its bytes instead.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
 * @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
 * @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
 * @blocks Until the server answers, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_move(struct riposte_connection_t connection,
                             void *memory,
                             size_t length,
                             const uint32_t *words,
                             riposte_deadline_t deadline,
                             struct riposte_reply_t *reply);

/**
 * Gives up memory that was moved to this process: it goes home, and is cleared there. Or unmaps a region that was made
 * at run time.
 *
 * @param memory Where it appeared: words[0] of its message; or where riposte_region_map has put it.
 * @error RIPOSTE_ERROR_BAD_ADDRESS No moved memory and no such region is there.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_release(void *memory);

/**
 * Takes back into use what has come home of memory that was given away. It is cleared first.
 *
 * @param memory The memory, in this process's `pages`.
 * @param length Its bytes.
 * @error RIPOSTE_ERROR_BAD_ADDRESS It is not in the pages.
 * @error RIPOSTE_ERROR_IN_USE Somebody still holds a part of it.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_reclaim(void *memory, size_t length);

/**
 * Tells where the `pages` of this process are, which can be given away.
 *
 * @param memory Where the first byte's address is stored, or NULL.
 * @param length Where their length in bytes is stored, or NULL.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process none.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_pages(void **memory, size_t *length);

/**
 * The half of riposte_mutex_lock_until for the case that somebody holds the mutex.
 *
 * @param mutex The mutex.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end, or is the caller.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it, and the deadline was RIPOSTE_IMMEDIATE.
 * @blocks Until the mutex is the caller's, or the deadline.
 * @from riposte_mutex_lock_until.
 */
riposte_error_t riposte_private_mutex_wait(struct riposte_mutex_t *mutex,
                                           riposte_deadline_t deadline);

/**
 * The half of riposte_mutex_unlock for the case that threads wait, or an owner died.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold it.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from riposte_mutex_unlock.
 */
riposte_error_t riposte_private_mutex_hand_over(struct riposte_mutex_t *mutex);

/**
 * Wakes threads that wait for an event, the most urgent first.
 *
 * @param event The event.
 * @param most How many at most.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from riposte_condvar_notify_one and the like.
 */
void riposte_private_event_wake(struct riposte_private_event *event, uint32_t most);

/**
 * Gives a mutex up, waits for a notification until a deadline, and takes the mutex again. It may
 * return without a notification, and what the caller waits for may be over again by then: look, and
 * wait again.
 *
 * @param condvar The condition variable.
 * @param mutex The mutex, which the caller holds.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; the mutex is the caller's.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold the mutex.
 * @error RIPOSTE_ERROR_DEADLOCK The mutex's holder waits for the caller in the end; the mutex is not the
 * caller's.
 * @blocks Until a notification, or the deadline, and then until the mutex is the caller's again, however long a stranger
 * holds it that shares it.
 * @from The thread that holds the mutex.
 */
riposte_error_t riposte_condvar_wait_until(struct riposte_condvar_t *condvar,
                                           struct riposte_mutex_t *mutex,
                                           riposte_deadline_t deadline);

/**
 * Opens the connection that the manifest gives this process under a name. After
 * RIPOSTE_ERROR_SERVER_DIED, opening it again finds the restarted server.
 *
 * @param name The connection's name in app.toml.
 * @param connection Where the connection is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no such connection.
 * @error RIPOSTE_ERROR_SERVER_DIED The server is not there (again).
 * @error RIPOSTE_ERROR_NO_HANDLES No free handle slot; raise `handles` in the manifest.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_connect(const char *name, struct riposte_connection_t *connection);

/**
 * Gives a connection up. The manifest's name for it can be opened again.
 *
 * @param connection The connection.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_close(struct riposte_connection_t connection);

/**
 * Finds a channel that this process owns.
 *
 * @param name The channel's name in app.toml; NULL for the first one, in a program that several
 * processes run.
 * @param channel Where the channel is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED This process owns no such channel.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_channel(const char *name, struct riposte_channel_t *channel);

/**
 * Finds a device of the board whose registers this process may use.
 *
 * @param name The peripheral's name on the board, as in `peripherals` of app.toml.
 * @param peripheral Where its place and its kind are stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_peripheral(const char *name, struct riposte_peripheral_t *peripheral);

/**
 * Looks up a number in the `settings` of this process.
 *
 * @param name The setting's name in app.toml.
 * @param value Where the number is stored; a negative one in two's complement.
 * @error RIPOSTE_ERROR_NOT_PERMITTED There is no such setting.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_setting(const char *name, uint32_t *value);

/**
 * Tells the names of the settings of this process, in the manifest's order.
 *
 * @param index Which, from 0.
 * @return The name, or NULL if there are not so many.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_setting_name(size_t index);

/**
 * Tells this process's name in the manifest.
 *
 * @return The name.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_process_name(void);

/**
 * Tells this process's index in the manifest: where it has a badge of its own, that is
 * RIPOSTE_PROCESS_BADGES and this.
 *
 * @return The index, from 0.
 * @blocks Never.
 * @from Any thread.
 */
uint32_t riposte_process_index(void);

/**
 * Tells the name of another process. Only a supervisor is told.
 *
 * @param process The process's index in the manifest.
 * @return The name, or NULL if there is no such process or this one is no supervisor.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_name_of_process(uint32_t process);

/**
 * Tells the name of the process whose connection to a channel of this one has a badge, if the channel's `client_names`
 * in the manifest lets this process know.
 *
 * @param badge The badge.
 * @return The name, or NULL if there is no such client or this process is not told.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_client_name(uint32_t badge);

/**
 * Tells the names of the connections that the manifest gives this process, in its order.
 *
 * @param index Which, from 0.
 * @return The name, or NULL if there are not so many.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_connection_name(size_t index);

/**
 * Tells the names of the channels that this process owns, in the manifest's order.
 *
 * @param index Which, from 0.
 * @return The name, or NULL if there are not so many.
 * @blocks Never.
 * @from Any thread.
 */
const char *riposte_channel_name(size_t index);

/**
 * Finds a region that this process has in common with others.
 *
 * @param name The region's name in app.toml.
 * @param memory Where its first byte's address is stored, or NULL.
 * @param length Where its length in bytes is stored, or NULL.
 * @param writable Where it is stored whether this process may write it, or NULL.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_region(const char *name, void **memory, size_t *length, bool *writable);

/**
 * The half of riposte_once_call for the case that it is not yet done.
 *
 * @param once What says whether it is done.
 * @param work Does it.
 * @param argument Is handed to `work`.
 * @error RIPOSTE_ERROR_DEADLOCK It is called within `work`.
 * @blocks While another thread does it; else not, but for what `work` does.
 * @from riposte_once_call.
 */
riposte_error_t riposte_private_once_call_first(struct riposte_once_t *once,
                                                void (*work)(void *argument),
                                                void *argument);

/**
 * As riposte_once_call, until a deadline, which does not end `work` itself.
 *
 * @param once What says whether it is done.
 * @param work Does it.
 * @param argument Is handed to `work`.
 * @param deadline Until when to wait for another thread, in nanoseconds of monotonic time, or
 * RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed while another thread does it.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Another thread does it, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK It is called within `work`.
 * @blocks While another thread does it, or until the deadline; else not, but for what `work` does.
 * @from Any thread.
 */
riposte_error_t riposte_once_call_until(struct riposte_once_t *once,
                                        void (*work)(void *argument),
                                        void *argument,
                                        riposte_deadline_t deadline);

/**
 * Says for how many threads a barrier is: for one in a region, before anybody waits.
 *
 * @param barrier The barrier.
 * @param threads How many, at most 65,535.
 * @blocks Never.
 * @from Any thread.
 */
void riposte_barrier_set(struct riposte_barrier_t *barrier, uint16_t threads);

/**
 * Waits at a barrier until all threads have come, or until a deadline; then it begins anew.
 *
 * @param barrier The barrier.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param last Where it is stored whether the caller was the last of them, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; the caller has not come then.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Others have not come, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; the caller has not come then.
 * @blocks Until all have come, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_barrier_wait_until(struct riposte_barrier_t *barrier,
                                           riposte_deadline_t deadline,
                                           bool *last);

/**
 * Ends this process at once: the C library's exit() runs the functions of atexit() first. What then
 * happens to the process is the manifest's `on_exit`; a status other than 0 is reported to the
 * supervisor.
 *
 * @param status The exit status.
 * @blocks It does not return.
 * @from Any thread; all of them end.
 */
void riposte_exit(uint32_t status) __attribute__((noreturn));

/**
 * Stops the machine, and does not return unless that is refused.
 *
 * @param code The machine's exit code.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `shutdown`.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_shutdown(uint32_t code);

/**
 * Tells whether the calling thread is the process's main thread.
 *
 * @return Whether it is.
 * @blocks Never.
 * @from Any thread.
 */
bool riposte_is_main_thread(void);

/**
 * Sets notification bits of a channel of this process: whoever receives there gets all that were set
 * since the last time, with one notice RIPOSTE_NOTICE_BITS and before any message. The cheapest
 * wake-up.
 *
 * @param channel Which channel.
 * @param bits The bits to set, at least one.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is no channel of this process.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_notify(struct riposte_channel_t channel,
                               uint32_t bits);

/**
 * Sets notification bits of another process's channel, as riposte_notify does of an own one.
 *
 * @param connection A connection to the channel, with the right `notify`.
 * @param bits The bits to set, at least one.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give the connection the right `notify`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
 * @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
 * @error RIPOSTE_ERROR_SERVER_DIED The server is dead.
 * @blocks Never; a more urgent thread that receives them runs at once.
 * @from Any thread.
 */
riposte_error_t riposte_notify_server(struct riposte_connection_t connection, uint32_t bits);

/**
 * Makes any system call with any registers, for layers that this library does not wrap. Which
 * register means what is the chapter on the binary interface.
 *
 * @param registers The eight message registers: CALL, WORD0, INFO, GENERATION, WORD1 to WORD4. What
 * comes back replaces them.
 * @param extra The five extra registers x0 to x4.
 * @blocks As the call does.
 * @from Any thread.
 */
void riposte_raw_call(uint32_t *registers, const uint32_t *extra);

/**
 * Makes a proxy of a channel of this process.
 *
 * @param channel Where its message arrives.
 * @param bytes The message.
 * @param length Its bytes, at most RIPOSTE_MAX_PROXY_BYTES.
 * @param proxy Where the proxy is stored.
 * @error RIPOSTE_ERROR_EXHAUSTED No proxy is free: raise `proxies` of the process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is no channel of this process.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The message is too long.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The message is not in this process's memory.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_proxy_create(struct riposte_channel_t channel,
                                     const void *bytes,
                                     size_t length,
                                     struct riposte_proxy_t *proxy);

/**
 * Opens a proxy of the manifest that this process owns, or may trigger.
 *
 * @param name The proxy's name in app.toml.
 * @param proxy Where the proxy is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no such proxy.
 * @error RIPOSTE_ERROR_SERVER_DIED The owner is not there (again).
 * @error RIPOSTE_ERROR_NO_HANDLES No free handle slot; raise `handles` in the manifest.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_proxy(const char *name, struct riposte_proxy_t *proxy);

/**
 * Sends a proxy's message.
 *
 * @param proxy The proxy.
 * @error RIPOSTE_ERROR_WOULD_BLOCK It was triggered 65,535 times and not received.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @error RIPOSTE_ERROR_SERVER_DIED Its owner is dead.
 * @blocks Never; a more urgent thread that receives it runs at once.
 * @from Any thread.
 */
riposte_error_t riposte_proxy_trigger(struct riposte_proxy_t proxy);

/**
 * Gives a proxy up that another process owns. The manifest's name for it can be opened again.
 *
 * @param proxy The proxy.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is one of this process.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_proxy_close(struct riposte_proxy_t proxy);

/**
 * Ends a proxy that this process has made: what it has sent and nobody has received is gone.
 *
 * @param proxy The proxy.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest or another process has made it.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_proxy_destroy(struct riposte_proxy_t proxy);

/**
 * Makes a timer that triggers a proxy.
 *
 * @param proxy The proxy: one of this process, or one of another that this process may trigger.
 * @param timer Where the timer is stored.
 * @error RIPOSTE_ERROR_EXHAUSTED No timer is free: raise `timers` of the process.
 * @error RIPOSTE_ERROR_BAD_HANDLE The proxy is none, or was destroyed.
 * @error RIPOSTE_ERROR_SERVER_DIED The proxy's owner is dead.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_triggering(struct riposte_proxy_t proxy,
                                         struct riposte_timer_t *timer);

/**
 * Makes a timer that sets notification bits of a channel of this process, as riposte_notify does.
 *
 * @param channel The channel.
 * @param bits The bits, at least one.
 * @param timer Where the timer is stored.
 * @error RIPOSTE_ERROR_EXHAUSTED No timer is free: raise `timers` of the process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is no channel of this process.
 * @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_notifying(struct riposte_channel_t channel,
                                        uint32_t bits,
                                        struct riposte_timer_t *timer);

/**
 * Lets a timer run: it ends once, at a moment. What it was set to before is over.
 *
 * @param timer The timer.
 * @param moment When, in nanoseconds of monotonic time; if that has passed, at once.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_at(struct riposte_timer_t timer, uint64_t moment);

/**
 * Lets a timer run: it ends once, after a time. What it was set to before is over.
 *
 * @param timer The timer.
 * @param nanoseconds After how long, in nanoseconds.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_after(struct riposte_timer_t timer, uint64_t nanoseconds);

/**
 * Lets a timer run: it ends again and again. What it was set to before is over.
 *
 * @param timer The timer.
 * @param period After how long, and then how often, in nanoseconds: at least
 * RIPOSTE_LEAST_PERIOD. Ends do not drift.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The period is shorter than RIPOSTE_LEAST_PERIOD.
 * @error RIPOSTE_ERROR_EXHAUSTED It would end more often, together with the process's other timers that end
 * again and again, than the manifest allows (`timer_rate`): it goes on as before.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_every(struct riposte_timer_t timer,
                                    uint64_t period);

/**
 * Lets a timer run: it ends at a moment, and again and again from then on. What it was set to before is
 * over.
 *
 * @param timer The timer.
 * @param first The moment, in nanoseconds of monotonic time.
 * @param period How often then, in nanoseconds: at least
 * RIPOSTE_LEAST_PERIOD. Ends do not drift.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The period is shorter than RIPOSTE_LEAST_PERIOD.
 * @error RIPOSTE_ERROR_EXHAUSTED It would end more often, together with the process's other timers that end
 * again and again, than the manifest allows (`timer_rate`): it goes on as before.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_every_from(struct riposte_timer_t timer,
                                         uint64_t first,
                                         uint64_t period);

/**
 * Stops a timer.
 *
 * @param timer The timer.
 * @param ran Where it is stored whether it was running, or NULL.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_cancel(struct riposte_timer_t timer, bool *ran);

/**
 * Ends a timer for good.
 *
 * @param timer The timer.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_timer_destroy(struct riposte_timer_t timer);

/**
 * The half of riposte_queue_send_until for the case that there is no room, or another thread copies.
 *
 * @param queue The queue.
 * @param item The item, of the queue's size; it is copied.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was sent.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
 * @blocks Until there is room, or the deadline.
 * @from riposte_queue_send_until.
 */
riposte_error_t riposte_private_queue_wait_to_send(const struct riposte_queue_t *queue,
                                                   const void *item,
                                                   riposte_deadline_t deadline);

/**
 * The half of riposte_queue_receive_until for the case that there is no item, or another thread
 * copies.
 *
 * @param queue The queue.
 * @param item Where it is stored, of the queue's size.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is an item, or the deadline.
 * @from riposte_queue_receive_until.
 */
riposte_error_t riposte_private_queue_wait_to_receive(const struct riposte_queue_t *queue,
                                                      void *item,
                                                      riposte_deadline_t deadline);

/**
 * The half of riposte_pool_allocate_until for the case that no block was given back that is free.
 *
 * @param pool The pool.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None is free, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until a block is free, or the deadline.
 * @from riposte_pool_allocate_until.
 */
riposte_error_t riposte_private_pool_wait(const struct riposte_pool_t *pool,
                                          riposte_deadline_t deadline,
                                          void **block);

/**
 * Makes a region, a block of zeros, which nobody else has. This process clears it: a larger block takes longer.
 *
 * @param pool The pool's name in app.toml.
 * @param region Where the region is stored, with all rights.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest lets this process make none of this pool.
 * @error RIPOSTE_ERROR_EXHAUSTED No block is free, or as many as the manifest lets this process make are not gone
 * yet, whoever has them.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_region_make(const char *pool,
                                    struct riposte_region_handle_t *region);

/**
 * Maps a region into this process, for all of its threads. What others write there changes at any time. Threads of
 * all processes that have it mapped to write can wait there for semaphores, mutexes and the like. It is given up by
 * riposte_release: a thread of this process that waits there then is told RIPOSTE_ERROR_BAD_ADDRESS.
 *
 * @param region The region.
 * @param writable Whether this process is to write it, too.
 * @param memory Where its first byte's address is stored, or NULL. Other processes may see it elsewhere.
 * @param length Where its length in bytes is stored, or NULL.
 * @error RIPOSTE_ERROR_NOT_PERMITTED This process may only read it.
 * @error RIPOSTE_ERROR_IN_USE It is mapped in this process already.
 * @error RIPOSTE_ERROR_EXHAUSTED As many are mapped as `mappings` in the manifest says.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_region_map(struct riposte_region_handle_t region,
                                   bool writable,
                                   void **memory,
                                   size_t *length);

/**
 * Makes another handle of a region with some of its rights: to hand over less than one has oneself.
 *
 * @param region The region.
 * @param rights Those of RIPOSTE_RIGHT_WRITE, RIPOSTE_RIGHT_TRANSFER and RIPOSTE_RIGHT_ONWARD that it shall have, if
 * the region has them.
 * @param copy Where it is stored.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such right.
 * @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
 * @error RIPOSTE_ERROR_BAD_HANDLE The region is none, or was closed.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_region_copy(struct riposte_region_handle_t region,
                                    uint32_t rights,
                                    struct riposte_region_handle_t *copy);

/**
 * Gives a handle of a region up. What is mapped stays so.
 *
 * @param region The region.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_region_close(struct riposte_region_handle_t region);

/**
 * Takes a lock to read, and waits until nobody writes or waits to.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
 * @blocks Until nobody writes or waits to.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_read(struct riposte_rwlock_t *lock);

/**
 * Takes a lock to read if nobody writes or waits to.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else writes or waits to, or is just about to begin reading.
 * @error RIPOSTE_ERROR_DEADLOCK The caller writes.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_try_read(struct riposte_rwlock_t *lock);

/**
 * Takes a lock to read, and waits until nobody writes or waits to, or until a deadline.
 *
 * @param lock The lock.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody writes or waits to, and the deadline was
 * RIPOSTE_IMMEDIATE.
 * @blocks Until nobody writes or waits to, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_read_until(struct riposte_rwlock_t *lock,
                                          riposte_deadline_t deadline);

/**
 * Takes a lock to write, and waits until nobody reads or writes.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
 * @blocks Until nobody reads or writes.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_write(struct riposte_rwlock_t *lock);

/**
 * Takes a lock to write if nobody reads or writes.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody reads, or somebody else writes.
 * @error RIPOSTE_ERROR_DEADLOCK The caller writes.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_try_write(struct riposte_rwlock_t *lock);

/**
 * Takes a lock to write, and waits until nobody reads or writes, or until a deadline.
 *
 * @param lock The lock.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody reads or writes, and the deadline was
 * RIPOSTE_IMMEDIATE.
 * @blocks Until nobody reads or writes, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_rwlock_write_until(struct riposte_rwlock_t *lock,
                                           riposte_deadline_t deadline);

/**
 * Gives a lock up that the caller has taken to read.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_NOT_PERMITTED Nobody reads.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that reads.
 */
riposte_error_t riposte_rwlock_unlock_read(struct riposte_rwlock_t *lock);

/**
 * Gives a lock up that the caller has taken to write.
 *
 * @param lock The lock.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not write.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that writes.
 */
riposte_error_t riposte_rwlock_unlock_write(struct riposte_rwlock_t *lock);

/**
 * The half of riposte_semaphore_take for the case that there is no unit.
 *
 * @param semaphore The semaphore.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
 * @blocks Until there is a unit.
 * @from riposte_semaphore_take.
 */
riposte_error_t riposte_private_semaphore_wait_for_ever(struct riposte_semaphore_t *semaphore);

/**
 * The half of riposte_semaphore_take_until for the case that there is no unit.
 *
 * @param semaphore The semaphore.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was taken.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
 * @blocks Until there is a unit, or the deadline.
 * @from riposte_semaphore_take_until.
 */
riposte_error_t riposte_private_semaphore_wait(struct riposte_semaphore_t *semaphore,
                                               riposte_deadline_t deadline);

/**
 * From now on a function handles a signal, and the calling thread takes it. It is called between any two instructions
 * of the thread, on its stack, with the signal and the word that this brings (or 0); all signals are masked meanwhile.
 * A signal without a handler is taken and forgotten.
 *
 * @param signal The signal: 1 to RIPOSTE_SIGNAL_MAX.
 * @param handler The function; NULL for none.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals: `signal_queue` in the manifest.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_handle(uint32_t signal,
                                      void (*handler)(uint32_t signal, uint32_t word));

/**
 * Has all signals handled by one function, for a library with an own order among them: with the signal, its word, and
 * the frame of what is interrupted. Nothing is unmasked by it.
 *
 * @param dispatcher The function; NULL for the handlers of riposte_signal_handle.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_private_signal_dispatch(void (*dispatcher)(uint32_t signal,
                                                                   uint32_t word,
                                                                   uint32_t *frame));

/**
 * Finds a process that this one may send signals to.
 *
 * @param name Its name in the manifest.
 * @param target Where it is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not let it: `signals`.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_target(const char *name, struct riposte_signal_target_t *target);

/**
 * Sends a signal to a process: to a thread that does not mask it, or else to the first that no longer does.
 *
 * @param target The process: from riposte_signal_target, or {RIPOSTE_SIGNAL_OWN}.
 * @param signal The signal.
 * @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is no such process.
 * @error RIPOSTE_ERROR_PEER_DIED The process does not run now.
 * @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait there as its `signal_queue` says.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_send(struct riposte_signal_target_t target,
                                    uint32_t signal,
                                    uint32_t word);

/**
 * Sends a signal to a thread of this process, and to no other.
 *
 * @param thread The thread.
 * @param signal The signal.
 * @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
 * @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
 * @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait in the process as its `signal_queue` says.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_send_thread(struct riposte_thread_t thread,
                                           uint32_t signal,
                                           uint32_t word);

/**
 * Sends a signal to the process of another node to which a circuit leads (`//node/signal/process`, in the manifest the channel
 * `node-signal-process`). After an error it was sent once or not at all.
 *
 * @param circuit The connection to the circuit.
 * @param signal The signal.
 * @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER: as long as the manifest gives a message.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal, or the circuit leads to no process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The other node exports no such process to this one, or its manager may send it none.
 * @error RIPOSTE_ERROR_PEER_DIED The process does not run now, or its node is gone or has begun anew.
 * @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait there as its `signal_queue` says, or as many messages of this
 * circuit are on the way as may be.
 * @error RIPOSTE_ERROR_TIMED_OUT There was no answer before the deadline.
 * @error RIPOSTE_ERROR_SERVER_DIED This node's manager has ended: the circuit is to be opened again.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is no connection.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled.
 * @blocks Until it is sent, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_signal_send_node(struct riposte_connection_t circuit,
                                         uint32_t signal,
                                         uint32_t word,
                                         riposte_deadline_t deadline);

/**
 * Changes which signals are masked in the calling thread. In a set bit n is signal n.
 *
 * @param how RIPOSTE_SIGNAL_HOW_SET, RIPOSTE_SIGNAL_HOW_BLOCK or RIPOSTE_SIGNAL_HOW_UNBLOCK.
 * @param set By which set.
 * @param before Where it is stored which ones were, or NULL.
 * @param pending Where it is stored which ones wait for the thread or its process to take them, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such change; or the process has no handler, and something would not be
 * masked.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_mask(uint32_t how,
                                    uint64_t set,
                                    uint64_t *before,
                                    uint64_t *pending);

/**
 * Waits until a signal has been handled that is not in a set, which alone is masked meanwhile.
 *
 * @param masked The set.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The process has no handler.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Until one has been handled, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_signal_suspend_until(uint64_t masked,
                                             riposte_deadline_t deadline);

/**
 * Waits for one of the signals of a set, masked or not, and takes it: no handler is called.
 *
 * @param set The set.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
 * @param signal Where the signal is stored.
 * @param word Where it is stored what it brings, or NULL.
 * @error RIPOSTE_ERROR_INTERRUPTED Another signal was handled.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None waits, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The set is empty, or holds a signal 0.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Until one comes, or the deadline.
 * @from Any thread.
 */
riposte_error_t riposte_signal_wait_until(uint64_t set,
                                          riposte_deadline_t deadline,
                                          uint32_t *signal,
                                          uint32_t *word);

/**
 * From now on the calling thread handles signals on other memory of its process, and not on its own stack. Nothing guards it:
 * it has room for the frame of what is interrupted, and for all that any handler of this thread calls.
 *
 * @param stack Where it begins.
 * @param size How many bytes it has; 0 for the thread's own stack again.
 * @error RIPOSTE_ERROR_BAD_ADDRESS It is not the process's to write; or the process has several threads on Armv7-M, where
 * a thread is known by the stack it runs on.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_signal_use_stack(void *stack,
                                         size_t size);

/**
 * c/start.c: the program's main function, with its arguments.
 */
extern int riposte_private_main(void);

/**
 * The C library's: what atexit() was told, then `_exit`.
 */
extern void exit(int status) __attribute__((noreturn));

/**
 * Copies the fault record of a process.
 *
 * @param process The process's index in the manifest, as a notice RIPOSTE_NOTICE_FAULT tells it.
 * @param record Where the record is stored. Its count is 0 if the process has not faulted.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `supervisor`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The record is not in this process's memory.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_fault_record(uint32_t process, struct riposte_fault_record_t *record);

/**
 * Tells how many bytes a thread has left of its stack, at the most that it has used of it since the start
 * of the system, in all lives of its process. The guard below the stack is not among them. It takes
 * time with the bytes that are left.
 *
 * @param process The process's index in the manifest.
 * @param thread The thread's index within the process: 0 is its main thread.
 * @param bytes Where they are stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest grants this process neither `supervisor` nor `inspect`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process, or it has no such thread.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_stack_unused(uint32_t process,
                                     uint32_t thread,
                                     uint32_t *bytes);

/**
 * Tells what a thread is doing.
 *
 * @param process The process's index in the manifest.
 * @param thread The thread's index within the process: 0 is its main thread.
 * @param state Where it is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `inspect`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process, or it has no such thread.
 * @error RIPOSTE_ERROR_BAD_CALL No process of the system has the grant.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_thread_state(uint32_t process,
                                     uint32_t thread,
                                     struct riposte_thread_state_t *state);

/**
 * Finds a process that this one controls.
 *
 * @param name The process's name in app.toml.
 * @param process Where it is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is not among the `controls` of this process in the manifest.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_process(const char *name,
                                struct riposte_process_t *process);

/**
 * Restarts a process, and those that the manifest restarts with it, whatever state it is in: alive,
 * stopped, at its limit, or held for a debugger. Those that wait for it find it dead. It counts as none
 * of its restarts, which are counted from zero again; and it begins without delay.
 *
 * @param process Which process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is none that riposte_process has found.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_process_restart(struct riposte_process_t process);

/**
 * Stops a process, whatever state it is in: those that wait for it find it dead, and nothing restarts
 * it but riposte_process_restart, or the restart of a process with which the manifest restarts it.
 *
 * @param process Which process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED It is none that riposte_process has found.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_process_stop(struct riposte_process_t process);

/**
 * Tells what an error means, in a few words.
 *
 * @param error The error.
 * @return The text, which lasts; of RIPOSTE_ERROR_EXHAUSTED and RIPOSTE_ERROR_NO_HANDLES it names the keys of app.toml
 * to raise.
 * @blocks Never, and makes no system call.
 * @from Any thread.
 */
const char *riposte_error_text(riposte_error_t error);

/**
 * Faults the calling process with a message, which the supervisor is told. What then happens to the
 * process is the manifest's `on_fault`.
 *
 * @param text Why, in UTF-8; at most 256 bytes of it are kept.
 * @blocks It does not return.
 * @from Any thread; the whole process is stopped.
 */
void riposte_panic(const char *text) __attribute__((noreturn));

/**
 * Tells whether bytes are UTF-8.
 *
 * @param bytes The bytes.
 * @param length How many.
 * @return Whether they are.
 * @blocks Never, and makes no system call.
 * @from riposte/interface.h.
 */
bool riposte_private_is_utf8(const void *bytes, size_t length);

/**
 * c/start.c: as `riposte_private_thread_create`, of a thread that masks all signals until it has its storage.
 */
extern riposte_error_t riposte_private_spare_create(size_t entry,
                                                    size_t body,
                                                    void *argument,
                                                    const struct riposte_thread_settings_t *settings,
                                                    struct riposte_thread_t *thread);

/**
 * c/start.c: the argument of such a thread, by the one that it was handed; it masks what it is to mask from now on.
 */
extern void *riposte_private_spare_inherit(void *argument);

/**
 * Tells the library which thread runs now: the first thing that a thread of the manifest does, which
 * RIPOSTE_THREAD sees to.
 *
 * @param index Its index in the process.
 * @param id Its id.
 * @blocks Never.
 * @from RIPOSTE_THREAD.
 */
void riposte_private_thread_begin(uint32_t index,
                                  uint32_t id);

/**
 * Starts a spare thread (`threads_spare` of the manifest). It may run before this returns, if it is
 * more urgent.
 *
 * @param body What it does, with the argument; what it returns is its exit value.
 * @param argument Is handed to it.
 * @param settings How it is to run.
 * @param thread Where its id is stored, or NULL.
 * @error RIPOSTE_ERROR_EXHAUSTED No spare thread is free: raise `threads_spare`.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the process's `priority_limit`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0, no such policy, or a stack larger than `spare_stack`.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The body is not in this process's code.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_thread_spawn(uint32_t (*body)(void *argument),
                                     void *argument,
                                     const struct riposte_thread_settings_t *settings,
                                     struct riposte_thread_t *thread);

/**
 * Starts a spare thread where the caller says, for a library with an end of its own for its threads. The first that it
 * does is riposte_private_thread_begin.
 *
 * @param entry Where it begins: with the argument, its index in the process, its id, and the body.
 * @param body The fourth of these.
 * @param argument The first.
 * @param settings How it is to run.
 * @param thread Where its id is stored, or NULL.
 * @error RIPOSTE_ERROR_EXHAUSTED No spare thread is free: raise `threads_spare`.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the process's `priority_limit`.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0, no such policy, or a stack larger than `spare_stack`.
 * @error RIPOSTE_ERROR_BAD_ADDRESS The entry is not in this process's code.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_private_thread_create(size_t entry,
                                              size_t body,
                                              void *argument,
                                              const struct riposte_thread_settings_t *settings,
                                              struct riposte_thread_t *thread);

/**
 * Waits until a thread has ended; its place is free then.
 *
 * @param thread The thread, from riposte_thread_spawn.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param value Where its exit value is stored, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK It has not ended, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The thread waits for the caller in the end, or is the caller.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is no such thread, or was joined or left to itself before.
 * @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the thread can be joined again.
 * @blocks Until the thread has ended, or the deadline.
 * @from Any thread of the process.
 */
riposte_error_t riposte_thread_join_until(struct riposte_thread_t thread,
                                          riposte_deadline_t deadline,
                                          uint32_t *value);

/**
 * Leaves a thread to itself: its place is free once it has ended.
 *
 * @param thread The thread, from riposte_thread_spawn.
 * @error RIPOSTE_ERROR_BAD_HANDLE It is no such thread, or was joined or left to itself before.
 * @blocks Never.
 * @from Any thread of the process.
 */
riposte_error_t riposte_thread_detach(struct riposte_thread_t thread);

/**
 * Ends the calling thread. Whoever it serves is told RIPOSTE_ERROR_SERVER_DIED. What lives on its stack, no
 * other thread may use any longer.
 *
 * @param value Its exit value; of the main thread, the process's exit status.
 * @blocks It does not return.
 * @from Any thread.
 */
void riposte_thread_exit(uint32_t value) __attribute__((noreturn));

/**
 * Gives a thread another priority.
 *
 * @param thread The thread.
 * @param priority The priority, from 1 to the process's `priority_limit`.
 * @param before Where it is stored what it was, or NULL.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the limit.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0.
 * @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread of the process.
 */
riposte_error_t riposte_thread_set_priority(struct riposte_thread_t thread,
                                            uint32_t priority,
                                            uint32_t *before);

/**
 * Gives a thread another policy.
 *
 * @param thread The thread.
 * @param policy RIPOSTE_POLICY_FIFO, RIPOSTE_POLICY_ROUND_ROBIN or RIPOSTE_POLICY_ADAPTIVE.
 * @param before Where it is stored what it was, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such policy.
 * @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
 * `priority_limit`.
 * @blocks Never.
 * @from Any thread of the process.
 */
riposte_error_t riposte_thread_set_policy(struct riposte_thread_t thread,
                                          uint32_t policy,
                                          uint32_t *before);

/**
 * Tells how a thread runs.
 *
 * @param thread The thread.
 * @param priority Where its priority is stored, or NULL.
 * @param policy Where its policy is stored, or NULL.
 * @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
 * @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
 * `priority_limit`.
 * @blocks Never.
 * @from Any thread of the process.
 */
riposte_error_t riposte_thread_schedule(struct riposte_thread_t thread,
                                        uint32_t *priority,
                                        uint32_t *policy);

/**
 * Tells how urgent the calling thread is now: its own priority, or the highest that others lend it, if that is more.
 *
 * @param priority Where that is stored.
 * @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
 * `priority_limit`.
 * @blocks Never.
 * @from Any thread.
 */
riposte_error_t riposte_thread_effective_priority(uint32_t *priority);

/**
 * Tells the time.
 *
 * @return Nanoseconds of monotonic time since the kernel's start.
 * @blocks Never.
 * @from Any thread.
 */
uint64_t riposte_clock(void);

/**
 * Sleeps until a moment; returns at once if that has passed.
 *
 * @param moment Nanoseconds of monotonic time since the kernel's start.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the sleep early.
 * @blocks Until the moment.
 * @from Any thread.
 */
riposte_error_t riposte_sleep_until(uint64_t moment);

/**
 * Sleeps for a time.
 *
 * @param nanoseconds How long, in nanoseconds.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the sleep early.
 * @blocks For the time.
 * @from Any thread.
 */
riposte_error_t riposte_sleep(uint64_t nanoseconds);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RIPOSTE_H */

#include "riposte/message.h"
#include "riposte/word.h"
#include "riposte/sync.h"
#include "riposte/interrupt.h"
