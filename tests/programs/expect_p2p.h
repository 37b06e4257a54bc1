/* One helper for each call that moves, completes or probes a message. expect.h includes this. */

#define COUNT_TYPE(n, t) (long)(n), type_name(t)

#define SENDER(name)                                                                                          \
	MAYBE int name(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)                     \
	{                                                                                                     \
		int rc = MPI_##name(b, n, t, to, tag, c);                                                     \
		expect("MPI_" #name "(count=%ld, datatype=%s, dest=%s, tag=%s, comm=%s)%s", COUNT_TYPE(n, t), \
			rank_name(to), tag_name(tag), comm_name(c), ending(rc));                              \
		return rc;                                                                                    \
	}
SENDER(Send)
SENDER(Ssend)
SENDER(Rsend)
SENDER(Bsend)

MAYBE void posted_send(MPI_Request *r, bool persistent)
{
	posted(r, false, 0, 0, 0, persistent);
	expect_find(r)->send = !persistent;
	expect_sends += !persistent;
	expect_shared = expect_shared || expect_sends > 1;
}

#define ISENDER(name, persistent)                                                                             \
	MAYBE int name(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)     \
	{                                                                                                     \
		int rc = MPI_##name(b, n, t, to, tag, c, r);                                                  \
		expect("MPI_" #name "(count=%ld, datatype=%s, dest=%s, tag=%s, comm=%s)%s", COUNT_TYPE(n, t), \
			rank_name(to), tag_name(tag), comm_name(c), ending(rc));                              \
		if (rc == MPI_SUCCESS)                                                                        \
			posted_send(r, persistent);                                                           \
		return rc;                                                                                    \
	}
ISENDER(Isend, false)
ISENDER(Issend, false)
ISENDER(Irsend, false)
ISENDER(Ibsend, false)
ISENDER(Send_init, true)
ISENDER(Ssend_init, true)
ISENDER(Rsend_init, true)
ISENDER(Bsend_init, true)

#define IRECEIVER(name, persistent)                                                                             \
	MAYBE int name(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)           \
	{                                                                                                       \
		int rc = MPI_##name(b, n, t, from, tag, c, r);                                                  \
		expect("MPI_" #name "(count=%ld, datatype=%s, source=%s, tag=%s, comm=%s)%s", COUNT_TYPE(n, t), \
			rank_name(from), tag_name(tag), comm_name(c), ending(rc));                              \
		if (rc == MPI_SUCCESS)                                                                          \
			posted(r, true, type_bytes(n, t), from, tag, persistent);                               \
		return rc;                                                                                      \
	}
IRECEIVER(Irecv, false)
IRECEIVER(Recv_init, true)

MAYBE int Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *st)
{
	int rc = MPI_Recv(b, n, t, from, tag, c, st);
	answer_recv(st, type_bytes(n, t), from, tag);
	expect("MPI_Recv(count=%ld, datatype=%s, source=%s, tag=%s, comm=%s)%s", COUNT_TYPE(n, t), rank_name(from),
		tag_name(tag), comm_name(c), ending(rc));
	return rc;
}

MAYBE int Sendrecv(const void *sb, int sn, MPI_Datatype t, int to, int stag, void *rb, int rn, int from, int rtag,
	MPI_Comm c, MPI_Status *st)
{
	int rc = MPI_Sendrecv(sb, sn, t, to, stag, rb, rn, t, from, rtag, c, st);
	answer_recv(st, type_bytes(rn, t), from, rtag);
	expect("MPI_Sendrecv(sendcount=%d, sendtype=%s, dest=%s, sendtag=%s, recvcount=%d, recvtype=%s, source=%s, "
	       "recvtag=%s, comm=%s)%s",
		sn, type_name(t), rank_name(to), tag_name(stag), rn, type_name(t), rank_name(from), tag_name(rtag),
		comm_name(c), ending(rc));
	return rc;
}

