# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This part of `run` starts user-mode kernels, which are processes of this machine
# (tools/testing/kernels/build uml).

# shellcheck disable=SC2154 # the variables of `run`

memory_dir=''
# The processor of each kernel, and the descriptor of the lock file with which each kernel reserves
# its processor against other runs.
processors=()
processor_locks=()

# bytes_of SIZE: prints a size such as 2G in bytes.
bytes_of() {
	numfmt --from=iec "$1"
}

# has_memory DIR BYTES: succeeds if a file of that size fits into DIR, and can be mapped as code.
has_memory() {
	[[ -d $1 && -w $1 ]] || return 1
	[[ ,$(findmnt -n -o OPTIONS -T "$1"), != *,noexec,* ]] || return 1
	(($(df --output=avail -B1 "$1" | tail -n 1) > $2))
}

# Sets $memory_dir. The memory of a user-mode kernel is a file in this folder, which grows as the
# memory is used.
choose_memory_dir() {
	local dir need=$((${#hosts[@]} * $(bytes_of "$mem")))
	for dir in ${TMPDIR:+"$TMPDIR"} /dev/shm /tmp; do
		has_memory "$dir" "$need" || continue
		memory_dir=$dir
		return
	done
	die "no room for $mem of memory for each of ${#hosts[@]} kernels in \$TMPDIR, /dev/shm or /tmp:" \
		'mount a larger /dev/shm (without noexec), or set TMPDIR to a folder that has it'
}

# The wire between two kernels is a socket pair, which both inherit. perl creates it, and executes this script again.
with_wire() {
	[[ ${#hosts[@]} -eq 2 && -z ${KRDMA_WIRE:-} ]] || return 0
	# shellcheck disable=SC2016 # a program of perl
	exec perl -MSocket -e '
		$^F = 1000;
		socketpair(my $a, my $b, AF_UNIX, SOCK_SEQPACKET, 0) or die "vm: no wire: $!\n";
		$ENV{KRDMA_WIRE} = fileno($a) . " " . fileno($b);
		exec @ARGV or die "vm: $!\n"' "$here/run" "$@"
}

# Prints the processors that this process may use, a line each.
allowed_processors() {
	local part
	for part in $(taskset -cp $$ | sed 's/.*: //; s/,/ /g'); do
		seq "${part%-*}" "${part#*-}"
	done
}

# Chooses a processor for each kernel. A kernel and its processes run in turn, and each waits for
# the other: on one processor, the change takes a context switch; on two processors, it takes an
# interrupt and the wake-up of an idle processor, and a system call takes six times as long. So each
# kernel is bound to the processor with the fewest kernels; the Nth kernel of processor P holds the
# lock processor-P.N.
choose_processors() {
	local host number lock level
	mkdir -p "$cache"
	for host in "${hosts[@]}"; do
		for level in {1..100}; do
			for number in $(allowed_processors | shuf); do
				exec {lock}> "$cache/processor-$number.$level.lock"
				! flock -n "$lock" || break 2
				exec {lock}>&-
			done
		done
		processors+=("$number")
		processor_locks+=("$lock")
	done
}

prepare_machines() {
	choose_memory_dir
	choose_processors
	# shellcheck disable=SC2034 # for `run`
	kind="a process, ${#hosts[@]} x 1 CPU"
}

# add_kernel_arguments HOST: adds the kernel's arguments to the array $command; folder names may have spaces.
add_kernel_arguments() {
	local words
	read -r -a words <<< "con=null ssl=null loglevel=5 panic=1 oops=panic audit=0 cryptomgr.notests=1 $append"
	command+=("${words[@]}" "uml_dir=$work/" "umid=$1")
	# These drivers are built in, and would create devices that tests do not expect.
	command+=(bonding.max_bonds=0 dummy.numdummies=0)
	# The watchdog for workqueues gets a long limit, because on slow machines workqueues of high
	# priority, such as that for completions, leave little time to other workqueues.
	command+=(workqueue.watchdog_thresh=120)
}

# start_stream HOST NAME: copies the pipe $work/HOST.NAME.pipe, to which the kernel writes, to the file $work/HOST.NAME.
start_stream() {
	mkfifo "$work/$1.$2.pipe"
	cat "$work/$1.$2.pipe" > "$work/$1.$2" &
	readers+=($!)
}

# add_wire HOST: adds this kernel's end of the wire. Sets $theirs to the other end, which this kernel must not inherit.
add_wire() {
	local ends
	read -r -a ends <<< "$KRDMA_WIRE"
	[[ $1 == a ]] || ends=("${ends[1]}" "${ends[0]}")
	theirs=${ends[1]}
	command+=("krdma.host=$1" "vec0:transport=fd,fd=${ends[0]},vec=0,depth=64")
}

start_machine() {
	local host=$1 theirs='' processor=${processors[0]} command output status
	[[ $host != b ]] || processor=${processors[1]}
	command=(taskset -c "$processor" "$image" "mem=$mem" "initrd=$(initramfs_of "$host")")
	add_kernel_arguments "$host"
	[[ $host == single ]] || add_wire "$host"
	if [[ -n $interactive ]]; then
		TMPDIR=$memory_dir "${command[@]}" con0=fd:0,fd:1
		exit
	fi
	start_reader "$host"
	start_stream "$host" log
	start_stream "$host" status
	# pdeathsig ends the kernel with this shell, however the shell ends; at TERM the kernel also ends its processes.
	(
		[[ -z $theirs ]] || exec {theirs}>&-
		exec {output}> "$work/$host.output" {status}> "$work/$host.status.pipe" > "$work/$host.log.pipe" \
			2> "$work/$host.kernel" < /dev/null
		TMPDIR=$memory_dir exec setsid setpriv --pdeathsig TERM "${command[@]}" con0=null,fd:1 \
			"ssl0=null,fd:$output" "ssl1=null,fd:$status"
	) &
	pids+=($!)
}

# show_tasks HOST: makes the kernel print its tasks' stacks, for the report of a timeout, and shows what it printed. Requests
# and answers of its console for management have a header of three words, and the last answer has 0 as the second.
show_tasks() {
	# shellcheck disable=SC2016 # a program of perl
	timeout 30 perl -MSocket -e '
		my ($console, $own, $socket) = @ARGV;
		socket($socket, AF_UNIX, SOCK_DGRAM, 0) && bind($socket, sockaddr_un($own)) or die "vm: no socket: $!\n";
		for my $command ("sysrq 7", "sysrq w", "sysrq d") {
			send($socket, pack("LLLa512", 0xcafebabe, 2, length $command, $command), 0,
				sockaddr_un($console)) or die "vm: no console: $!\n";
			my $more = 1;
			while ($more) {
				recv($socket, my $answer, 1024, 0);
				(my $status, $more, my $length, my $text) = unpack("LLLa*", $answer);
				print substr($text, 0, $length);
			}
		}' "$work/$1/mconsole" "$work/$1/asks" | tr -d '\0' | head -n 1500
}

# end_machine PID: kills the kernel and the processes of its programs. TERM is not used, because the
# kernel would shut down its devices from a signal handler, and fill its log with reports.
end_machine() {
	kill -KILL -- "-$1" 2> /dev/null
}
