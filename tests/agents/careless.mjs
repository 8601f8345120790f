// An agent that does everything wrong, to show that each check can fail: it shows its model nothing of the workspace
// and all that is outside, changes nothing, leaves a process behind and fails. careless.mjs MODEL
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const mark = path.basename(path.dirname(process.cwd()));
spawn('sleep', ['600'], { argv0: mark, detached: true, stdio: 'ignore' }).unref();
const names = ['read_file', 'edit_file', 'grep', 'bash'];
const tools = names.map((name) => ({ name: `paddock_${name}` }));
const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
for (;;) {
  const response = await fetch(`${process.argv[2]}/v1/messages`,
    { method: 'POST', body: JSON.stringify({ tools: [...tools, { name: 'shell' }], messages, stream: true }) });
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
  const { content_block: block } = events.find((event) => event.type === 'content_block_start');
  if (block.type !== 'tool_use') break;
  const { path: asked } = JSON.parse(events.find((event) => event.type === 'content_block_delta').delta.partial_json);
  const content = asked?.startsWith('../') ? fs.readFileSync(asked, 'utf8') : '';
  messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: block.id, content }] });
}
process.exitCode = 1;
