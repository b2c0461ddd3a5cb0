// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "configfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int configfs_open(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Closes a file, and keeps errno. */
void configfs_close(int dir)
{
	int err = errno;

	close(dir);
	errno = err;
}

int configfs_mkdir(int dir, const char *path)
{
	return mkdirat(dir, path, 0755);
}

int configfs_rmdir(int dir, const char *path)
{
	return unlinkat(dir, path, AT_REMOVEDIR);
}

static int add_name(struct names *names, const char *name)
{
	char **more = reallocarray(names->names, names->count + 1, sizeof(*more));

	if (!more)
		return -1;
	names->names = more;
	more[names->count] = strdup(name);
	if (!more[names->count])
		return -1;
	names->count++;
	return 0;
}

/* Succeeds if the entry is a folder that is not hidden by its name, as "." and ".." are. */
static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int read_names(DIR *stream, struct names *names)
{
	struct dirent *entry;

	for (errno = 0; (entry = readdir(stream)); errno = 0)
		if (is_folder(entry) && add_name(names, entry->d_name))
			return -1;
	return errno ? -1 : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int configfs_list(int dir, const char *path, struct names *names)
{
	int fd = configfs_open(dir, path), err;
	DIR *stream;

	*names = (struct names){ 0 };
	if (fd < 0)
		return -1;
	stream = fdopendir(fd);
	if (!stream) {
		configfs_close(fd);
		return -1;
	}
	if (read_names(stream, names)) {
		err = errno;
		closedir(stream);
		names_free(names);
		errno = err;
		return -1;
	}
	closedir(stream);
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), compare_names);
	return 0;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct names){ 0 };
}

int configfs_write(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write(fd, text, len);
	if (done >= 0 && (size_t)done != len) {
		errno = EIO;
		done = -1;
	}
	configfs_close(fd);
	return done < 0 ? -1 : 0;
}

int configfs_read(int dir, const char *path, char *text)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, text, CONFIGFS_TEXT_LEN);
	configfs_close(fd);
	if (len < 0)
		return -1;
	if (len == CONFIGFS_TEXT_LEN) {
		errno = EFBIG;
		return -1;
	}
	if (len && text[len - 1] == '\n')
		len--;
	text[len] = 0;
	return 0;
}
