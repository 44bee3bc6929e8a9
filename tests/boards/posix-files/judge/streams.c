/* fopen, fdopen, fileno, and the standard streams over descriptors. */

#include "check.h"
#include "thread.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio-bufio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <riposte.h>

/* More than a pipe takes: who has written the last of it waits in the stream. */
#define MUCH (2 * BUFSIZ)

static void *writes_much(void *stream)
{
    static char much[MUCH];
    memset(much, 'm', sizeof much);
    return (void *)(uintptr_t)fwrite(much, 1, sizeof much, stream);
}

static volatile size_t taken;

static void *reads_much(void *descriptor)
{
    char bytes[64];
    ssize_t count = 1;
    while (taken < MUCH && count > 0) {
        count = read((int)(intptr_t)descriptor, bytes, sizeof bytes);
        taken += (size_t)count;
    }
    return NULL;
}

static void *reads_one(void *stream)
{
    return (void *)(intptr_t)fgetc(stream);
}

/* Another thread waits in a stream until somebody reads. */
static void in_use(void)
{
    void *written, *got;
    int ends[2];
    begin("fflush(NULL): also what another thread has written that is in the stream; and it waits for none that reads");
    CHECK(pipe(ends) == 0);
    FILE *const file = fdopen(ends[1], "w");
    const pthread_t writer = thread_of(10, writes_much, file);
    CHECK(sched_yield() == 0);
    const pthread_t reader = thread_of(9, reads_much, (void *)(intptr_t)ends[0]);
    /* It is less urgent than whoever does not wait. */
    CHECK(file && fflush(NULL) == 0 && taken > 0);
    CHECK(pthread_join(writer, &written) == 0 && pthread_join(reader, NULL) == 0);
    CHECK((uintptr_t)written == MUCH && taken == MUCH);
    FILE *const from = fdopen(ends[0], "r");
    const pthread_t waits = thread_of(10, reads_one, from);
    CHECK(sched_yield() == 0 && fflush(NULL) == 0 && fputs("x", file) >= 0 && fclose(file) == 0);
    CHECK(pthread_join(waits, &got) == 0 && (uintptr_t)got == 'x' && fclose(from) == 0);
    end();
}

/* Where what is printed leads nobody takes it. */
static void lost(void)
{
    const int kept = dup(STDOUT_FILENO), only_read = open("lost", O_RDONLY | O_CREAT, 0);
    bool failed, marked;
    begin("printf, fputs, fflush: EBADF and the error indicator if nobody takes it");
    fflush(stdout);
    CHECK(kept >= 0 && only_read >= 0 && dup2(only_read, STDOUT_FILENO) == STDOUT_FILENO);
    failed = (printf("x\n") < 0 || fputs("y", stdout) < 0 || fflush(stdout) == EOF) && errno == EBADF;
    marked = ferror(stdout);
    clearerr(stdout);
    CHECK(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO && failed);
    CHECK(marked);
    CHECK(close(kept) == 0 && close(only_read) == 0 && unlink("lost") == 0);
    end();
}

