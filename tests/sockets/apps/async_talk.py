"""A server and clients in asyncio. usage: async_talk.py server PORT | client PORT CLIENTS QUESTIONS"""
import asyncio
import signal
import sys


async def answer(reader, writer):
    while line := await reader.readline():
        await asyncio.sleep(len(line) % 3 / 1000)
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def serve(port):
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    async with await asyncio.start_server(answer, "127.0.0.1", port):
        await over.wait()


async def ask(port, number, questions):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    good = 0
    for i in range(questions):
        line = "client %d asks %d%s\n" % (number, i, "!" * (number * i % 7))
        writer.write(line.encode())
        await asyncio.sleep(0)
        good += (await reader.readline()).decode() == line.upper()
    writer.close()
    await writer.wait_closed()
    return good


async def be_clients(port, clients, questions):
    good = await asyncio.gather(*[ask(port, i, questions) for i in range(clients)])
    print(sum(good), "answers")


if sys.argv[1] == "server":
    asyncio.run(serve(int(sys.argv[2])))
else:
    asyncio.run(be_clients(*map(int, sys.argv[2:])))
