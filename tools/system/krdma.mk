# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Builds a kernel module that uses krdma. The whole Makefile of such a module:
#
#	obj-m := hello.o
#	include /usr/share/krdma/krdma.mk
#
# `make` builds it for the running kernel, `make KVER=...` for another one, `make modules_install` installs it. KDIR is the
# folder for building modules, KRDMA_SYMVERS the file with the symbols of krdma for that kernel, which DKMS has built.
# With a Kbuild file, that file has the two lines, and the Makefile has the second one.

krdma-include := $(patsubst %/krdma.mk,%/include,$(abspath $(lastword $(MAKEFILE_LIST))))

ifdef KBUILD_EXTMOD

# kbuild reads the file that has included this one.
KRDMA_SYMVERS ?= $(firstword $(wildcard /var/lib/dkms/krdma/kernel-$(KERNELRELEASE)-*/Module.symvers))
ifeq ($(wildcard $(KRDMA_SYMVERS)),)
$(error no symbols of krdma for Linux $(KERNELRELEASE): install krdma-dkms and linux-headers-$(KERNELRELEASE), or set KRDMA_SYMVERS)
endif

# krdma's headers come before the kernel's, whose <rdma/*.h> describe another ib_core.
LINUXINCLUDE := -I$(krdma-include) $(LINUXINCLUDE)
KBUILD_EXTRA_SYMBOLS += $(KRDMA_SYMVERS)

else

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

.PHONY: modules modules_install clean
clean: KRDMA_SYMVERS = /dev/null
modules modules_install clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(KRDMA_SYMVERS),KRDMA_SYMVERS=$(KRDMA_SYMVERS)) \
		$(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=) $@

.DEFAULT_GOAL := modules

endif
