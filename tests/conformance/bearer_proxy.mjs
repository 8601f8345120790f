// The suite cannot send a token: this adds it, and passes everything else on as it is.
// Usage: bearer_proxy.mjs URL TOKEN; prints its own URL, and ends with its input.
import http from 'node:http';

const target = new URL(process.argv[2]);
const authorization = `Bearer ${process.argv[3]}`;

const server = http.createServer((request, response) => {
    const forward = http.request({
        host: target.hostname,
        port: target.port,
        path: request.url,
        method: request.method,
        headers: { ...request.headers, authorization },
        setHost: false,
    }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => forward.destroy());
    request.pipe(forward);
});
server.listen(0, 'localhost', () => console.log(`http://localhost:${server.address().port}/mcp`));
process.stdin.on('end', () => process.exit(0)).resume();
