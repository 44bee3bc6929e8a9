/* ChibiOS/RT's calls over Riposte. The names and what they mean are those of the public reference of
 * ChibiOS/RT 6.0 (its release 19.1); docs/src/personalities/chibios.md says what is there, what is not, and
 * what differs. A program defines CH_API_2_4 to use the spellings of version 2.4. */

#ifndef CH_H
#define CH_H

#include <riposte.h>

#include "ch/config.h"
#include "ch/types.h"
#include "ch/time.h"
#include "ch/word.h"
#include "ch/threads.h"
#include "ch/system.h"
#include "ch/references.h"
#include "ch/semaphores.h"
#include "ch/mutexes.h"
#include "ch/condvars.h"
#include "ch/messages.h"
#include "ch/mailboxes.h"
#include "ch/events.h"
#include "ch/timers.h"
#include "ch/memory.h"
#include "ch/dynamic.h"
#include "ch/registry.h"
#include "ch/fifos.h"
#include "ch/queues.h"
#include "ch/pipes.h"
#include "ch/measurement.h"
#include "ch/absent.h"

#if defined(CH_API_2_4)
#include "ch/api_2_4.h"
#endif

#endif
