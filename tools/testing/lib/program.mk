# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Builds the programs of a folder into OUT. The folder's Makefile sets these variables, and includes this file:
#
#	programs	names of the programs
#	NAME-sources	C files of the program NAME; default: NAME.c
#	flags, libs	further options of the compiler, and libraries

TOP := ../../..
OUT ?= $(TOP)/build/bin

CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Werror -I$(TOP) $(flags)

headers := $(wildcard *.h ../lib/*.h $(TOP)/iwarp/*.h $(TOP)/tools/testing/modules/*/*_uapi.h)
binaries := $(addprefix $(OUT)/,$(programs))

all: $(binaries)

$(foreach name,$(programs),$(eval $(OUT)/$(name): $(or $($(name)-sources),$(name).c)))

$(binaries): $(headers) $(MAKEFILE_LIST)
	@mkdir -p $(OUT)
	$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) $(libs)

clean:
	$(RM) $(binaries)

.PHONY: all clean
