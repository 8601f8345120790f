// Drives the real server on stdio with the official clients: node stdio.mjs PADDOCK CLIENTS
// CLIENTS is the directory into which scripts/clients installed them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { everyTool, makeWorkspace } from './every_tool.mjs';
import { inspectEveryTool, inspectWithoutEra } from './inspector.mjs';

const [paddock, clients] = process.argv.slice(2).map((word) => path.resolve(word));
const require = createRequire(path.join(clients, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'paddock-clients-'));

// Commands need a kernel that can confine them.
const probe = spawnSync(paddock, ['call', 'bash', '{"command":"true"}', '--root', base], { encoding: 'utf8' });
const bash = probe.status === 0;
if (!bash) console.log(`bash is not called: ${probe.stderr.trim()}`);

const v1 = {
  ...(await load('@modelcontextprotocol/sdk/client/index.js')),
  ...(await load('@modelcontextprotocol/sdk/client/stdio.js')),
};
const v2 = {
  ...(await load('@modelcontextprotocol/client')),
  ...(await load('@modelcontextprotocol/client/stdio')),
};

const sdkCases = [
  { name: 'SDK v1', sdk: v1, options: {}, version: undefined },
  { name: 'SDK v2, legacy', sdk: v2, options: { versionNegotiation: { mode: 'legacy' } }, version: '2025-11-25' },
  { name: 'SDK v2, auto', sdk: v2, options: { versionNegotiation: { mode: 'auto' } }, version: '2026-07-28' },
  { name: 'SDK v2, pinned', sdk: v2, options: { versionNegotiation: { mode: { pin: '2026-07-28' } } }, version: '2026-07-28' },
];
for (const { name, sdk, options, version } of sdkCases) {
  const root = makeWorkspace(base);
  const transport = new sdk.StdioClientTransport({ command: paddock, args: ['mcp', '--root', root], stderr: 'inherit' });
  const client = new sdk.Client({ name: 'paddock-test', version: '1' }, options);
  client.isV1 = sdk === v1;
  await client.connect(transport);
  if (version) assert.equal(client.getNegotiatedProtocolVersion(), version);
  assert.equal(client.getServerVersion().name, 'paddock');
  const instructions = client.getInstructions();
  assert.ok(instructions.length > 200 && Buffer.byteLength(instructions) < 2048);
  await everyTool(client, root, { bash });
  await client.close();
  console.log(`${name}: every tool`);
}

for (const era of ['legacy', 'modern']) {
  inspectEveryTool({ clients: require, home: base, target: ['--', paddock, 'mcp', '--root', makeWorkspace(base)], era, bash,
    remembers: false });
}
inspectWithoutEra({ clients: require, home: base, target: ['--', paddock, 'mcp', '--root', makeWorkspace(base)] });
fs.rmSync(base, { recursive: true });
