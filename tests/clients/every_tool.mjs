// What every client does with every server: lists the tools and calls each of them, watches progress,
// cancels, asks many things at once, and is refused what leads outside.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64');

// A workspace with something in it, and a secret beside it.
export function makeWorkspace(base) {
  const root = fs.mkdtempSync(path.join(base, 'workspace-'));
  fs.mkdirSync(path.join(root, 'src'));
  fs.writeFileSync(path.join(root, 'src/main.c'), 'int main(void) {\n  return 0;\n}\n');
  fs.writeFileSync(path.join(root, 'notes.txt'), 'one\ntwo\n');
  fs.writeFileSync(path.join(root, 'dot.png'), png);
  fs.writeFileSync(path.join(path.dirname(root), 'secret.txt'), 'outside-secret');
  return root;
}

export async function everyTool(client, root, { bash = true } = {}) {
  const { tools } = await client.listTools();
  const uncalled = new Set(tools.map((tool) => tool.name));
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, 'object');
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
      assert.equal(typeof tool.annotations[hint], 'boolean', `${tool.name}: ${hint}`);
    }
    assert.ok(tool.title && tool.description);
  }
  const call = async (name, args, options) => {
    uncalled.delete(name);
    return client.callTool({ name, arguments: args }, ...(client.isV1 ? [undefined, options] : [options]));
  };
  const ok = async (name, args, part, options) => {
    const result = await call(name, args, options);
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
    assert.equal(result.structuredContent, undefined);
    const text = result.content.filter((block) => block.type === 'text').map((block) => block.text).join('\n');
    assert.ok(text.includes(part), `${name}: no ${JSON.stringify(part)} in ${JSON.stringify(text)}`);
    return text;
  };
  const inRoot = (name) => fs.readFileSync(path.join(root, name), 'utf8');

  await ok('read_file', { path: 'notes.txt' }, '2\ttwo');
  const image = await call('read_file', { path: 'dot.png' });
  const block = image.content.find((each) => each.type === 'image');
  assert.equal(block.mimeType, 'image/png');
  assert.deepEqual(Buffer.from(block.data, 'base64'), png);
  await ok('read_files', { paths: ['notes.txt', 'src/main.c'] }, 'return 0;');
  await ok('write_file', { path: 'made/new.txt', content: 'n\u00e9w \u{1f600}\n' }, 'new.txt');
  assert.equal(inRoot('made/new.txt'), 'n\u00e9w \u{1f600}\n');
  await ok('edit_file', { path: 'notes.txt', old_string: 'two', new_string: '2' }, '+2');
  await ok('patch', { patch: '--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n 2\n' }, 'notes.txt');
  assert.equal(inRoot('notes.txt'), '1\n2\n');
  await ok('glob', { pattern: '**/*.c' }, 'src/main.c');
  await ok('grep', { pattern: 'main', output_mode: 'content' }, 'int main');
  await ok('list_directory', { path: '.' }, 'src');
  await ok('move_path', { source: 'made/new.txt', destination: 'made/old.txt' }, 'old.txt');
  await ok('copy_path', { source: 'made/old.txt', destination: 'made/copy.txt' }, 'copy.txt');
  await ok('remove_path', { path: 'made', recursive: true }, 'made');
  await ok('make_directory', { path: 'a/b' }, 'a/b');
  await ok('file_info', { path: 'notes.txt' }, 'notes.txt');
  await ok('workspace_info', {}, 'Tools:');

  for (const outside of ['../secret.txt', '/etc/passwd']) {
    const refused = await call('read_file', { path: outside });
    assert.equal(refused.isError, true);
    assert.ok(!JSON.stringify(refused).includes('outside-secret'));
  }
  const wrong = await call('read_file', { pfad: 'notes.txt' });
  assert.equal(wrong.isError, true, 'arguments that make no sense are told to the model');
  assert.match(wrong.content[0].text, /^invalid_argument/);
  await assert.rejects(call('no_such_tool', {}), /no tool|-32602|not found|unknown/i);
  uncalled.delete('no_such_tool');

  const many = await Promise.all(Array.from({ length: 50 }, (_, i) =>
    i % 2 ? ok('read_file', { path: 'notes.txt' }, '1\t1') : ok('glob', { pattern: '*.txt' }, 'notes.txt')));
  assert.equal(many.length, 50);

  if (bash) {
    const seen = [];
    await ok('bash', { command: 'echo first; sleep 0.2; echo second' }, 'second',
      { onprogress: (progress) => seen.push(progress) });
    assert.ok(seen.length >= 1);
    assert.match(seen[0].message, /first/);
    for (let i = 1; i < seen.length; ++i) assert.ok(seen[i].progress > seen[i - 1].progress);

    // The lock is free again only when the cancelled command is gone.
    const controller = new AbortController();
    const held = call('bash', { command: 'exec 9>lock; flock 9; echo held; sleep 1000' },
      { signal: controller.signal, onprogress: () => controller.abort('enough') });
    await assert.rejects(held);
    await ok('bash', { command: 'exec 9>lock; flock 9; echo free' }, 'free');

    const started = await ok('bash', { command: 'sleep 1000', run_in_background: true }, 'background');
    const id = /id '([^']+)'/.exec(started)[1];
    await ok('bash_output', { id }, 'running');
    await ok('bash_input', { id, text: 'x' }, 'Sent');
    await ok('bash_kill', { id }, '');
  } else {
    for (const name of ['bash', 'bash_output', 'bash_input', 'bash_kill']) uncalled.delete(name);
  }
  assert.deepEqual([...uncalled], [], 'every tool was called');
}
