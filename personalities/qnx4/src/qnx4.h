/* What the sources of the personality share. */

#ifndef QNX4_H
#define QNX4_H

#include <sys/kernel.h>

/* Sets errno; -1. */
int qnx4_fail(int number);

/* Finds the channel at which this process receives, and tells it. */
bool qnx4_find_channel(riposte_channel_t *channel);

/* The pid of this process. */
pid_t qnx4_own(void);

/* The message of a process that waits for a reply of this one; that of none if it does not. */
riposte_token_t qnx4_client(pid_t pid);

/* Whether it is a proxy of this process. */
bool qnx4_proxy_is_own(pid_t number);

/* Which proxy of this process a handle is; 0 if none. In proxy.c. */
pid_t qnx4_proxy_of(uint32_t handle);

/* Triggers a proxy of this process, or another's for which it has the right already: it waits for nobody. In proxy.c. */
void qnx4_trigger_held(pid_t number);

/* Answers another process's question for the right to trigger a proxy of this one. */
void qnx4_proxy_answer(const riposte_message_t *message);

#endif
