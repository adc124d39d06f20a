/* Stands between a process and its files (LD_PRELOAD).
 *
 * It writes down every change below SORTKEY_SHIM_ROOT, every fsync, and everything the process says on its standard
 * output, in the order in which they happen, to the file SORTKEY_SHIM_LOG; from that a test can build the disk as
 * a power failure at any moment could have left it. And it lets calls fail, if the file SORTKEY_SHIM_FAULT
 * says so: "fsync" (EIO), "space" (ENOSPC), "short" (half of every write, then ENOSPC), "tight" (ENOSPC while there is a
 * file database/RESERVE: the disk is full but for what is set aside), "cramped" (as "tight", and then no file may grow by more
 * than a megabyte at once: what was set aside is less than a journal). An empty or missing file is a healthy disk.
 *
 * SORTKEY_SHIM_NTH lets single calls fail (EIO), counted by kind: "write 17" fails the 17th write, "read 5 every" every
 * fifth read. Kinds are write, fsync, read and rename. While a file SORTKEY_SHIM_CALM exists, nothing is counted. The file
 * SORTKEY_SHIM_STRUCK is made when a call has failed, so that a test sees how many calls there are.
 *
 * A record is a line of fields separated by tabs, followed by data where a length says so:
 *
 *   C inode path            created            W inode offset length   written, data follows
 *   L inode length          truncated          S inode                 synced
 *   R path path             renamed            U path                  removed
 *   M inode path            directory created  A length                said, data follows
 *   E inode                 not synced: the system forgets what it had to write
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static char root[PATH_MAX];
static const char *fault_path, *calm_path;
static char nth_kind[8];
static unsigned long nth, is_every, calls;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

__attribute__((constructor)) static void start(void) {
    const char *wanted = getenv("SORTKEY_SHIM_ROOT"), *path = getenv("SORTKEY_SHIM_LOG");
    fault_path = getenv("SORTKEY_SHIM_FAULT");
    calm_path = getenv("SORTKEY_SHIM_CALM");
    const char *wish = getenv("SORTKEY_SHIM_NTH");
    if (wish && sscanf(wish, "%7s %lu", nth_kind, &nth) == 2) is_every = strstr(wish, "every") != NULL;
    if (!wanted || !realpath(wanted, root)) root[0] = 0;
    if (path) log_fd = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

static void put(const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t written = REAL(write)(log_fd, at, length);
        if (written <= 0) abort();
        at += written;
        length -= (size_t)written;
    }
}

static void note(const char *format, ...) {
    char line[3 * PATH_MAX];
    va_list arguments;
    if (log_fd < 0) return;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) abort();
    put(line, (size_t)length);
}

/* Whether a path is ours; makes it absolute. Its directory exists, it itself need not. */
static int is_ours(const char *path, char *absolute) {
    char copy[PATH_MAX], *slash;
    if (!root[0] || !path || strlen(path) >= sizeof copy) return 0;
    strcpy(copy, path);
    slash = strrchr(copy, '/');
    if (!slash) return 0;
    *slash = 0;
    if (!realpath(*copy ? copy : "/", absolute)) return 0;
    if (strlen(absolute) + strlen(slash + 1) + 2 > PATH_MAX) return 0;
    strcat(strcat(absolute, "/"), slash + 1);
    return strncmp(absolute, root, strlen(root)) == 0;
}

static int is_our_file(int fd, struct stat *status) {
    char link[64], path[PATH_MAX];
    if (!root[0] || fd == log_fd) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    if (strncmp(path, root, strlen(root)) != 0) return 0;
    return fstat(fd, status) == 0;
}

/* What the disk does wrong right now. */
static unsigned long quota;

static char fault(void) {
    char word[32] = {0};
    if (!fault_path) return 0;
    int fd = REAL(open)(fault_path, O_RDONLY);
    if (fd < 0) return 0;
    if (REAL(read)(fd, word, sizeof word - 1) < 0) word[0] = 0;
    close(fd);
    sscanf(word, "quota %lu", &quota);
    return word[0] == 's' ? word[1] : word[0];
}

