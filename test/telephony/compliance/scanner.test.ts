// @requirement Compliance cases: `clamd` scans documents, and without it a case says that they are pending.
/** The real clamd has a database of one signature: the EICAR file, which every scanner takes for malware. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdfOf } from '../../../bench/compliance/pdf.ts';
import { clamd, NO_SCANNER } from '../../../src/telephony/compliance/index.ts';
import { openTestbed } from '../../edge/surfaces/compliance/server.ts';
import { type Clamd, clamdAbsent, signatureOf, startClamd } from './clamd.ts';

/** The string is in two parts, so that no scanner takes this source file for it. */
const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);
const LARGEST = 2 * 1024 * 1024;
const never = new AbortController().signal;

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

const infectedPdf = (): Buffer =>
  Buffer.concat([pdfOf([[{ text: 'Bill', x: 60, y: 90, size: 11 }]]), Buffer.from('\n%%EOF\n')]);

let scanner: Clamd | undefined;
let address = '';

describe.skipIf(clamdAbsent)('clamd', () => {
  beforeAll(async () => {
    const known = signatureOf(EICAR, 'Eicar-Test-Signature') + signatureOf(infectedPdf(), 'Eicar-In-Paper');
    scanner = await startClamd(known, LARGEST);
    address = scanner.address;
  }, 60_000);

  afterAll(() => scanner?.stop());

  it('takes a clean file for clean, and the test file for malware', async () => {
    const scanner = clamd(address);
    expect(await scanner.scan(one(Buffer.from('a paper')), never)).toEqual({ kind: 'clean' });
    expect(await scanner.scan(one(EICAR), never)).toMatchObject({
      kind: 'infected',
      name: expect.stringContaining('Eicar-Test-Signature'),
    });
  });

  it('cannot look through what is larger than it takes, and says so', async () => {
    const answer = await clamd(address).scan(one(Buffer.alloc(2 * LARGEST)), never);
    expect(answer).toMatchObject({ kind: 'unscannable', said: expect.stringContaining('size limit') });
  });

  it('has the bytes of malware removed, and the case says so', async () => {
    const testbed = await openTestbed({ scanner: clamd(address) });
    const { id } = await testbed.open();
    await testbed.upload(id, 'telephone_bill', infectedPdf());
    const read = await testbed.settled(id, ({ uploads }) => uploads[0].removed_at !== null);
    expect(read).toMatchObject({
      state: 'needs_review',
      uploads: [{ malware_status: 'infected', malware_detail: expect.stringContaining('Eicar-In-Paper') }],
      extractions: [{ status: 'failed', failure_reason: 'malware_found', fields: [] }],
    });
    expect(read.missing.map(({ code }: { code: string }) => code)).toContain('malware_found');
    expect(await testbed.blobs.list('compliance', id)).toEqual([]);
  });
});

describe('a scanner that is not there', () => {
  it('says so, and nothing becomes clean by itself', async () => {
    for (const scanner of [NO_SCANNER, clamd('unix:/nowhere/clamd.ctl')]) {
      const testbed = await openTestbed({ scanner });
      const { id } = await testbed.open();
      await testbed.upload(id, 'telephone_bill', infectedPdf());
      const read = await testbed.settled(id);
      expect(read.uploads[0]).toMatchObject({
        malware_status: 'pending',
        malware_detail: expect.any(String),
      });
      const said = read.missing.find(({ code }: { code: string }) => code === 'malware_scan_pending');
      expect(said.message).toMatch(/scanner/);
    }
  });

  it('that hangs up, or answers nonsense, is no clean file', async () => {
    for (const [answer, kind] of [
      ['', 'unavailable'],
      ['stream: OK but no', 'unavailable'],
      ['PONG\0', 'unscannable'],
    ] as const) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.end(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const verdict = await clamd(`tcp://127.0.0.1:${port}`).scan(one(Buffer.from('a paper')), never);
      expect(verdict).toMatchObject({ kind });
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
