/* The tree of processors, and parts of tasks. */
#include <stdio.h>
#include <string.h>

#include "rules/tasks/tasks.h"

uint32_t hb_tasks_parent(const hb_tasks_spec *spec, uint32_t node)
{
	if (!node)
		return HB_TASKS_NONE;
	if (node == 1 || spec->topology == HB_TASKS_STAR)
		return 0;
	return (node - 2) / spec->topology + 1;
}

uint32_t hb_tasks_level(const hb_tasks_spec *spec, uint32_t node)
{
	if (spec->topology == 1)
		return node;
	uint32_t level = 0;
	for (; node; node = hb_tasks_parent(spec, node))
		level++;
	return level;
}

uint32_t hb_tasks_function_of(const hb_tasks_spec *spec, uint32_t node, int32_t function)
{
	return node + spec->processors * (uint32_t)(HB_TASKS_RECEIVER - function);
}

uint32_t hb_tasks_node_of(const hb_tasks_spec *spec, uint32_t low) { return low % spec->processors; }

int32_t hb_tasks_is_function(const hb_tasks_spec *spec, uint32_t low)
{
	uint32_t which = low / spec->processors;
	return which ? HB_TASKS_RECEIVER - (int32_t)which : 0;
}

bool hb_tasks_has_children(const hb_tasks_spec *spec, uint32_t node)
{
	if (!node)
		return spec->processors > 1;
	return spec->topology != HB_TASKS_STAR && (uint64_t)spec->topology * (node - 1) + 2 < spec->processors;
}

uint32_t hb_tasks_bits(const hb_tasks_spec *spec)
{
	uint32_t bits = 1;
	while (UINT64_C(1) << bits < spec->degree)
		bits++;
	return bits;
}

static uint64_t mask(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

uint32_t hb_tasks_last_digit(const hb_tasks_spec *spec, hb_tasks_sub part)
{
	uint32_t bits = hb_tasks_bits(spec);
	return (uint32_t)(part.part >> (part.length - 1) * bits & mask(bits));
}

hb_tasks_sub hb_tasks_whole_of(const hb_tasks_spec *spec, hb_tasks_sub part)
{
	part.length--;
	part.part &= mask(part.length * hb_tasks_bits(spec));
	return part;
}

hb_tasks_sub hb_tasks_part(const hb_tasks_spec *spec, hb_tasks_sub whole, uint32_t digit)
{
	whole.part |= (uint64_t)digit << whole.length++ * hb_tasks_bits(spec);
	return whole;
}

void hb_tasks_sub_text(const hb_tasks_spec *spec, hb_tasks_sub sub, bool skips, char ret[HB_TASKS_SUB_TEXT])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
	uint32_t bits = hb_tasks_bits(spec), n = sub.length + skips, width = spec->degree > 1 ? spec->depth - 1 : 0;
	if (!sub.length)
		n = 0;
	if (width < n)
		width = n;
	if (!width) {
		ret[0] = '-';
		ret[1] = 0;
		return;
	}
	memset(ret, '0', width);
	ret[width] = 0;
	for (uint32_t i = 0; i < sub.length; i++)
		ret[width - 1 - i - skips] = digits[sub.part >> i * bits & mask(bits)];
}

static bool wrong(const char *name, const char *field, const char *what, hb_tasks_trouble *trouble)
{
	snprintf(trouble->text, sizeof trouble->text, "%s:1: %s %s", name, field, what);
	return false;
}

bool hb_tasks_spec_good(const hb_tasks_spec *spec, const char *name, hb_tasks_trouble *trouble)
{
	if (spec->processors < 1 || spec->processors > HB_TASKS_NODES_MOST)
		return wrong(name, "NumProc", "must be 1 to 1048576", trouble);
	if (spec->topology >= HB_TASKS_NODES_MOST)
		return wrong(name, "Topology",
			"must be 1 (chain), 2 (binary tree), 3 (ternary tree), "
			"a number of children, or 0 (star)",
			trouble);
	if (spec->tasks > INT32_MAX)
		return wrong(name, "NumTasks", "must be 0 to 2147483647", trouble);
	if (spec->degree < 1 || spec->degree > HB_TASKS_DEGREE_MOST)
		return wrong(name, "TaskDegree", "must be 1 (a farm) to 64", trouble);
	if (spec->depth < 1)
		return wrong(name, "TaskDepth", "must be at least 1", trouble);
	if (spec->degree > 1 && (uint64_t)(spec->depth - 1) * hb_tasks_bits(spec) > 64)
		return wrong(name, "TaskDepth", "is too large: TaskDepth - 1 digits of a subtask must fit into 64 bits",
			trouble);
	return true;
}
