# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests of NVMe over RDMA has the kernel's target on host b, and its controllers on host a, unless
# $target_host is a. The hosts are two machines, because both drivers use the initial network namespace only. Both
# machines run the test, and do its steps in turn.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/../lib_clients.sh"
#	. "$(dirname "$0")/lib_nvme.sh"
#	nvme_hosts
#	step b 'a disk' make_disk 1 64
#	step b 'a subsystem' make_subsystem nqn.x /dev/nullb1
#	step b 'a port' make_port 1 10.77.0.2 nqn.x
#	step a 'a connection' nvme_connect nqn.x 10.77.0.2
#	step a 'the data is right' nvme_data "$(nvme_disk nqn.x 1)" --rw=randwrite --bs=4k --size=4m
#
# A name of a subsystem, such as nqn.x, is its NQN.

nvmet=/sys/kernel/config/nvmet
# shellcheck disable=SC2034 # for those who source it
nvme_v4=10.77.0.2 nvme_v6=fd77::2
target_host=b
io_pid=''
# Parameters of nvme_core. A controller whose connection ends while a keep-alive is under way reconnects only when that
# command's time limit has passed, which is 60 s otherwise.
nvme_core=(admin_timeout=10)

# step HOST NAME COMMAND...: a result on both machines, of a command on one.
step() {
	local host=$1 name=$2
	shift 2
	check "$host: $name" at "$host" - "$@"
}

# both NAME COMMAND...: a result on each machine, of the same command on each.
both() {
	check "$@"
	barrier "${0##*/}.$((++steps_done))"
}

