#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the kernel's own iSER, ib_iser and ib_isert, unmodified, on krdma: open-iscsi logs in to a target of LIO. Verifies
# data of all sizes and depths, a file system, protection information; cuts the wire, loses packets, lets allocations
# fail, disables the target and logs out, under I/O. RDMA gets the portal's port by port_map, and by iwpmd. With KRDMA_LONG=1
# each part takes longer.
#
# Both ULPs use the initial network namespace only, so both hosts are in it. Rules send the packets between their
# addresses over the wire:
#
#	initial namespace         namespace wire          initial namespace
#	   siwa                                              siwb
#	   va 10.77.1.1/24  ----  wa, bridge, wb  ----  vb 10.77.1.2/24
#	   initiator                                         target
#
# timeout: 400

. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_ulp.sh
. "$(dirname "$0")/lib_ulp.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"

core=/sys/kernel/config/target/core
iscsi=/sys/kernel/config/target/iscsi
iqn=iqn.2026-11.test.krdma:disk
tpg=$iscsi/$iqn/tpgt_1
target_addr=10.77.1.2
portal=$target_addr:3260
long=${KRDMA_LONG:-}
fio_pid='' iscsid_pid='' iwpmd_pid='' work=''

# --- the wire ---

# divert ADDRESS DEVICE SOURCE TABLE: sends packets of this machine to its own ADDRESS through DEVICE.
divert() {
	ip route add "$1" dev "$2" src "$3" table "$4" && ip rule add pref 10 iif lo to "$1" lookup "$4"
}

make_wire() {
	local dev
	at_exit remove_wire
	ip netns add wire && ip -n wire link add bridge type bridge && ip -n wire link set bridge up || return
	for dev in a b; do
		ip link add "v$dev" type veth peer name "w$dev" netns wire &&
			ip -n wire link set "w$dev" up master bridge &&
			echo 1 > "/proc/sys/net/ipv4/conf/v$dev/accept_local" &&
			echo 0 > "/proc/sys/net/ipv4/conf/v$dev/rp_filter" && ip link set "v$dev" up || return
	done
	ip address add 10.77.1.1/24 dev va && ip address add 10.77.1.2/24 dev vb &&
		divert 10.77.1.2 va 10.77.1.1 101 && divert 10.77.1.1 vb 10.77.1.2 102 &&
		ip rule add pref 20 lookup local && ip rule del pref 0
}

remove_wire() {
	ip rule add pref 0 lookup local
	ip rule del pref 20
	ip rule del pref 10 lookup 101
	ip rule del pref 10 lookup 102
	ip netns del wire
} 2> /dev/null

reaches() {
	local before after
	before=$(< /sys/class/net/va/statistics/tx_packets)
	ping -c 3 -i 0.2 -W $((2 * slow)) "$target_addr" || return
	after=$(< /sys/class/net/va/statistics/tx_packets)
	((after - before >= 3)) || { echo 'the packets did not go over the wire'; return 1; }
}

# cut_wire, mend_wire: pulls the cable of the initiator, and plugs it in.
cut_wire() {
	ip -n wire link set wa down
}

mend_wire() {
	ip -n wire link set wa up
}

# impair OPTION...: makes the wire lose, delay or reorder packets in both directions.
impair() {
	tc -n wire qdisc add dev wa root netem "$@" && tc -n wire qdisc add dev wb root netem "$@"
}

repair() {
	tc -n wire qdisc del dev wa root && tc -n wire qdisc del dev wb root
}

# Reads of counters return the current value.
add_devices() {
	local host
	for host in a b; do
		rdma link add "siw$host" type siw netdev "v$host" &&
			echo 0 > "/sys/class/infiniband/siw$host/ports/1/hw_counters/lifespan" &&
			echo $((10000 * slow)) > "/sys/class/infiniband/siw$host/siw/handshake_ms" || return
	done
}

use_port_map() {
	echo 3260:13260 | tee /sys/class/infiniband/siw{a,b}/siw/port_map
}

# --- the target ---

# memory_store NAME: makes a backstore of 64 MiB in memory.
memory_store() {
	mkdir -p "$core/rd_mcp_0/$1" && echo -n "rd_pages=$((64 << 20 >> 12))" > "$core/rd_mcp_0/$1/control" &&
		echo 1 > "$core/rd_mcp_0/$1/enable"
}

# file_store NAME: makes a backstore of 32 MiB in a file.
file_store() {
	truncate -s 32M "$work/$1" && mkdir -p "$core/fileio_1/$1" &&
		echo -n "fd_dev_name=$work/$1,fd_dev_size=$((32 << 20)),fd_buffered_io=1" > "$core/fileio_1/$1/control" &&
		echo 1 > "$core/fileio_1/$1/enable"
}

