/* dup, dup2, fcntl, and what descriptors that were duplicated share. */

#include "check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void descriptors(void)
{
    char text[8];
    const int file = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int other;
    begin("dup, dup2: one position for both, and it is open until both are closed");
    CHECK(write(file, "abcdef", 6) == 6 && lseek(file, 0, SEEK_SET) == 0);
    other = dup(file);
    CHECK(other == file + 1);
    CHECK(read(file, text, 2) == 2 && read(other, text + 2, 2) == 2 && !memcmp(text, "abcd", 4));
    CHECK(close(file) == 0 && read(other, text, 8) == 2 && !memcmp(text, "ef", 2));
    CHECK(dup2(other, file) == file && close(other) == 0);
    CHECK(lseek(file, 0, SEEK_CUR) == 6);
    end();
    begin("dup2: what was there is closed; the same one is left alone");
    other = open("/dev/null", O_RDWR);
    CHECK(dup2(file, other) == other && lseek(other, 0, SEEK_CUR) == 6);
    CHECK(dup2(other, other) == other && lseek(other, 0, SEEK_CUR) == 6);
    CHECK(dup2(other, 12) == 12 && close(12) == 0);
    CHECK(close(other) == 0);
    end();
    begin("dup EBADF; dup2 EBADF: either is none, and nothing was closed");
    CHECK(FAILS(dup(15), EBADF));
    CHECK(FAILS(dup2(15, file), EBADF) && lseek(file, 0, SEEK_CUR) == 6);
    CHECK(FAILS(dup2(15, 15), EBADF));
    CHECK(FAILS(dup2(file, -1), EBADF));
    CHECK(FAILS(dup2(file, 20), EBADF));
    end();
    begin("fcntl F_DUPFD, F_DUPFD_CLOEXEC: the lowest one from there on; EBADF, EINVAL, EMFILE");
    CHECK(fcntl(file, F_DUPFD, 10) == 10 && fcntl(file, F_DUPFD, 10) == 11);
    CHECK(fcntl(10, F_GETFD) == 0);
    CHECK(fcntl(file, F_DUPFD_CLOEXEC, 19) == 19 && fcntl(19, F_GETFD) == FD_CLOEXEC);
    CHECK(FAILS(fcntl(file, F_DUPFD, 19), EMFILE));
    CHECK(FAILS(fcntl(file, F_DUPFD, 20), EINVAL));
    CHECK(FAILS(fcntl(file, F_DUPFD, -1), EINVAL));
    CHECK(FAILS(fcntl(15, F_DUPFD, 0), EBADF));
    CHECK(close(10) == 0 && close(11) == 0 && close(19) == 0);
    end();
    begin("fcntl F_GETFD, F_SETFD: each descriptor's own; O_CLOEXEC sets it");
    other = dup(file);
    CHECK(fcntl(file, F_SETFD, FD_CLOEXEC) == 0 && fcntl(file, F_GETFD) == FD_CLOEXEC && fcntl(other, F_GETFD) == 0);
    CHECK(close(other) == 0);
    other = open("shared", O_RDONLY | O_CLOEXEC);
    CHECK(fcntl(other, F_GETFD) == FD_CLOEXEC && close(other) == 0);
    CHECK(FAILS(fcntl(15, F_GETFD), EBADF) && FAILS(fcntl(15, F_SETFD, 0), EBADF));
    end();
    begin("fcntl F_GETFL, F_SETFL: the description's; the access mode stays as it is");
    other = dup(file);
    CHECK(fcntl(file, F_GETFL) == O_RDWR);
    CHECK(fcntl(file, F_SETFL, O_NONBLOCK | O_WRONLY) == 0);
    CHECK(fcntl(other, F_GETFL) == (O_RDWR | O_NONBLOCK));
    CHECK(fcntl(other, F_SETFL, 0) == 0 && fcntl(file, F_GETFL) == O_RDWR);
    CHECK(fcntl(file, F_SETFL, O_APPEND) == 0 && lseek(file, 0, SEEK_SET) == 0 && write(file, "gh", 2) == 2);
    CHECK(lseek(file, 0, SEEK_CUR) == 8);
    CHECK(FAILS(fcntl(15, F_GETFL), EBADF) && FAILS(fcntl(15, F_SETFL, 0), EBADF));
    CHECK(close(other) == 0);
    end();
    begin("fcntl EINVAL: there is no such command");
    CHECK(FAILS(fcntl(file, 99), EINVAL));
    end();
    CHECK(close(file) == 0 && unlink("shared") == 0);
}
