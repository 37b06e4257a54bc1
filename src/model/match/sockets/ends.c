/* Ends and addresses by their names (hbdb-recording.5, SOCKETS), each numbered once for all processes that have it. */
#include <arpa/inet.h>
#include <stdio.h>

#include "model/match/sockets/sockets.h"

static uint64_t hash(const char *s, size_t n) /* FNV-1a */
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
	return h;
}

bool hb__place_network(struct hb__sockets *s, uint32_t process)
{
	const hb_log *log = s->m->processes.at[process].log;
	const char *host = hb_log_get_info(log)->host;
	uint32_t i = 0, clock = (uint32_t)s->networks.n;
	for (; i < s->networks.n; i++) {
		const struct hb__network *w = &s->networks.at[i];
		if (strcmp(w->host, host))
			continue;
		clock = w->clock;
		if (w->number == hb_log_network(log))
			break;
	}
	if (i == s->networks.n && !VEC_PUSH(&s->networks, ((struct hb__network){host, hb_log_network(log), clock})))
		return false;
	s->network_of[process] = i;
	return true;
}

/* ---- addresses ---- */

static bool port_of(const char *s, const char *end, uint32_t *ret)
{
	*ret = 0;
	for (; s < end && *s >= '0' && *s <= '9' && *ret <= 65535; s++)
		*ret = *ret * 10 + (uint32_t)(*s - '0');
	return s == end && *ret <= 65535;
}

/* ADDRESS:PORT or [ADDRESS%INTERFACE]:PORT; false: a name. */
static bool read_ip(const char *s, size_t n, struct hb__address *ret)
{
	char text[INET6_ADDRSTRLEN + 1] = "";
	const char *end = s + n, *colon = memrchr(s, ':', n);
	if (!colon || colon + 1 == end || !port_of(colon + 1, end, &ret->port))
		return false;
	bool six = *s == '[' && colon > s && colon[-1] == ']';
	size_t length = (size_t)(colon - s) - 2 * six;
	if (length >= sizeof text)
		return false;
	memcpy(text, s + six, length);
	ret->family = six ? HB__V6 : HB__V4;
	if (inet_pton(six ? AF_INET6 : AF_INET, text, ret->ip) != 1)
		return false;
	static const uint8_t none[16], self[16] = {[15] = 1};
	ret->any = !memcmp(ret->ip, none, six ? 16 : 4);
	ret->loopback = six ? !memcmp(ret->ip, self, 16) : ret->ip[0] == 127;
	/* a broadcast address ends in ones, as far as the network's size can be guessed at */
	ret->many = six ? ret->ip[0] == 0xff : (ret->ip[0] & 0xf0) == 0xe0 || ret->ip[3] == 255;
	return true;
}

/* [ADDRESS%INTERFACE]:PORT without the interface: each machine has its own numbers for them. */
static const char *without_interface(const char *text, size_t *n, char *room, size_t most)
{
	const char *scope = *text == '[' ? memchr(text, '%', *n) : NULL,
		   *end = scope ? memchr(scope, ']', *n - (size_t)(scope - text)) : NULL;
	size_t before = end ? (size_t)(scope - text) : 0, after = end ? *n - (size_t)(end - text) : 0;
	if (!end || before + after > most)
		return text;
	memcpy(room, text, before);
	memcpy(room + before, end, after);
	*n = before + after;
	return room;
}

uint32_t hb__socket_address(struct hb__sockets *s, uint32_t network, const char *given, size_t n)
{
	struct hb__address a = {.network = network};
	char room[INET6_ADDRSTRLEN + 16];
	const char *text = without_interface(given, &n, room, sizeof room);
	if (!n || (n == 1 && *text == '-'))
		return HB_NO;
	if (!read_ip(text, n, &a))
		a = (struct hb__address){.network = network, .family = HB__NAME};
	else if (!a.loopback)
		a.network = HB_NO;
	for (uint64_t again = 0;; again++) {
		struct hb__cell *cell = hb__place(&s->address_of, (struct hb__key){hash(text, n) + again, a.network});
		if (!cell)
			break;
		if (cell->value != HB_NO) {
			const char *old = s->addresses.at[cell->value].text;
			if (strlen(old) == n && !memcmp(old, text, n))
				return cell->value;
			continue;
		}
		uint32_t id = (uint32_t)s->addresses.n;
		if (a.family == HB__NAME)
			a.port = 65536 + id;
		a.text = strndup(text, n);
		if (!a.text || !VEC_PUSH(&s->addresses, a))
			break;
		return cell->value = id;
	}
	s->no_memory = true;
	return HB_NO;
}