# lun NUMBER BACKSTORE
lun() {
	mkdir "$tpg/lun/lun_$1" && ln -s "$core/$2" "$tpg/lun/lun_$1/backstore"
}

# The target accepts each initiator, without a password.
make_target() {
	local attribute
	at_exit remove_target
	memory_store memory && file_store file && mkdir -p "$tpg" || return
	for attribute in authentication=0 generate_node_acls=1 demo_mode_write_protect=0 cache_dynamic_acls=1; do
		echo "${attribute#*=}" > "$tpg/attrib/${attribute%=*}" || return
	done
	lun 0 rd_mcp_0/memory && lun 1 fileio_1/file && mkdir "$tpg/np/$portal" && echo 1 > "$tpg/enable"
}

enable_iser() {
	echo 1 > "$tpg/np/$portal/iser"
}

# Succeeds if no connection of the target has its threads any more.
connections_are_gone() {
	! pgrep -x 'iscsi_t[rt]x' > /dev/null
}

# An initiator has logged out before the target has forgotten its session. LIO frees a portal group that is removed at once,
# although the thread that ends the session still uses it (Linux 6.1).
remove_target() {
	local dir
	[[ ! -d $tpg ]] || echo 0 > "$tpg/enable"
	wait_for 60 connections_are_gone
	[[ ! -d $tpg/np/$portal ]] || rmdir "$tpg/np/$portal"
	for dir in "$tpg"/lun/lun_*; do
		[[ ! -d $dir ]] || { rm -f "$dir/backstore" && rmdir "$dir"; }
	done
	for dir in "$tpg" "$iscsi/$iqn" "$iscsi" "$core"/*_[01]/*/ "$core"/*_[01]; do
		[[ ! -d $dir ]] || rmdir "$dir"
	done
}

# --- the initiator ---

start_initiator() {
	mkdir -p /run/lock/iscsi /etc/iscsi
	at_exit stop_initiator
	# It has a process group of its own, all of which it terminates at its end.
	setsid iscsid -f > "$work/iscsid" 2>&1 &
	iscsid_pid=$!
	wait_for 20 grep -q ISCSIADM /proc/net/unix
}

stop_initiator() {
	[[ ! $fio_pid ]] || kill "$fio_pid"
	[[ $iscsid_pid ]] || return 0
	! has_session || timeout 60 iscsiadm -m node -T "$iqn" -u
	kill "$iscsid_pid"
	wait "$iscsid_pid"
	iscsid_pid=''
} 2> /dev/null

# Finds the target, and sets short time limits for the detection of a lost connection.
discover() {
	local setting
	iscsiadm -m discovery -t sendtargets -p "$portal" -I iser || return
	for setting in session.timeo.replacement_timeout=$((300 * slow)) "conn[0].timeo.noop_out_interval=$((2 * slow))" \
		"conn[0].timeo.noop_out_timeout=$((2 * slow))" "conn[0].timeo.login_timeout=$((5 * slow))" \
		session.cmds_max=256 session.queue_depth=128; do
		iscsiadm -m node -T "$iqn" -o update -n "node.${setting%=*}" -v "${setting##*=}" || return
	done
	[[ $(iscsiadm -m node -T "$iqn") == *"$iqn"* ]]
}

has_session() {
	[[ -n $(compgen -G '/sys/class/iscsi_session/session*') ]]
}

session_state() {
	cat /sys/class/iscsi_session/session*/state
}

is_logged_in() {
	[[ $(session_state) == LOGGED_IN ]]
}

# disk LUN: prints the disk's device node.
disk() {
	local path
	for path in /sys/class/iscsi_session/session*/device/target*/*:"$1"/block/*; do
		[[ -b /dev/${path##*/} ]] && echo "/dev/${path##*/}"
	done
}

has_disks() {
	[[ -n $(disk 0) && -n $(disk 1) ]]
}

login() {
	timeout $((60 * slow)) iscsiadm -m node -T "$iqn" -p "$portal" -l && wait_for 20 is_logged_in && wait_for 20 has_disks
}

logout() {
	timeout $((60 * slow)) iscsiadm -m node -T "$iqn" -p "$portal" -u && wait_for 20 no_session
}

no_session() {
	! has_session
}

log_in_and_out() {
	local i
	for ((i = 0; i < $1; i++)); do
		login && logout || return
	done
}

uses_iser() {
	iscsiadm -m session | grep -q '^iser:' && (($(counter siwa connects) > 0)) && (($(counter siwb accepts) > 0))
}

# --- I/O ---

# verify LUN OPTION...: writes the disk, reads it, and compares.
verify() {
	local file
	file=$(disk "$1")
	shift
	timeout $((200 * slow)) fio --name=iser --filename="$file" --direct=1 --ioengine=libaio --verify=crc32c --verify_fatal=1 \
		--rw=randwrite --size=16m --output-format=normal "$@"
}