/* A standard stream that is closed. */
static void standard_closed(void)
{
    const int kept = dup(STDOUT_FILENO), in = dup(STDIN_FILENO), file = open("printed", O_RDWR | O_CREAT | O_TRUNC, 0600);
    bool sent, is_closed, is_told;
    char text[8];
    begin("fclose: stdout's sends what was printed, closes the descriptor, and says EBADF where nobody takes it; stdin's closes its own");
    fflush(stdout);
    CHECK(dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    sent = printf("text") == 4 && fclose(stdout) == 0 && pread(file, text, sizeof text, 0) == 4 && !memcmp(text, "text", 4);
    is_closed = fcntl(STDOUT_FILENO, F_GETFD) == -1;
    const int only_read = open("printed", O_RDONLY);
    dup2(only_read, STDOUT_FILENO);
    is_told = printf("lost") == 4 && FAILS(fclose(stdout), EBADF);
    clearerr(stdout);
    CHECK(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO && sent);
    CHECK(is_closed);
    CHECK(is_told);
    if (only_read != STDOUT_FILENO)
        CHECK(close(only_read) == 0);
    CHECK(fclose(stdin) == 0 && FAILS(fcntl(STDIN_FILENO, F_GETFD), EBADF));
    CHECK(dup2(in, STDIN_FILENO) == STDIN_FILENO && close(in) == 0 && close(kept) == 0 && close(file) == 0);
    CHECK(unlink("printed") == 0);
    end();
}

/* A standard stream that another file takes the place of. */
static void standard_reopened(void)
{
    const int out = dup(STDOUT_FILENO), in = dup(STDIN_FILENO), error = dup(STDERR_FILENO);
    char text[16] = {0};
    bool good;
    begin("freopen: also of stdout, stderr and stdin, whose descriptors are then the file");
    fflush(stdout);
    good = freopen("printed", "w", stdout) == stdout && printf("one") == 3 && fflush(stdout) == 0 && lseek(1, 0, SEEK_CUR) == 3;
    good = good && freopen("printed", "a", stdout) == stdout && puts("two") >= 0;
    good = good && freopen("printed", "a", stderr) == stderr && fputs("three\n", stderr) >= 0;
    CHECK(dup2(out, STDOUT_FILENO) == STDOUT_FILENO && dup2(error, STDERR_FILENO) == STDERR_FILENO);
    CHECK(good && freopen("printed", "r", stdin) == stdin && fgets(text, sizeof text, stdin) && !strcmp(text, "onetwo\n"));
    CHECK(fgetc(stdin) == 't' && ungetc('x', stdin) == 'x');
    CHECK(freopen("printed", "r", stdin) == stdin && fgetc(stdin) == 'o');
    CHECK(IS_NULL(freopen("printed", "r", stdout), EINVAL) && IS_NULL(freopen("printed", "w", stdin), EINVAL));
    CHECK(IS_NULL(freopen("absent", "r", stdin), ENOENT) && fcntl(STDIN_FILENO, F_GETFD) == -1 && errno == EBADF);
    CHECK(dup2(in, STDIN_FILENO) == STDIN_FILENO && close(in) == 0 && close(out) == 0 && close(error) == 0);
    CHECK(unlink("printed") == 0);
    end();
}

static void files(void)
{
    char text[32];
    FILE *file;
    begin("fopen: ENOENT, EINVAL of a mode that is none; w creates, r reads, a appends");
    CHECK(IS_NULL(fopen("absent", "r"), ENOENT));
    CHECK(IS_NULL(fopen("absent", "q"), EINVAL));
    file = fopen("stream", "w");
    CHECK(file && fprintf(file, "%d lines\n", 2) == 8 && fputs("second\n", file) >= 0 && fclose(file) == 0);
    file = fopen("stream", "a");
    CHECK(file && fputs("third\n", file) >= 0 && fclose(file) == 0);
    file = fopen("stream", "r");
    CHECK(file && fgets(text, sizeof text, file) == text && !strcmp(text, "2 lines\n"));
    CHECK(fgets(text, sizeof text, file) == text && !strcmp(text, "second\n"));
    CHECK(fgets(text, sizeof text, file) == text && !strcmp(text, "third\n"));
    CHECK(!fgets(text, sizeof text, file) && feof(file) && !ferror(file));
    end();
    begin("fseek, ftell, rewind: the stream's position");
    CHECK(fseek(file, 2, SEEK_SET) == 0 && ftell(file) == 2 && fgetc(file) == 'l' && ftell(file) == 3);
    CHECK(fseek(file, -2, SEEK_END) == 0 && fgetc(file) == 'd' && fgetc(file) == '\n' && fgetc(file) == EOF);
    rewind(file);
    CHECK(fgetc(file) == '2' && ungetc('5', file) == '5' && fgetc(file) == '5' && fgetc(file) == ' ');
    CHECK(fileno(file) == 3 && fclose(file) == 0 && FAILS(close(3), EBADF));
    end();
    begin("fopen r+: what is written in the middle is there, and what is around it");
    file = fopen("stream", "r+");
    CHECK(file && fseek(file, 2, SEEK_SET) == 0 && fputs("LINES", file) >= 0 && fflush(file) == 0);
    CHECK(fseek(file, 0, SEEK_SET) == 0 && fgets(text, sizeof text, file) && !strcmp(text, "2 LINES\n"));
    CHECK(fclose(file) == 0);
    end();
    begin("fdopen: a stream of a descriptor, closed with it");
    int ends[2];
    CHECK(pipe(ends) == 0);
    FILE *const reader = fdopen(ends[0], "r"), *const writer = fdopen(ends[1], "w");
    CHECK(reader && writer && fputs("through a pipe\n", writer) >= 0 && fflush(writer) == 0);
    CHECK(fgets(text, sizeof text, reader) && !strcmp(text, "through a pipe\n"));
    CHECK(fclose(writer) == 0 && fgetc(reader) == EOF && fclose(reader) == 0);
    CHECK(FAILS(close(ends[0]), EBADF) && FAILS(close(ends[1]), EBADF));
    end();
    begin("fgetc EISDIR: what cannot be read has the error indicator, and is not at its end");
    file = fopen("/ram", "r");
    CHECK(file && FAILS(fgetc(file), EISDIR) && ferror(file) && !feof(file) && fclose(file) == 0);
    end();
    begin("fdopen: the stream is where the descriptor is, and ftell and fseek from there");
    int place = open("place", O_RDWR | O_CREAT, 0600);
    CHECK(write(place, "0123456789", 10) == 10 && lseek(place, 4, SEEK_SET) == 4);
    file = fdopen(place, "r+");
    CHECK(file && ftell(file) == 4 && fgetc(file) == '4' && ftell(file) == 5);
    CHECK(fseek(file, 1, SEEK_CUR) == 0 && fputc('x', file) == 'x' && ftell(file) == 7 && fclose(file) == 0);
    place = open("place", O_RDONLY);
    CHECK(read(place, text, sizeof text) == 10 && !memcmp(text, "012345x789", 10));
    CHECK(close(place) == 0 && unlink("place") == 0);
    end();
    begin("fdopen: EBADF of a descriptor that is closed, or none; EINVAL of a mode that is none");
    CHECK(IS_NULL(fdopen(place, "r+"), EBADF) && IS_NULL(fdopen(-1, "w"), EBADF) && IS_NULL(fdopen(0, "q"), EINVAL));
    end();
    begin("ftell, fseek ESPIPE: what was read ahead of a pipe is read behind that");
    CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
    file = fdopen(ends[0], "r");
    CHECK(file && fgetc(file) == 'a' && FAILS(ftell(file), ESPIPE) && FAILS(fseek(file, 1, SEEK_CUR), ESPIPE));
    CHECK(fgetc(file) == 'b' && fclose(file) == 0 && close(ends[1]) == 0);
    end();
    begin("fclose: EBADF of what could not be written, and of a descriptor that was closed");
    place = open("place", O_RDONLY | O_CREAT, 0600);
    file = fdopen(place, "w");
    CHECK(file && fputc('x', file) == 'x' && FAILS(fclose(file), EBADF) && FAILS(close(place), EBADF));
    place = open("place", O_RDONLY);
    file = fdopen(place, "r");
    CHECK(file && close(place) == 0 && FAILS(fclose(file), EBADF) && unlink("place") == 0);
    end();
    begin("fputc, fputs, fflush: what cannot be written has the error indicator");
    place = open("place", O_RDONLY | O_CREAT, 0600);
    file = fdopen(place, "w");
    CHECK(file && fputc('x', file) == 'x' && !ferror(file) && FAILS(fflush(file), EBADF) && ferror(file));
    clearerr(file);
    CHECK(!ferror(file) && setvbuf(file, NULL, _IOLBF, 0) == 0);
    CHECK(fputs("line\n", file) < 0 && ferror(file) && fclose(file) == 0 && unlink("place") == 0);
    end();
    begin("fputc EAGAIN: it is not written, and is once it is put again");
    CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    file = fdopen(ends[1], "w");
    CHECK(file && setvbuf(file, NULL, _IONBF, 0) == 0);
    int put = 0, got = 0;
    char letter;
    while (fputc('a' + put % 26, file) != EOF)
        put++;
    CHECK(errno == EAGAIN && ferror(file));
    CHECK(read(ends[0], &letter, 1) == 1 && letter == 'a');
    got = 1;
    CHECK(fputc('a' + put % 26, file) != EOF);
    put++;
    while (read(ends[0], &letter, 1) == 1)
        CHECK(letter == 'a' + got++ % 26);
    CHECK(got == put && fclose(file) == 0 && close(ends[0]) == 0);
    end();
    begin("ftell, fseek: behind a letter that was put back");
    file = fopen("stream", "r");
    CHECK(file && fgetc(file) == '2' && fgetc(file) == ' ' && ungetc(' ', file) == ' ' && ftell(file) == 1);
    CHECK(fgetc(file) == ' ' && ftell(file) == 2 && ungetc(' ', file) == ' ');
    CHECK(fseek(file, 1, SEEK_CUR) == 0 && fgetc(file) == 'L' && ungetc('l', file) == 'l' && ftell(file) == 2);
    CHECK(fgetc(file) == 'l' && fgetc(file) == 'I' && ftell(file) == 4);
    CHECK(fseek(file, 2, SEEK_SET) == 0 && ungetc(' ', file) == ' ' && ftell(file) == 1 && fgetc(file) == ' ' && fgetc(file) == 'L');
    CHECK(fclose(file) == 0);
    end();
    begin("fopen, freopen: with x a file is made, and none that there is emptied: EEXIST");
    file = fopen("exclusive", "w+x");
    CHECK(file && fputs("kept", file) >= 0 && fclose(file) == 0);
    CHECK(IS_NULL(fopen("exclusive", "wx"), EEXIST) && IS_NULL(fopen("exclusive", "wbx"), EEXIST));
    file = fopen("exclusive", "rx");
    CHECK(file && IS_NULL(freopen("exclusive", "wx", file), EEXIST));
    file = fopen("exclusive", "r");
    CHECK(file && fgets(text, sizeof text, file) && !strcmp(text, "kept") && fclose(file) == 0 && unlink("exclusive") == 0);
    end();
    begin("freopen: what was read ahead of the descriptor before is no more");
    CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
    file = fdopen(ends[0], "r");
    CHECK(file && fgetc(file) == 'a' && freopen("stream", "r", file) == file && fgetc(file) == '2');
    CHECK(fclose(file) == 0 && close(ends[1]) == 0);
    end();
    begin("freopen: of a letter that was put back nothing is left; EBADF without a path, EINVAL of a mode that is none");
    file = fopen("stream", "r");
    CHECK(file && ungetc('x', file) == 'x' && freopen("stream", "r", file) == file && fgetc(file) == '2');
    CHECK(IS_NULL(freopen("stream", "q", file), EINVAL) && IS_NULL(freopen(NULL, "r", file), EBADF));
    CHECK(IS_NULL(freopen("absent", "r", file), ENOENT));
    end();
    begin("freopen: a stream whose file cannot be opened is closed, and takes no memory any more");
    bool good = true;
    for (int times = 0; times < 100 && good; times++)
        good = (file = fopen("stream", "r")) && IS_NULL(freopen("absent", "r", file), ENOENT);
    CHECK(good);
    end();
    standard_reopened();
    standard_closed();
    begin("fflush(NULL): what was written to any stream is where it goes");
    FILE *const one = fopen("one", "w"), *const other = fopen("other", "w");
    CHECK(one && other && fputs("1", one) >= 0 && fputs("2", other) >= 0);
    for (int round = 0; round < 2; round++) {
        CHECK(fflush(NULL) == 0 && fputs("3", one) >= 0);
        place = open(round ? "one" : "other", O_RDONLY);
        CHECK(read(place, text, sizeof text) == 1 + round && !memcmp(text, round ? "13" : "2", 1 + round) && close(place) == 0);
    }
    CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
    file = fdopen(ends[0], "r");
    CHECK(file && fgetc(file) == 'a' && fflush(NULL) == 0 && fgetc(file) == 'b');
    CHECK(fclose(file) == 0 && close(ends[1]) == 0);
    CHECK(fclose(one) == 0 && fclose(other) == 0 && unlink("one") == 0 && unlink("other") == 0);
    end();
    begin("fread, fwrite: blocks across the buffer");
    static char block[1500], back[1500];
    for (size_t n = 0; n < sizeof block; n++)
        block[n] = (char)(n * 13);
    file = fopen("blocks", "w+");
    CHECK(file && fwrite(block, 100, 15, file) == 15 && fseek(file, 0, SEEK_SET) == 0);
    CHECK(fread(back, 100, 15, file) == 15 && !memcmp(block, back, sizeof block) && fread(back, 1, 1, file) == 0);
    CHECK(fclose(file) == 0 && remove("blocks") == 0);
    end();
}

static void standard(void)
{
    char text[32];
    begin("getchar: EBADF and the error indicator of a standard input that is closed");
    const int input = dup(STDIN_FILENO);
    CHECK(input >= 0 && close(STDIN_FILENO) == 0 && FAILS(getchar(), EBADF) && ferror(stdin) && !feof(stdin));
    clearerr(stdin);
    CHECK(dup2(input, STDIN_FILENO) == STDIN_FILENO && close(input) == 0);
    end();
    begin("fileno of the standard streams: 0, 1, 2");
    CHECK(fileno(stdin) == 0 && fileno(stdout) == 1 && fileno(stderr) == 2);
    end();
    begin("dup2 onto standard output: what is printed goes there, and what is complained does not");
    CHECK(fflush(stdout) == 0);
    const int before = dup(1), file = open("printed", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 1);
    printf("printed %d\n", 1);
    fprintf(stderr, "complained\n");
    fputs("and ", stdout);
    fflush(stdout);
    dup2(before, 1);
    CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, text, sizeof text) == 14 && !memcmp(text, "printed 1\nand ", 14));
    CHECK(close(before) == 0 && close(file) == 0 && unlink("printed") == 0);
    end();
    begin("dup2 onto standard input: what is read comes from there");
    const int kept = dup(0), from = open("stream", O_RDONLY);
    CHECK(dup2(from, 0) == 0);
    int lines = 0;
    CHECK(scanf("%d LINES", &lines) == 1 && lines == 2 && getchar() == '\n');
    CHECK(fgets(text, sizeof text, stdin) && !strcmp(text, "second\n"));
    CHECK(fgets(text, sizeof text, stdin) && fgetc(stdin) == EOF);
    clearerr(stdin);
    CHECK(dup2(kept, 0) == 0 && close(kept) == 0 && close(from) == 0 && remove("stream") == 0);
    end();
}