MAYBE int Sendrecv_replace(
	void *b, int n, MPI_Datatype t, int to, int stag, int from, int rtag, MPI_Comm c, MPI_Status *st)
{
	int rc = MPI_Sendrecv_replace(b, n, t, to, stag, from, rtag, c, st);
	answer_recv(st, type_bytes(n, t), from, rtag);
	expect("MPI_Sendrecv_replace(count=%d, datatype=%s, dest=%s, sendtag=%s, source=%s, recvtag=%s, comm=%s)%s", n,
		type_name(t), rank_name(to), tag_name(stag), rank_name(from), tag_name(rtag), comm_name(c), ending(rc));
	return rc;
}

/* Completion */

MAYBE int Wait(MPI_Request *r, MPI_Status *st)
{
	int rc = MPI_Wait(r, st);
	answer_done(r, st, rc);
	expect("MPI_Wait()%s", ending(rc));
	return rc;
}

MAYBE bool Test(MPI_Request *r, MPI_Status *st)
{
	int yes, rc = MPI_Test(r, &yes, st);
	if (yes) {
		answer_done(r, st, rc);
		expect("MPI_Test()%s", ending(rc));
	}
	return yes;
}

MAYBE bool Request_get_status(MPI_Request *r, MPI_Status *st)
{
	int yes, rc = MPI_Request_get_status(*r, &yes, st);
	struct expect_post *p = expect_find(r), kept;
	if (!yes)
		return false;
	if (p)
		kept = *p;
	answer_done(r, st, rc);
	if (p) { /* the request stays as it was */
		*p = kept;
		if (p - expect_posts >= expect_high)
			expect_high = (int)(p - expect_posts) + 1;
	}
	expect("MPI_Request_get_status()%s", ending(rc));
	return true;
}

/* Each request of an array; with ERR_IN_STATUS each has its own error. */
MAYBE void answer_all(int n, MPI_Request *r, MPI_Status *st, int rc)
{
	int class = rc;
	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &class);
	for (int i = 0; i < n; i++)
		answer_done(&r[i], &st[i], class == MPI_ERR_IN_STATUS ? st[i].MPI_ERROR : rc);
}

MAYBE int Waitall(int n, MPI_Request *r, MPI_Status *st)
{
	int rc = MPI_Waitall(n, r, st);
	answer_all(n, r, st, rc);
	expect("MPI_Waitall(count=%d)%s", n, ending(rc));
	return rc;
}

MAYBE bool Testall(int n, MPI_Request *r, MPI_Status *st)
{
	int yes, rc = MPI_Testall(n, r, &yes, st);
	if (yes) {
		answer_all(n, r, st, rc);
		expect("MPI_Testall(count=%d)%s", n, ending(rc));
	}
	return yes;
}

MAYBE void answer_any(MPI_Request *r, int index, MPI_Status *st, int rc)
{
	answer("index=%s", number_name(index));
	if (index != MPI_UNDEFINED)
		answer_done(&r[index], st, rc);
}

MAYBE int Waitany(int n, MPI_Request *r, int *index, MPI_Status *st)
{
	int rc = MPI_Waitany(n, r, index, st);
	answer_any(r, *index, st, rc);
	expect("MPI_Waitany(count=%d)%s", n, ending(rc));
	return rc;
}

MAYBE bool Testany(int n, MPI_Request *r, int *index, MPI_Status *st)
{
	int yes, rc = MPI_Testany(n, r, index, &yes, st);
	if (yes) {
		answer_any(r, *index, st, rc);
		expect("MPI_Testany(count=%d)%s", n, ending(rc));
	}
	return yes;
}

MAYBE void answer_some(MPI_Request *r, int done, int *indices, MPI_Status *st, int rc)
{
	int class = rc;
	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &class);
	if (done == MPI_UNDEFINED)
		answer("index=UNDEFINED");
	for (int i = 0; i < done; i++) {
		answer("index=%d", indices[i]);
		answer_done(&r[indices[i]], &st[i], class == MPI_ERR_IN_STATUS ? st[i].MPI_ERROR : rc);
	}
}

MAYBE int Waitsome(int n, MPI_Request *r, int *done, int *indices, MPI_Status *st)
{
	int rc = MPI_Waitsome(n, r, done, indices, st);
	answer_some(r, *done, indices, st, rc);
	expect("MPI_Waitsome(incount=%d)%s", n, ending(rc));
	return rc;
}

