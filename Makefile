# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Builds, installs and tests krdma: `make help` names the targets.

# The running kernel if its headers are installed, else the newest that has them.
ifndef KVER
installed := $(patsubst /lib/modules/%/build,%,$(wildcard /lib/modules/*/build))
KVER := $(or $(filter $(shell uname -r),$(installed)),\
	     $(shell printf '%s\n' $(installed) | sort -V | tail -n 1))
endif

KDIR   ?= /lib/modules/$(KVER)/build
# kbuild takes no path with a space: where this one has some, it works through a link.
cache   = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/krdma
top    := $(if $(word 2,$(CURDIR)),$(shell link="$(cache)/tree-$$(echo '$(CURDIR)' | cksum | tr -d ' ')" && \
	     mkdir -p "$(cache)" && ln -sfn '$(CURDIR)' "$$link" && echo "$$link"),$(CURDIR))
BUILD  ?= build
build  := $(if $(filter /%,$(BUILD)),$(BUILD),$(top)/$(BUILD))/$(KVER)
moddir  = $(DESTDIR)/lib/modules/$(KVER)/updates/krdma

# The list of modules comes from the Kbuild files, with the meaning they have for kbuild.
src := $(top)
include Kbuild

# Distributions leave vmlinux out of their header packages: without it there is no BTF to make.
kbuild-vars := $(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=)
# A user-mode kernel is of an architecture of its own.
kbuild-vars += $(if $(shell grep -sx CONFIG_UML=y $(KDIR)/.config),ARCH=um)
kbuild = $(MAKE) -C $(KDIR) M=$(build) $(kbuild-vars)

# Programs that tests in the virtual machine use; each Makefile puts its own into OUT.
programs := $(filter-out %/unit/ %/fuzz/,$(dir $(wildcard tools/testing/*/Makefile)))

.PHONY: all modules tests programs $(programs) install uninstall clean lint check check-debug demo bench bench-processes profile \
	vm help uml uml-debug kernelrelease tree fuzz-long wire-fuzz-long scale-long uverbs-fuzz-long
all: modules

modules: $(build)/Kbuild
	+$(kbuild) modules

# kbuild builds where this file lies, from the sources it points at.
$(build)/Kbuild: Makefile
	@test -d $(KDIR) || { echo "No kernel headers in $(KDIR): install linux-headers" >&2; exit 1; }
	@mkdir -p $(@D)
	@printf 'src := %s\ninclude $$(src)/Kbuild\n' '$(top)' > $@

tests: modules programs
programs: $(programs)
$(programs):
	$(MAKE) -C $@ OUT=$(build)/bin

install: modules
	install -d $(moddir)
	install -m 644 $(addprefix $(build)/,$(krdma-install)) $(moddir)
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)

uninstall:
	rm -rf $(moddir)
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)

clean:
	rm -rf $(BUILD)

lint:
	tools/testing/lint/run --kver $(KVER)

check:
	tools/testing/check

check-debug:
	tools/testing/check --debug $(TESTS)

uml uml-debug:
	tools/testing/check --only build@$@

demo:
	tools/testing/check --only $@

bench profile:
	tools/testing/check --only $@@uml

bench-processes:
	tools/testing/check --only bench_processes

fuzz-long:
	$(MAKE) -C tools/testing/fuzz fuzz

wire-fuzz-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout 14400 -- tools/testing/selftests/rdma/siw_wire_fuzz.sh \
		$(or $(CONNECTIONS),100000) $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom))

scale-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout 14400 -- tools/testing/selftests/rdma/uverbs_scale.sh \
		$(or $(CONNECTIONS),10000) $(or $(DEATHS),1000) $(or $(THREADS),256)

uverbs-fuzz-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout $$((3 * $(or $(DURATION),3600) + 600)) -- \
		tools/testing/selftests/rdma/uverbs_fuzz.sh $(or $(DURATION),3600) \
		$(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom))

vm: tests
	tools/testing/vm/run --kver $(KVER) --interactive

kernelrelease:
	@echo $(KVER)

# This folder, by a name without spaces.
tree:
	@echo $(top)

help:
	@echo 'make             build the modules for $(KVER) into build/$(KVER)/'
	@echo 'make KVER=...    ... for another kernel whose headers are installed; W=1 for all warnings'
	@echo 'make tests       ... and the programs that the tests in virtual machines use'
	@echo 'make install     put the modules into $(moddir)/ and run depmod'
	@echo 'make uninstall   remove them again: the modules of the distribution come back'
	@echo 'make lint        sparse, W=1, checkpatch, shellcheck, codespell, licence tags'
	@echo 'make check       all tests, in kernels of their own; installs the Debian packages it needs'
	@echo 'make check-debug the selftests on kernels with KASAN, lockdep ..., which are built once'
	@echo 'make uml         a user-mode kernel, built once, and the modules for it; uml-debug: with KASAN, lockdep ...'
	@echo 'make demo        two hosts and an RDMA connection between them, in a virtual machine'
	@echo 'make bench       krdma, TCP and the stock stack compared, in user-mode kernels; COMPARE=bench.json: with those figures'
	@echo 'make profile     where the time of OP=write SIZE=65536 CRC=0 CONNS=1 goes'
	@echo 'make bench-processes what processes get of each stack, in virtual machines'
	@echo 'make fuzz-long   the fuzzers for an hour, or DURATION seconds'
	@echo 'make wire-fuzz-long  mutated connections, 100000 or CONNECTIONS, in a virtual machine'
	@echo 'make scale-long  10000 connections at once, 1000 processes killed, 256 threads'
	@echo 'make uverbs-fuzz-long  hostile processes for an hour, or DURATION seconds, in a virtual machine'
	@echo 'make vm          a shell in a virtual machine with the modules under /krdma/modules'
	@echo 'make clean       remove build/'