test_sizes() {
	local bs depth
	for bs in 4k:128 8k:32 64k:16 256k:8 1m:4; do
		depth=${bs#*:}
		bs=${bs%:*}
		check "$bs at depth $depth, in memory" verify 0 --bs="$bs" --iodepth="$depth"
	done
	check '512 bytes to 1 MiB, in a file' verify 1 --bsrange=512-1m --iodepth=16
	check 'one by one' verify 1 --bs=4k --iodepth=1 --size=1m
	check 'reads and writes at once' verify 0 --rw=randrw --bs=16k --iodepth=32
}

# The files are compared after the file system was mounted anew.
file_system() {
	local dev dir=$work/mount
	dev=$(disk 1)
	mkdir -p "$dir" && mkfs.ext4 -q -F "$dev" && mount "$dev" "$dir" || return
	cp -r /krdma/tools "$dir/" && sync && umount "$dir" && mount -o ro "$dev" "$dir" &&
		diff -r /krdma/tools "$dir/tools"
	local status=$?
	umount "$dir" && fsck.ext4 -f -n "$dev" && return "$status"
}

# begin_io SECONDS: writes to the first disk in the background, for that long at least, and then verifies.
begin_io() {
	verify 0 --bs=16k --iodepth=32 --size=$(($1 * 100 * 16))k --rate_iops=100 --rw=randwrite > "$work/io" 2>&1 &
	fio_pid=$!
	wait_for 20 io_goes_on
}

has_received() {
	(($(counter siwb rx_bytes) > $1))
}

# io_goes_on: succeeds if the target receives 64 KiB within two seconds.
io_goes_on() {
	wait_for 2 has_received $(($(counter siwb rx_bytes) + 65536)) && ! has_ended "$fio_pid"
}

io_ends() {
	local pid=$fio_pid status=0
	fio_pid=''
	wait_for $((long ? 400 : 200)) has_ended "$pid" || { kill "$pid"; echo 'the I/O does not end'; }
	wait "$pid" || status=$?
	((!status)) || cat "$work/io"
	return "$status"
}

# --- disturbances ---

# has_reconnected CONNECTS: succeeds if the initiator has connected again, after CONNECTS.
has_reconnected() {
	(($(counter siwa connects) > $1)) && is_logged_in
}

has_noticed() {
	! is_logged_in
}

test_cut() {
	local seconds=$((long ? 20 : 6)) connects
	connects=$(counter siwa connects)
	check 'cut: I/O' begin_io $((seconds * slow + 12))
	check 'cut: the wire is cut' cut_wire
	check 'cut: the initiator notices it' wait_for 30 has_noticed
	pause "$seconds"
	check 'cut: the wire is mended' mend_wire
	check 'cut: the session recovers' wait_for 90 has_reconnected "$connects"
	check 'cut: no byte is lost' io_ends
}

test_bad_wire() {
	check 'bad wire: 1 % loss, 20 ms, reordered' impair loss 1% delay 20ms 5ms reorder 25% 50%
	check 'bad wire: data' verify 0 --bs=16k --iodepth=32 --size=$((long ? 16 : 4))m
	check 'bad wire: repaired' repair
}

test_disable() {
	local connects
	connects=$(counter siwa connects)
	check 'disable: I/O' begin_io 10
	check 'disable: the target is disabled' eval "echo 0 > $tpg/enable"
	check 'disable: the initiator notices it' wait_for 30 has_noticed
	check 'disable: the target is enabled' eval "echo 1 > $tpg/enable"
	check 'disable: the session recovers' wait_for 90 has_reconnected "$connects"
	check 'disable: no byte is lost' io_ends
}

some_io() {
	verify 0 --bs=16k --iodepth=32 --size=1m
}

session_is_up() {
	wait_for 60 is_logged_in
}

test_failures() {
	if [[ ! -w $debugfs/failslab/require-start ]]; then
		ktap_skip 'allocations fail under I/O' 'the kernel has no fault injection'
		return
	fi
	failures_start
	# A target that has no memory for a transfer (rdma_rw) after immediate data ignores the error, and the command stays
	# unanswered (Linux 6.1).
	fail_only_in siw
	sample 'allocations fail under I/O' $((long ? 20 : 8)) some_io session_is_up
	failures_end
	check 'I/O after failed allocations' some_io
}

# --- protection information ---

# The kernel may choose between CRC and checksum in memory; on the wire it is CRC.
has_protection() {
	local block
	block=/sys/block/$(basename "$(disk 2)")
	cat "$block/integrity/format" "$block"/device/scsi_disk/*/protection_type
	[[ $(< "$block/integrity/format") == T10-DIF-TYPE1-* ]] &&
		[[ $(cat "$block"/device/scsi_disk/*/protection_type) == 1 ]]
}

