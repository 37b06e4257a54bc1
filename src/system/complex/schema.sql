-- The complex: what the manager knows. Times are microseconds since 1970; a state's `since` is when it began.
-- A row is never given another meaning: what is gone has a state that says so, and is removed after a time.
PRAGMA application_id = 0x68626462; -- "hbdb"
PRAGMA user_version = 4;

CREATE TABLE node(
	node INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	platform TEXT NOT NULL,          -- hbdb-platform(5)
	address TEXT NOT NULL,           -- what the platform's {node} becomes
	state TEXT NOT NULL DEFAULT 'unknown', -- up, down, unknown
	why TEXT NOT NULL DEFAULT '',    -- down: what was seen last
	since INTEGER NOT NULL DEFAULT 0,
	boot TEXT, host TEXT, machine TEXT, byte_order TEXT, version TEXT, agent_pid INTEGER,
	load REAL, memory INTEGER, disk INTEGER -- per second of the last minute; bytes that are free
);

CREATE TABLE program(
	program INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	node INTEGER REFERENCES node,    -- where its command is begun
	command TEXT NOT NULL,           -- JSON: words
	cwd TEXT, environment TEXT,      -- JSON: an object
	record TEXT,                     -- JSON: options of hbdb record; NULL: not recorded
	recording TEXT,                  -- of its last run
	part TEXT,                       -- the folder of each node in which the processes of that run write; NULL: the recording, or not known
	restart TEXT NOT NULL DEFAULT 'never', -- never, failed, always
	wanted INTEGER NOT NULL DEFAULT 0,     -- 1: it is to run
	state TEXT NOT NULL DEFAULT 'ended',   -- begins, running, stopped, hangs, failed, ended
	since INTEGER NOT NULL DEFAULT 0,
	runs INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, -- how often it was begun; how often it failed since a run was good
	failed INTEGER NOT NULL DEFAULT 0,     -- how often it failed, of all runs
	output TEXT,                     -- of its last run: the file on its node into which it writes
	status INTEGER, signal INTEGER,  -- of its last end
	process INTEGER,                 -- the process that its command was begun as, in its last run
	retry INTEGER,                   -- when it is begun again; NULL: it is not waiting for that
	ending INTEGER                   -- when it was told to end; NULL: it was not
);

CREATE TABLE process(
	process INTEGER PRIMARY KEY AUTOINCREMENT,
	node INTEGER NOT NULL REFERENCES node,
	program INTEGER REFERENCES program,
	pid INTEGER NOT NULL, began INTEGER NOT NULL, boot TEXT NOT NULL,
	name TEXT NOT NULL,              -- as events are named: 3, 3@1, worker#2
	file TEXT,                       -- the program file
	rank INTEGER, world INTEGER,     -- NULL: without MPI
	machine TEXT,                    -- its processor: x86_64, s390x, ...
	recording TEXT, log TEXT,
	state TEXT NOT NULL,             -- running, waiting, stopped, held, ended, gone
	call TEXT, events INTEGER, threads INTEGER,
	messages INTEGER,                -- that it sent
	event_rate REAL, message_rate REAL, -- per second, when its agent looked last
	used REAL, memory INTEGER,       -- seconds of processors; bytes
	status INTEGER, signal INTEGER,
	since INTEGER NOT NULL,
	missing INTEGER,                 -- since when its agent has not known it; NULL: it does
	UNIQUE(node, boot, pid, began)
);

CREATE TABLE event(
	event INTEGER PRIMARY KEY AUTOINCREMENT,
	time INTEGER NOT NULL,
	node INTEGER, program INTEGER, process INTEGER, -- NULL: of none
	kind TEXT NOT NULL,              -- death, exit, gone, start, stop, go, finding, hang, sensor, reaction, node, program, hold, release, refused, note
	weight TEXT NOT NULL,            -- note, warning, error
	text TEXT NOT NULL,              -- a sentence for people
	data TEXT                        -- JSON: what the news had
);
CREATE INDEX event_time ON event(time);
CREATE INDEX event_process ON event(process, kind);

CREATE TABLE reaction(
	reaction INTEGER PRIMARY KEY AUTOINCREMENT,
	file TEXT NOT NULL, line INTEGER NOT NULL,
	condition TEXT NOT NULL, action TEXT NOT NULL, -- as written
	enabled INTEGER NOT NULL DEFAULT 1,
	fired INTEGER NOT NULL DEFAULT 0, last INTEGER,
	UNIQUE(file, line)
);

CREATE TABLE hold(
	process INTEGER, program INTEGER, -- one of them
	who TEXT NOT NULL,               -- user, and number of the console
	why TEXT NOT NULL,
	since INTEGER NOT NULL
);

-- How far the manager has come: `reacted` is the number of the last event that its reactions were asked about.
CREATE TABLE mark(
	name TEXT PRIMARY KEY,
	value INTEGER NOT NULL
);
