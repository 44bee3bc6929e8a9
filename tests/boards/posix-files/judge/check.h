/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

/* The tests. */
void opening(void);
void moving_bytes(void);
void descriptors(void);
void paths(void);
void directories(void);
void pipes(void);
void fifos(void);
void readiness(void);
void streams(void);
void alone(void);
void mappings(void);
void hostile(void);

/* The start of a thread that comes late, opens the FIFO at this path to write, and writes "over"; and whether it has come. */
uint32_t write_over(void *path);
extern bool writer_has_come;

#endif
