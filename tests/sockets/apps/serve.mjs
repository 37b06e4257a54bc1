// An HTTP server that answers what it is sent. usage: node serve.mjs PORT
import http from 'node:http';

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.end(`got ${Buffer.concat(parts)}\n`);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