bool hb__may_be(const struct hb__sockets *s, uint32_t a, uint32_t b)
{
	if (a == HB_NO || b == HB_NO || a == b)
		return true;
	const struct hb__address *x = &s->addresses.at[a], *y = &s->addresses.at[b];
	if (x->port && y->port && x->port != y->port)
		return false;
	if (x->any || y->any || x->many ||
		y->many) /* a socket that is bound to several receivers' address sends from another one */
		return true;
	return x->family == y->family && !memcmp(x->ip, y->ip, 16) && (!x->loopback || x->network == y->network);
}

static struct hb__key machine_key(const struct hb__address *a, uint32_t network)
{
	uint64_t low, high;
	memcpy(&low, a->ip, 8);
	memcpy(&high, a->ip + 8, 8);
	return (struct hb__key){low * 31 + a->family, high ^ (uint64_t)network << 32};
}

bool hb__of_machine(const struct hb__sockets *s, uint32_t address, uint32_t network)
{
	const struct hb__address *a = &s->addresses.at[address];
	if (a->family == HB__NAME || a->loopback)
		return a->network == network;
	return a->any || hb__look(&s->machine_of, machine_key(a, network)) != HB_NO;
}

static void note_machine(struct hb__sockets *s, uint32_t address, uint32_t network)
{
	const struct hb__address *a = address == HB_NO ? NULL : &s->addresses.at[address];
	if (!a || a->family < HB__V4 || a->any || a->loopback || a->many)
		return;
	struct hb__cell *cell = hb__place(&s->machine_of, machine_key(a, network));
	if (cell)
		cell->value = network;
	else
		s->no_memory = true;
}

/* ---- connections ---- */

static uint32_t new_connection(struct hb__sockets *s, const struct hb__socket_end *e)
{
	struct hb__connection c = {
		.address = {e->own, e->peer}, .network = e->network, .kind = e->kind, .group = HB_NO};
	if (VEC_PUSH(&s->connections, c))
		return (uint32_t)s->connections.n - 1;
	s->no_memory = true;
	return HB_NO;
}

static struct hb__cell *numbered(struct hb__sockets *s, uint32_t kind, uint32_t a, uint32_t b)
{
	struct hb__cell *cell = hb__place(&s->connection_of, (struct hb__key){(uint64_t)kind << 32 | a, b});
	s->no_memory = s->no_memory || !cell;
	return cell;
}

/* Of sockets with numbers, of which one may not be known: each belongs to one connection. */
static void connect_numbers(struct hb__sockets *s, struct hb__socket_end *e)
{
	uint32_t found = HB_NO;
	for (int i = 0; i < 2 && found == HB_NO; i++) {
		uint32_t number = i ? e->peer : e->own;
		if (number != HB_NO)
			found = hb__look(&s->connection_of, (struct hb__key){(uint64_t)e->kind << 32 | number, HB_NO});
	}
	if (found == HB_NO)
		found = new_connection(s, e);
	if (found == HB_NO)
		return;
	struct hb__connection *c = &s->connections.at[found];
	e->connection = found;
	e->side = e->own != HB_NO ? c->address[1] == e->own || (c->address[0] != e->own && c->address[0] == e->peer)
				  : c->address[0] == e->peer;
	for (int i = 0; i < 2; i++) {
		uint32_t number = i ? e->peer : e->own;
		struct hb__cell *cell = number == HB_NO ? NULL : numbered(s, e->kind, number, HB_NO);
		if (cell && cell->value == HB_NO)
			cell->value = found;
		if (c->address[e->side ^ i] == HB_NO)
			c->address[e->side ^ i] = number;
	}
}

static void connect_addresses(struct hb__sockets *s, struct hb__socket_end *e)
{
	e->side = e->own > e->peer;
	struct hb__cell *cell = numbered(s, e->kind, e->side ? e->peer : e->own, e->side ? e->own : e->peer);
	if (!cell)
		return;
	if (cell->value == HB_NO) {
		uint32_t made = new_connection(s, e);
		if (made == HB_NO)
			return;
		cell->value = made;
		s->connections.at[made].address[0] = e->side ? e->peer : e->own;
		s->connections.at[made].address[1] = e->side ? e->own : e->peer;
	}
	e->connection = cell->value;
}

/* ---- ends ---- */

