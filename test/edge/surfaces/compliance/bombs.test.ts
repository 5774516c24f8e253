// @requirement Compliance cases: Errors are problem+json with the `error` envelope.
// @requirement Compliance cases: PDF text and pictures are read in limited processes.
import { readdirSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../../../long-tests.ts';
import { compileProgram } from '../../../running-server.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import {
  ACTING,
  harmless,
  LOOPS,
  manyPages,
  nested,
  nestedText,
  objectBomb,
  pageTree,
  pictureBomb,
  textBomb,
} from './bombs.ts';
import { bill } from './sample-documents.ts';
import { type Json, openTestbed, type Testbed } from './server.ts';

const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;

beforeAll(compileProgram, 180_000);

async function readOf(testbed: Testbed, bytes: Buffer): Promise<Json> {
  const { id } = await testbed.open();
  const { status, text } = await testbed.upload(id, 'telephone_bill', bytes);
  expect(status, text).toBe(201);
  return (await testbed.settled(id)).extractions[0];
}

describe('a PDF that is a bomb', () => {
  const bombs = [
    ['unpacks to a gigabyte of text', textBomb, ['unreadable', 'no_text']],
    ['unpacks to a gigabyte of objects', objectBomb, ['unreadable', 'no_text']],
    ['draws a picture of gigapixels', () => pictureBomb(60_000), ['unreadable', 'too_large', 'no_text']],
    ['draws a picture of a gigabyte', () => pictureBomb(18_900), ['unreadable', 'too_large', 'no_text']],
    ['has a thousand pages', () => manyPages(1_000), ['too_large']],
    ['has its pages ten times in ten knots', pageTree, ['too_large', 'unreadable']],
    ['has lists within lists', () => nested(100_000), ['unreadable', 'no_text']],
    ['has words within words', () => nestedText(100_000), ['unreadable', 'no_text']],
  ] as const;

  it.each(sampleOf(bombs, 2))(
    'ends in its own process where it %s, and the next file is read',
    async (_what, make, reasons) => {
      const bytes = make();
      expect(bytes.length).toBeLessThan(3 * MEGABYTE);
      const testbed = await openTestbed();
      const before = process.memoryUsage().rss;
      const extraction = await readOf(testbed, bytes);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * MEGABYTE);
      expect(extraction).toMatchObject({ status: 'failed', fields: [] });
      expect(reasons).toContain(extraction.failure_reason);
      expect((await readOf(testbed, bill())).status).toBe('succeeded');
    },
    120_000,
  );

  it.each(sampleOf(Object.keys(LOOPS), 2))(
    'ends where it has %s',
    async (name) => {
      const { status, failure_reason } = await readOf(await openTestbed(), LOOPS[name]!());
      expect(['succeeded', 'failed']).toContain(status);
      if (status === 'failed')
        expect(['unreadable', 'no_text', 'too_large', 'ocr_unavailable']).toContain(failure_reason);
    },
    60_000,
  );
});

describe('a PDF that acts', () => {
  it.each(sampleOf(Object.keys(ACTING), 3))(
    'is not read where it has %s',
    async (name) => {
      const extraction = await readOf(await openTestbed(), ACTING[name]!());
      expect(extraction).toMatchObject({ status: 'failed', failure_reason: 'active_content', fields: [] });
    },
    60_000,
  );

  it('is read where it has none of this', async () => {
    const { status, fields } = await readOf(await openTestbed(), harmless());
    expect([status, fields[0].field]).toEqual(['succeeded', 'bill_date']);
  }, 60_000);
});

interface Flooded {
  readonly status: number;
  readonly json: Json;
}

function flood(testbed: Testbed, id: string, bytes: number, isDeclared: boolean): Promise<Flooded> {
  const head = Buffer.from(
    '--edge\r\nContent-Disposition: form-data; name="document_request_id"\r\n\r\ntelephone_bill\r\n' +
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="bill.pdf"\r\n\r\n%PDF-1.7\n',
  );
  const tail = Buffer.from('\r\n--edge--\r\n');
  const chunk = Buffer.alloc(MEGABYTE, 'x');
  return new Promise((resolve, reject) => {
    let sent = 0;
    let isAnswered = false;
    const asked = request(`${testbed.url}/v1/telephony/compliance-cases/${id}/documents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OneKeyAccess.KEY}`,
        'content-type': 'multipart/form-data; boundary=edge',
        ...(isDeclared ? { 'content-length': head.length + bytes + tail.length } : {}),
      },
    });
    asked.on('response', (response: IncomingMessage) => {
      isAnswered = true;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode!, json: JSON.parse(Buffer.concat(parts).toString()) });
        asked.destroy();
      });
    });
    asked.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    const go = (): void => {
      while (sent < bytes && !isAnswered) {
        sent += chunk.length;
        if (!asked.write(chunk)) return void asked.once('drain', go);
      }
      if (!isAnswered) asked.end(tail);
    };
    asked.write(head);
    go();
  });
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

// @requirement Compliance cases: Polyglots, archive bombs, deep nesting, scripts and files of 1 GB are refused.
describe('an upload of a gigabyte', () => {
  it.each([
    ['that says so', true],
    ['that does not say how much it is', false],
  ])(
    'is refused, %s, with little memory, and leaves no bytes behind',
    async (_what, isDeclared) => {
      const testbed = await openTestbed();
      const { id } = await testbed.open();
      const before = process.memoryUsage().rss;
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss);
      }, 20);
      const { status, json } = await flood(testbed, id, GIGABYTE, isDeclared).finally(() =>
        clearInterval(watch),
      );
      expect([status, json.type, json.error.code, json.error.param]).toEqual([
        413,
        expect.stringMatching(/\/problems\/payload_too_large$/),
        'payload_too_large',
        'file',
      ]);
      expect(most - before).toBeLessThan(200 * MEGABYTE);
      expect(await testbed.blobs.list('compliance', id)).toEqual([]);
      expect(bytesIn(join(testbed.folder, 'blobs'))).toBe(0);
      expect(await testbed.read(id)).toMatchObject({ version: 1, uploads: [], state: 'collecting_evidence' });
      expect((await testbed.upload(id, 'telephone_bill', bill())).status).toBe(201);
    },
    180_000,
  );
});
