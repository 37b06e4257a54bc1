/* Nodes: how they are reached, and whether they are. */
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

hb_status hb_complex_node(hb_complex *c, const char *name, const char *platform, const char *address, hb_error *err)
{
	if (!*name || strspn(name, LETTERS) != strlen(name) || strlen(name) > 63 || *name == '-')
		return hb__complex_fail(err, HB_E_ARGUMENT,
			"a node's name is letters, digits and . _ -, 63 at most, but not '%.80s'", name);
	return hb__db_do(c, err,
		"INSERT INTO node(name, platform, address, since) VALUES(?1, ?2, ?3, ?4) "
		"ON CONFLICT(name) DO UPDATE SET platform = ?2, address = ?3",
		"sssi", name, platform, address, hb_complex_now());
}

hb_status hb_complex_node_find(hb_complex *c, const char *name, int64_t *ret_node, hb_error *err)
{
	*ret_node = hb__db_number(c, 0, "SELECT node FROM node WHERE name = ?", "s", name);
	return *ret_node
		       ? HB_OK
		       : hb__complex_fail(err, HB_E_ARGUMENT, "there is no node '%.80s'; hbdb nodes lists them", name);
}

static hb_status remove_all(hb_complex *c, int64_t node, hb_error *err)
{
	hb_status status = hb__db_do(c, err,
		"UPDATE program SET process = NULL WHERE process IN (SELECT process FROM process WHERE node = ?)", "i",
		node);
	status = status ? status : hb__db_do(c, err, "DELETE FROM process WHERE node = ?", "i", node);
	return status ? status : hb__db_do(c, err, "DELETE FROM node WHERE node = ?", "i", node);
}

hb_status hb_complex_node_remove(hb_complex *c, const char *name, hb_error *err)
{
	int64_t node;
	hb_status status = hb_complex_node_find(c, name, &node, err);
	if (status)
		return status;
	char *program = hb__db_words(c, "SELECT name FROM program WHERE node = ?", "i", node);
	if (program)
		status = hb__complex_fail(err, HB_E_ARGUMENT,
			"program %.80s begins on node %.80s; hbdb program remove %.80s goes before", program, name,
			program);
	free(program);
	if (!status &&
		hb__db_number(c, 0,
			"SELECT count(*) FROM hold JOIN process ON hold.process = process.process WHERE node = ?", "i",
			node))
		status = hb__complex_fail(
			err, HB_E_ARGUMENT, "a process of node %.80s is held; hbdb ps says by whom", name);
	status = status ? status : hb_complex_begin(c, err);
	if (status)
		return status;
	status = remove_all(c, node, err);
	status = status ? status
			: hb__db_tell(
				  c, err, "node", "note", 0, 0, 0, NULL, "node %s was removed from the complex", name);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

static hb_status put_hello(hb_complex *c, int64_t node, const cJSON *hello, hb_error *err)
{
	return hb__db_do(c, err,
		"UPDATE node SET boot = ?2, host = ?3, machine = ?4, byte_order = ?5, version = ?6, agent_pid = ?7 "
		"WHERE node = ?1",
		"itttttf", node, cJSON_GetObjectItemCaseSensitive(hello, "boot"),
		cJSON_GetObjectItemCaseSensitive(hello, "host"), cJSON_GetObjectItemCaseSensitive(hello, "machine"),
		cJSON_GetObjectItemCaseSensitive(hello, "order"), cJSON_GetObjectItemCaseSensitive(hello, "version"),
		cJSON_GetObjectItemCaseSensitive(hello, "pid"));
}

hb_status hb_complex_node_state(
	hb_complex *c, int64_t node, const char *state, const char *why, const cJSON *hello, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	char *before = hb__db_words(c, "SELECT state FROM node WHERE node = ?", "i", node);
	char *name = hb__db_words(c, "SELECT name FROM node WHERE node = ?", "i", node);
	bool other = before && strcmp(before, state) != 0;
	status = hb__db_do(c, err,
		"UPDATE node SET why = ?3, since = iif(state = ?2, since, ?4), state = ?2 WHERE node = ?1", "issi",
		node, state, why, hb_complex_now());
	/* a new agent has to find out what there is; under another boot nothing is left */
	if (!status && hello)
		status = hb__db_do(c, err,
			"UPDATE process SET missing = iif(boot = ?2, NULL, 0) WHERE node = ?1 AND state NOT IN ('ended', 'gone')",
			"it", node, cJSON_GetObjectItemCaseSensitive(hello, "boot"));
	if (!status && hello)
		status = put_hello(c, node, hello, err);
	cJSON *data = cJSON_CreateObject();
	cJSON_AddStringToObject(data, "state", state);
	if (!status && other)
		status = hb__db_tell(c, err, "node", strcmp(state, "down") ? "note" : "error", node, 0, 0, data,
			"node %s is %s%s%s", name, state, *why ? ": " : "", why);
	cJSON_Delete(data);
	free(before);
	free(name);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_node_news(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	return hb__db_do(c, err, "UPDATE node SET load = ?2, memory = ?3, disk = ?4 WHERE node = ?1", "ifff", node,
		cJSON_GetObjectItemCaseSensitive(news, "load"), cJSON_GetObjectItemCaseSensitive(news, "memory"),
		cJSON_GetObjectItemCaseSensitive(news, "disk"));
}
