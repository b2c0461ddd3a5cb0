# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of `guest` and `profile_guest`, which run in a user-mode kernel, sets up the wire and
# the stacks on it, and runs kulp over each stack.
#
#	load_stack A
#	make_wire && check_wire && make_devices siw
#	serve krdma
#	client krdma write 65536 1 16 1000	# the result is in $output
#
# The wire is in the initial network namespace, because rxe works in no other. Policy routing sends
# packets between the two addresses over the wire:
#
#	va 10.77.1.1  -------- veth --------  vb 10.77.1.2
#	   clients                                 servers

tests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../selftests/rdma
# shellcheck source=../selftests/rdma/lib.sh
. "$tests/lib.sh"

kulp=/krdma/add/kulp
tcp_user=/krdma/add/tcp_pingpong
client_addr=10.77.1.1
server_addr=10.77.1.2
output='' nsec='' packets='' output_dir=$(mktemp -d)

# How kulp uses each stack: the value of its option --over, the name of the devices without the last
# letter, the port. With "user", tcp_pingpong runs instead of kulp.
declare -A how=(
	[krdma]='iw siw 7000'
	[krdma_crc]='iw siw 7000'
	[krdma_large]='iw siw 7000'
	[krdma_large_crc]='iw siw 7000'
	[krdma_crowd]='iw siw 7000'
	[siw]='iw siw 7000'
	[rxe]='rdma rxe 7001'
	[tcp]='tcp - 7002'
	[tcp_copy]='tcp - 7002'
	[tcp-user]='user - 7003'
)
declare -A server_pids=()

die() {
	echo "guest: $*" >&2
	exit 1
}

# --- the wire ---

# Creates the wire, with an MTU of 1500. The routing table of local addresses is looked up last, so
# that packets to the address of the other end leave by the device.
make_wire() {
	# Without this, thousands of closed connections would slow down the search for a free port.
	echo 64 > /proc/sys/net/ipv4/tcp_max_tw_buckets
	ip link add va mtu 1500 type veth peer name vb mtu 1500 || return
	ip rule add pref 1000 lookup local && ip rule del pref 0 || return
	end_of_wire va "$client_addr" vb "$server_addr" 101 && end_of_wire vb "$server_addr" va "$client_addr" 102
}

# set_mtu MTU: changes the MTU of both ends, for later connections.
set_mtu() {
	ip link set va mtu "$1" && ip link set vb mtu "$1"
}

# end_of_wire DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS TABLE: configures one end. The last rule is
# for the connection manager, which checks whether the route back to a peer leads out of a device.
end_of_wire() {
	local mac
	mac=$(cat "/sys/class/net/$3/address")
	# Without accept_local, a packet from a local address would be dropped as forged.
	echo 1 > "/proc/sys/net/ipv4/conf/$1/accept_local"
	echo 0 > "/proc/sys/net/ipv4/conf/$1/rp_filter"
	ip address add "$2/32" dev "$1" && ip link set "$1" up &&
		ip rule add pref 10 iif "$1" lookup local &&
		ip rule add pref 20 iif lo to "$4" lookup "$5" &&
		ip rule add pref 20 oif "$1" to "$4" lookup "$5" &&
		ip route add "$4/32" dev "$1" src "$2" table "$5" &&
		ip neigh replace "$4" lladdr "$mac" nud permanent dev "$1"
}

# Sets $packets to the number of packets that the clients' end has sent.
count_packets() {
	read -r packets < /sys/class/net/va/statistics/tx_packets
}

# crosses_wire COMMAND...: fails if the command's data crossed the loopback device instead of the
# wire.
crosses_wire() {
	local before status=0
	count_packets
	before=$packets
	"$@" || status=$?
	count_packets
	((status || packets > before + 1)) && return "$status"
	output='what it sent did not cross the wire'
	return 1
}

check_wire() {
	crosses_wire ping -q -c 2 -i 0.2 -W 2 -I "$client_addr" "$server_addr" > /dev/null || die 'no wire'
}

# --- the stacks ---

