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

const inspector = require.resolve('@modelcontextprotocol/inspector/package.json')
  .replace(/package\.json$/, 'clients/launcher/build/index.js');
const root = makeWorkspace(base);
function inspect(...words) {
  const run = spawnSync(process.execPath, [inspector, '--cli', '-q', ...words, '--', paddock, 'mcp', '--root', root],
    { encoding: 'utf8', env: { ...process.env, HOME: base } });
  return { status: run.status, out: run.stdout, err: run.stderr };
}
for (const era of ['legacy', 'modern', 'auto']) {
  const words = ['--format', 'json', '--protocol-era', era];
  const listed = inspect(...words, '--method', 'tools/list');
  assert.equal(listed.status, 0, listed.err);
  assert.ok(JSON.parse(listed.out).result.tools.length >= 14);
  const strict = inspect(...words, '--strict', '--method', 'tools/list');
  assert.equal(strict.status, 0, strict.err);
  const read = inspect(...words, '--method', 'tools/call', '--tool-name', 'read_file', '--tool-args-json', '{"path":"notes.txt"}');
  assert.equal(read.status, 0, read.err);
  assert.match(JSON.parse(read.out).result.content[0].text, /two/);
  const refused = inspect(...words, '--method', 'tools/call', '--tool-name', 'read_file', '--tool-args-json', '{"path":"../secret.txt"}');
  assert.equal(refused.status, 5);
  assert.ok(!refused.out.includes('outside-secret'));
  console.log(`Inspector, ${era}: list, strict, read, refusal`);
}

// Each call is a server of its own: what needs an earlier call is refused, by the tool itself.
const calls = [
  ['read_file', { path: 'notes.txt' }],
  ['read_files', { paths: ['notes.txt'] }],
  ['write_file', { path: 'w.txt', content: 'w' }],
  ['edit_file', { path: 'notes.txt', old_string: 'two', new_string: '2' }, 'not_read'],
  ['patch', { patch: '*** Begin Patch\n*** Add File: p.txt\n+p\n*** End Patch' }],
  ['glob', { pattern: '*.txt' }],
  ['grep', { pattern: 'one' }],
  ['list_directory', { path: '.' }],
  ['move_path', { source: 'w.txt', destination: 'm.txt' }],
  ['copy_path', { source: 'm.txt', destination: 'c.txt' }],
  ['remove_path', { path: 'c.txt' }],
  ['make_directory', { path: 'd' }],
  ['file_info', { path: 'm.txt' }],
  ['workspace_info', {}],
  ...(bash ? [['bash', { command: 'cat p.txt' }], ['bash_output', { id: 'b1' }, 'not_found'],
    ['bash_kill', { id: 'b1' }, 'not_found']] : []),
];
for (const [index, [name, args, error]] of calls.entries()) {
  const run = inspect('--format', 'json', '--protocol-era', index % 2 ? 'modern' : 'legacy', '--method', 'tools/call',
    '--tool-name', name, '--tool-args-json', JSON.stringify(args));
  assert.equal(run.status, error ? 5 : 0, `${name}: ${run.out}${run.err}`);
  if (error) assert.ok(run.out.includes(error), `${name}: ${run.out}`);
}
console.log(`Inspector: ${calls.length} tools`);
fs.rmSync(base, { recursive: true });