static int lowest(void)
{
    const int one = open("few", O_RDWR | O_CREAT, 0600);
    CHECK(one >= 0 && close(one) == 0);
    return one;
}

/* Takes all of the heap, each block in the one before; and gives it back. */
static void *take_all(void)
{
    void *all = NULL, *block;
    for (size_t size = 64; size >= 8; size /= 2)
        while ((block = malloc(size)) != NULL) {
            *(void **)block = all;
            all = block;
        }
    return all;
}

static void give_all(void *all)
{
    void *block;
    while ((block = all) != NULL) {
        all = *(void **)block;
        free(block);
    }
}

static void without_memory(void)
{
    void *all, *stream;
    begin("fopen: ENOMEM without memory for a stream, and the file is not left open");
    const int free_one = lowest();
    all = take_all();
    CHECK(IS_NULL(fopen("few", "r"), ENOMEM));
    give_all(all);
    CHECK(lowest() == free_one);
    end();
    begin("fopen: ENOMEM without memory for a stream's lock, which each stream has");
    stream = malloc(sizeof(struct __file_bufio) + BUFSIZ);
    all = take_all();
    free(stream);
    CHECK(stream && IS_NULL(fopen("few", "r"), ENOMEM));
    give_all(all);
    CHECK(lowest() == free_one && unlink("few") == 0);
    end();
}

void streams(void)
{
    lost();
    files();
    in_use();
    standard();
    without_memory();
}
