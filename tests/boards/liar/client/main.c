/* Believes no server that lies. */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../orders.h"

#define FILL UINT32_C(0x5EC12E75)

/* Somewhere in this process's memory. */
static volatile uint32_t here = FILL;

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

static bool fails(long result, int number)
{
    return result == -1 && errno == number;
}

/* From now on this is the pid of whoever has a name. */
static void order(pid_t pid)
{
    riposte_connection_t names;
    riposte_reply_t reply;
    const uint32_t words[] = {ORDER, (uint32_t)pid + RIPOSTE_PROCESS_BADGES - QNX4_PRIVATE_FIRST};
    if (riposte_connect("names", &names) == RIPOSTE_OK)
        riposte_send_words(names, words, 2, &reply);
}

/* The pid by which the connection to a process would be kept there. */
static pid_t place_of(volatile uint32_t *word)
{
    const uint32_t words = ((uint32_t)(uintptr_t)word - (uint32_t)(uintptr_t)qnx4_private_connections) / sizeof *word;
    return (pid_t)(words | UINT32_C(0xC0000000));
}

static bool owners(void)
{
    struct _nameinfo found;
    order(place_of(&here));
    if (!fails(qnx_name_locate(0, "/name", 0, NULL), ESRCH) || here != FILL)
        return false;
    order(-1);
    if (!fails(qnx_name_locate(0, "/name", 0, NULL), ESRCH))
        return false;
    order(0);
    return fails(qnx_name_locate(0, "/name", 0, NULL), ESRCH) && fails(qnx_name_query(0, 1, &found), EINVAL);
}

static bool long_names(void)
{
    /* As long as the longest path, and longer than any name. */
    static const char name[] = "//2/5678901234567890123456789012345678901234567890123456789012345";
    order(QNX4_PRIVATE_FIRST);
    return fails(qnx_name_locate(0, name, 0, NULL), ESRCH) && qnx_name_locate(0, "//2/name", 0, NULL) == QNX4_PIDS;
}

/* From now on an object has this size, and so many bytes. */
static void order_memory(uint32_t size, uint32_t room)
{
    riposte_connection_t memory;
    riposte_reply_t reply;
    const uint32_t words[] = {ORDER, size, room};
    if (riposte_connect("shared-memory", &memory) == RIPOSTE_OK)
        riposte_send_words(memory, words, 3, &reply);
}

static void *map(int object, size_t length)
{
    return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, object, 0);
}

/* Of what a server says that there is, no more is mapped or cleared than there is; also when it says so later. */
static bool sizes(void)
{
    int object, again;
    char *memory;
    bool good;
    order_memory(2 * BLOCK, 2 * BLOCK);
    object = shm_open("/object", O_RDWR, 0);
    if (object < 0 || map(object, 2 * BLOCK) != MAP_FAILED || errno != ENXIO)
        return false;
    order_memory(BLOCK, BLOCK);
    memory = map(object, BLOCK);
    if (memory == MAP_FAILED)
        return false;
    memory[0] = memory[BLOCK - 1] = 1;
    order_memory(2 * BLOCK, 2 * BLOCK);
    again = shm_open("/object", O_RDWR, 0);
    if (again < 0 || map(again, 2 * BLOCK) != MAP_FAILED || errno != ENXIO)
        return false;
    good = ftruncate(again, 1) == 0 && memory[0] == 1 && memory[BLOCK - 1] == 0;
    return good && munmap(memory, BLOCK) == 0 && close(object) == 0 && close(again) == 0;
}

/* The manager of processes answers with less than the number of one. */
static bool children(void)
{
    char *const argv[] = {(char[]){"child"}, NULL};
    pid_t child = 1;
    int status = 1;
    return posix_spawn(&child, "child", NULL, NULL, argv, NULL) == EIO && child == 1 && fails(waitpid(1, &status, 0), EIO)
           && fails(waitpid(1, &status, WNOHANG), EIO) && fails(wait(NULL), EIO) && status == 1;
}

int main(void)
{
    verdict("a name whose owner is no process's badge leads nowhere, and nothing is kept for it", owners());
    verdict("a name that is longer than names are leads nowhere", long_names());
    verdict("no more of an object is mapped, or cleared, than there is, whatever its server says", sizes());
    verdict("an answer without a process's number is none: posix_spawn EIO, waitpid EIO", children());
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
