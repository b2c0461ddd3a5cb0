// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Node GUIDs. Each device has a GUID of its own, even if several netdevs share a MAC address
 * (VLANs). ULPs that keep resources for each device would otherwise mistake two devices for one.
 */
#include "drivers/siw/base/guid.h"

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/spinlock.h>

#include "drivers/siw/base/siw.h"

/* Devices that have a GUID. */
static LIST_HEAD(guids);
static DEFINE_SPINLOCK(guids_lock);

static __be64 mac_guid(const u8 *mac)
{
	u8 eui[8];
	__be64 guid;

	memcpy(eui, mac, 3);
	eui[3] = 0xff;
	eui[4] = 0xfe;
	memcpy(eui + 5, mac + 3, 3);
	eui[0] ^= 0x02;
	memcpy(&guid, eui, sizeof(guid));
	return guid;
}

static __be64 random_guid(void)
{
	u8 eui[8];
	__be64 guid;

	get_random_bytes(eui, sizeof(eui));
	eui[0] &= ~0x03;
	memcpy(&guid, eui, sizeof(guid));
	return guid;
}

static bool is_taken(__be64 guid)
{
	const struct siw_device *dev;

	lockdep_assert_held(&guids_lock);
	list_for_each_entry(dev, &guids, guid_entry) {
		if (dev->soft.base.node_guid == guid)
			return true;
	}
	return false;
}

void siw_guid_take(struct siw_device *dev)
{
	const struct net_device *netdev = dev->netdev;
	__be64 guid = random_guid();

	if (netdev->type == ARPHRD_ETHER && is_valid_ether_addr(netdev->dev_addr))
		guid = mac_guid(netdev->dev_addr);
	spin_lock(&guids_lock);
	if (is_taken(guid))
		guid = random_guid();
	dev->soft.base.node_guid = guid;
	list_add(&dev->guid_entry, &guids);
	spin_unlock(&guids_lock);
}

void siw_guid_drop(struct siw_device *dev)
{
	spin_lock(&guids_lock);
	list_del_init(&dev->guid_entry);
	spin_unlock(&guids_lock);
}
