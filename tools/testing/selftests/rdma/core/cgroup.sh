#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the cgroup controller "rdma": the names of devices in its files, and the limits of handles
# and objects of processes. kt_res.ko creates a handle (its open file), a PD, a CQ, QPs and MRs for
# a process.
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

root=/sys/fs/cgroup
group=/sys/fs/cgroup/krdma
inner=/sys/fs/cgroup/krdma/inner

# in_group GROUP COMMAND...: runs the command as a process of that cgroup.
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

# keep OWNER QPS MRS: creates QPs and MRs of siw0, and keeps them until standard input ends.
keep() {
	exec 6> /dev/kt_res && echo "siw0 $1 $2 $3" >&6 && cat > /dev/null
}

# have OWNER QPS MRS: creates QPs and MRs of siw0, and destroys them at once.
have() {
	keep "$@" < /dev/null
}

# show FILE [DEVICE]: prints the lines of all devices, or the values of one device, without the
# space at the end.
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
	expect_output 'a device without use' 'siw0 hca_handle=0 hca_object=0' show $group/rdma.current
	check 'the device is renamed' rdma dev set siw0 name siw1
	expect_output 'the controller has the new name' 'siw1 hca_handle=max hca_object=max' show $group/rdma.max
	expect_failure 'the controller does not have the old name' limit $group 'siw0 hca_handle=1'
	check 'the first name again' rdma dev set siw1 name siw0
}

test_limits() {
	check 'a limit of objects' limit $inner 'siw0 hca_object=6'
	expect_output 'the limit of objects is shown' 'siw0 hca_handle=max hca_object=6' show $inner/rdma.max
	check 'as many objects can be created' in_group $inner have user 3 1
	check 'one more cannot' fails_with 'temporarily unavailable' in_group $inner have user 3 2
	expect_output 'the failed attempt is not charged' 'hca_handle=0 hca_object=0' usage siw0 $inner
	check 'another group has no limit' in_group $group/other have user 10 10
	check 'objects of the kernel have no limit' in_group $inner have kernel 10 10
	check 'a limit of handles' limit $inner 'siw0 hca_handle=1'
	exec 7> >(in_group $inner keep user 1 0)
	check 'a process has one handle' wait_for 10 is_used 1 3
	check 'a second handle is refused' fails_with 'temporarily unavailable' in_group $inner have user 0 0
	expect_output 'the parent group is charged, too' 'hca_handle=1 hca_object=3' usage siw0 $group
	exec 7>&-
	check 'the handle is uncharged' wait_for 10 is_used 0 0
	check 'a handle can be created again' in_group $inner have user 0 0
	check 'the limits are removed' limit $inner 'siw0 hca_handle=max hca_object=max'
}

test_hierarchy() {
	check 'a limit of the parent group' limit $group 'siw0 hca_object=5'
	check 'holds in the child group' fails_with 'temporarily unavailable' in_group $inner have user 4 0
	check 'as many objects as the parent may have' in_group $inner have user 3 0
	check 'the limit of the parent group is removed' limit $group 'siw0 hca_object=max'
}

# Creates objects in one cgroup, moves this process to another cgroup, and ends it there.
make_and_migrate() {
	exec 6> /dev/kt_res && echo 'siw0 user 2 0' >&6 && echo "$BASHPID" > "$group/other"/cgroup.procs &&
		is_used 1 4 && [[ $(usage siw0 "$group/other") == 'hca_handle=0 hca_object=0' ]]
}

test_migration() {
	check 'the group of the creation is charged' in_group $inner make_and_migrate
	check 'the same group is uncharged' wait_for 10 is_used 0 0
}

test_removal() {
	exec 7> >(in_group $inner keep user 5 5)
	check 'a process has objects' wait_for 10 is_used 1 12
	check 'the device is deleted' rdma link delete siw0
	expect_output 'the deleted device has no limits' '' show $inner/rdma.max
	check 'the device is added again' rdma link add siw0 type siw netdev lo
	expect_output 'the new device has nothing charged' 'hca_handle=0 hca_object=0' usage siw0 $inner
	exec 7>&-
	check 'a limit of the new device' limit $inner 'siw0 hca_object=1'
	check 'the limit of the new device holds' fails_with 'temporarily unavailable' in_group $inner have user 0 0
	# The limit is removed before the cgroup, because the kernel frees a cgroup to which the
	# device's limits still refer.
	check 'the limit is removed' limit $inner 'siw0 hca_object=max'
}

ktap_start
[[ -e $root/cgroup.controllers ]] || ktap_skip_all 'no cgroup2 file system'
grep -qw rdma $root/cgroup.controllers || ktap_skip_all 'no controller "rdma"'
modinfo kt_res > /dev/null 2>&1 || ktap_skip_all 'kt_res.ko was not built'
check 'krdma' load_krdma
check 'a device' rdma link add siw0 type siw netdev lo
check 'kt_res loads' modprobe kt_res
check 'cgroups' make_groups
test_names
test_limits
test_hierarchy
test_migration
test_removal
check 'the cgroups are removed' wait_for 10 remove_groups
check 'everything unloads' unload_krdma
ktap_end
