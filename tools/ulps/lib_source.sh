# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library compiles modules of the distribution's kernel source, unmodified, against krdma's headers and symbols.
#
#	. lib_source.sh
#	use_source KVER KDIR BUILD       # sets $src
#	compile LOG FOLDER TARGET SETTING...
#	names_missing LOG FOLDER
#
# The sources and their objects are in BUILD/kernel-source, which may be a symbolic link to a folder that other builds for
# the same kernel use, too: one at a time. Objects are compiled again only if a header has changed.

# Settings of the make that runs the script are not for kbuild.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
source_top=$(make -s -C "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." tree)
PATH=/usr/sbin:/usr/bin:/sbin:/bin
# The kernel's Makefile drops LC_ALL, and gcc would quote names as the other variables say.
export LC_ALL=C LANG=C LC_CTYPE=C LC_MESSAGES=C

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# source_package KVER: prints the name of the package with the kernel's source.
source_package() {
	[[ $1 =~ ^[0-9]+\.[0-9]+ ]] || die "no kernel release: '$1'"
	echo "linux-source-${BASH_REMATCH[0]}"
}

# source_archive PACKAGE KDIR: prints the path of the source's archive, which may be beside a kernel that was fetched by
# tools/testing/kernels/distribution.
source_archive() {
	local fetched
	fetched=$(realpath -ms "$2/..")/source/$1.tar.xz
	[[ -e $fetched ]] && echo "$fetched" || echo "/usr/src/$1.tar.xz"
}

# What the modules need of the source. Each pattern matches in the archive of every kernel, because tar ends with an error
# if one does not.
source_files=(
	'*/drivers/infiniband/*' '*/drivers/nvme/*' '*/drivers/block/rnbd/*' '*/net/9p/*' '*/net/rds/*'
	'*/net/smc/*' '*/net/sunrpc/xprtrdma/*' '*/fs/smb/*' '*/fs/internal.h' '*/fs/nls/*'
	'*/scripts/asn1_compiler.c' '*/include/linux/asn1*.h'
	'*/drivers/net/ethernet/chelsio/*.h' '*/drivers/net/ethernet/broadcom/bnxt/*.h'
	'*/drivers/net/ethernet/hisilicon/hns3/*.h' '*/drivers/net/ethernet/intel/ice/*.h'
	'*/drivers/net/ethernet/cisco/enic/*.h' '*/drivers/net/ethernet/emulex/benet/*.h'
)

# copy_headers FROM TO: makes the files in TO those in FROM. Files that are the same keep their times.
copy_headers() {
	local file
	mkdir -p "$2"
	while IFS= read -r -d '' file; do
		cmp -s "$1/$file" "$2/$file" || install -D -m 644 "$1/$file" "$2/$file"
	done < <(find "$1" -name '*.h' -printf '%P\0')
	while IFS= read -r -d '' file; do
		[[ -e $1/$file ]] || rm "$2/$file"
	done < <(find "$2" -type f -printf '%P\0')
}

# unpack ARCHIVE: unpacks the sources into $work, unless the same files of the same archive are there, and were compiled for
# the same kernel. drivers/infiniband/core is left out, because krdma takes its place.
unpack() {
	local stamp
	stamp="$(stat -c '%s %Y' "$1") $(stat -c '%i %Z' "$kdir/Module.symvers" "$kdir/include/config/auto.conf")"
	stamp+=" ${source_files[*]}"
	[[ $(cat "$work/stamp" 2> /dev/null) != "$stamp" ]] || return 0
	rm -rf "$work"
	mkdir -p "$src"
	tar -C "$src" --strip-components=1 -xf "$1" --exclude='*/infiniband/core' --wildcards "${source_files[@]}" ||
		die "$1 lacks a part of the source"
	echo "$stamp" > "$work/stamp"
}

# use_source KVER KDIR BUILD: BUILD has krdma's modules for the kernel KVER, whose folder for building modules is KDIR.
# Unpacks the sources, copies krdma's headers to them, and keeps others from using them until the script ends.
use_source() {
	local package archive
	kdir=$2
	# realpath -s keeps symbolic links, because a link may be used for a path with spaces, which kbuild does not accept.
	build=$(realpath -ms "$3")
	work=$build/kernel-source
	[[ ! -L $work ]] || work=$(readlink -f "$work")
	src=$work/src
	[[ -e $build/Module.symvers ]] || die "no $build/Module.symvers: build krdma's modules first"
	package=$(source_package "$1")
	archive=$(source_archive "$package" "$kdir")
	[[ -r $archive ]] || die "no $archive: install $package, for example with INSTALL_SOURCE=1"
	exec {source_lock}> "$work.lock"
	flock -w 3600 "$source_lock" || die "$work is in use"
	unpack "$archive"
	copy_headers "$build/compat" "$work/krdma/compat"
	copy_headers "$source_top/compat/include" "$work/krdma/compat-include"
	copy_headers "$source_top/include" "$work/krdma/include"
}