# nvme_hosts [NUMBER...]: loads krdma and each host's driver. Without NUMBER, makes a siw device on eth0: siwa or siwb.
# Otherwise makes the paths of these numbers.
nvme_hosts() {
	local number
	need fio
	modinfo nvme_rdma > /dev/null 2>&1 || ktap_skip_all 'no nvme_rdma (make ulps)'
	at_exit nvme_end
	load_krdma siw && make_output_dir || return
	# shellcheck disable=SC2034 # for lib_clients.sh
	machines=1
	(($#)) || this_machine || return
	for number; do
		make_path "$number" || return
	done
	if has_krdma; then
		lengthen_handshakes && count_at_once || return
	fi
	nvme_drivers
}

# A peer has the kernel's own stack instead.
has_krdma() {
	# shellcheck disable=SC2153 # from the VM's init
	[[ -z ${PEER:-} || $HOST == a ]]
}

# make_path NUMBER: makes a VLAN between the hosts, pathNUMBER, with 10.77.NUMBER.1 and .2, and the siw device siwNUMBER
# on it. Unlike eth0 of a user-mode kernel, it can go down and up again.
make_path() {
	local end=1
	# shellcheck disable=SC2153 # from the VM's init
	[[ $HOST == a ]] || end=2
	ip link add link eth0 name "path$1" type vlan id "$1" && ip link set "path$1" up &&
		ip address add "10.77.$1.$end/24" dev "path$1" && rdma link add "siw$1" type siw netdev "path$1"
}

remove_paths() {
	local path
	for path in /sys/class/net/path*; do
		[[ ! -e $path ]] || ip link del "${path##*/}"
	done
}

# nvme_drivers: loads the driver of this host's end.
nvme_drivers() {
	if [[ $HOST == "$target_host" ]]; then
		modprobe -a nvmet_rdma loop && modprobe null_blk nr_devices=0
	else
		modprobe nvme_core "${nvme_core[@]}" && modprobe nvme_rdma
	fi
}

# nvme_end: removes what a test has left on this host, so that the next one can begin.
nvme_end() {
	[[ -z $io_pid ]] || stop_io
	nvme_disconnect_all
	remove_target
	unload_nvme
	unload_krdma
	remove_paths
} > /dev/null 2>&1

unload_nvme() {
	local module
	for module in nvme_rdma nvme_fabrics nvmet_rdma nvmet nvme_core null_blk; do
		[[ ! -d /sys/module/$module ]] || modprobe -r "$module" || return
	done
}

# --- the target ---

# make_disk NUMBER MIB [ATTRIBUTE=VALUE...]: makes /dev/nullbNUMBER, whose content is in memory.
make_disk() {
	local dir=/sys/kernel/config/nullb/nullb$1 setting
	mkdir "$dir" || return
	for setting in "index=$1" "size=$2" memory_backed=1 completion_nsec=0 "${@:3}" power=1; do
		echo "${setting#*=}" > "$dir/${setting%%=*}" || return
	done
	wait_for 5 test -b "/dev/nullb$1"
}

# make_subsystem NAME DEVICE... [ATTRIBUTE=VALUE...]: makes a subsystem with a namespace of each device, or file.
make_subsystem() {
	local dir=$nvmet/subsystems/$1 number=0 argument
	mkdir "$dir" || return
	shift
	for argument in attr_allow_any_host=1 "$@"; do
		[[ $argument != *=* ]] || echo "${argument#*=}" > "$dir/${argument%%=*}" || return
	done
	for argument; do
		[[ $argument != *=* ]] || continue
		number=$((number + 1))
		make_namespace "$dir/namespaces/$number" "$argument" || return
	done
}

make_namespace() {
	mkdir "$1" && echo -n "$2" > "$1/device_path" || return
	[[ -b $2 ]] || echo 1 > "$1/buffered_io" || return
	echo 1 > "$1/enable"
}

# make_port NUMBER ADDRESS NAME... [ATTRIBUTE=VALUE...]: makes a port at which these subsystems can be reached.
make_port() {
	local dir=$nvmet/ports/$1 address=$2 setting family=ipv4
	shift 2
	[[ $address != *:* ]] || family=ipv6
	mkdir "$dir" || return
	for setting in addr_trtype=rdma "addr_adrfam=$family" "addr_traddr=$address" addr_trsvcid=4420; do
		echo "${setting#*=}" > "$dir/${setting%%=*}" || return
	done
	for setting; do
		[[ $setting == *=* ]] || continue
		echo "${setting#*=}" > "$dir/${setting%%=*}" || return
	done
	for setting; do
		[[ $setting == *=* ]] || offer "${dir##*/}" "$setting" || return
	done
}

# offer PORT NAME: the subsystem can be reached at the port.
offer() {
	ln -s "$nvmet/subsystems/$2" "$nvmet/ports/$1/subsystems/$2"
}

# withdraw PORT NAME: ends the connections to the subsystem through the port, and refuses new ones.
withdraw() {
	rm "$nvmet/ports/$1/subsystems/$2"
}

remove_target() {
	local path
	for path in "$nvmet"/ports/*/subsystems/*; do
		[[ ! -L $path ]] || rm "$path" || return
	done
	for path in "$nvmet"/ports/* "$nvmet"/subsystems/*/namespaces/* "$nvmet"/subsystems/* \
		/sys/kernel/config/nullb/nullb*; do
		[[ ! -d $path ]] || rmdir "$path" || return
	done
}

# --- controllers ---

# nvme_connect NAME ADDRESS [OPTION...]: connects, with quick reconnections, and waits for the disks.
nvme_connect() {
	local name=$1 address=$2 options fd answer
	shift 2
	options="transport=rdma,traddr=$address,trsvcid=4420,nqn=$name,reconnect_delay=1,ctrl_loss_tmo=600"
	options+=$(printf ',%s' "$@")
	# The shell would make a file if there were no device.
	[[ -c /dev/nvme-fabrics ]] && exec {fd}<> /dev/nvme-fabrics || return
	if printf '%s' "${options%,}" >&"$fd" && read -r answer <&"$fd"; then
		exec {fd}>&-
		echo "$answer"
		[[ $answer =~ instance=([0-9]+) ]] && wait_for 10 nvme_is "nvme${BASH_REMATCH[1]}" live
	else
		exec {fd}>&-
		return 1
	fi
}

# nvme_controllers NAME [ADDRESS]: prints the controllers, such as nvme0.
nvme_controllers() {
	local dir
	for dir in /sys/class/nvme/nvme*; do
		[[ -e $dir/subsysnqn && $(< "$dir/subsysnqn") == "$1" ]] || continue
		[[ -z ${2:-} || $(< "$dir/address") == *"traddr=$2,"* ]] && echo "${dir##*/}"
	done
}

# nvme_is CONTROLLER STATE
nvme_is() {
	[[ $(< "/sys/class/nvme/$1/state") == "$2" ]]
}

# nvme_disk NAME NUMBER: prints the device of a namespace, such as /dev/nvme0n1.
nvme_disk() {
	local dir
	for dir in /sys/block/nvme*n*; do
		[[ -e $dir/hidden && $(< "$dir/hidden") == 0 && -e $dir/device/subsysnqn && $(< "$dir/nsid") == "$2" ]] ||
			continue
		[[ $(< "$dir/device/subsysnqn") == "$1" ]] && echo "/dev/${dir##*/}" && return
	done
	return 1
}

# nvme_disconnect NAME: deletes all controllers of the subsystem.
nvme_disconnect() {
	local controller
	for controller in $(nvme_controllers "$1"); do
		echo 1 > "/sys/class/nvme/$controller/delete_controller" || return
	done
	[[ -z $(nvme_controllers "$1") ]]
}

nvme_disconnect_all() {
	local path
	for path in /sys/class/nvme/nvme*/delete_controller; do
		[[ ! -e $path ]] || echo 1 > "$path"
	done
}

# --- data, on the host of the controllers ---

# nvme_jobs DEVICE --name=JOB OPTION...: runs fio, which verifies everything that it reads; one job after another.
nvme_jobs() {
	local log status=0
	log=$(mktemp)
	# shellcheck disable=SC2154 # set in lib.sh
	timeout $((110 * slow)) fio --output="$log" --name=global --filename="$1" --direct=1 --ioengine=libaio --thread \
		--allow_file_create=0 --stonewall --verify=crc32c --verify_fatal=1 --randrepeat=0 "${@:2}" 2>&1 || status=$?
	((!status)) || cat "$log"
	rm "$log"
	return "$status"
}

# nvme_data DEVICE OPTION...: one such job.
nvme_data() {
	nvme_jobs "$1" --name=data "${@:2}"
}

# start_io DEVICE OPTION...: writes and verifies in the background until stop_io. With $may_fail, transfers may fail,
# but not because data is wrong.
start_io() {
	rm -f /tmp/io.stop
	while [[ ! -e /tmp/io.stop ]]; do
		nvme_data "$@" > /tmp/io.log 2>&1 && continue
		[[ -n ${may_fail:-} ]] && ! grep -qiE 'verify|crc' /tmp/io.log || exit 1
	done &
	io_pid=$!
	io_moves
}

# Prints how many bytes the network interface has sent and received.
traffic() {
	local dir=/sys/class/net/eth0/statistics
	echo $(($(< $dir/rx_bytes) + $(< $dir/tx_bytes)))
}

traffic_is_beyond() {
	(($(traffic) > $1))
}

# io_moves: waits until more data is transferred.
io_moves() {
	wait_for 40 traffic_is_beyond $(($(traffic) + 200000)) && return
	echo 'no data moves'
	cat /tmp/io.log
	return 1
}

# stop_io: fails if a transfer has failed, or data was wrong.
stop_io() {
	local pid=$io_pid
	io_pid=''
	touch /tmp/io.stop
	wait "$pid" && return
	cat /tmp/io.log
	return 1
}

# sum_of DEVICE FILE: the file in $output_dir gets a hash of the content.
sum_of() {
	# shellcheck disable=SC2154 # set in lib_clients.sh
	dd "if=$1" bs=1M iflag=direct status=none | sha256sum > "$output_dir/$2"
}

has_sum() {
	sum_of "$1" other && cmp "$output_dir/other" "$output_dir/$2"
}

# same_content NAME NUMBER DEVICE: both hosts see the same content.
same_content() {
	local controller_host=a
	[[ $target_host == b ]] || controller_host=b
	check "$controller_host: the content of $3" at "$controller_host" sum sum_of_namespace "$1" "$2"
	step "$target_host" "$3 has the same" has_sum "$3" sum
}

sum_of_namespace() {
	sum_of "$(nvme_disk "$1" "$2")" sum
}
