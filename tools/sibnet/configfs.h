/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Files and folders of configfs. All paths are relative to a folder that is open, so that a step is
 * one system call for a folder, and three for a file. Unit tests have another implementation.
 */
#ifndef SIBNET_CONFIGFS_H
#define SIBNET_CONFIGFS_H

#include <stddef.h>

/* The length of a path of a fabric, "NODE/portN/NAME", and of the content of a file. */
#define CONFIGFS_PATH_LEN	256
#define CONFIGFS_TEXT_LEN	256

/**
 * struct names - names of folders
 * @names:	names, in the order of strverscmp()
 * @count:	number of them
 */
struct names {
	char **names;
	size_t count;
};

/**
 * configfs_open() - open a folder
 * @dir:	open folder
 * @path:	path
 *
 * Return: the folder, which the caller closes; -1, errno is set
 */
int configfs_open(int dir, const char *path);

/**
 * configfs_close() - close a folder
 * @dir:	open folder
 */
void configfs_close(int dir);

/**
 * configfs_mkdir() - make a folder
 * @dir:	open folder
 * @path:	path
 *
 * Return: 0; -1, errno is set
 */
int configfs_mkdir(int dir, const char *path);

/**
 * configfs_rmdir() - remove a folder
 * @dir:	open folder
 * @path:	path
 *
 * Return: 0; -1, errno is set
 */
int configfs_rmdir(int dir, const char *path);

/**
 * configfs_list() - list the folders in a folder
 * @dir:	open folder
 * @path:	path
 * @names:	receives the names, which names_free() frees
 *
 * Return: 0; -1, errno is set, and there is nothing to free
 */
int configfs_list(int dir, const char *path, struct names *names);

/**
 * names_free() - free names
 * @names:	names
 */
void names_free(struct names *names);

/**
 * configfs_write() - write a file
 * @dir:	open folder
 * @path:	path
 * @text:	content
 *
 * Return: 0; -1, errno is set
 */
int configfs_write(int dir, const char *path, const char *text);

/**
 * configfs_read() - read a file
 * @dir:	open folder
 * @path:	path
 * @text:	receives the content without its last newline: CONFIGFS_TEXT_LEN bytes
 *
 * Return: 0; -1, errno is set; EFBIG: the file is longer
 */
int configfs_read(int dir, const char *path, char *text);

#endif /* SIBNET_CONFIGFS_H */
