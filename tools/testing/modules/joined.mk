# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# $(call compile-joined,MODULE...): compiles each of these modules as one file, joined/MODULE.c, which includes the module's
# files, because most of the time that a small file takes to compile is spent on the kernel's headers. Kbuild files include
# this one, and call this when the modules have all their objects.

define compile-one-joined
joined-$(1) := $(patsubst %.o,%.c,$(filter-out %/trace.o,$($(1)-y)))
$(1)-y := joined/$(1).o $(filter %/trace.o,$($(1)-y))
targets += joined/$(1).c
endef

# trace.c stays apart: it makes tracepoints of headers that have not been included before.
compile-joined = $(foreach module,$(1),$(eval $(call compile-one-joined,$(module))))

quiet_cmd_join = JOIN    $@
      cmd_join = printf '\#include "%s"\n' $(joined-$(basename $(@F))) > $@

# Not when the Makefile of the source tree includes this for the list of modules.
ifneq ($(obj),)
$(obj)/joined/%.c: FORCE
	$(call if_changed,join)

$(obj)/joined/%.o: $(obj)/joined/%.c $(obj)/compat/krdma/has.h FORCE
	$(call if_changed_rule,cc_o_c)
	$(call cmd,force_checksrc)
endif
