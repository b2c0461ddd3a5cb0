/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Directed routes: subnet management packets (SMPs) that carry their path as a list of ports,
 * because no LID has been assigned yet (IBTA 14.2.2).
 */
#ifndef IBWIRE_SMP_H
#define IBWIRE_SMP_H

#include "mad.h"

#define SMP_MKEY		24	/* offsets in an SMP */
#define SMP_DR_SLID		32
#define SMP_DR_DLID		34
#define SMP_DATA		64
#define SMP_DATA_LEN		64
#define SMP_INITIAL_PATH	128
#define SMP_RETURN_PATH		192
#define SMP_PATH_LEN		64
#define SMP_HOPS_MAX		(SMP_PATH_LEN - 1)	/* entry 0 of a path is not used */

/* The first bit of the status of an SMP with a directed route: it is on the way back. */
#define SMP_DIRECTION		0x8000

/**
 * enum smp_next - what a node does with an SMP
 * @SMP_DROP: drops it, because the path makes no sense here
 * @SMP_HERE: the SMP is at its destination: the node's agent or subnet manager gets it
 * @SMP_PORT: sends it by a port
 * @SMP_LID: sends it to a LID: DrDLID, which ends the path; a request that has not begun its path,
 *	to the switch where the path begins; on the way back to DrSLID, or, if the SMP is at DrDLID
 *	yet, to the LID that the request came from
 */
enum smp_next {
	SMP_DROP,
	SMP_HERE,
	SMP_PORT,
	SMP_LID,
};

/**
 * struct smp_node - the node that an SMP has come to
 * @is_switch: the node is a switch, and may send SMPs on
 * @num_ports: number of its ports, without a switch's port 0
 * @in_port: port by which the SMP has come; 0 if it comes from the node itself
 */
struct smp_node {
	bool is_switch;
	u8 num_ports;
	u8 in_port;
};

/**
 * smp_start() - take the first step of a directed route
 * @smp: MAD_LEN bytes, which the node sends; the hop pointer is changed
 * @node: the node; @node->in_port is not used
 * @port: out: for SMP_PORT the port
 *
 * For requests of the node's subnet manager, and responses of its agent.
 *
 * Return: what the node does.
 */
enum smp_next smp_start(u8 *smp, const struct smp_node *node, u8 *port);

/**
 * smp_step() - take another step of a directed route
 * @smp: MAD_LEN bytes, which have come by a port; hop pointer and return path are changed
 * @node: the node
 * @port: out: for SMP_PORT the port
 *
 * Return: what the node does.
 */
enum smp_next smp_step(u8 *smp, const struct smp_node *node, u8 *port);

/**
 * smp_make_response() - make a response of a request
 * @smp: MAD_LEN bytes; method and direction are changed
 *
 * The caller sets the status, and sends the response by smp_start().
 */
void smp_make_response(u8 *smp);

#endif /* IBWIRE_SMP_H */
