/* What the porting layer offers beside the suite's fifteen functions. */

#ifndef TM_PORT_H
#define TM_PORT_H

/* Raises the interrupt `software` of the board, whose handler calls tm_interrupt_handler or
 * tm_interrupt_preemption_handler, whichever the test defines. */
void tm_cause_interrupt(void);

/* As the suite's tests write it. */
#define TM_CAUSE_INTERRUPT tm_cause_interrupt();

/* Counters that all threads of a test see, whether or not they have a process in common. */
volatile unsigned long *tm_port_counters(void);

#endif
