/* The settings of ChibiOS/RT as they are here: what programs ask for with #if. Included by ch.h. */

#ifndef CH_CONFIG_H
#define CH_CONFIG_H

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

/* The release whose reference is followed, its kernel and its library of objects. */
#define _CHIBIOS_
#define CH_VERSION_STABLE 1
#define CH_VERSION "19.1.3"
#define CH_VERSION_YEAR 19
#define CH_VERSION_MONTH 1
#define CH_VERSION_PATCH 3
#define CH_VERSION_NICKNAME "Maiori"
#define _CHIBIOS_RT_
#define CH_KERNEL_STABLE 1
#define CH_KERNEL_VERSION "6.0.3"
#define CH_KERNEL_MAJOR 6
#define CH_KERNEL_MINOR 0
#define CH_KERNEL_PATCH 3
#define _CHIBIOS_OSLIB_
#define CH_OSLIB_STABLE 1
#define CH_OSLIB_VERSION "1.1.2"
#define CH_OSLIB_MAJOR 1
#define CH_OSLIB_MINOR 1
#define CH_OSLIB_PATCH 2

/* What a program may define otherwise, for all of its sources alike: ticks of a second, */
#ifndef CH_CFG_ST_FREQUENCY
#define CH_CFG_ST_FREQUENCY 10000
#endif
/* most threads of a process, */
#ifndef CH_CFG_THREADS
#define CH_CFG_THREADS 32
#endif
/* bytes of the core allocator, which are there if the program uses it, or the default heap. */
#ifndef CH_CFG_MEMCORE_SIZE
#define CH_CFG_MEMCORE_SIZE 2048
#endif

#define CH_CFG_ST_RESOLUTION 32
#define CH_CFG_INTERVALS_SIZE 32
#define CH_CFG_TIME_TYPES_SIZE 32
/* A wait may take so many ticks more than it says. */
#define CH_CFG_ST_TIMEDELTA 2
/* Threads of one priority take turns when they wait or yield. */
#define CH_CFG_TIME_QUANTUM 0
#define CH_CFG_NO_IDLE_THREAD TRUE
#define CH_CFG_OPTIMIZE_SPEED TRUE
#define CH_CFG_USE_TM TRUE
#define CH_CFG_USE_REGISTRY TRUE
#define CH_CFG_USE_WAITEXIT TRUE
#define CH_CFG_USE_SEMAPHORES TRUE
#define CH_CFG_USE_SEMAPHORES_PRIORITY TRUE
#define CH_CFG_USE_MUTEXES TRUE
#define CH_CFG_USE_MUTEXES_RECURSIVE FALSE
#define CH_CFG_USE_CONDVARS TRUE
#define CH_CFG_USE_CONDVARS_TIMEOUT TRUE
#define CH_CFG_USE_EVENTS TRUE
#define CH_CFG_USE_EVENTS_TIMEOUT TRUE
#define CH_CFG_USE_MESSAGES TRUE
#define CH_CFG_USE_MESSAGES_PRIORITY FALSE
#define CH_CFG_USE_MAILBOXES TRUE
#define CH_CFG_USE_MEMCORE TRUE
#define CH_CFG_USE_HEAP TRUE
#define CH_CFG_USE_MEMPOOLS TRUE
#define CH_CFG_USE_OBJ_FIFOS TRUE
#define CH_CFG_USE_QUEUES TRUE
#define CH_CFG_USE_PIPES TRUE
#define CH_CFG_USE_DYNAMIC TRUE
#define CH_CFG_USE_FACTORY FALSE
#define CH_CFG_FACTORY_MAX_NAMES_LENGTH 8
#define CH_CFG_FACTORY_OBJECTS_REGISTRY FALSE
#define CH_CFG_FACTORY_GENERIC_BUFFERS FALSE
#define CH_CFG_FACTORY_SEMAPHORES FALSE
#define CH_CFG_FACTORY_MAILBOXES FALSE
#define CH_CFG_FACTORY_OBJ_FIFOS FALSE
#define CH_CFG_FACTORY_PIPES FALSE
/* Checks stop the process; the kernel looks after its own state, and counts nothing for statistics. */
#define CH_DBG_STATISTICS FALSE
#define CH_DBG_SYSTEM_STATE_CHECK TRUE
#define CH_DBG_ENABLE_CHECKS TRUE
#define CH_DBG_ENABLE_ASSERTS TRUE
#define CH_DBG_TRACE_MASK_DISABLED 255
#define CH_DBG_TRACE_MASK CH_DBG_TRACE_MASK_DISABLED
#define CH_DBG_TRACE_BUFFER_SIZE 0
#define CH_DBG_ENABLE_STACK_CHECK TRUE
#define CH_DBG_FILL_THREADS FALSE
#define CH_DBG_THREADS_PROFILING FALSE

/* What a port says of the compiler and the processor. */
#define ROMCONST const
#define NOINLINE __attribute__((__noinline__))
#define PACKED_VAR __attribute__((__packed__))
#define ALIGNED_VAR(bytes) __attribute__((__aligned__(bytes)))
#define SIZEOF_PTR 4
#define PORT_SUPPORTS_RT TRUE
#define PORT_NATURAL_ALIGN sizeof(void *)
#define PORT_STACK_ALIGN sizeof(void *)
#define PORT_WORKING_AREA_ALIGN sizeof(void *)

#endif
