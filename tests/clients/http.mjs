// Drives the real server over HTTP with the official clients: node http.mjs PADDOCK CLIENTS
// CLIENTS is the directory into which scripts/clients installed them.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import { everyTool, makeWorkspace } from './every_tool.mjs';
import { inspectEveryTool, inspectWithoutEra } from './inspector.mjs';

const [paddock, clients] = process.argv.slice(2).map((word) => path.resolve(word));
const require = createRequire(path.join(clients, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'paddock-http-clients-'));
const token = 'a-token-for-the-official-clients';

// Commands need a kernel that can confine them.
const probe = spawnSync(paddock, ['call', 'bash', '{"command":"true"}', '--root', base], { encoding: 'utf8' });
const bash = probe.status === 0;
if (!bash) console.log(`bash is not called: ${probe.stderr.trim()}`);

async function serve(root) {
  const server = spawn(paddock, ['serve', '--root', root, '--listen', '127.0.0.1:0'],
    { env: { ...process.env, PADDOCK_TOKEN: token }, stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => server.kill('SIGKILL'));
  for await (const line of readline.createInterface({ input: server.stdout })) {
    const url = /^Listening on (\S+)/.exec(line);
    if (url) return { url: url[1], server };
  }
  throw new Error('the server does not listen');
}

async function end({ server }) {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  assert.equal(await ended, 0);
}

const v1 = {
  ...(await load('@modelcontextprotocol/sdk/client/index.js')),
  ...(await load('@modelcontextprotocol/sdk/client/streamableHttp.js')),
};
const v2 = await load('@modelcontextprotocol/client');

const sdkCases = [
  { name: 'SDK v1', sdk: v1, options: {}, version: undefined },
  { name: 'SDK v2, legacy', sdk: v2, options: { versionNegotiation: { mode: 'legacy' } }, version: '2025-11-25' },
  { name: 'SDK v2, auto', sdk: v2, options: { versionNegotiation: { mode: 'auto' } }, version: '2026-07-28' },
  { name: 'SDK v2, pinned', sdk: v2, options: { versionNegotiation: { mode: { pin: '2026-07-28' } } }, version: '2026-07-28' },
];
for (const { name, sdk, options, version } of sdkCases) {
  const root = makeWorkspace(base);
  const running = await serve(root);
  const connect = async (authorization) => {
    const transport = new sdk.StreamableHTTPClientTransport(new URL(running.url),
      { requestInit: { headers: { Authorization: authorization } } });
    const client = new sdk.Client({ name: 'paddock-test', version: '1' }, options);
    await client.connect(transport);
    return { client, transport };
  };
  await assert.rejects(connect('Bearer wrong'));
  const { client, transport } = await connect(`Bearer ${token}`);
  client.isV1 = sdk === v1;
  if (version) assert.equal(client.getNegotiatedProtocolVersion(), version);
  assert.equal(client.getServerVersion().name, 'paddock');
  await everyTool(client, root, { bash });
  if (version !== '2026-07-28') await transport.terminateSession();
  await client.close();
  await end(running);
  console.log(`${name}: every tool`);
}

const words = (url) => ['--transport', 'http', '--server-url', url, '--header', `Authorization: Bearer ${token}`];
for (const era of ['legacy', 'modern']) {
  const running = await serve(makeWorkspace(base));
  inspectEveryTool({ clients: require, home: base, target: words(running.url), era, bash, remembers: true });
  await end(running);
}
const running = await serve(makeWorkspace(base));
inspectWithoutEra({ clients: require, home: base, target: words(running.url) });
await end(running);
fs.rmSync(base, { recursive: true });