static const char *after_word(const char *name, struct hb__socket_end *e)
{
	static const struct {
		const char *word;
		uint8_t kind;
		uint16_t protocol;
	} words[] = {{"tcp ", HB__END_TCP, 0}, {"udp ", HB__END_DATAGRAM, 17}, {"unix ", HB__END_UNIX, 0},
		{"unixgram ", HB__END_DATAGRAM, HB__LOCAL}, {"pipe ", HB__END_PIPE, 0}, {"fifo ", HB__END_FIFO, 0}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(name, words[i].word, strlen(words[i].word))) {
			e->kind = words[i].kind;
			e->protocol = words[i].protocol;
			return name + strlen(words[i].word);
		}
	char *end = NULL;
	unsigned long protocol = !strncmp(name, "ip-", 3) ? strtoul(name + 3, &end, 10) : 0;
	if (!end || *end != ' ' || protocol > 255)
		return NULL;
	e->kind = HB__END_DATAGRAM;
	e->protocol = (uint16_t)protocol;
	return end + 1;
}

/* NUMBER > NUMBER PATH, or the path of one that listens. A number of 0 is not known. */
static void read_unix(struct hb__sockets *s, struct hb__socket_end *e, const char *rest)
{
	size_t own = strspn(rest, "0123456789");
	size_t peer = own && !strncmp(rest + own, " > ", 3) ? strspn(rest + own + 3, "0123456789") : 0;
	if (!peer) {
		e->own = hb__socket_address(s, e->network, rest, strlen(rest));
		return;
	}
	e->paired = true;
	if (own != 1 || *rest != '0')
		e->own = hb__socket_address(s, e->network, rest, own);
	if (peer != 1 || rest[own + 3] != '0')
		e->peer = hb__socket_address(s, e->network, rest + own + 3, peer);
	if (e->own != HB_NO || e->peer != HB_NO)
		connect_numbers(s, e);
}

static void read_end(struct hb__sockets *s, struct hb__socket_end *e)
{
	const char *rest = after_word(e->name, e), *peer;
	if (!rest)
		return;
	switch ((enum hb__end_kind)e->kind) {
	case HB__END_PIPE:
	case HB__END_FIFO: /* the number alone: one fifo may have several paths */
		e->own = e->peer =
			hb__socket_address(s, e->network, e->name, (size_t)(rest - e->name) + strcspn(rest, " "));
		connect_addresses(s, e);
		return;
	case HB__END_UNIX:
		read_unix(s, e, rest);
		return;
	default:
		break;
	}
	peer = strstr(rest, " > ");
	e->paired = peer != NULL;
	e->own = hb__socket_address(s, e->network, rest, peer ? (size_t)(peer - rest) : strlen(rest));
	if (peer)
		e->peer = hb__socket_address(s, e->network, peer + 3, strlen(peer + 3));
	note_machine(s, e->own, e->network);
	if (e->kind == HB__END_TCP && e->own != HB_NO && e->peer != HB_NO && e->own != e->peer)
		connect_addresses(s, e);
}

static bool joins(struct hb__sockets *s, uint32_t end, uint32_t process)
{
	struct hb__socket_end *e = &s->ends.at[end];
	bool good =
		(e->processes.n && e->processes.at[e->processes.n - 1] == process) || VEC_PUSH(&e->processes, process);
	if (!good || e->connection == HB_NO)
		return good;
	struct hb__connection *c = &s->connections.at[e->connection];
	return (c->processes.n && c->processes.at[c->processes.n - 1] == process) || VEC_PUSH(&c->processes, process);
}

uint32_t hb__socket_end(struct hb__sockets *s, uint32_t process, const char *name)
{
	size_t n = strlen(name);
	uint32_t network = s->network_of[process];
	for (uint64_t again = 0;; again++) {
		struct hb__cell *cell = hb__place(&s->end_of, (struct hb__key){hash(name, n) + again, network});
		if (!cell)
			break;
		if (cell->value != HB_NO && strcmp(s->ends.at[cell->value].name, name))
			continue;
		if (cell->value == HB_NO) {
			struct hb__socket_end e = {.name = name,
				.network = network,
				.own = HB_NO,
				.peer = HB_NO,
				.connection = HB_NO,
				.group = HB_NO,
				.listen = HB_NO,
				.sent = HB_NO,
				.taker = HB_NO};
			read_end(s, &e);
			cell->value = (uint32_t)s->ends.n;
			if (!VEC_PUSH(&s->ends, e)) {
				cell->value = HB_NO;
				break;
			}
		}
		if (!joins(s, cell->value, process))
			break;
		return cell->value;
	}
	s->no_memory = true;
	return HB_NO;
}
