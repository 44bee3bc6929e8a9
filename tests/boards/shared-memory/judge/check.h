/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <riposte.h>

#include "verdict.h"

/* Bytes of a block of the judge's. */
#define ROOM 8192

#define NOT_MAPPED(call, error) (errno = 0, (call) == MAP_FAILED && errno == (error))

/* What the others can be told, as peer/src/main.rs has it. */
enum { CREATE, OPEN_TO_READ, OPEN_TO_WRITE, CLOSE, UNLINK, SIZE, RESIZE, MAP, MAP_TO_READ, UNMAP, PEEK, POKE,
       POKE_ANYWAY, HOARD, NAME, DIE, RECONNECT, MEET, KEEP };

/* An error of the kernel's. */
#define KERNEL 2000

/* It died of it. */
#define DEAD 3000

/* Tells a process something; the number of the error, 0 for none. What else it says is in `value`. */
uint32_t tell(const char *who, uint32_t order, uint32_t argument, const char *name);
extern uint32_t value;

/* Makes an object of so many bytes and maps it to be written. */
void *make(const char *name, size_t length, int *descriptor);

/* The tests. */
void objects(void);
void mappings(void);
void rights(void);
void shares(void);
void locks(void);
void deaths(void);
void restarts(void);

#endif