# Prints the options for includes: krdma's headers come first. Headers of rtrs, and of network drivers, which RDMA drivers
# expect in the kernel's tree, come from the archive.
include_flags() {
	local dir ethernet=$src/drivers/net/ethernet
	printf -- '-nostdinc -I%s/compat -I%s/compat-include -I%s/include -I%s' "$work/krdma" "$work/krdma" "$work/krdma" \
		"$src/drivers/infiniband/ulp/rtrs"
	for dir in chelsio/cxgb4 chelsio/libcxgb broadcom/bnxt hisilicon/hns3 cisco/enic emulex/benet; do
		printf -- ' -I%s' "$ethernet/$dir"
	done
	! grep -qx '#define KRDMA_HAS_UNSIGNED_LIMITS 1' "$build/compat/krdma/has.h" || printf -- ' -DKRDMA_UNSIGNED_LIMITS'
}

# make_parsers FOLDER: makes the parsers of the folder's ASN.1 files. kbuild would do it with a program that packages of
# kernel headers lack; without the program, kbuild uses the parsers that are there.
make_parsers() {
	local grammar
	for grammar in "$src/$1"/*.asn1; do
		[[ -e $grammar && ! -e $grammar.c ]] || continue
		[[ -x $src/asn1_compiler ]] ||
			gcc -w -O1 -I"$src/include" -o "$src/asn1_compiler" "$src/scripts/asn1_compiler.c" || return
		"$src/asn1_compiler" "$grammar" "$grammar.c" "$grammar.h" || return
	done
}

# compile LOG FOLDER TARGET SETTING...: the settings are make's: options of the configuration, and KCPPFLAGS for options
# that C code has to see although the kernel does not have them. Adds to $KBUILD_EXTRA_SYMBOLS, which may have the
# symbols of modules that these modules use.
compile() {
	local log=$1 folder=$2 target=$3 arch=()
	shift 3
	! grep -sqx CONFIG_UML=y "$kdir/.config" || arch=(ARCH=um)
	{
		make_parsers "$folder" &&
			make -s -k -j"$(nproc)" -C "$kdir" M="$src/$folder" KCFLAGS=-g0 CONFIG_DEBUG_INFO_BTF_MODULES= \
				KBUILD_EXTRA_SYMBOLS="$build/Module.symvers ${extra_symbols:-}" \
				NOSTDINC_FLAGS="$(include_flags)" ${arch[@]+"${arch[@]}"} "$@" "$target"
	} > "$log" 2>&1
}

# Prints the names that the compiler and modpost have not found, from their messages.
names_in() {
	sed -nE -e "s/.*error: .*implicit declaration of function '(\w+)'.*/\1()/p" \
		-e "s/.*error: '(\w+)' undeclared.*/\1/p" \
		-e "s/.*error: '[^']*' has no member named '(\w+)'.*/.\1/p" \
		-e "s/.*error: .*(undefined|incomplete) type '([^']+)'.*/\2/p" \
		-e "s/.*error: field '(\w+)' has incomplete type.*/type of .\1/p" \
		-e "s/.*error: unknown type name '(\w+)'.*/\1/p" \
		-e 's/.*krdma does not offer (<[^>]+>).*/\1/p' \
		-e 's/.*fatal error: (.*): No such file.*/\1/p' \
		-e 's/^ERROR: modpost: "(\w+)" .* undefined!/\1/p' "$1" | sort -u
}

# symbols_missing FOLDER: prints the symbols that the objects in the folder need, the kernel's RDMA core has, and krdma
# has not. The kernel's own Module.symvers has them, so modpost does not report them.
symbols_missing() {
	find "$src/$1" -name '*.o' ! -name '*.mod.o' -exec nm -u {} + | awk 'NF == 2 { print $2 }' | sort -u |
		comm -12 - <(awk '$3 ~ /infiniband\/core\// { print $2 }' "$kdir/Module.symvers" | sort -u) |
		comm -23 - <(awk '{ print $2 }' "$build/Module.symvers" | sort -u)
}

# names_missing LOG FOLDER: prints the names that krdma lacks, in one line.
names_missing() {
	{ names_in "$1"; symbols_missing "$2"; } | sort -u | paste -sd ' '
}
