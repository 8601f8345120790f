// The least server that the TypeScript SDK makes of Streamable HTTP, with one tool, in its quickest
// setting: answers as JSON, a session for each client. node http_server.mjs DIRECTORY
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const root = process.argv[2];
const sessions = new Map();

async function begin() {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool('read_file', { description: 'Reads a file.', inputSchema: { path: z.string() } },
    async ({ path }) => ({ content: [{ type: 'text', text: await readFile(join(root, path), 'utf8') }] }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? await begin();
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${server.address().port}/mcp`));
