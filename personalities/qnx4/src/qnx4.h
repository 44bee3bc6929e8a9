/* What the sources of the personality share. */

#ifndef QNX4_H
#define QNX4_H

#include <sys/kernel.h>

/* Sets errno; -1. */
int qnx4_fail(int number);

/* Finds the channel at which this process receives, and tells it. */
bool qnx4_find_channel(riposte_channel_t *channel);

/* The number of this node by the manifest (`node` of this process's settings); 0 if it does not say. In vc.c. */
nid_t qnx4_node(void);

/* Whether a number is this node's, or says none. In vc.c. */
bool qnx4_is_here(nid_t nid);

/* The most bytes of a name. */
#define QNX4_LONGEST_NAME 32

/* A pid that no virtual process has; QNX4_PRIVATE_PLACES if all are taken. In receive.c. */
pid_t qnx4_free_circuit(void);

/* Makes a virtual process of a connection to the process of another node that has this name, //node/name; -1. In vc.c. */
pid_t qnx4_circuit(nid_t nid, const char *path, riposte_connection_t connection);

/* Finds whose a name is: the pid, and a connection to it; -1. In name.c. */
pid_t qnx4_find(const char *name, riposte_connection_t *connection);

/* The name by which a virtual process was located; NULL if it is none that stands for a process of another node. In vc.c. */
const char *qnx4_path(pid_t vid);

/* The next virtual process behind a pid that stands for one of a node; QNX4_PRIVATE_PLACES if there is none. In vc.c. */
pid_t qnx4_next_circuit(nid_t nid, pid_t behind);

/* The pid of this process. */
pid_t qnx4_own(void);

/* The message of a process that waits for a reply of this one; that of none if it does not. */
riposte_token_t qnx4_client(pid_t pid);

/* Whether a client waits for its answer still. */
bool qnx4_waits(riposte_token_t token);

/* Whether it is a proxy of this process. */
bool qnx4_proxy_is_own(pid_t number);

/* Which proxy of this process a handle is; 0 if none. In proxy.c. */
pid_t qnx4_proxy_of(uint32_t handle);

/* Triggers a proxy of this process, or another's for which it has the right already: it waits for nobody. In proxy.c. */
void qnx4_trigger_held(pid_t number);

/* Answers another process's question for the right to trigger a proxy of this one. */
void qnx4_proxy_answer(const riposte_message_t *message);

#endif
