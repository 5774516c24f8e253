import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { compileProgram, dataFolder, Running } from '../running-server.ts';
import { HealthWatch } from './health-watch.ts';
import { ServerProcess } from './server-process.ts';

const LONGEST_MS = 400;
const LIMIT_MS = 120_000;

let served: ServerProcess;
let watch: HealthWatch;
let key: string;

beforeAll(async () => {
  await compileProgram();
  const data = dataFolder();
  const environment = {
    TRUNKLINE_DATA: data,
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  };
  const running = new Running(['keys', 'create', '--live', '--scopes', '*', '--credit', '1000'], environment);
  expect(await running.code(), running.errors).toBe(0);
  key = /svc_live_\S+/.exec(running.lines.join('\n'))![0];
  served = await ServerProcess.start({ data, environment });
  watch = await HealthWatch.of(served);
}, 300_000);
afterAll(() => watch?.stop());

async function send(method: string, path: string, body?: string | FormData) {
  const headers = new Headers({ authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() });
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  const answer = await fetch(served.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, text: await answer.text() };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
async function json(method: string, path: string, body?: unknown): Promise<any> {
  const { status, text } = await send(method, path, body === undefined ? undefined : JSON.stringify(body));
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text);
}

async function drive<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { result, answered } = await watch.during(work);
  console.log(`${Math.round(answered.ownMs)} ms (${Math.round(answered.tookMs)} by the clock)  ${name}`);
  expect([name, answered.failed]).toEqual([name, null]);
  expect(answered.ownMs, name).toBeLessThan(LONGEST_MS);
  return result;
}

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it(
  'texts of whitespace and hyphens for Trace',
  async () => {
    const judge = (text: string) =>
      json('POST', '/v1/trace/interactions', {
        transcript: { language: 'en', turns: [{ speaker: 'customer', text, start_ms: 0, end_ms: 9 }] },
      });
    for (let at = 0; at < 3; at += 1) await judge('I live at 42 Maple Street, and my name is Sarah Johnson.');
    for (const [name, unit] of [
      ['spaces', ' '],
      ['lines', '\n'],
      ['hyphens', 'A-'],
    ] as const)
      for (const length of [3_900, 19_900])
        await drive(`${length} of ${name}`, () =>
          judge(`calle Mayor${unit.repeat((length - 11) / unit.length)}`),
        );
  },
  LIMIT_MS,
);

it(
  'lines of Cast that are none, at its own limit',
  async () => {
    const body = (line: string) => {
      const count = Math.floor((8 * 1024 * 1024 - 100) / (line.length + 1));
      return `{"title":"a","lines":[${Array(count).fill(line).join(',')}]}`;
    };
    for (const line of ['{}', '[]', '1', '{"text":"a"}']) {
      const sent = body(line);
      const { status } = await drive(`lines ${line}`, () => send('POST', '/v1/cast/projects', sent));
      expect(status).toBe(400);
    }
  },
  LIMIT_MS,
);

it(
  'robots.txt that names one program again and again',
  async () => {
    const robots = 'User-agent:*\n'.repeat(2_900) + 'Disallow:/a\n'.repeat(2_900);
    const url = await listening(({ url: path }, response) => {
      response.setHeader('content-type', path === '/robots.txt' ? 'text/plain' : 'text/html');
      response.end(path === '/robots.txt' ? robots : '<title>t</title><p>Hello there, this is a page.</p>');
    });
    const { id } = await json('POST', '/v1/knowledgebases', { name: 'a' });
    await drive('a crawl', async () => {
      const crawl = await json('POST', `/v1/knowledgebases/${id}/crawls`, { url });
      const read = () => json('GET', `/v1/knowledgebases/${id}/crawls/${crawl.id}`);
      await expect.poll(async () => (await read()).status, { timeout: 40_000 }).toMatch(/indexed|failed/);
    });
  },
  LIMIT_MS,
);

it(
  'a listing of an MCP server',
  async () => {
    let listed = 0;
    const url = await listening(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(parts).toString() || '{}');
      if (id === undefined) return void response.writeHead(202).end();
      const own = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'a', version: '1' },
      };
      const tools = `{"tools":[${Array(330_000).fill('{}').join(',')}]}`;
      if (method === 'tools/list') listed += 1;
      const result = method === 'initialize' ? JSON.stringify(own) : tools;
      response.setHeader('content-type', 'application/json');
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
    });
    const tool = await json('POST', '/v1/tools', { name: 'm', kind: 'mcp', url, allow: ['a'] });
    const agent = await json('POST', '/v1/agents', { name: 'A', tool_ids: [tool.id] });
    await drive('tools that are none', async () => {
      const socket = opened(`/v1/omni?format=pcm16&rate=16000&agent_id=${agent.id}`);
      await once(socket, 'open');
      socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"type":"configure"}')]));
      await expect.poll(() => listed, { timeout: 20_000 }).toBe(1);
      await json('GET', '/v1/agents?limit=1');
      socket.terminate();
    });
  },
  LIMIT_MS,
);

const opened = (path: string) =>
  new WebSocket(`${served.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });

it(
  'frames of OpenAI’s clients',
  async () => {
    const socket = opened('/v1/realtime?model=gpt-realtime');
    const said: string[] = [];
    socket.on('message', (data) => said.push(JSON.parse(String(data)).type));
    await expect.poll(() => said, { timeout: 20_000 }).toContain('session.created');
    for (const value of ['{}', '[]', '1', '{"type":"function","name":"a"}']) {
      const list = Array(Math.floor(7_900_000 / (value.length + 1)))
        .fill(value)
        .join(',');
      const before = said.filter((type) => type === 'error').length;
      await drive(`tools ${value}`, async () => {
        socket.send(`{"type":"session.update","session":{"type":"realtime","tools":[${list}]}}`);
        await expect
          .poll(() => said.filter((type) => type === 'error').length, { timeout: 20_000 })
          .toBe(before + 1);
      });
    }
    socket.terminate();
  },
  LIMIT_MS,
);

function pdfOf(content: string): Blob {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
  ];
  const places: number[] = [];
  let text = '%PDF-1.4\n';
  for (const [at, object] of objects.entries()) {
    places.push(text.length);
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const end = `trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
  return new Blob([`${text}xref\n0 6\n0000000000 65535 f \n${table}${end}`], { type: 'application/pdf' });
}

it(
  'documents of a compliance case',
  async () => {
    const asked = { kind: 'new_number', country: 'GB', number_type: 'local', capabilities: ['voice'] };
    for (const [name, words] of [
      ['2,900 words behind a label', `Issue date: ${'1 '.repeat(2_900)}`],
      ['60,000 words', '1 '.repeat(60_000)],
      ['one word', 'a'.repeat(300_000)],
    ] as const) {
      const made = await json('POST', '/v1/telephony/compliance-cases', {
        ...asked,
        use_case: 'Support line',
      });
      const body = new FormData();
      const [request] = made.document_requests ?? made.documents ?? [];
      body.set('document_request_id', request?.id ?? 'company_extract');
      body.set('file', pdfOf(`BT /F1 0.001 Tf 10 700 Td (${words}) Tj ET`), 'a.pdf');
      await drive(name, async () => {
        const { status, text } = await send(
          'POST',
          `/v1/telephony/compliance-cases/${made.id}/documents`,
          body,
        );
        expect(status, text).toBeLessThan(300);
        const read = async () =>
          JSON.stringify(await json('GET', `/v1/telephony/compliance-cases/${made.id}`));
        await expect.poll(read, { timeout: 30_000 }).toMatch(/"status":"(succeeded|failed)"/);
      });
    }
  },
  LIMIT_MS,
);
