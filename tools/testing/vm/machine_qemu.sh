# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This part of `run` starts machines of qemu, emulated (TCG) or with KVM.

# shellcheck disable=SC2054 # the commas are part of qemu's options
# shellcheck disable=SC2154 # the variables of `run`

# Boots a kernel with KVM, because in some nested machines /dev/kvm exists, but starts no guest.
probe_kvm() {
	local log=$work/kvm.log
	[[ -w /dev/kvm ]] || return 1
	timeout --kill-after=2 10 qemu-system-x86_64 -accel kvm -nodefaults -display none -no-reboot \
		-m 256M -kernel "$image" -append 'console=ttyS0 earlyprintk=ttyS0 panic=-1' \
		-serial "file:$log" > /dev/null 2>&1
	grep -q 'Linux version' "$log" 2> /dev/null
}

choose_accel() {
	local answer
	answer=$cache/accel-$(cat /proc/sys/kernel/random/boot_id)
	if [[ ! -e $answer ]]; then
		progress 'trying KVM (once)...'
		mkdir -p "$cache"
		rm -f "$cache"/accel-*
		if probe_kvm; then echo kvm; else echo tcg; fi > "$answer"
	fi
	cat "$answer"
}

# Prints the rate of this machine's time stamp counter, which an emulated machine shows to its kernel.
tsc_khz() {
	local answer
	answer=$cache/tsc-khz-$(cat /proc/sys/kernel/random/boot_id)
	if [[ ! -e $answer ]]; then
		mkdir -p "$cache"
		rm -f "$cache"/tsc-khz-*
		${CC:-gcc} -O2 -o "$work/tsc_khz" "$here/tsc_khz.c" && "$work/tsc_khz" > "$work/khz" &&
			mv "$work/khz" "$answer"
	fi
	cat "$answer"
}

prepare_machines() {
	[[ -n $accel ]] || accel=$(choose_accel)
	# shellcheck disable=SC2034 # for `run`
	kind="${accel^^}, ${#hosts[@]} x $cpus CPUs"
}

qemu_kernel_arguments() {
	local args="console=ttyS0 loglevel=5 panic=1 oops=panic mitigations=off tsc=reliable"
	args+=" no_timer_check random.trust_cpu=on cryptomgr.notests=1 net.ifnames=0 audit=0"
	args+=" rcupdate.rcu_cpu_stall_timeout=60 8250.nr_uarts=1 log_buf_len=4M"
	# These drivers are built in, and would create devices that tests do not expect.
	[[ -z $kernel ]] || args+=" bonding.max_bonds=0 dummy.numdummies=0"
	# The watchdog for workqueues gets a long limit, because on slow machines workqueues of high
	# priority, such as that for completions, leave little time to other workqueues.
	[[ -z $kernel ]] || args+=" workqueue.watchdog_thresh=120"
	# The rate of the time stamp counter is passed to an emulated guest, because the guest's own
	# measurement is wrong by factors if it has to wait for a processor. Without norandmaps, the
	# same code would have other addresses in each process. The emulator would translate it anew
	# for each process, and programs would take five times as long to start.
	[[ $accel == kvm ]] || args+=" tsc_early_khz=$(tsc_khz) norandmaps"
	# A kernel that runs panics at the NMI of show_tasks(); an emulated machine has no other NMIs.
	[[ $accel == kvm ]] || args+=" unknown_nmi_panic"
	[[ $1 == single ]] || args+=" krdma.host=$1"
	echo "$args $append"
}

# add_wire HOST: adds the machine's end of the wire between the two machines; b connects to a's
# socket.
add_wire() {
	local role=(a on 01)
	[[ $1 == a ]] || role=(b off 02)
	args+=(-netdev "stream,id=wire,server=${role[1]},addr.type=unix,addr.path=$work/wire")
	args+=(-device "virtio-net-pci,netdev=wire,mac=52:54:00:77:00:${role[2]}")
}

# add_port NAME: adds a channel from the guest besides its console. On this machine, the channel is
# the file or fifo $work/HOST.NAME.
add_port() {
	args+=(-chardev "file,id=$1,path=$work/$host.$1")
	args+=(-device "virtserialport,chardev=$1,name=$1")
}

# Waits for the socket of host a; host b connects to it.
wait_for_wire() {
	local i
	for ((i = 0; i < 100; i++)); do
		[[ ! -S $work/wire ]] || return 0
		sleep 0.05
	done
	die "qemu did not create the socket $work/wire"
}

