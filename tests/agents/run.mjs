// Lets real agents work in a workspace, each with a scripted model: node run.mjs PADDOCK AGENTS [NAME...]
// AGENTS is the directory into which scripts/test-agents installed them; what each model saw goes to AGENTS/log.
//
// Each agent gets a home of its own, in which `paddock install` registers the server, and a proxy that refuses.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startModel } from './model.mjs';

const [paddock, installed] = process.argv.slice(2, 4).map((word) => path.resolve(word));
const chosen = process.argv.slice(4);
const here = import.meta.dirname;
const modules = path.join(installed, 'node_modules');
const logs = path.join(installed, 'log');
const patience = 180_000;

// Where `program` of a package lies; `*` is the one directory there.
function locate(name, program) {
  let at = path.join(modules, name);
  for (const part of program.split('/')) at = path.join(at, part === '*' ? fs.readdirSync(at)[0] : part);
  return at;
}

// package: on npm, for this machine. settings: files of the home that are there before paddock registers itself.
// The agents' own tools are switched off but for those that cannot be and reach no files (spared); calls are not
// asked about.
const agents = {
  claude: {
    title: 'Claude Code',
    package: `@anthropic-ai/claude-code-linux-${process.arch}`,
    program: ['claude'],
    words: () => ['-p', 'go', '--tools', '', '--allowedTools', 'mcp__paddock'],
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1',
      ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }),
  },
  codex: {
    title: 'Codex',
    package: `codex-linux-${process.arch}`,
    program: ['vendor/*/bin/codex'],
    settings: (url) => ({ '.codex/config.toml': `model = "script"
model_provider = "script"
web_search = "disabled"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.script]
name = "script"
base_url = "${url}/v1"
wire_api = "responses"
` }),
    words: () => ['exec', '--skip-git-repo-check', '-c', 'mcp_servers.paddock.default_tools_approval_mode="approve"',
      ...['shell_tool', 'view_image', 'multi_agent', 'goals'].flatMap((name) => ['--disable', name]), 'go'],
    spared: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource', 'request_user_input'],
  },
  gemini: {
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    program: [process.execPath, 'bundle/gemini.js'],
    settings: () => ({
      '.gemini/settings.json': JSON.stringify({ general: { enableAutoUpdate: false }, tools: { core: ['none'] },
        privacy: { usageStatisticsEnabled: false }, security: { auth: { selectedType: 'gemini-api-key' } } }),
      '.gemini/policies/only.toml': `[[rule]]
mcpName = "paddock"
toolName = "*"
decision = "allow"
priority = 999
` }),
    words: () => ['-p', 'go', '--skip-trust'],
    variables: (url) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url }),
  },
  opencode: {
    title: 'opencode',
    package: `opencode-linux-${process.arch}`,
    program: ['bin/opencode'],
    settings: (url) => ({ '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false, share: 'disabled', permission: { '*': 'deny', 'paddock_*': 'allow' },
      provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'none' } } } }) }),
    words: () => ['run', '--model', 'anthropic/claude-sonnet-4-5', 'go'],
    variables: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  },
};
const careless = { program: [process.execPath, path.join(here, 'careless.mjs')], words: (url) => [url] };

// Commands need a kernel that can confine them.
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'paddock-probe-'));
const probe = spawnSync(paddock, ['call', 'bash', '{"command":"true"}', '--root', place],
  { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place } });
fs.rmSync(place, { recursive: true });
const bash = probe.status === 0;
if (!bash) console.log(`bash is not called: ${probe.stderr.trim()}`);

// What the command starts would run for longer than the test, under a name that says whose it is.
const command = (mark) =>
  `read -r < <(exec -a ${mark} bash -c 'echo; exec -a ${mark} sleep 600'); tr a-z A-Z <notes.txt`;
const steps = (mark) => [
  { tool: 'read_file', args: { path: 'notes.txt' } },
  { tool: 'edit_file', args: { path: 'notes.txt', old_string: 'three pears', new_string: 'four quinces' } },
  { tool: 'grep', args: { pattern: 'four q', output_mode: 'content' } },
  { tool: 'read_file', args: { path: '../secret' } },
  ...(bash ? [{ tool: 'bash', args: { command: command(mark) } }] : []),
];
const before = 'two apples\nthree pears\n';
const after = 'two apples\nfour quinces\n';

// Each is true of an agent that was well served, and of the careless one each is false.
const checks = {
  'has no other hands': ({ offered, spared }) => offered.length > 0
    && offered.every((name) => /^(mcp_+)?paddock_/.test(name) || spared?.includes(name)),
  'reads': ({ results }) => results[0]?.includes('two apples'),
  'edits': ({ notes }) => notes === after,
  'greps': ({ results }) => /notes\.txt\W+2\W+four quinces/.test(results[2]),
  'is refused ../secret': ({ results }) => results[3]?.includes('path_escape'),
  'is nowhere told the secret': ({ everything, secret }) => !everything.includes(secret),
  ...(bash ? { 'runs bash': ({ results }) => results[4]?.includes('FOUR QUINCES') } : {}),
  'ends well': ({ status }) => status === 0,
  'leaves no process behind': ({ found, left }) => found && left.length === 0,
};

