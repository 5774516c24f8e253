// @requirement Clients: Two generators in two languages call every operation.
/**
 * Two unmodified generators, @hey-api/openapi-ts (TypeScript) and openapi-python-client (Python), make clients of
 * /openapi.json. The clients call every operation, and each result is a value of the generated type.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../contract/world.ts';
import { long, sampleOf } from '../long-tests.ts';
import { type Call, callsOf, type FormEntry, fieldsOf, keyOf, rawBody } from './calls.ts';
import { clientsMissing, npmProject, pythonProject } from './packages.ts';

const world = clientsMissing ? null : await World.open();
afterAll(() => world?.stop());

const calls = world ? callsOf(world) : [];
/** The short form calls every third operation, in one of the two languages in turn. */
const named = sampleOf(
  calls.map((call) => [call.operation.name, call] as const),
  3,
);

const inLanguage = (nth: 0 | 1) => named.filter((_one, at) => long || at % 2 === nth);

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const isJson = (type: string): boolean => /json$/.test(type) && !type.includes('ndjson');

interface Media {
  readonly schema?: object;
}

function checkTyped({ operation }: Call, data: unknown): void {
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const media = successes.flatMap(([, { content }]) =>
    Object.entries((content ?? {}) as Record<string, Media>),
  );
  const schemas = media.filter(([type]) => isJson(type)).map(([, { schema }]) => schema!);
  expect(schemas.length, 'JSON came where none is described').toBeGreaterThan(0);
  const valid = schemas.some((schema) => ajv.validate(schema, data));
  expect(valid, `${ajv.errorsText()} ${JSON.stringify(data)?.slice(0, 300)}`).toBe(true);
}

const describedBare = ({ operation }: Call): boolean =>
  Object.entries(operation.responses).some(
    ([status, { content }]) => status.startsWith('2') && !Object.keys((content ?? {}) as object).some(isJson),
  ) ||
  Object.values(operation.responses).some(({ content }) =>
    Object.keys((content ?? {}) as object).some((type) => !isJson(type)),
  );

// biome-ignore lint/suspicious/noExplicitAny: the package is built when the test runs: nothing here has its types.
type Package = any;

const camel = (name: string): string => name.replace(/_([a-z0-9])/gi, (_all, letter) => letter.toUpperCase());

describe.skipIf(clientsMissing)('what @hey-api/openapi-ts generates', () => {
  let client: Package;
  beforeAll(async () => {
    const project = await npmProject(world!);
    const main = join(project, 'node_modules/trunkline-client/dist/esm/index.js');
    client = await import(pathToFileURL(main).href);
  }, 900_000);

  it.each(inLanguage(0))('%s', async (_name, call) => {
    const good = await call.one.good(world!, world!.ours);
    const { rest } = new client.Trunkline({ baseUrl: world!.url, apiKey: keyOf(world!, call), retries: 0 });
    const body = rawBody(call, good) ?? (good.form ? fieldsOf(good.form()) : good.json);
    const asked = rest[camel(call.operationId)]({
      path: good.path,
      query: good.query,
      headers: good.headers,
      ...(body === undefined ? {} : { body }),
      ...(good.form ? client.asForm : {}),
    });
    if (!call.succeeds) {
      const refusal = await asked.then(
        () => null,
        (error: unknown) => error,
      );
      if (refusal !== null) checkRefusal(call, refusal);
      return;
    }
    const data = await asked;
    if (data instanceof Blob) expect(data.size).toBeGreaterThan(0);
    else if (typeof data === 'string') expect(describedBare(call)).toBe(true);
    else if (!('204' in call.operation.responses)) checkTyped(call, data);
  });

  function checkRefusal({ operation }: Call, refusal: Package): void {
    expect(refusal).toBeInstanceOf(client.TrunklineError);
    const described = operation.responses[String(refusal.status)];
    expect(described?.['x-error-codes'], `${refusal}`).toContain(refusal.code);
    expect(refusal.requestId).toMatch(/^req_/);
  }
});

describe.skipIf(clientsMissing)('what openapi-python-client generates', () => {
  let ask: (call: object) => Promise<{ type: string; json?: unknown; bytes?: number; error?: Package }>;
  beforeAll(async () => {
    const python = await pythonProject(world!);
    const child = spawn(python, [join(import.meta.dirname, 'call_operations.py'), world!.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    afterAll(() => void child.kill());
    const lines = createInterface({ input: child.stdout });
    ask = async (call) => {
      child.stdin.write(`${JSON.stringify(call)}\n`);
      const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
      return JSON.parse(String(line));
    };
  }, 900_000);

  it.each(inLanguage(1))('%s', async (_name, call) => {
    const good = await call.one.good(world!, world!.ours);
    const form = good.form
      ? await Promise.all(Object.entries(fieldsOf(good.form())).map(portable))
      : undefined;
    const answer = await ask({
      tag: call.tag,
      operation: call.operationId,
      key: keyOf(world!, call),
      path: good.path ?? {},
      query: good.query ?? {},
      headers: good.headers ?? {},
      json: good.json,
      form,
      bytes: rawBody(call, good)?.toString('base64'),
    });
    expect(answer.type, JSON.stringify(answer)).not.toBe('exception');
    if (!call.succeeds) {
      if (answer.error)
        expect(call.operation.responses[answer.error.status]?.['x-error-codes']).toContain(answer.error.code);
      return;
    }
    expect(answer.error, JSON.stringify(answer.error)).toBeUndefined();
    if (answer.json !== undefined) checkTyped(call, answer.json);
    else if (answer.bytes !== undefined) expect(answer.bytes).toBeGreaterThan(0);
    else expect(describedBare(call), answer.type).toBe(true);
  });

  async function portable([name, value]: [string, FormEntry | FormEntry[]]) {
    if (!(value instanceof Blob)) return { name, value };
    const bytes = Buffer.from(await value.arrayBuffer()).toString('base64');
    return { name, bytes, file: (value as File).name, type: value.type };
  }
});
