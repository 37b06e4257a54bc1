/* The servers of tcp_mix.c, a part of it. */

static void add(uint64_t *to, uint64_t n) { __atomic_add_fetch(to, n, __ATOMIC_RELAXED); }

/* What the server says on a connection depends on which one it is: so does what is printed. */
static void serve_one(int fd, int which)
{
	struct counts own = {0};
	carry_as(10000 + (uint32_t)which);
	talk(fd, seed * 89 + (uint64_t)which, &own);
	add(&counts[clients].sent, own.sent);
	add(&counts[clients].received, own.received);
}

static int listen_anywhere(void)
{
	socklen_t size = address_size();
	server.any.sa_family = six ? AF_INET6 : AF_INET;
	if (six)
		server.six.sin6_addr = in6addr_loopback;
	else
		server.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (spread) {
		enter_net(0);
		server.four = address_in_net(0, 5000);
	}
	int fd = socket(server.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, &server.any, size) || listen(fd, 64) || getsockname(fd, &server.any, &size))
		give_up("listen");
	return fd;
}

static int accept_one(int listening, int flags)
{
	struct sockaddr_in6 peer;
	socklen_t size = sizeof peer;
	int fd = plain_accept ? accept(listening, NULL, NULL)
			      : accept4(listening, (struct sockaddr *)&peer, &size, flags | SOCK_CLOEXEC);
	if (fd < 0 && errno != EAGAIN)
		give_up("accept");
	if (fd >= 0 && plain_accept && flags)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void *serve_thread(void *fd_and_which)
{
	intptr_t both = (intptr_t)fd_and_which;
	serve_one((int)(both & 0xffff), (int)(both >> 16));
	return NULL;
}

static void serve_by_threads(int listening, int total)
{
	pthread_t threads[total];
	for (int i = 0; i < total; i++)
		if (pthread_create(&threads[i], NULL, serve_thread,
			    (void *)((intptr_t)accept_one(listening, 0) | (intptr_t)i << 16)))
			give_up("thread");
	for (int i = 0; i < total; i++)
		pthread_join(threads[i], NULL);
}

static void serve_by_children(int listening, int total)
{
	for (int i = 0; i < total; i++) {
		int fd = accept_one(listening, 0);
		if (!fork()) {
			close(listening);
			serve_one(fd, i);
			truth_flush();
			_exit(0);
		}
		close(fd);
	}
	while (wait(NULL) > 0)
		continue;
}

/* A connection of an event loop. */
struct talked {
	int fd;
	uint64_t state;
	struct carry c;
	struct way w;
	struct counts counts;
	unsigned char piece[LONGEST];
};

/* What is there is read; a block goes back for each time that something was. Returns whether the connection is over. */
static bool serve_readiness(struct talked *t, bool edge)
{
	ssize_t got;
	bool any = false;
	while ((got = recv(t->fd, t->piece, 1 + chance(&t->state, LONGEST - 1), MSG_DONTWAIT)) > 0) {
		told_in(STREAM, &t->w, t->piece, got);
		t->counts.received += (uint64_t)got;
		any = true;
		if (!edge)
			break;
	}
	if (any && t->counts.sent < 20000) {
		size_t length = HEADER + chance(&t->state, 600);
		uint64_t at = carry_block(&t->c, t->piece, length);
		if (send(t->fd, t->piece, length, MSG_NOSIGNAL) != (ssize_t)length)
			give_up("send");
		told_out(STREAM, &t->c, at, (ssize_t)length);
		t->counts.sent += length;
	}
	if (got < 0 && errno != EAGAIN)
		give_up("recv");
	if (got != 0)
		return false;
	way_ends(&t->w);
	add(&counts[clients].sent, t->counts.sent);
	add(&counts[clients].received, t->counts.received);
	close(t->fd);
	return true;
}

static void serve_by_epoll(int listening, int total, bool edge)
{
	struct epoll_event ready[8], wanted = {EPOLLIN, {NULL}};
	int epoll = epoll_create1(EPOLL_CLOEXEC), over = 0;
	fcntl(listening, F_SETFL, O_NONBLOCK);
	epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &wanted);
	while (over < total) {
		int k = epoll_wait(epoll, ready, 8, -1);
		for (int i = 0; i < k; i++) {
			struct talked *t = ready[i].data.ptr;
			int fd;
			if (t && serve_readiness(t, edge)) {
				free(t);
				over++;
			}
			while (!t && (fd = accept_one(listening, SOCK_NONBLOCK)) >= 0) {
				t = calloc(1, sizeof *t);
				*t = (struct talked){.fd = fd, .state = seed, .c = carry_begin(), .w = way_begin()};
				wanted = (struct epoll_event){EPOLLIN | (edge ? EPOLLET : 0), {t}};
				epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
				t = NULL;
			}
		}
	}
}