// The processes that a mark in their command line, environment or working directory gives away.
function processesOf(mark) {
  const look = (read, file) => { try { return read(file, 'latin1'); } catch { return ''; } };
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    const line = look(fs.readFileSync, `/proc/${pid}/cmdline`);
    const signs = [line, look(fs.readFileSync, `/proc/${pid}/environ`), look(fs.readlinkSync, `/proc/${pid}/cwd`)];
    return signs.some((text) => text.includes(mark)) ? [{ pid: Number(pid), line: line.replaceAll('\0', ' ') }] : [];
  });
}

async function goneWithin(mark, ms) {
  const deadline = Date.now() + ms;
  let left = processesOf(mark);
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    left = processesOf(mark);
  }
  return left;
}

// Runs a program to its end, or to that of our patience; resolves to its exit code, or to what ended it.
function finish(program, words, options) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { ...options, timeout: patience, killSignal: 'SIGKILL' });
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (status, signal) => resolve(status ?? signal));
  });
}

async function work(name, agent) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'paddock-agent-'));
  const mark = path.basename(base);
  const home = path.join(base, 'home');
  const workspace = path.join(base, 'workspace');
  const secret = `secret-${randomUUID()}`;
  const logFile = path.join(logs, `${name}.log`);
  fs.writeFileSync(logFile, '');
  const log = (line) => fs.appendFileSync(logFile, `${line}\n`);
  for (const directory of [home, workspace, path.join(base, 'tmp')]) fs.mkdirSync(directory);
  fs.writeFileSync(path.join(workspace, 'notes.txt'), before);
  fs.writeFileSync(path.join(base, 'secret'), secret);

  // Those that are left can be found only if those that work can: the command's, or the agent itself.
  let found = false;
  const watch = () => { found ||= processesOf(mark).some(({ line }) => !bash || line.startsWith(mark)); };
  const model = await startModel({ steps: steps(mark), log, watch });
  const proxy = { HTTP_PROXY: model.url, HTTPS_PROXY: model.url, NO_PROXY: '127.0.0.1,localhost' };
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: path.join(base, 'tmp'), PADDOCK_CONFIG: '/dev/null',
    ...proxy, ...agent.variables?.(model.url) };
  for (const [file, text] of Object.entries(agent.settings?.(model.url) ?? {})) {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), text);
  }
  // A copy whose path carries the mark.
  const server = path.join(base, 'paddock');
  fs.copyFileSync(paddock, server);
  if (agent.package) {
    const { stdout, stderr } = spawnSync(server, ['install', name], { env, encoding: 'utf8' });
    log(`${stdout}${stderr}`.trim());
  }

  const [program, ...first] = agent.package
    ? agent.program.map((file) => path.isAbsolute(file) ? file : locate(agent.package, file)) : agent.program;
  const printed = fs.openSync(path.join(base, 'printed'), 'w');
  const status = await finish(program, [...first, ...agent.words(model.url)],
    { cwd: workspace, env, stdio: ['ignore', printed, printed] });
  const left = await goneWithin(mark, 10_000);
  model.close();
  const output = fs.readFileSync(path.join(base, 'printed'), 'utf8');
  log(`the agent ends with ${status} and has printed:\n${output.replace(/^/gm, '    ')}`);
  for (const { pid, line } of left) {
    log(`left behind: ${line}`);
    try { process.kill(pid, 'SIGKILL'); } catch { /* it is gone by now */ }
  }
  const notes = fs.readFileSync(path.join(workspace, 'notes.txt'), 'utf8');
  await goneWithin(mark, 10_000);
  fs.rmSync(base, { recursive: true, force: true });
  const everything = model.seen.requests.join('\n') + fs.readFileSync(logFile, 'utf8');
  return { ...model.seen, spared: agent.spared, status, notes, secret, everything, found, left };
}

const count = { passed: 0, failed: 0 };
function report(good, text) {
  ++count[good ? 'passed' : 'failed'];
  console.log(`${good ? 'pass' : 'FAIL'}  ${text}`);
}

let ran = 0;
fs.mkdirSync(logs, { recursive: true });
const wrong = await work('careless', careless);
for (const [what, holds] of Object.entries(checks)) report(!holds(wrong), `not so the careless agent: ${what}`);
for (const [name, agent] of Object.entries(agents)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const manifest = path.join(modules, agent.package, 'package.json');
  if (!fs.existsSync(manifest)) {
    console.log(`skip  ${agent.title}: npm gave no ${agent.package}`);
    continue;
  }
  const [version] = JSON.parse(fs.readFileSync(manifest, 'utf8')).version.split('-');
  const run = await work(name, agent);
  ++ran;
  for (const [what, holds] of Object.entries(checks)) report(holds(run), `${agent.title} ${version} ${what}`);
}
console.log(`What each model saw is in ${path.relative('', logs)}`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 && ran > 0 ? 0 : 1;
