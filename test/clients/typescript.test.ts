// @requirement Clients: Both clients are generated, packed, installed and typed.
// @requirement Clients: The clients help with streams, calls, webhooks, pages, retries and errors.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { World } from '../contract/world.ts';
import { root } from '../running-server.ts';
import { clientsMissing, npmProject } from './packages.ts';

const run = promisify(execFile);
const world = clientsMissing ? null : await World.open();
afterAll(() => world?.stop());

// biome-ignore lint/suspicious/noExplicitAny: the package is built when the test runs: nothing here has its types.
let client: any;
let project: string;

beforeAll(async () => {
  if (clientsMissing) return;
  project = await npmProject(world!);
  client = await import(pathToFileURL(join(project, 'node_modules/trunkline-client/dist/esm/index.js')).href);
}, 900_000);

const SCRIPT = `
const main = async ({ Trunkline }) => {
  const { rest } = new Trunkline({ baseUrl: process.argv[2], apiKey: process.argv[3] });
  const me = await rest.getV1Me();
  console.log(me.environment, (await rest.getV1Voices()).data.length > 0);
};`;

describe.skipIf(clientsMissing)('the package of npm', () => {
  it.each([
    ['an ES module', 'use.mjs', "import * as all from 'trunkline-client'; main(all);"],
    ['CommonJS', 'use.cjs', "main(require('trunkline-client'));"],
  ])(
    'works as %s',
    async (_what, name, last) => {
      writeFileSync(join(project, name), SCRIPT + last);
      const { stdout } = await run(process.execPath, [join(project, name), world!.url, world!.ours.key]);
      expect(stdout).toBe('live true\n');
    },
    120_000,
  );

  it('has types that tell right uses from wrong ones', async () => {
    const use = (line: string) => `
import { Trunkline, TrunklineError, verifyWebhook } from 'trunkline-client';
export async function use(trunkline: Trunkline): Promise<void> { ${line} }
export const broke = (error: TrunklineError): boolean => error.is('credit_exhausted');
export { verifyWebhook };`;
    const lines = {
      right:
        'const { data } = await trunkline.rest.getV1OmniCalls({ query: { limit: 3 } }); const id: string = data[0]!.call_id; void id;',
      wrong: 'await trunkline.rest.postV1AudioSpeech({ body: { inputs: "x" } });',
      wrongFrame:
        'for await (const frame of await trunkline.hear.stream()) if (frame.type === "finale") return;',
    };
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const judge = async (name: keyof typeof lines) => {
      const file = join(project, `${name}.mts`);
      writeFileSync(file, use(lines[name]));
      const options = [
        '--noEmit',
        '--ignoreConfig',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--lib',
        'es2023,dom',
      ];
      return run(process.execPath, [compiler, ...options, file], { cwd: project }).then(
        () => '',
        (error: { stdout: string }) => error.stdout,
      );
    };
    expect(await judge('right')).toBe('');
    expect(await judge('wrong')).toContain('inputs');
    expect(await judge('wrongFrame')).toContain('finale');
  }, 180_000);

  it('throws errors that are known by their code, with the field and the request', async () => {
    const { rest } = new client.Trunkline({ baseUrl: world!.url, apiKey: world!.ours.key, retries: 0 });
    const refused = await rest.getV1VoicesId({ path: { id: 'nobody' } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(client.TrunklineError);
    expect(refused).toMatchObject({ status: 404, requestId: expect.stringMatching(/^req_/) });
    const wrong = await rest.postV1Agents({ body: { name: 7 } }).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ code: 'invalid_request', param: 'name' });
    expect(wrong.is('invalid_request', 'not_found')).toBe(true);
    const closed = new client.Trunkline({ baseUrl: world!.url, apiKey: 'svc_test_nonsense' });
    await expect(closed.hear.stream()).rejects.toBeInstanceOf(client.ConnectionError);
  });

  it('gives every item of a list that comes in pages', async () => {
    const { rest } = new client.Trunkline({ baseUrl: world!.url, apiKey: world!.ours.key });
    for (let at = 0; at < 3; at++) await rest.postV1Knowledgebases({ body: { name: `base ${at}` } });
    const names: string[] = [];
    const list = (query: object) => rest.getV1Knowledgebases({ query: { ...query, limit: 1 } });
    for await (const base of client.pages(list)) names.push(base.name);
    expect(names).toEqual(['base 2', 'base 1', 'base 0']);
  });

  async function answering(...answers: ((response: ServerResponse) => void)[]) {
    let count = 0;
    const server = createServer((_request, response) =>
      answers[Math.min(count++, answers.length - 1)]!(response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const slept: number[] = [];
    const trunkline = new client.Trunkline({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'svc_test_x',
      sleep: async (ms: number) => void slept.push(ms),
    });
    return { trunkline, slept, sent: () => count };
  }
  const refuse = (status: number, headers: Record<string, string>) => (response: ServerResponse) =>
    response
      .writeHead(status, headers)
      .end('{"error":{"code":"rate_limit_exceeded","type":"t","message":"m","param":null}}');
  const good = (response: ServerResponse) =>
    response.setHeader('content-type', 'application/json').end('{"data":[]}');

  it('sends again when Retry-After says, and no sooner', async () => {
    const { trunkline, slept, sent } = await answering(refuse(429, { 'retry-after': '7' }), good);
    expect(await trunkline.rest.postV1Agents({ body: { name: 'x' } })).toEqual({ data: [] });
    expect([sent(), slept]).toEqual([2, [7000]]);
  });

  it('does not wait for hours, and repeats nothing that could have happened', async () => {
    const far = await answering(refuse(429, { 'retry-after': '86400' }));
    await expect(far.trunkline.rest.getV1Me()).rejects.toMatchObject({ retryAfter: 86_400 });
    expect(far.sent()).toBe(1);
    const broken = await answering((response) => void response.destroy());
    await expect(broken.trunkline.rest.postV1Agents({ body: { name: 'x' } })).rejects.toBeInstanceOf(
      client.ConnectionError,
    );
    expect(broken.sent()).toBe(1);
    await expect(broken.trunkline.rest.getV1Me()).rejects.toBeInstanceOf(client.ConnectionError);
    expect(broken.sent()).toBe(4);
    const away = await answering(refuse(503, { 'retry-after': '1' }), good);
    await expect(away.trunkline.rest.postV1Agents({ body: { name: 'x' } })).rejects.toMatchObject({
      status: 503,
    });
    const keyed = await answering(refuse(503, { 'retry-after': '1' }), good);
    const headers = { 'idempotency-key': 'k1' };
    await keyed.trunkline.rest.postV1Agents({ body: { name: 'x' }, headers });
    expect(keyed.sent()).toBe(2);
  });

  const vectors = JSON.parse(readFileSync(join(root, 'docs/guides/webhooks/vectors.json'), 'utf8')) as {
    name: string;
    valid: boolean;
    secret: string;
    now: number;
    body: string;
    headers: Record<string, string>;
  }[];

  it.each(vectors.map((one) => [one.name, one] as const))('judges a delivery: %s', async (_name, one) => {
    const { secret, now, body, headers } = one;
    const signature = headers['x-svc-signature'];
    const previousSignature = headers['x-svc-signature-previous'];
    const judged = client.verifyWebhook({
      previousSignature,
      body,
      signature,
      secret,
      now,
      eventId: headers['x-svc-event-id'],
    });
    if (one.valid) expect(await judged).toEqual(JSON.parse(body));
    else await expect(judged).rejects.toThrow();
  });
});
