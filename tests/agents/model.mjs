// A model that follows a script, on loopback. It speaks what the agents speak to their vendors: Anthropic Messages,
// OpenAI Responses and Gemini.
//
// It keeps no conversation: every request carries all results so far, their number says which step comes next, and
// a request that is repeated gets the same answer. Requests that offer no tool of paddock's (titles, routing) get a
// few words. It is the agents' proxy too, one that refuses everything and logs it.
import http from 'node:http';

// What a result says, whatever it is wrapped in.
function textOf(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return textOf(value?.text ?? value?.output ?? value?.error ?? JSON.stringify(value ?? null));
}

// Of each dialect: the path that it is spoken at, the tools that a request offers (their full name, and what calls
// them), the results in it, and the answer as a list of events.
const anthropic = {
  path: /\/v1\/messages$/,
  offered: (body) => (body.tools ?? []).map(({ name }) => ({ full: name, by: { name } })),
  results: (body) => body.messages.flatMap(({ content }) => content)
    .filter((block) => block.type === 'tool_result').map((block) => block.content),
  answer({ tool, args, text }, id) {
    const start = tool ? { type: 'tool_use', id: `toolu_${id}`, ...tool.by, input: {} } : { type: 'text', text: '' };
    const delta = tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(args) } : { type: 'text_delta', text };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'script', content: [],
      stop_reason: null, stop_sequence: null, usage };
    const end = { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, usage },
      { type: 'message_stop' },
    ];
  },
};

const responses = {
  path: /\/v1\/responses$/,
  // A namespace holds the tools of one server.
  offered: (body) => (body.tools ?? []).flatMap((tool) => tool.type === 'namespace'
    ? tool.tools.map(({ name }) => ({ full: `${tool.name}__${name}`, by: { namespace: tool.name, name } }))
    : [{ full: tool.name ?? tool.type, by: { name: tool.name } }]),
  results: (body) => body.input.filter((item) => item.type === 'function_call_output').map((item) => item.output),
  answer({ tool, args, text }, id) {
    const item = tool
      ? { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, ...tool.by, arguments: JSON.stringify(args) }
      : { type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response: { id: `resp_${id}` } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: `resp_${id}`, usage } },
    ];
  },
};

const gemini = {
  path: /:(streamG|g)enerateContent$/,
  isWhole: (url) => url.searchParams.get('alt') !== 'sse',  // one event, and no stream
  offered: (body) => (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
    .map(({ name }) => ({ full: name, by: { name } })),
  results: (body) => body.contents.flatMap(({ parts }) => parts).filter((part) => part.functionResponse)
    .map((part) => part.functionResponse.response),
  answer({ tool, args, text }, id) {
    const part = tool ? { functionCall: { id: `call_${id}`, ...tool.by, args } } : { text };
    return [{
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }];
  },
};

// Gemini CLI asks for JSON when it chooses a model and when it wonders who speaks next.
const aside = JSON.stringify({ complexity_reasoning: '', complexity_score: 1, reasoning: '', next_speaker: 'user' });

// "mcp__paddock__grep", "mcp_paddock_grep" or "paddock_grep".
const named = (name) => ({ full }) => new RegExp(`^(mcp_+)?paddock_+${name}$`).test(full);

// Starts the model. `steps` are {tool, args}, `log(line)` is told what is seen and said, `watch()` is called at each
// request that offers tools. Resolves to {url, seen, close()}.
export async function startModel({ steps, log, watch = () => {} }) {
  const seen = { offered: [], results: [], requests: [] };

  function nextTurn(dialect, body) {
    const offered = dialect.offered(body);
    if (!offered.some(named('.*'))) return { text: aside };
    watch();
    if (seen.offered.length === 0) {
      seen.offered = offered.map((tool) => tool.full);
      log(`the model is offered: ${seen.offered.join(' ')}`);
    }
    const results = dialect.results(body).map(textOf);
    for (const text of results.slice(seen.results.length)) {
      seen.results.push(text);
      log(`the model sees:\n${text.replace(/^/gm, '    ')}`);
    }
    const step = steps[results.length];
    if (!step) return { text: 'That was all.' };
    const tool = offered.find(named(step.tool));
    return tool ? { tool, args: step.args } : { text: `There is no tool ${step.tool}.` };
  }

  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url, 'http://localhost');
    seen.requests.push(text);
    const dialect = [anthropic, responses, gemini].find(({ path }) => path.test(url.pathname));
    if (request.method !== 'POST' || !dialect) {
      log(`${request.method} ${request.url} is not answered`);
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{}');
      return;
    }
    const body = JSON.parse(text);
    const turn = nextTurn(dialect, body);
    log(turn.tool ? `the model calls ${turn.tool.full} ${JSON.stringify(turn.args)}` : `the model says: ${turn.text}`);
    const events = dialect.answer(turn, seen.requests.length);
    if (dialect.isWhole?.(url)) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(events[0]));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const event of events) {
      response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  server.on('connect', (request, socket) => {
    log(`a connection to ${request.url} is refused`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close: () => { server.closeAllConnections(); server.close(); },
  };
}