# load_stack A|B
load_stack() {
	# kt_crc32c is loaded first, because libcrc32c keeps the driver that it finds when it is
	# loaded. The stock stack does not use CRC32c.
	[[ $1 == B ]] || modprobe -q kt_crc32c || echo 'guest: no kt_crc32c: CRCs are those of generic code' >&2
	modprobe -a siw kulp || die 'no modules'
	[[ $1 == A ]] || modprobe rdma_rxe || die 'no rxe'
}

# make_devices TYPE
make_devices() {
	local host
	for host in a b; do
		rdma link add "$1$host" type "$1" netdev "v$host" || return
	done
	wait_for 10 grep -q ACTIVE "/sys/class/infiniband/$1b/ports/1/state"
}

remove_devices() {
	local host
	for host in a b; do
		rdma link delete "$1$host"
	done
}

has_decided() {
	grep -q listening "$output_dir/$1" || has_ended "${server_pids[$1]}"
}

# serve STACK: starts a server, which runs until stop_server.
serve() {
	local over prefix port
	read -r over prefix port <<< "${how[$1]}"
	if [[ $over == user ]]; then
		"$tcp_user" keep "$port" &
		server_pids[$1]=$!
		return
	fi
	# has_decided would find "listening" in the output of an earlier server of this name.
	rm -f "$output_dir/$1"
	"$kulp" serve --over "$over" --dev "${prefix}b" --addr "$server_addr" --port "$port" > "$output_dir/$1" 2>&1 &
	server_pids[$1]=$!
	wait_for 10 has_decided "$1"
	grep -q listening "$output_dir/$1"
}

stop_server() {
	kill "${server_pids[$1]}" 2> /dev/null
	wait_for 10 has_ended "${server_pids[$1]}" || return
	unset "server_pids[$1]"
}

# set_siw STACK: sets the attributes `crc` and `large_fpdus` of krdma's siw, which apply to later connections.
set_siw() {
	local device crc=0 large=0
	[[ $1 == krdma* ]] || return 0
	[[ $1 != *_crc ]] || crc=1
	[[ $1 != *_large* ]] || large=1
	for device in siwa siwb; do
		echo "$crc" > "/sys/class/infiniband/$device/siw/crc"
		echo "$large" > "/sys/class/infiniband/$device/siw/large_fpdus"
	done
}

# --- clients ---

# client STACK OP SIZE CONNS DEPTH COUNT: runs a client; sets $output to its JSON, or to its error.
# Both programs end by themselves when nothing happens for long, because starting a program to watch
# them would take as long as a row in a user-mode kernel.
client() {
	local over prefix port status=0 more=()
	read -r over prefix port <<< "${how[$1]}"
	[[ $1 != tcp_copy ]] || more+=(--copy)
	# Buffers of long messages take as long to allocate as the messages take to move. Short messages need no
	# common start; with one, TCP by reference stalls for seconds at times, for a reason that was not found.
	(($3 < 65536)) || more+=(--together)
	case $over$2 in
	userping) "$tcp_user" ping "$client_addr" "$server_addr" "$port" "$3" "$6" ;;
	user*) "$tcp_user" stream "$client_addr" "$server_addr" "$port" "$3" "$6" "$4" ;;
	*)
		"$kulp" run --over "$over" --dev "${prefix}a" --from "$client_addr" --addr "$server_addr" --port "$port" \
			--op "$2" --size "$3" --qps "$4" --depth "$5" --count "$6" --timeout 10000 --json "${more[@]}" ;;
	esac > "$output_dir/client" 2>&1 || status=$?
	IFS= read -r -d '' output < "$output_dir/client"
	output=${output%$'\n'}
	return "$status"
}

# Sets $nsec to the nanoseconds per operation, from the microseconds in $output. Adds one, so that
# $nsec is never 0.
read_nsec() {
	[[ $output =~ \"usec_per_op\":([0-9]+)\.([0-9]+) ]] || return
	local fraction=${BASH_REMATCH[2]}000
	# shellcheck disable=SC2034 # for the caller
	nsec=$((BASH_REMATCH[1] * 1000 + 10#${fraction:0:3} + 1))
}