start_machine() {
	local host=$1 args=(-nodefaults -display none -no-reboot -machine pc -smp "$cpus" -m "$mem")
	if [[ $accel == kvm ]]; then
		args+=(-accel kvm -cpu host)
	else
		# The processor has neither erms nor avx2, because copying memory by bytes (rep
		# movsb) and with wide registers is slow in an emulator.
		# Linux puts a breakpoint into code that it changes, for a moment. If each processor has a thread of QEMU 7.2,
		# a thread seems to keep the translation of the code before, now and then: 6.12 has died of a breakpoint that
		# it had removed, and both processors of 6.1 have stayed at a jump that was being changed. One thread for all
		# processors cannot.
		args+=(-accel "tcg,thread=$threads,tb-size=256" -cpu "max,la57=off,erms=off,avx2=off")
	fi
	args+=(-kernel "$image" -initrd "$(initramfs_of "$host")")
	args+=(-append "$(qemu_kernel_arguments "$host")")
	[[ -z $share ]] || args+=(-virtfs "local,path=$share,mount_tag=out,security_model=none")
	[[ $host == single ]] || add_wire "$host"
	if [[ -n $interactive ]]; then
		qemu-system-x86_64 "${args[@]}" -serial mon:stdio
		exit
	fi
	start_reader "$host"
	args+=(-serial "file:$work/$host.log" -device virtio-serial-pci)
	add_port output
	add_port status
	args+=(-monitor "unix:$work/$host.monitor,server=on,wait=off")
	# pdeathsig ends the machine with this shell, however the shell ends.
	setpriv --pdeathsig KILL qemu-system-x86_64 "${args[@]}" \
		< /dev/null > "$work/$host.qemu" 2>&1 &
	pids+=($!)
	[[ $host != a ]] || wait_for_wire
}

# ask HOST COMMAND...: gives the commands to the monitor of the machine, and prints its answers. Fails with 124 if it does not
# answer within some seconds.
ask() {
	# shellcheck disable=SC2016 # a program of perl
	timeout 20 perl -MSocket -e '
		my ($path, @commands) = @ARGV;
		my $monitor;
		socket($monitor, AF_UNIX, SOCK_STREAM, 0) && connect($monitor, sockaddr_un($path)) or die "vm: no monitor: $!\n";
		for my $command ("", @commands) {
			syswrite($monitor, "$command\n") if $command;
			my $answer = "";
			while ($answer !~ /\(qemu\) $/) {
				sysread($monitor, $answer, 65536, length $answer) or die "vm: the monitor has closed\n";
			}
			print $answer if $command;
		}' "$work/$1.monitor" "${@:2}" | tr -d '\r'
	return "${PIPESTATUS[0]}"
}

# program_counters HOST: prints a line for each processor.
program_counters() {
	local answer
	answer=$(ask "$1" 'info registers -a') || return
	awk '/^CPU#/ { cpu = substr($1, 5) }
		/^[RE]IP=/ { print "processor " cpu ": " $1 (/HLT=1/ ? ", halted" : "") }' <<< "$answer"
}

# took_nmi HOST: sends the processors an NMI, and succeeds if a kernel takes it within ten seconds: the kernel reports it,
# and then panics, which ends the machine. Interrupts that are disabled do not delay an NMI.
took_nmi() {
	local size i
	size=$(stat -c %s "$work/$1.log")
	ask "$1" nmi > /dev/null 2>&1
	for ((i = 0; i < 100; i++)); do
		(($(stat -c %s "$work/$1.log") == size)) || return 0
		sleep 0.1
	done
	return 1
}

# show_tasks HOST: shows where the processors of a machine are, and lets the kernel of an emulated machine panic, so that its
# log shows the stack. If no processor has moved, and none takes an NMI, the emulator hangs, not the guest: then creates the
# file $work/HOST.emulator.
show_tasks() {
	local before now status=0 i
	before=$(program_counters "$1") || status=$?
	((status != 124)) || echo 'QEMU itself does not answer' | tee "$work/$1.emulator"
	((!status)) || return
	echo "$before"
	[[ $accel != kvm ]] || return 0
	for ((i = 0; i < 10; i++)); do
		sleep 0.2
		now=$(program_counters "$1")
		[[ $now == "$before" ]] || break
	done
	took_nmi "$1" && return
	((i < 10)) || echo 'no processor moves, and none takes an NMI' | tee "$work/$1.emulator"
}

# end_machine PID: kills QEMU, because one that hangs would not end at TERM.
end_machine() {
	kill -KILL "$1" 2> /dev/null
}
