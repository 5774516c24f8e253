// @requirement Guides: `trunkline brain check` diagnoses an endpoint.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ALIAS,
  KEY,
  llamaServerAbsent,
  startLlamaServer,
} from '../../conversation/brains/endpoint/llama-server.ts';
import { chatChunk } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { long, longForm } from '../../long-tests.ts';
import { dataFolder } from '../../running-server.ts';
import { outputOf } from './output-of.ts';

afterEach(() => vi.restoreAllMocks());

async function check(settings: Record<string, string>) {
  const environment = { TRUNKLINE_DATA: dataFolder(), TRUNKLINE_LOG_LEVEL: 'silent', ...settings };
  const { code, out, error } = await outputOf(['brain', 'check'], environment);
  return { code, out: out.trim(), error: error.trim() };
}

const DEPLOYMENT = '/openai/deployments/desk/chat/completions';

/**
 * The double answers as Azure does for a deployment: the key in a header of its own, the version in the query, its
 * own error shapes.
 */
function azureFault({ url = '', headers }: IncomingMessage): readonly [number, string, string] | null {
  const at = new URL(url, 'http://azure');
  const words = 'Access denied due to invalid subscription key or wrong API endpoint.';
  if (headers['api-key'] !== 'azure-key') return [401, '401', words];
  if (at.pathname !== DEPLOYMENT) return [404, 'DeploymentNotFound', 'The deployment does not exist.'];
  if (at.searchParams.get('api-version') !== '2024-10-21') return [404, '404', 'Resource not found'];
  return null;
}

async function azure(): Promise<{ origin: string; server: Server }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const fault = azureFault(request);
    if (fault !== null) {
      const [status, code, message] = fault;
      response.writeHead(status, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ error: { code, message } }));
    }
    const { tools } = JSON.parse(body) as { tools?: unknown[] };
    const call = { index: 0, id: 'c', function: { name: 'look_up_order', arguments: '{"order":"4711"}' } };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Azure's first event reports its filters' results, and has no choice.
    response.write('data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n');
    response.write(chatChunk(tools ? { tool_calls: [call] } : { content: 'Hello there.' }));
    response.end(`${chatChunk({}, tools ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`, server };
}

describe('a deployment of Azure', () => {
  it('is reached by its own address, version and header, and what is wrong of them is told', async () => {
    const { origin, server } = await azure();
    const settings = (target: string, key = 'azure-key') => ({
      TRUNKLINE_BRAIN_URL: `${origin}${target}`,
      TRUNKLINE_BRAIN_MODEL: 'desk',
      TRUNKLINE_BRAIN_HEADERS: JSON.stringify({ 'api-key': key }),
    });
    const version = '?api-version=2024-10-21';
    const works =
      /^ok {5}chat:desk: first word after \d+ ms: Hello there\.\n {7}tools: it called look_up_order with \{"order":"4711"\}$/;
    for (const target of [`${DEPLOYMENT}${version}`, `/openai/deployments/desk${version}`]) {
      const { code, out } = await check(settings(target));
      expect(out).toMatch(works);
      expect(code).toBe(0);
    }
    const wrong = [
      [settings(DEPLOYMENT), '404: it has no such model, or the address is another'],
      [settings(`/openai/deployments/other${version}`), '404 (DeploymentNotFound): it has no such model'],
      [settings(`${DEPLOYMENT}${version}`, 'other'), '401: it does not take the key, or wants it in another'],
    ] as const;
    for (const [environment, why] of wrong) {
      const { code, out } = await check(environment);
      expect(out).toContain(`FAILS  chat:desk: refused: the endpoint answered ${why}`);
      expect(code).toBe(1);
    }
    server.close();
  });

  it('is asked where it stands in the list of brains, beside the default one', async () => {
    const { origin, server } = await azure();
    const url = `${origin}/openai/deployments/desk?api-version=2024-10-21`;
    const listed = { name: 'desk', url, model: 'desk', headers: { 'api-key': 'azure-key' } };
    const { code, out } = await check({
      TRUNKLINE_BRAIN_URL: 'http://127.0.0.1:4/v1',
      TRUNKLINE_BRAIN_MODEL: 'away',
      TRUNKLINE_BRAINS: JSON.stringify([listed]),
    });
    expect(out).toContain('FAILS  chat:away: unreachable: the endpoint could not be reached (ECONNREFUSED)');
    expect(out).toMatch(/^ok {5}desk: first word/m);
    expect(code).toBe(1);
    server.close();
  });
});

it.each([
  ['no JSON sk-secret', 'it is not JSON'],
  ['["sk-secret"]', 'it is not an object of strings'],
  ['{"api-key": 7}', 'it is not an object of strings'],
  ['{"api key": "sk-secret"}', 'a name is not a valid header name'],
  ['{"api-key": "sk-secret\\n"}', 'a value has a character that is not allowed in headers'],
])('tells of headers that are none, and never what they held: %s', async (headers, why) => {
  const { code, out, error } = await check({
    TRUNKLINE_BRAIN_URL: 'http://127.0.0.1:1/v1',
    TRUNKLINE_BRAIN_MODEL: 'm',
    TRUNKLINE_BRAIN_HEADERS: headers,
  });
  expect(code).not.toBe(0);
  expect(error).toContain(`TRUNKLINE_BRAIN_HEADERS: ${why}`);
  expect(out + error).not.toContain('sk-secret');
});

it('tells of headers in the list of brains that are none, and never what they held', async () => {
  for (const wrong of [
    { headers: { 'api-key': 'sk-secret\n' } },
    { key: 'sk-secret\n' },
    { headers: { 'a b': 'sk-secret' } },
  ]) {
    const entry = { name: 'desk', url: 'http://127.0.0.1:1/v1', model: 'm', ...wrong };
    const { code, out, error } = await check({ TRUNKLINE_BRAINS: JSON.stringify([entry]) });
    expect(code).not.toBe(0);
    expect(error).toMatch(/TRUNKLINE_BRAINS: .*desk.*header/);
    expect(out + error).not.toContain('sk-secret');
  }
});

describe.skipIf(!long || llamaServerAbsent)(longForm('a server of llama.cpp'), () => {
  it('is asked for a word and a call, and its refusal of a key is told', async () => {
    const server = await startLlamaServer();
    const settings = { TRUNKLINE_BRAIN_URL: server.url, TRUNKLINE_BRAIN_MODEL: ALIAS };
    try {
      const right = await check({ ...settings, TRUNKLINE_BRAIN_KEY: KEY });
      expect(right.out).toMatch(/^ok {5}chat:smollm2: first word after \d+ ms: \w.*\n {7}tools: it /);
      expect(right.code).toBe(0);
      const wrong = await check({ ...settings, TRUNKLINE_BRAIN_KEY: 'other' });
      expect(wrong.out).toContain(
        'the endpoint answered 401 (authentication_error): it does not take the key',
      );
      expect(wrong.code).toBe(1);
    } finally {
      server.stop();
    }
  }, 300_000);
});
