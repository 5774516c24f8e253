import { afterAll, describe, expect, it } from 'vitest';
import { sendLongRequest } from '../edge/server/fixtures/long-request.ts';
import { CASES } from './cases/index.ts';
import { credential, urlOf } from './checks.ts';
import { type DescribedOperation, operationsOf } from './operations.ts';
import { World } from './world.ts';

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;
const ON_THE_WAY = 64 * MEGABYTE;

const world = await World.open();
afterAll(() => world.stop());

const fileOf = ({ form }: DescribedOperation): string | undefined =>
  Object.entries((form?.properties ?? {}) as Record<string, { format?: string }>).find(
    ([, { format }]) => format === 'binary',
  )?.[0];

const part = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

async function upload(operation: DescribedOperation) {
  const good = await CASES[operation.name]!.good(world, world.ours);
  const fields = [...(good.form?.() ?? new FormData())].filter(([, value]) => typeof value === 'string');
  const file = fileOf(operation);
  const begins = `${fields.map(([name, value]) => part(name, value as string)).join('')}--b\r\ncontent-disposition: form-data; name="${file}"; filename="a.txt"\r\n\r\n`;
  const headers = {
    ...credential(operation, world.ours),
    ...good.headers,
    'content-type': 'multipart/form-data; boundary=b',
  };
  const url = `${world.url}${urlOf(operation, good)}`;
  return await sendLongRequest({ url, method: operation.method, headers, begins, bytes: GIGABYTE });
}

const uploads = operationsOf(world.openapi).filter((operation) => fileOf(operation) !== undefined);

describe('a gigabyte', () => {
  it.each(uploads.map((operation) => [operation.name, operation] as const))(
    'is answered 413 at the limit of %s',
    async (_name, operation) => {
      const answer = await upload(operation);
      expect(answer.status, answer.text).toBe(413);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'payload_too_large', param: 'file' } });
      const limit = Number(/(?:more than|larger than|at most|limit of) (\d+) bytes/.exec(answer.text)?.[1]);
      expect(answer.answeredAfter).toBeLessThan(limit + ON_THE_WAY);
      expect(answer.endedAfter).toBeLessThan(limit + 2 * ON_THE_WAY);
    },
  );

  it('is answered 413 where JSON is wanted', async () => {
    const answer = await sendLongRequest({
      url: `${world.url}/v1/knowledgebases`,
      method: 'POST',
      headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
      begins: '{"name":"',
      bytes: GIGABYTE,
    });
    expect(answer.status, answer.text).toBe(413);
    expect(answer.endedAfter).toBeLessThan(ON_THE_WAY);
  });

  it('is answered 401 where nobody knows the key', async () => {
    const answer = await sendLongRequest({
      url: `${world.url}/v1/knowledgebases/kb_x/documents`,
      method: 'POST',
      headers: { authorization: 'Bearer none', 'content-type': 'multipart/form-data; boundary=b' },
      begins: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n',
      bytes: GIGABYTE,
    });
    expect(answer.status, answer.text).toBe(401);
    expect(answer.endedAfter).toBeLessThan(ON_THE_WAY);
  });
});
