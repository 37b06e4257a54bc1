/* The handler for everything below hbdbObjects. */
#include <string.h>

#include "snmp.h"

static const oid root[] = {HB_MIB, 1};

static void answer_get(hb_snmp *snmp, netsnmp_request_info *r)
{
	hb_instance instance;
	const netsnmp_variable_list *v = r->requestvb;
	size_t n = OID_LENGTH(root);
	if (v->name_length <= n || !hb__snmp_find(snmp, v->name + n, v->name_length - n, r->requestvb, &instance))
		netsnmp_set_request_error(r->agent_req_info, r, SNMP_NOSUCHINSTANCE);
}

static void answer_next(hb_snmp *snmp, netsnmp_request_info *r)
{
	hb_instance instance;
	netsnmp_variable_list *v = r->requestvb;
	size_t n = OID_LENGTH(root), more = v->name_length > n ? v->name_length - n : 0;
	oid name[OID_LENGTH(root) + 4];
	bool found = r->inclusive && more && hb__snmp_find(snmp, v->name + n, more, v, &instance);
	/* what stands before the root begins with its first instance; the master asks for nothing behind it */
	if (snmp_oid_compare(v->name, v->name_length, root, n) < 0)
		more = 0;
	if (!found && !hb__snmp_next(snmp, v->name + n, more, v, &instance))
		return; /* nothing was set: the end */
	memcpy(name, root, sizeof root);
	snmp_set_var_objid(v, name, n + hb__snmp_name(&instance, name + n));
}

/* One action in a request: a second one that is refused could not take the first one back. */
static int check_set(hb_snmp *snmp, const netsnmp_request_info *requests)
{
	hb_instance instance;
	const netsnmp_variable_list *v = requests->requestvb;
	size_t n = OID_LENGTH(root);
	if (requests->next)
		return SNMP_ERR_RESOURCEUNAVAILABLE;
	if (v->name_length <= n || !hb__snmp_find(snmp, v->name + n, v->name_length - n, NULL, &instance))
		return SNMP_ERR_NOCREATION;
	if (!hb__snmp_is_action(&instance))
		return SNMP_ERR_NOTWRITABLE;
	if (v->type != ASN_INTEGER)
		return SNMP_ERR_WRONGTYPE;
	return hb__snmp_has_action(&instance, *v->val.integer) ? SNMP_ERR_NOERROR : SNMP_ERR_WRONGVALUE;
}

static int act(hb_snmp *snmp, const netsnmp_request_info *r)
{
	hb_instance instance;
	const netsnmp_variable_list *v = r->requestvb;
	size_t n = OID_LENGTH(root);
	if (!hb__snmp_find(snmp, v->name + n, v->name_length - n, NULL, &instance))
		return SNMP_ERR_COMMITFAILED;
	return hb__snmp_act(snmp, &instance, *v->val.integer) ? SNMP_ERR_NOERROR : SNMP_ERR_GENERR;
}

static int handler(netsnmp_mib_handler *h, netsnmp_handler_registration *registration, netsnmp_agent_request_info *info,
	netsnmp_request_info *requests)
{
	hb_snmp *snmp = h->myvoid;
	int error = SNMP_ERR_NOERROR;
	(void)registration;
	hb__snmp_look(snmp);
	for (netsnmp_request_info *r = requests; r && info->mode == MODE_GET; r = r->next)
		answer_get(snmp, r);
	for (netsnmp_request_info *r = requests; r && info->mode == MODE_GETNEXT; r = r->next)
		answer_next(snmp, r);
	if (info->mode == MODE_SET_RESERVE1)
		error = check_set(snmp, requests);
	else if (info->mode == MODE_SET_ACTION)
		error = act(snmp, requests);
	if (error)
		netsnmp_set_request_error(info, requests, error);
	return SNMP_ERR_NOERROR;
}

bool hb__snmp_register(hb_snmp *snmp)
{
	netsnmp_handler_registration *r =
		netsnmp_create_handler_registration("hbdb", handler, root, OID_LENGTH(root), HANDLER_CAN_RWRITE);
	if (!r)
		return false;
	r->handler->myvoid = snmp;
	return netsnmp_register_handler(r) == MIB_REGISTERED_OK;
}