/* Whether a call of this kind is the one that fails. */
static int strikes(const char *kind) {
    if (!nth || strcmp(kind, nth_kind) != 0 || (calm_path && access(calm_path, F_OK) == 0)) return 0;
    calls++;
    if (is_every ? calls % nth != 0 : calls != nth) return 0;
    const char *struck = getenv("SORTKEY_SHIM_STRUCK");
    int fd = struck ? REAL(open)(struck, O_WRONLY | O_CREAT, 0600) : -1;
    if (fd >= 0) close(fd);
    return 1;
}

#define FSYNC 'f'
#define SPACE 'p'
#define SHORT 'h'
#define TIGHT 't'
#define CRAMPED 'c'
#define QUOTA 'q'

static unsigned long occupied;

static int add_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)path, (void)place;
    if (kind == FTW_F) occupied += (unsigned long)status->st_blocks * 512;
    return 0;
}

/* Whether the disk has room for a write of this length at this place of a file. */
static int is_within_quota(const struct stat *status, off_t offset, size_t length) {
    if (offset + (off_t)length <= (off_t)status->st_blocks * 512) return 1;
    occupied = 0;
    nftw(root, add_file, 16, FTW_PHYS);
    return occupied + length <= quota;
}

static int is_reserved(void) {
    char reserve[PATH_MAX + 32];
    snprintf(reserve, sizeof reserve, "%s/database/RESERVE", root);
    return access(reserve, F_OK) == 0;
}

/* The bytes that the disk takes of a write; -1 if none. */
static ssize_t room(const struct stat *status, off_t offset, size_t length) {
    off_t growth = offset + (off_t)length - status->st_size;
    switch (fault()) {
    case SPACE: return -1;
    case TIGHT: return is_reserved() ? -1 : (ssize_t)length;
    case CRAMPED: return is_reserved() || growth > 1 << 20 ? -1 : (ssize_t)length;
    case QUOTA: return is_within_quota(status, offset, length) ? (ssize_t)length : -1;
    case SHORT: return length > 1 ? (ssize_t)(length / 2) : -1;
    default: return (ssize_t)length;
    }
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t offset, int is_positioned) {
    struct stat status;
    int is_file = is_our_file(fd, &status), flags = fcntl(fd, F_GETFL);
    ssize_t written;
    if (fd == STDOUT_FILENO && log_fd >= 0) {
        /* Said before it is heard: whoever hears it can rely on its being written down. */
        note("A\t%zu\n", length);
        put(bytes, length);
        return REAL(write)(fd, bytes, length);
    }
    if (!is_file) return is_positioned ? REAL(pwrite)(fd, bytes, length, offset) : REAL(write)(fd, bytes, length);
    if (strikes("write")) {
        errno = EIO;
        return -1;
    }
    if (!is_positioned) offset = flags & O_APPEND ? status.st_size : lseek(fd, 0, SEEK_CUR);
    ssize_t allowed = room(&status, offset, length);
    if (allowed < 0) {
        errno = ENOSPC;
        return -1;
    }
    written = is_positioned ? REAL(pwrite)(fd, bytes, (size_t)allowed, offset)
                            : REAL(write)(fd, bytes, (size_t)allowed);
    if (written > 0 && log_fd >= 0) {
        note("W\t%lu\t%ld\t%zd\n", (unsigned long)status.st_ino, (long)offset, written);
        put(bytes, (size_t)written);
    }
    return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    pthread_mutex_lock(&lock);
    ssize_t written = write_at(fd, bytes, length, 0, 0);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    pthread_mutex_lock(&lock);
    ssize_t written = write_at(fd, bytes, length, offset, 1);
    pthread_mutex_unlock(&lock);
    return written;
}

