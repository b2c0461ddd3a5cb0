# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Topologies in the format of ibsim, and fabrics that sibnet makes of them.

fabrics=/sys/kernel/config/sib

# Prints three switches in a line, with a CA at each end.
line_topology() {
	cat <<- 'EOF'
		Switch 4 "S1"
		[1] "H1"[1]
		[2] "S2"[1]
		Switch 4 "S2"
		[2] "S3"[1]
		Switch 4 "S3"
		[4] "H2"[1]
		Hca 1 "H1"
		Hca 1 "H2"
	EOF
}

# Prints four switches in a ring, with a CA each.
ring_topology() {
	local i
	for i in 1 2 3 4; do
		printf 'Switch 3 "R%d"\n[1] "R%d"[2]\n[3] "H%d"[1]\nHca 1 "H%d"\n[1] "R%d"[3]\n' "$i" $((i % 4 + 1)) "$i" "$i" "$i"
	done
}

# tree_topology SPINES LEAVES CAS: prints a fat tree with this number of CAs at each leaf.
tree_topology() {
	awk -v spines="$1" -v leaves="$2" -v cas="$3" 'BEGIN {
		for (s = 1; s <= spines; s++) {
			printf "Switch %d \"spine%d\"\n", leaves, s
			for (l = 1; l <= leaves; l++)
				printf "[%d] \"leaf%d\"[%d]\n", l, l, s
		}
		for (l = 1; l <= leaves; l++) {
			printf "Switch %d \"leaf%d\"\n", spines + cas, l
			for (c = 1; c <= cas; c++)
				printf "[%d] \"H%d\"[1]\n", spines + c, (l - 1) * cas + c
		}
		for (c = 1; c <= leaves * cas; c++)
			printf "Hca 1 \"H%d\"\n", c
	}'
}

# Prints two switches with two links between them, and a CA with a port at each.
two_links_topology() {
	cat <<- 'EOF'
		sysimgguid=0x0253aa0000000009
		switchguid=0x0253aa0000000010
		desc="the \"first\" switch"
		Switch 8 "S1"
		[1] "H1"[1]
		[2] "S2"[3] w=1 s=3
		[4] "S2"[5] mtu=2048 vls=4
		[8] w=12
		switchguid=0x0253aa0000000020
		Switch 8 "S2"
		[1] "H1"[2]
		caguid=0x0253aa0000000030
		Hca 2 "H1"
		[2](0253aa0000000077)
	EOF
}

# fabric_stats FABRIC: prints the numbers of nodes, switches, CAs and links.
fabric_stats() {
	awk '{ print $2 }' "$fabrics/$1/stats" | xargs
}

# no_fabric FABRIC: succeeds if there is none.
no_fabric() {
	[[ ! -e $fabrics/$1 ]]
}
