# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# CAs of sib on the default fabric of a network namespace, and OpenSM, which manages the fabric.

# add_ca NAME: adds a CA to the fabric.
add_ca() {
	rdma link add "$1" type sib netdev lo
}

port_file() {
	cat "/sys/class/infiniband/$1/ports/1/$2"
}

lid_of() {
	printf '%d' "$(port_file "$1" lid)"
}

port_guid() {
	port_file "$1" gids/0 | awk -F: '{ print "0x" $5 $6 $7 $8 }'
}

# is_active NAME...: succeeds if the ports of all these CAs are active.
is_active() {
	local name
	for name in "$@"; do
		[[ $(port_file "$name" state) == '4: ACTIVE' ]] || return 1
	done
}

# mad_node KIND NAME PORT: prints the node of a port, such as umad0; KIND is umad or issm. Starts no program, because there may
# be hundreds.
mad_node() {
	local dir dev num
	for dir in "/sys/class/infiniband_mad/$1"*; do
		{ read -r dev < "$dir/ibdev" && read -r num < "$dir/port"; } || continue
		[[ $dev != "$2" || $num != "$3" ]] || { echo "${dir##*/}"; return; }
	done
	return 1
}

# has_mad_nodes NAME [PORT...]: succeeds if these ports, or port 1, have the nodes umadN and issmN.
has_mad_nodes() {
	local name=$1 port kind node
	shift
	for port in "${@:-1}"; do
		for kind in umad issm; do
			node=$(mad_node "$kind" "$name" "$port") || return
			[[ -c /dev/infiniband/$node ]] || return
		done
	done
}

# all_have_mad_nodes NAME...: succeeds if port 1 of each of these CAs has its nodes.
all_have_mad_nodes() {
	local name
	for name in "$@"; do
		has_mad_nodes "$name" || return 1
	done
}

# run_suite NAME [PARAMETER...]: runs a suite of kt_sib.ko, and copies its results. kt_support is loaded. A name that no suite
# has is a failure.
run_suite() {
	local report=/sys/kernel/debug/krdma/kt_sib
	printf %s "$1" > /sys/module/kt_support/parameters/suite
	check "$1: kt_sib runs" modprobe kt_sib "${@:2}"
	check "$1: there are cases" grep -q '^1\.\.[1-9]' "$report"
	ktap_copy "$report"
	check "$1: kt_sib unloads" rmmod kt_sib
}

# start_opensm NAME [OPTION...]: starts OpenSM at the port of a CA; its log is in $opensm_log, each line at once.
start_opensm() {
	opensm_log=$(mktemp)
	opensm_out=$(mktemp)
	OSM_CACHE_DIR=$(mktemp -d) OSM_TMP_DIR=/tmp opensm -g "$(port_guid "$1")" -f "$opensm_log" -d 2 "${@:2}" \
		> "$opensm_out" 2>&1 &
	opensm_pid=$!
	at_exit end_opensm
}

end_opensm() {
	has_ended "$opensm_pid" || kill "$opensm_pid"
	wait_for 20 has_ended "$opensm_pid"
}

subnet_is_up() {
	grep -q 'SUBNET UP' "$opensm_log"
}

# has_heard NUMBER: OpenSM has received the trap.
has_heard() {
	grep -q "Received Generic Notice .*num:$1 " "$opensm_log"
}

# errors_of_sweep LOG: prints the errors in the log of an OpenSM that sweeps once. Those are none that it prints when it ends while
# a request is under way, such as one that a trap has caused.
errors_of_sweep() {
	grep ' ERR ' "$1" | grep -v 'ERR 5401: evicting entry'
}

# no_errors: OpenSM has logged no error.
no_errors() {
	! grep ' ERR ' "$opensm_log"
}

# --- topologies, by configfs ---

sib_config=/sys/kernel/config/sib

# mount_config: mounts configfs, unless it is mounted already.
mount_config() {
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# configure FABRIC/PATH VALUE: writes to a file of configfs.
configure() {
	echo "$2" > "$sib_config/$1"
}

# make_fabric FABRIC: makes an empty fabric, which goes when the script ends.
make_fabric() {
	at_exit drop_fabric "$1"
	mkdir "$sib_config/$1"
}

# make_node FABRIC NODE [KIND [PORTS]]: adds a node: a CA with one port, or what is said.
make_node() {
	local node=$sib_config/$1/$2
	mkdir "$node" || return
	[[ ${3:-ca} == ca ]] || configure "$1/$2/kind" "$3" || return
	[[ ${4:-1} == 1 ]] || configure "$1/$2/num_ports" "$4"
}

# make_device FABRIC NODE [NAME]: makes a CA a device, named like the node unless it is said.
make_device() {
	configure "$1/$2/device" "${3:-1}"
}

# port_dir FABRIC NODE:PORT: prints the directory of a port, which is made if there is none.
port_dir() {
	local dir=$sib_config/$1/${2%:*}/port${2##*:}
	[[ -d $dir ]] || mkdir "$dir" || return
	echo "$dir"
}

# connect FABRIC NODE:PORT NODE:PORT: links two ports.
connect() {
	local dir
	dir=$(port_dir "$1" "$2") && echo "$3" > "$dir/peer"
}

disconnect() {
	local dir
	dir=$(port_dir "$1" "$2") && echo > "$dir/peer"
}

# all_active FABRIC: succeeds if every port with a directory and a link is active.
all_active() {
	local dir
	for dir in "$sib_config/$1"/*/port*; do
		[[ -z $(< "$dir/peer") || $(< "$dir/state") == active ]] || return 1
	done
}

# lid_at FABRIC NODE:PORT: prints the LID of a port; of a switch, that of its port 0.
lid_at() {
	cat "$sib_config/$1/${2%:*}/port${2##*:}/lid"
}

# plug FABRIC NODE:PORT up|down: plugs the cable of a port in, or pulls it.
plug() {
	local dir
	dir=$(port_dir "$1" "$2") && echo "$3" > "$dir/state"
}

# drop_node FABRIC NODE: removes a node, with its ports' directories, links and device.
drop_node() {
	local node=$sib_config/$1/$2 port
	for port in "$node"/port*; do
		[[ $port == */port1 ]] || rmdir "$port" || return
	done
	rmdir "$node"
}

# drop_fabric FABRIC: removes a fabric, if there is one, with its nodes.
drop_fabric() {
	local node
	[[ -d $sib_config/$1 ]] || return 0
	for node in "$sib_config/$1"/*/; do
		[[ ! -d $node ]] || drop_node "$1" "$(basename "$node")" || return
	done
	rmdir "$sib_config/$1"
}