/* Says no when nothing has completed; MPI_UNDEFINED is an answer. */
MAYBE bool Testsome(int n, MPI_Request *r, int *done, int *indices, MPI_Status *st)
{
	int rc = MPI_Testsome(n, r, done, indices, st);
	if (*done != 0) {
		answer_some(r, *done, indices, st, rc);
		expect("MPI_Testsome(incount=%d)%s", n, ending(rc));
	}
	return *done != 0;
}

/* Requests otherwise */

MAYBE int Start(MPI_Request *r)
{
	int rc = MPI_Start(r);
	struct expect_post *p = expect_find(r);
	if (p) {
		answer("#%d", p->made);
		p->number = expect_posted++;
		p->active = true;
	}
	expect("MPI_Start()%s", ending(rc));
	return rc;
}

MAYBE int Startall(int n, MPI_Request *r)
{
	int rc = MPI_Startall(n, r);
	for (int i = 0; i < n; i++) {
		struct expect_post *p = expect_find(&r[i]);
		answer("#%d", p->made);
		p->number = expect_posted++;
		p->active = true;
	}
	expect("MPI_Startall(count=%d)%s", n, ending(rc));
	return rc;
}

MAYBE int Cancel(MPI_Request *r)
{
	int rc = MPI_Cancel(r);
	struct expect_post *p = expect_find(r);
	if (p)
		answer("#%d", p->number);
	expect("MPI_Cancel()%s", ending(rc));
	return rc;
}

MAYBE int Request_free(MPI_Request *r)
{
	int rc = MPI_Request_free(r);
	struct expect_post *p = expect_find(r);
	if (p)
		answer("%s", posting_name(p));
	unposted(r);
	expect("MPI_Request_free()%s", ending(rc));
	return rc;
}

/* Probes */

MAYBE int Probe(int from, int tag, MPI_Comm c, MPI_Status *st)
{
	int rc = MPI_Probe(from, tag, c, st);
	answer_status(st);
	expect("MPI_Probe(source=%s, tag=%s, comm=%s)%s", rank_name(from), tag_name(tag), comm_name(c), ending(rc));
	return rc;
}

MAYBE bool Iprobe(int from, int tag, MPI_Comm c, MPI_Status *st)
{
	int yes, rc = MPI_Iprobe(from, tag, c, &yes, st);
	if (yes) {
		answer_status(st);
		expect("MPI_Iprobe(source=%s, tag=%s, comm=%s)%s", rank_name(from), tag_name(tag), comm_name(c),
			ending(rc));
	}
	return yes;
}

/* The number of the posting goes into *ret_number, for Mrecv and Imrecv. */
MAYBE int Mprobe(int from, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *st, int *ret_number)
{
	int rc = MPI_Mprobe(from, tag, c, m, st);
	answer_status(st);
	expect("MPI_Mprobe(source=%s, tag=%s, comm=%s)%s", rank_name(from), tag_name(tag), comm_name(c), ending(rc));
	*ret_number = expect_posted++;
	return rc;
}

MAYBE bool Improbe(int from, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *st, int *ret_number)
{
	int yes, rc = MPI_Improbe(from, tag, c, &yes, m, st);
	if (yes) {
		answer_status(st);
		expect("MPI_Improbe(source=%s, tag=%s, comm=%s)%s", rank_name(from), tag_name(tag), comm_name(c),
			ending(rc));
		*ret_number = expect_posted++;
	}
	return yes;
}

MAYBE int Mrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, int number, MPI_Status *st)
{
	int rc = MPI_Mrecv(b, n, t, m, st);
	if (number >= 0)
		answer("#%d", number);
	expect("MPI_Mrecv(count=%ld, datatype=%s)%s", COUNT_TYPE(n, t), ending(rc));
	return rc;
}

/* from, tag, bytes: of the message that was probed; the receive is then as posted. */
MAYBE int Imrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, int number, MPI_Status *probed, MPI_Request *r)
{
	int rc = MPI_Imrecv(b, n, t, m, r);
	if (number >= 0)
		answer("#%d", number);
	expect("MPI_Imrecv(count=%ld, datatype=%s)%s", COUNT_TYPE(n, t), ending(rc));
	posted(r, true, type_bytes(n, t), probed->MPI_SOURCE, probed->MPI_TAG, false);
	return rc;
}
