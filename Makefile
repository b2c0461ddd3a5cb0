# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Builds, installs and tests krdma: `make help` names the targets.

# KVER: the running kernel if its headers are installed, else the newest kernel with headers.
ifndef KVER
installed := $(patsubst /lib/modules/%/build,%,$(wildcard /lib/modules/*/build))
KVER := $(or $(filter $(shell uname -r),$(installed)),\
	     $(shell printf '%s\n' $(installed) | sort -V | tail -n 1))
endif

KDIR   ?= /lib/modules/$(KVER)/build
# kbuild accepts no path with a space. If the path of this folder has one, kbuild is given a symbolic link to it.
cache   = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/krdma
top    := $(if $(word 2,$(CURDIR)),$(shell link="$(cache)/tree-$$(echo '$(CURDIR)' | cksum | tr -d ' ')" && \
	     mkdir -p "$(cache)" && ln -sfn '$(CURDIR)' "$$link" && echo "$$link"),$(CURDIR))
BUILD  ?= build
build  := $(if $(filter /%,$(BUILD)),$(BUILD),$(top)/$(BUILD))/$(KVER)
moddir  = $(DESTDIR)/lib/modules/$(KVER)/updates/krdma

# The list of modules comes from the Kbuild files, which are included here as kbuild includes them.
src := $(top)
include Kbuild

# BTF is generated from vmlinux, which header packages of distributions lack: without vmlinux, BTF is switched off.
kbuild-vars := $(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=)
# A user-mode kernel has an architecture of its own: ARCH=um.
user-mode := $(shell grep -sx CONFIG_UML=y $(KDIR)/.config)
kbuild-vars += $(if $(user-mode),ARCH=um)
kbuild = $(MAKE) -C $(KDIR) M=$(build) $(kbuild-vars)

# sibnet, and programs that the tests in virtual machines use; the Makefile of each folder builds them into OUT.
programs := tools/sibnet/ $(filter-out %/unit/ %/fuzz/,$(dir $(wildcard tools/testing/*/Makefile)))

.PHONY: all modules coverage tests programs $(programs) install uninstall clean lint check check-changed check-debug check-kernels \
	check-configurations demo demo-ib bench bench-ib bench-storage bench-steps bench-cpus bench-irqsoff \
	bench-processes \
	profile mutants vm help uml uml-debug kernelrelease tree fuzz-long wire-fuzz-long wire-loop-long scale-long uverbs-fuzz-long \
	uverbs-fuzz-guided-long long intree-drivers intree-run ulps install-ulps ulps-table deb check-packages
all: modules

modules: $(build)/Kbuild
	@compat/check $(KDIR)
	+$(kbuild) modules

# kbuild puts its output beside this generated Kbuild, which includes the source tree's.
$(build)/Kbuild: Makefile
	@mkdir -p $(@D)
	@printf 'src := %s\ninclude $$(src)/Kbuild\n' '$(top)' > $@

# The modules once more, which count what of their code has run. Fuzzers on user-mode kernels load them.
coverage: $(build)/coverage/Kbuild
	+$(MAKE) -C $(KDIR) M=$(build)/coverage $(kbuild-vars) modules

$(build)/coverage/Kbuild: Makefile
	@test -n '$(user-mode)' || { echo 'coverage is counted in user-mode kernels only' >&2; exit 1; }
	@mkdir -p $(@D)
	@printf 'src := %s\nKRDMA_TESTS := n\ninclude $$(src)/Kbuild\n' '$(top)' > $@
	@echo 'include $$(src)/tools/testing/modules/coverage/Kbuild' >> $@

tests: modules programs $(if $(user-mode),coverage)
programs: $(programs)
$(programs):
	$(MAKE) -C $@ OUT=$(build)/bin

install: modules
	$(if $(DESTDIR),,@tools/system/krdma-check --adapters || :)
	install -d $(moddir)
	install -m 644 $(addprefix $(build)/,$(krdma-install)) $(moddir)
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
	$(if $(DESTDIR),,tools/system/renew-initramfs $(KVER))

# The users of RDMA in the distribution's kernel source; INSTALL_SOURCE=1 installs the package with that source.
ulps: modules
	tools/ulps/build $(if $(INSTALL_SOURCE),--install-source) $(KVER) $(KDIR) $(build) $(ULPS)

