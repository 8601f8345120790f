// The Inspector's command line against a server: strict listing, every tool, a refusal, in one era.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

// `target` are the words that name the server; `home` is where the Inspector may keep something.
function inspector(clients, home, target) {
  const program = clients.resolve('@modelcontextprotocol/inspector/package.json')
    .replace(/package\.json$/, 'clients/launcher/build/index.js');
  return (...words) => {
    const run = spawnSync(process.execPath, [program, '--cli', '-q', '--format', 'json', ...words, ...target],
      { encoding: 'utf8', env: { ...process.env, HOME: home, NODE_COMPILE_CACHE: `${home}/compiled` } });
    return { status: run.status, out: run.stdout, err: run.stderr };
  };
}

// `remembers`: the calls meet one server. Where each starts one of its own, what needs an earlier call is refused,
// by the tool itself.
const callsFor = ({ bash, remembers }) => [
  ['read_file', { path: 'notes.txt' }],
  ['read_files', { paths: ['notes.txt'] }],
  ['write_file', { path: 'w.txt', content: 'w' }],
  ['edit_file', { path: 'notes.txt', old_string: 'two', new_string: '2' }, remembers ? '' : 'not_read'],
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
  ...(bash ? [
    ['bash', { command: 'cat p.txt' }],
    ['bash_output', { id: 'b1' }, remembers ? '' : 'not_found'],
    ['bash_input', { id: 'b1', text: 'x' }, 'not_found'],
    ['bash_kill', { id: 'b1' }, remembers ? '' : 'not_found'],
  ] : []),
];

// The workspace is as makeWorkspace() made it.
export function inspectEveryTool({ clients, home, target, era, bash, remembers }) {
  const inspect = inspector(clients, home, target);
  const inEra = (...words) => inspect('--protocol-era', era, ...words);
  const call = (name, args) =>
    inEra('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));

  const strict = inEra('--strict', '--method', 'tools/list');
  assert.equal(strict.status, 0, strict.err);
  const uncalled = new Set(JSON.parse(strict.out).result.tools.map((tool) => tool.name));
  if (!bash) for (const name of ['bash', 'bash_output', 'bash_input', 'bash_kill']) uncalled.delete(name);
  for (const [name, args, error] of callsFor({ bash, remembers })) {
    const run = call(name, args);
    assert.equal(run.status, error ? 5 : 0, `${name}: ${run.out}${run.err}`);
    if (error) assert.ok(run.out.includes(error), `${name}: ${run.out}`);
    if (name === 'read_file') assert.match(JSON.parse(run.out).result.content[0].text, /two/);
    uncalled.delete(name);
  }
  assert.deepEqual([...uncalled], [], 'every tool was called');
  const refused = call('read_file', { path: '../secret.txt' });
  assert.equal(refused.status, 5);
  assert.ok(!refused.out.includes('outside-secret'));
  console.log(`Inspector, ${era}: strict, every tool, refusal`);
}

// Finds out by itself which era a server belongs to.
export function inspectWithoutEra({ clients, home, target }) {
  const run = inspector(clients, home, target)('--protocol-era', 'auto', '--strict', '--method', 'tools/list');
  assert.equal(run.status, 0, run.err);
  console.log('Inspector, auto: strict');
}
