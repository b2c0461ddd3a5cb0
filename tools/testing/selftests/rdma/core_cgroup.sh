#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The cgroup controller "rdma": what it calls the devices, and the limits of handles and objects that
# processes have. kt_res.ko makes a handle (the file), a PD, a CQ, QPs and MRs for a process.
#
# timeout: 120

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

root=/sys/fs/cgroup
group=/sys/fs/cgroup/krdma
inner=/sys/fs/cgroup/krdma/inner

# in_group GROUP COMMAND...: a process of that cgroup.
in_group() {
	local procs=$1/cgroup.procs
	shift
	(echo "$BASHPID" > "$procs" && "$@")
}

make_groups() {
	echo +rdma > "$root/cgroup.subtree_control" && mkdir "$group" &&
		echo +rdma > "$group/cgroup.subtree_control" && mkdir "$inner" "$group/other"
}

remove_groups() {
	rmdir "$inner" "$group/other" "$group"
}

# Makes QPs and MRs of siw0 and keeps them until standard input ends: keep OWNER QPS MRS
keep() {
	exec 6> /dev/kt_res && echo "siw0 $1 $2 $3" >&6 && cat > /dev/null
}

# The same for a moment.
have() {
	keep "$@" < /dev/null
}

# show FILE [DEVICE]: lines end with a space.
show() {
	sed -n "s/ *$//; s/^${2+$2 }//p" "$1"
}

usage() {
	show "$2/rdma.current" "$1"
}

is_used() {
	[[ $(usage siw0 "$inner") == "hca_handle=$1 hca_object=$2" ]]
}

limit() {
	echo "$2" > "$1/rdma.max"
}

test_names() {
	expect_output 'a device without limits' 'siw0 hca_handle=max hca_object=max' show $group/rdma.max
	expect_output 'and without use' 'siw0 hca_handle=0 hca_object=0' show $group/rdma.current
	check 'another name' rdma dev set siw0 name siw1
	expect_output 'is known' 'siw1 hca_handle=max hca_object=max' show $group/rdma.max
	expect_failure 'the old one is not' limit $group 'siw0 hca_handle=1'
	check 'the first name again' rdma dev set siw1 name siw0
}

test_limits() {
	check 'a limit of objects' limit $inner 'siw0 hca_object=6'
	expect_output 'is shown' 'siw0 hca_handle=max hca_object=6' show $inner/rdma.max
	check 'as many are to be had' in_group $inner have user 3 1
	check 'one more is not' fails_with 'temporarily unavailable' in_group $inner have user 3 2
	expect_output 'nothing is left of the attempt' 'hca_handle=0 hca_object=0' usage siw0 $inner
	check 'others have no limit' in_group $group/other have user 10 10
	check 'the kernel has none' in_group $inner have kernel 10 10
	check 'a limit of handles' limit $inner 'siw0 hca_handle=1'
	exec 7> >(in_group $inner keep user 1 0)
	check 'a process has one' wait_for 10 is_used 1 3
	check 'there is no second one' fails_with 'temporarily unavailable' in_group $inner have user 0 0
	expect_output 'the group above has it, too' 'hca_handle=1 hca_object=3' usage siw0 $group
	exec 7>&-
	check 'it is given back' wait_for 10 is_used 0 0
	check 'then there is one' in_group $inner have user 0 0
	check 'no limits' limit $inner 'siw0 hca_handle=max hca_object=max'
}

test_hierarchy() {
	check 'a limit above' limit $group 'siw0 hca_object=5'
	check 'counts below' fails_with 'temporarily unavailable' in_group $inner have user 4 0
	check 'up to it' in_group $inner have user 3 0
	check 'no limit above' limit $group 'siw0 hca_object=max'
}

# Makes them in one group and gives them back in another.
make_and_migrate() {
	exec 6> /dev/kt_res && echo 'siw0 user 2 0' >&6 && echo "$BASHPID" > "$group/other"/cgroup.procs &&
		is_used 1 4 && [[ $(usage siw0 "$group/other") == 'hca_handle=0 hca_object=0' ]]
}

test_migration() {
	check 'who made them is charged, where it was then' in_group $inner make_and_migrate
	check 'and it is given back there' wait_for 10 is_used 0 0
}

test_removal() {
	exec 7> >(in_group $inner keep user 5 5)
	check 'a process has some' wait_for 10 is_used 1 12
	check 'the device goes' rdma link delete siw0
	expect_output 'no limits of what is gone' '' show $inner/rdma.max
	check 'it comes' rdma link add siw0 type siw netdev lo
	expect_output 'with nothing charged' 'hca_handle=0 hca_object=0' usage siw0 $inner
	exec 7>&-
	check 'and limits count' limit $inner 'siw0 hca_object=1'
	check 'as before' fails_with 'temporarily unavailable' in_group $inner have user 0 0
	# The kernel's controller frees a group together with what its limits of a device refer to.
	check 'no limit' limit $inner 'siw0 hca_object=max'
}

ktap_start
[[ -e $root/cgroup.controllers ]] || ktap_skip_all 'no cgroup2 file system'
grep -qw rdma $root/cgroup.controllers || ktap_skip_all 'no controller "rdma"'
modinfo kt_res > /dev/null 2>&1 || ktap_skip_all 'kt_res.ko was not built'
check 'krdma' load_krdma
check 'a device' rdma link add siw0 type siw netdev lo
check 'the maker of objects' modprobe kt_res
check 'groups of processes' make_groups
test_names
test_limits
test_hierarchy
test_migration
test_removal
check 'the groups go' wait_for 10 remove_groups
check 'the modules go' unload_krdma
ktap_end