# A third disk has protection information of 8 bytes for each block, which goes over the wire. siwa and siwb make, check
# and remove it.
make_protected() {
	echo 1 > "$tpg/attrib/t10_pi" && memory_store protected && echo 1 > "$core/rd_mcp_0/protected/attrib/pi_prot_type" &&
		lun 2 rd_mcp_0/protected
}

test_protection() {
	if ! grep -qw crc_t10dif /proc/kallsyms; then
		ktap_skip 'protection information' 'the kernel has no CRC for it'
		return
	fi
	check 'protection: ib_iser is loaded again' eval 'rmmod ib_iser && modprobe ib_iser pi_enable=Y'
	check 'protection: a disk that has it' make_protected
	check 'protection: login' login
	check 'protection: the disk has it' wait_for 20 has_protection
	check 'protection: small blocks' verify 2 --bs=4k --iodepth=64
	check 'protection: large blocks' verify 2 --bs=512k --iodepth=4
	check 'protection: a disk without it' verify 0 --bs=64k --iodepth=8 --size=4m
	check 'protection: logout' logout
}

# --- the port mapper ---

# Each host would have an iwpmd of its own, but both hosts are in the same network namespace here.
use_iwpmd() {
	local dev
	echo 0 > "$tpg/np/$portal/iser"
	at_exit stop_iwpmd
	iwpmd -s > /dev/null 2>&1 &
	iwpmd_pid=$!
	wait_for 20 iwpmd_listens || return
	for dev in siwa siwb; do
		echo > "/sys/class/infiniband/$dev/siw/port_map" && echo 1 > "/sys/class/infiniband/$dev/siw/port_mapper" || return
	done
}

iwpmd_listens() {
	ss -Huln 'sport = 3935' | grep -q .
}

stop_iwpmd() {
	[[ $iwpmd_pid ]] || return 0
	kill "$iwpmd_pid"
	wait "$iwpmd_pid"
	iwpmd_pid=''
}

# No connection of iSER goes to the port that LIO's TCP socket holds.
uses_mapped_port() {
	ss -Htn state established src "$target_addr"
	uses_iser && [[ -z $(ss -Htn state established src "$portal") ]]
}

test_iwpmd() {
	check 'iwpmd: it runs, and port_map is empty' use_iwpmd
	check 'iwpmd: the portal uses iSER' enable_iser
	check 'iwpmd: login' login
	check 'iwpmd: the session uses a mapped port' uses_mapped_port
	check 'iwpmd: data' verify 0 --bs=64k --iodepth=8 --size=4m
	check 'iwpmd: logout' logout
}

# --- the end ---

load_ulps() {
	at_exit unload_ulps
	modprobe -a sd_mod target_core_mod target_core_file iscsi_target_mod ib_iser ib_isert
}

unload_ulps() {
	local module
	for module in ib_iser ib_isert; do
		[[ ! -d /sys/module/$module ]] || rmmod "$module" || return
	done
}

test_end() {
	check 'end: login' login
	expect_failure 'end: ib_iser does not unload with a session' rmmod ib_iser
	check 'end: logout' logout
	check "end: the target's connections end" wait_for 60 connections_are_gone
	stop_initiator
	remove_target
	stop_iwpmd
	check 'end: no object is left' wait_for 20 nothing_left
	check 'end: the ULPs unload' unload_ulps
	check 'end: krdma unloads' unload_krdma
}

ktap_start
for program in iscsid iscsiadm iwpmd fio mkfs.ext4; do
	type -P $program > /dev/null || ktap_skip_all "no $program (vm/run --with storage --with fio)"
done
for module in ib_iser ib_isert; do
	modinfo $module > /dev/null 2>&1 || ktap_skip_all "no module $module (make ulps)"
done
work=$(mktemp -d)
at_exit rm -rf "$work"
check 'krdma' load_krdma
check 'a wire' make_wire
check 'packets go over the wire' reaches
check 'siw devices' add_devices
check 'the ULPs, and what they need' load_ulps
check 'a target' make_target
expect_failure 'without port_map the portal cannot use iSER' enable_iser
check 'port_map on both hosts' use_port_map
check 'the portal uses iSER' enable_iser
check 'an initiator' start_initiator
check 'discovery' discover
check 'login' login
check 'the session uses iSER and siw' uses_iser
test_sizes
check 'a file system' file_system
test_cut
test_bad_wire
test_disable
test_failures
check 'logout' logout
check 'logins and logouts' log_in_and_out $((long ? 50 : $(fewer 10)))
test_protection
test_iwpmd
test_end
for ulp in iser isert; do
	ulp_ran "$ulp" 'discovery, logins, 4 KiB to 1 MiB at depths 1 to 128, file systems, protection information, a link that fails or is bad, failed allocations'
done
ktap_end