/* A descriptor goes to another process, beside a block without filler. */
static void pass(int to, struct carry *c, int fd)
{
	unsigned char bytes[HEADER];
	uint64_t at = carry_block(c, bytes, HEADER);
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {bytes, HEADER};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	if (sendmsg(to, &message, MSG_NOSIGNAL) != HEADER)
		give_up("pass a descriptor");
	told_out(STREAM, c, at, HEADER);
}

static int take_passed(int from, struct way *w)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	unsigned char bytes[HEADER];
	int fd;
	struct iovec part = {bytes, HEADER};
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != HEADER)
		return -1;
	told_in(STREAM, w, bytes, HEADER);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

static void serve_by_passing(int listening, int total)
{
	int ends[2][2];
	struct carry to[2] = {carry_begin(), carry_begin()};
	for (int i = 0; i < 2; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]))
			give_up("socketpair");
		if (!fork()) {
			int fd, served = 0;
			carry_as(9000 + (uint32_t)i);
			struct way w = way_begin();
			close(listening);
			for (int j = 0; j <= i; j++)
				close(ends[j][0]);
			while ((fd = take_passed(ends[i][1], &w)) >= 0)
				serve_one(fd, i + 2 * served++);
			truth_flush();
			_exit(0);
		}
		close(ends[i][1]);
	}
	for (int i = 0; i < total; i++) {
		int fd = accept_one(listening, 0);
		pass(ends[i % 2][0], &to[i % 2], fd);
		close(fd);
	}
	close(ends[0][0]);
	close(ends[1][0]);
	while (wait(NULL) > 0)
		continue;
}

/* So many bytes, 0, 1, 2 and on, in a pipe that is closed behind them. */
static int numbers_in_a_pipe(int total, struct carry *c)
{
	int ends[2];
	unsigned char number[total];
	for (int i = 0; i < total; i++)
		number[i] = (unsigned char)i;
	*c = carry_begin();
	if (total > 256 || pipe(ends) || write(ends[1], number, (size_t)total) != total)
		give_up("pipe");
	told_out(STREAM, c, 0, total);
	close(ends[1]);
	return ends[0];
}

/* Two processes take connections from one socket, and the numbers of those out of one pipe, so that both end when all are taken. It is told to
 * listen a second time, as servers do that change how many may wait. */
static void serve_by_sharing(int listening, int total)
{
	struct carry c;
	int numbers = numbers_in_a_pipe(total, &c);
	if (listen(listening, 128))
		give_up("listen again");
	bool child = fork() == 0;
	unsigned char which;
	carry_as(child ? 8002 : 8001);
	struct way w = way_begin();
	w.now.who = c.who;
	w.now.number = c.number;
	while (read(numbers, &which, 1) == 1) {
		truth_line("in", STREAM, 1, w.who, w.number, w.at);
		truth_is(&w, w.at++, 1, which);
		int fd = accept_one(listening, 0);
		if (!fork()) {
			serve_one(fd, which);
			truth_flush();
			_exit(0);
		}
		close(fd);
	}
	while (wait(NULL) > 0)
		continue;
	truth_flush();
	if (child)
		_exit(0);
}

static void serve(int listening)
{
	int total = clients * connections;
	carry_as(8000);
	if (is(server_is, "thread"))
		serve_by_threads(listening, total);
	else if (is(server_is, "fork"))
		serve_by_children(listening, total);
	else if (is(server_is, "pass"))
		serve_by_passing(listening, total);
	else if (is(server_is, "share"))
		serve_by_sharing(listening, total);
	else if (is(server_is, "one"))
		for (int i = 0; i < total; i++)
			serve_one(accept_one(listening, 0), i);
	else
		serve_by_epoll(listening, total, is(server_is, "edge"));
	truth_flush();
	_exit(0);
}