/* Partial writes are allowed, so one part is enough. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    for (int at = 0; at < count; at++)
        if (parts[at].iov_len > 0) return write(fd, parts[at].iov_base, parts[at].iov_len);
    return 0;
}

static int reading_fails(int fd) {
    struct stat status;
    if (!nth || strcmp(nth_kind, "read") != 0) return 0;
    pthread_mutex_lock(&lock);
    int fails = is_our_file(fd, &status) && strikes("read");
    pthread_mutex_unlock(&lock);
    if (fails) errno = EIO;
    return fails;
}

ssize_t read(int fd, void *bytes, size_t length) {
    return reading_fails(fd) ? -1 : REAL(read)(fd, bytes, length);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
    return reading_fails(fd) ? -1 : REAL(pread64)(fd, bytes, length, offset);
}

static int sync_file(int fd, int (*sync)(int)) {
    struct stat status;
    int result;
    pthread_mutex_lock(&lock);
    if (is_our_file(fd, &status) && (fault() == FSYNC || strikes("fsync"))) {
        note("E\t%lu\n", (unsigned long)status.st_ino);
        errno = EIO;
        result = -1;
    } else {
        result = sync(fd);
        if (result == 0 && is_our_file(fd, &status)) note("S\t%lu\n", (unsigned long)status.st_ino);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int fd) { return sync_file(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_file(fd, REAL(fdatasync)); }

int ftruncate64(int fd, off64_t length) {
    struct stat status;
    pthread_mutex_lock(&lock);
    int result = REAL(ftruncate64)(fd, length);
    if (result == 0 && is_our_file(fd, &status)) note("L\t%lu\t%ld\n", (unsigned long)status.st_ino, (long)length);
    pthread_mutex_unlock(&lock);
    return result;
}

static int open_file(const char *path, int flags, mode_t mode) {
    char absolute[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    int is_file = is_ours(path, absolute) && strcmp(absolute, root) != 0;
    int existed = is_file && lstat(absolute, &status) == 0;
    if (is_file && !existed && flags & O_CREAT && fault() == SPACE) {
        errno = ENOSPC;
        pthread_mutex_unlock(&lock);
        return -1;
    }
    int fd = REAL(open64)(path, flags, mode);
    if (fd >= 0 && is_file && fstat(fd, &status) == 0) {
        if (!existed) note("C\t%lu\t%s\n", (unsigned long)status.st_ino, absolute);
        else if (flags & O_TRUNC) note("L\t%lu\t0\n", (unsigned long)status.st_ino);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

int rename(const char *from, const char *to) {
    char old[PATH_MAX], new[PATH_MAX];
    pthread_mutex_lock(&lock);
    int is_file = is_ours(from, old) && is_ours(to, new);
    if (is_file && strikes("rename")) {
        errno = EIO;
        pthread_mutex_unlock(&lock);
        return -1;
    }
    int result = REAL(rename)(from, to);
    if (result == 0 && is_file) note("R\t%s\t%s\n", old, new);
    pthread_mutex_unlock(&lock);
    return result;
}

static int remove_path(const char *path, int (*remove)(const char *)) {
    char absolute[PATH_MAX];
    pthread_mutex_lock(&lock);
    int is_file = is_ours(path, absolute);
    int result = remove(path);
    if (result == 0 && is_file) note("U\t%s\n", absolute);
    pthread_mutex_unlock(&lock);
    return result;
}

int unlink(const char *path) { return remove_path(path, REAL(unlink)); }
int rmdir(const char *path) { return remove_path(path, REAL(rmdir)); }

/* Only whole trees are removed this way, by a descriptor of their directory. */
int unlinkat(int directory, const char *name, int flags) {
    char link[64], path[PATH_MAX];
    if (directory == AT_FDCWD) {
        snprintf(path, sizeof path, "%s", name);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length <= 0) return -1;
        snprintf(path + length, sizeof path - (size_t)length, "/%s", name);
    }
    return flags & AT_REMOVEDIR ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t mode) {
    char absolute[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    int is_file = is_ours(path, absolute);
    int result = REAL(mkdir)(path, mode);
    if (result == 0 && is_file && stat(absolute, &status) == 0)
        note("M\t%lu\t%s\n", (unsigned long)status.st_ino, absolute);
    pthread_mutex_unlock(&lock);
    return result;
}
