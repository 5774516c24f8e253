import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../../edge/surfaces/compliance/server.ts';

export const SECRET = 'a secret that a carrier and a server share';

export interface Taken {
  readonly key: string;
  readonly json: Json;
}

export type Instead = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

export interface CarrierSide {
  readonly url: string;
  readonly documents: Map<string, { type: string; bytes: Buffer }>;
  readonly submissions: Taken[];
  readonly asked: string[];
  readonly problems: string[];
  readonly headers: IncomingMessage['headers'][];
  instead: Instead;
  evaluation: (taken: Taken) => Json;
  review: (reference: string) => Json;
}

const ANSWERED: Instead = () => false;

export async function openCarrier(): Promise<CarrierSide> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => answer(side, request, response, Buffer.concat(parts)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const side: CarrierSide = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/numbers/v1/`,
    documents: new Map(),
    submissions: [],
    asked: [],
    problems: [],
    headers: [],
    instead: ANSWERED,
    evaluation: ({ key }) => ({ status: 'accepted', reference: `R-${key.slice(-8)}` }),
    review: () => ({ status: 'approved', reason: null }),
  };
  return side;
}

function problemOf({ method, url, headers }: IncomingMessage, body: Buffer): string | null {
  const digest = createHash('sha256').update(body).digest('hex');
  if (headers['x-svc-content-sha256'] !== digest) return 'digest';
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
  if (t === undefined || v1 === undefined) return 'form of the signature';
  const wanted = createHmac('sha256', SECRET).update(`${t}.${method} ${url}.${digest}`).digest();
  return timingSafeEqual(wanted, Buffer.from(v1, 'hex')) ? null : 'signature';
}

function answer(side: CarrierSide, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { method, url = '', headers } = request;
  side.asked.push(`${method} ${url}`);
  side.headers.push(headers);
  const problem = problemOf(request, body);
  if (problem !== null) side.problems.push(`${method} ${url}: ${problem}`);
  const [, what, name = ''] = /^\/numbers\/v1\/(\w+)\/?(.*)$/.exec(url) ?? [];
  const taken = method === 'POST' && what === 'submissions' ? takenIn(side, request, body) : null;
  if (side.instead(request, response, body)) return;
  const said = answerOf(side, `${method} ${what}`, name, taken);
  if (said !== null && method === 'PUT')
    side.documents.set(name, { type: String(headers['content-type']), bytes: body });
  response.writeHead(said === null ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(said ?? { error: { code: 'not_found' } }));
}

function takenIn(side: CarrierSide, { headers }: IncomingMessage, body: Buffer): Taken {
  const key = String(headers['idempotency-key']);
  const before = side.submissions.find((each) => each.key === key);
  const taken = before ?? { key, json: JSON.parse(body.toString('utf8')) as Json };
  if (before === undefined) side.submissions.push(taken);
  return taken;
}

function answerOf(side: CarrierSide, asked: string, name: string, taken: Taken | null): Json | null {
  if (taken !== null) return side.evaluation(taken);
  if (asked === 'PUT documents') return {};
  return asked === 'GET submissions' ? side.review(name) : null;
}
