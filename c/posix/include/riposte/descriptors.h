/* How many descriptors a program can have open at once. */

#ifndef RIPOSTE_DESCRIPTORS_H
#define RIPOSTE_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <riposte.h>

#ifdef __cplusplus
extern "C" {
#endif

struct posix_operations;

/* An open file description: what descriptors that were duplicated from each other share. */
struct posix_description {
    /* What it is, and how that is done; NULL of one that is free or not open yet. */
    const struct posix_operations *operations;
    /* Its server, and the number of the open file or of the pipe's end there. */
    riposte_connection_t server;
    uint32_t number;
    /* O_ flags, as fcntl tells them. */
    uint32_t flags;
    /* Of a pipe without a name: its number, by which a child can open it. */
    uint32_t pipe;
    /* Descriptors, and calls that are under way. 0: free. */
    uint16_t users;
    /* Where its path was found, from 1 on. */
    uint8_t device;
    /* Of a socket: its place among those. */
    uint8_t socket;
    /* Whether the connection to the server is its own, and closed with it. */
    bool is_own_server;
    /* Whether its server puts each write at the end. */
    bool appends;
};

/* A descriptor: one more than the place of its description, or 0; and its FD_ flags. */
struct posix_descriptor {
    uint8_t description;
    uint8_t flags;
};

extern const size_t posix_descriptor_count;
extern struct posix_description posix_descriptions[];
extern struct posix_descriptor posix_descriptors[];

#ifdef __cplusplus
}
#endif

/* Gives the program so many descriptors, at most 255, instead of 20. For one source of a program, outside of
 * functions:
 *     RIPOSTE_DESCRIPTORS(64);
 * It does not make servers let it open more: that is in their `settings` in app.toml. */
#define RIPOSTE_DESCRIPTORS(count)                                                                                     \
    struct posix_description posix_descriptions[count];                                                                \
    struct posix_descriptor posix_descriptors[(count) <= 255 ? (count) : -1];                                          \
    const size_t posix_descriptor_count = (count)

#endif