# depmod prefers these modules to the kernel's of the same name, because of their folder.
install-ulps:
	@test -n '$(wildcard $(build)/ulp/*.ko)' || { echo 'no ULPs: run make ulps first' >&2; exit 1; }
	install -d $(moddir)/ulp
	install -m 644 $(build)/ulp/*.ko $(moddir)/ulp
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
	$(if $(DESTDIR),,tools/system/renew-initramfs $(KVER))

# Needs a user-mode kernel, on which the ULPs are tested.
ulps-table:
	tools/testing/check --only build@uml-test ulps@uml-test
	tools/ulps/table build/*-krdma-uml-test

uninstall:
	rm -rf $(moddir)
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(KVER)
	$(if $(DESTDIR),,tools/system/renew-initramfs $(KVER))

clean:
	rm -rf $(BUILD)

lint:
	tools/testing/lint/run --kver $(KVER)

# With KVER on the command line, e.g. 6.12: for that kernel of Debian, which is fetched if it is not installed.
check:
	tools/testing/check $(if $(filter command,$(origin KVER)),--kernel $(KVER))

check-kernels:
	tools/testing/kernels/table --check

check-configurations:
	tools/testing/check --only configurations

check-changed:
	tools/testing/check --changed $(COMMIT)

check-debug:
	tools/testing/check --debug $(TESTS)

uml uml-debug:
	tools/testing/check --only build@$@

intree-drivers: modules
	tools/testing/intree/drivers $(KVER) $(build) $(DRIVERS)

intree-run: tests
	tools/testing/intree/run $(KVER) $(build)

# Debian packages, in build/deb/.
deb:
	tools/packages/build $(if $(INSTALL_PACKAGES),--install-packages) $(if $(DEB_VERSION),--version $(DEB_VERSION))

check-packages:
	tools/testing/deb/run

mutants:
	tools/testing/check --only mutants@uml-test

demo:
	tools/testing/check --only $@

demo-ib:
	tools/testing/check --only demo_ib

bench profile:
	tools/testing/check --only $@@uml

bench-ib:
	tools/testing/check --only bench_ib@uml

bench-storage:
	tools/testing/check --only bench_storage@uml

bench-steps:
	tools/testing/check --only bench_steps@uml

bench-cpus:
	tools/testing/check --only bench_cpus

bench-irqsoff:
	tools/testing/check --only bench_irqsoff@uml-irqsoff

bench-processes:
	tools/testing/check --only bench_processes

fuzz-long:
	$(MAKE) -C tools/testing/fuzz fuzz

wire-fuzz-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout 14400 -- tools/testing/selftests/rdma/siw/wire_fuzz.sh \
		$(or $(CONNECTIONS),100000) $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom))

wire-loop-long:
	tools/testing/check --only wire_loop@uml-check

scale-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout 14400 -- tools/testing/selftests/rdma/uverbs/scale.sh \
		$(or $(CONNECTIONS),10000) $(or $(DEATHS),1000) $(or $(THREADS),256)

uverbs-fuzz-long: tests
	tools/testing/vm/run --kver $(KVER) --timeout $$((3 * $(or $(DURATION),3600) + 600)) -- \
		tools/testing/selftests/rdma/uverbs/fuzz.sh $(or $(DURATION),3600) \
		$(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom))

uverbs-fuzz-guided-long:
	tools/testing/check --only uverbs_fuzz_guided@uml-check

long:
	tools/testing/check --only build@uml-check long@uml-check

vm: tests
	tools/testing/vm/run --kver $(KVER) --interactive

kernelrelease:
	@echo $(KVER)

# Prints the path of this folder without spaces: the path itself or the link.
tree:
	@echo $(top)

help:
	@echo 'make             build the modules for $(KVER) into build/$(KVER)/'
	@echo 'make KVER=...    build them for another kernel whose headers are installed; W=1: with all warnings'
	@echo 'make coverage    build the modules so that they count what of their code runs, for fuzzers in user-mode kernels'
	@echo 'make tests       build the modules and the programs that the tests in virtual machines use'
	@echo 'make install     put the modules into $(moddir)/ and run depmod'
	@echo 'make ulps        build the users of RDMA in the kernel source, such as NVMe-oF, into build/$(KVER)/ulp/;'
	@echo '                 ULPS="nvme nvmet": only these; INSTALL_SOURCE=1: install the package with that source first'
	@echo 'make install-ulps  put those beside the modules of make install'
	@echo 'make ulps-table  build and test them on a user-mode kernel, and write the table in Documentation/ulps.rst'
	@echo 'make deb         build the Debian packages krdma-dkms, krdma-tools, krdma-dev and krdma-doc into build/deb/;'
	@echo '                 INSTALL_PACKAGES=1: install what that needs first, by apt-get; DEB_VERSION=...: for snapshots'
	@echo 'make check-packages  install, use, upgrade and purge the packages on a Debian system, in a virtual machine'
	@echo 'make uninstall   remove the modules again, so that those of the distribution are used'
	@echo 'make lint        check the sources: sparse, W=1, checkpatch, structure, kernel-doc, shellcheck, codespell, licence tags'
	@echo 'make check       run all tests, in virtual machines and user-mode kernels; installs the Debian packages it needs'
	@echo 'make check KVER=6.12  build for this series of Debian'"'"'s kernels, or newest, and run all selftests on it'
	@echo 'make check-kernels    the same for 6.1, 6.12 and newest; writes the table in Documentation/kernels.rst'
	@echo 'make check-configurations  compile for kernels with extreme configurations and other architectures;'
	@echo '                 CONFIGURATIONS="i386 arm64": only these'
	@echo 'make check-changed  run the tests that a change needs: what differs from the commit before, or from COMMIT='
	@echo 'make mutants     plant faults, and show which no test notices; IN=drivers/siw KIND=guard N=100 SEED=1: only these'
	@echo 'make check-debug run the selftests on kernels with KASAN, lockdep ..., which are built once'
	@echo 'make intree-drivers  compile the drivers of the kernel source against krdma, and show what they lack;'
	@echo '                 DRIVERS="siw erdma": only these'
	@echo "make intree-run  run the kernel's own siw and rxe on krdma's core, in a virtual machine"
	@echo 'make uml         build a user-mode kernel, once, and the modules for it; uml-debug: with KASAN, lockdep ...'
	@echo 'make demo        put files on a disk of another host, by NVMe over RDMA, in virtual machines'
	@echo 'make demo-ib     have OpenSM manage a fat tree of soft InfiniBand, and pull one of its links, in a virtual machine'
	@echo 'make bench       compare krdma, TCP and the stock stack, in user-mode kernels; COMPARE=bench.json: and with those figures'
	@echo 'make profile     show where the time of an operation goes: OP=write SIZE=65536 CRC=0 CONNS=1'
	@echo 'make bench-ib    compare OpenSM on soft InfiniBand with OpenSM over ibsim, in a user-mode kernel'
	@echo 'make bench-storage  compare an NVMe disk over krdma, TCP and the stock stack; ROW="read 128" STACK=krdma: profile it'
	@echo 'make bench-steps  compare how long the steps of a process'"'"'s connection take, in user-mode kernels'
	@echo 'make bench-cpus  compare two processors with one, with 16 connections over krdma and TCP, in virtual machines'
	@echo 'make bench-irqsoff  show how long interrupts are off, in a user-mode kernel with a tracer, which is built once'
	@echo 'make bench-processes  compare the stacks as processes use them, in virtual machines'
	@echo 'make fuzz-long   run the fuzzers of the wire code for an hour, or DURATION seconds'
	@echo 'make wire-fuzz-long  play 100000 (CONNECTIONS) mutated connections, in a virtual machine'
	@echo 'make wire-loop-long  play 10 million (FPDUS) mutated FPDUs, in a user-mode kernel with KASAN'
	@echo 'make scale-long  10000 connections at once, 1000 killed processes, 256 threads: CONNECTIONS, DEATHS, THREADS'
	@echo 'make uverbs-fuzz-long  run hostile processes for an hour, or DURATION seconds, in a virtual machine'
	@echo 'make uverbs-fuzz-guided-long  the same, guided by coverage, in a user-mode kernel with KASAN'
	@echo 'make long        1000 loads, 1000 killed processes, a minute of refused connections, each allocation that fails,'
	@echo '                 100000 mutated connections, on a kernel with KASAN; LONG="reload kills flood failures wire_fuzz"'
	@echo 'make vm          open a shell in a virtual machine, which has the modules in /krdma/modules'
	@echo 'make clean       remove build/'
