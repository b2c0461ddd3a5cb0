// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The operations connect, accept and reject of iw_cm. Each starts its part of the handshake and
 * returns without waiting for the peer.
 */
#include <linux/slab.h>
#include <rdma/krdma_addr.h>

#include "drivers/siw/conn/cm.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/cm_event.h"
#include "drivers/siw/conn/handshake.h"

static bool read_depths_valid(const struct iw_cm_conn_param *param)
{
	return param->ird <= SIW_MAX_IRD && param->ord <= SIW_MAX_ORD;
}

static int begin_connect(struct siw_cep *cep, const struct iw_cm_id *cm_id,
			 const struct iw_cm_conn_param *param)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	u16 pd_max;
	int err;

	lockdep_assert_held(&cep->lock);
	siw_mpa_begin(cep, param->ird, param->ord);
	pd_max = mpa->settings.mpa_rev == MPA_REV_BASIC ? MPA_PD_MAX : MPA_PD_MAX_ENHANCED;
	if (param->private_data_len > pd_max)
		return -EINVAL;
	memcpy(mpa->pd, param->private_data, param->private_data_len);
	mpa->pd_len = param->private_data_len;

	err = siw_cep_bind(cep, param->qpn);
	if (err)
		return err;
	err = siw_mpa_connect(cep, cm_id);
	if (err)
		return err;
	siw_cep_set_deadline(cep, mpa->settings.handshake_ms);
	return 0;
}

int siw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct siw_device *dev = to_siw_dev(cm_id->device);
	struct siw_cep *cep;
	int err;

	if (!krdma_addr_is_ip(&cm_id->m_remote_addr))
		return -EAFNOSUPPORT;
	if (!cm_id->mapped)
		siw_port_replace(&dev->port_replace, &cm_id->m_remote_addr);
	if (!read_depths_valid(param))
		return -EINVAL;
	cep = siw_cep_new(dev, siw_cep_work);
	if (IS_ERR(cep))
		return PTR_ERR(cep);

	/* The work item may drop the first reference as soon as the lock is released. */
	siw_cep_get(cep);
	mutex_lock(&cep->lock);
	err = begin_connect(cep, cm_id, param);
	if (!err) {
		cm_id->add_ref(cm_id);
		cm_id->provider_data = cep;
		cep->cm_id = cm_id;
	} else {
		siw_count(dev, SIW_CONNECT_ERRORS);
		siw_cep_close(cep, true);
	}
	mutex_unlock(&cep->lock);
	siw_cep_put(cep);
	return err;
}

static int accept_request(struct siw_cep *cep, struct iw_cm_id *cm_id,
			  const struct iw_cm_conn_param *param)
{
	int err;

	lockdep_assert_held(&cep->lock);
	if (cep->state == SIW_CEP_ORPHANED)
		return -ECONNRESET;
	if (!read_depths_valid(param))
		return -EINVAL;
	cep->mpa->policy.ird = param->ird;
	cep->mpa->policy.ord = param->ord;
	err = siw_cep_bind(cep, param->qpn);
	if (err)
		return err;
	err = siw_mpa_accept(cep, param->private_data, param->private_data_len);
	if (err)
		return err;
	cm_id->add_ref(cm_id);
	cep->cm_id = cm_id;
	return 0;
}

/* Rejects a request that could not be accepted. Otherwise, the peer would wait for a time-out. */
static void reject_request(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_unbind(cep);
	if (cep->state == SIW_CEP_REQUESTED)
		siw_mpa_reject(cep, NULL, 0);
}

int siw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct siw_cep *cep = cm_id->provider_data;
	int err;

	mutex_lock(&cep->lock);
	err = accept_request(cep, cm_id, param);
	if (err)
		reject_request(cep);
	mutex_unlock(&cep->lock);

	/* Drop iw_cm's reference to the endpoint, because iw_cm is done with the request. */
	if (err)
		cm_id->provider_data = NULL;
	siw_cep_put(cep);
	return err;
}

int siw_reject_data(struct iw_cm_id *cm_id, const void *pdata, u16 pdata_len)
{
	struct siw_cep *cep = cm_id->provider_data;
	int err = 0;

	mutex_lock(&cep->lock);
	if (cep->state == SIW_CEP_REQUESTED)
		err = siw_mpa_reject(cep, pdata, pdata_len);
	if (err)
		reject_request(cep);
	mutex_unlock(&cep->lock);

	cm_id->provider_data = NULL;
	siw_cep_put(cep);
	return err;
}

int siw_reject(struct iw_cm_id *cm_id, const void *pdata, u8 pdata_len)
{
	return siw_reject_data(cm_id, pdata, pdata_len);
}
