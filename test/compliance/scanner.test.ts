/** The real clamd, with a database of one signature: that of the file which every scanner takes for malware. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdfOf } from '../../bench/compliance/pdf.ts';
import { clamd, NO_SCANNER } from '../../src/compliance/index.ts';
import { openDesk } from '../surfaces/compliance/server.ts';

const PROGRAM = ['/usr/sbin/clamd', '/usr/local/sbin/clamd'].find((path) => existsSync(path));
if (PROGRAM === undefined && process.env.CI === 'true') throw new Error('absent: clamd (clamav-daemon)');

/** In two parts, so that no scanner takes this source for it. */
const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);
const LARGEST = 2 * 1024 * 1024;
const never = new AbortController().signal;

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

/** A PDF that carries the file inside. */
const infectedPdf = (): Buffer =>
  Buffer.concat([pdfOf([[{ text: 'Bill', x: 60, y: 90, size: 11 }]]), Buffer.from('\n%%EOF\n')]);

let folder = '';
let child: ChildProcess | null = null;
let address = '';

const signatureOf = (bytes: Uint8Array, name: string): string =>
  `${createHash('md5').update(bytes).digest('hex')}:${bytes.length}:${name}\n`;

describe.skipIf(PROGRAM === undefined)('clamd', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clamd-'));
    const database = join(folder, 'database');
    mkdirSync(database);
    const known = signatureOf(EICAR, 'Eicar-Test-Signature') + signatureOf(infectedPdf(), 'Eicar-In-Paper');
    writeFileSync(join(database, 'own.hdb'), known);
    const socket = join(folder, 'clamd.ctl');
    const settings = [
      'Foreground yes',
      `LocalSocket ${socket}`,
      `DatabaseDirectory ${database}`,
      `TemporaryDirectory ${folder}`,
      `StreamMaxLength ${LARGEST}`,
      'SelfCheck 0',
      'ConcurrentDatabaseReload no',
    ];
    writeFileSync(join(folder, 'clamd.conf'), `${settings.join('\n')}\n`);
    const started = spawn(PROGRAM as string, ['--config-file', join(folder, 'clamd.conf')]);
    child = started;
    address = `unix:${socket}`;
    await new Promise<void>((resolve, reject) => {
      const look = (text: Buffer) => {
        if (
          /Listening|listening|Self checking|SelfCheck|Not loading PUA|Bytecode support/i.test(
            text.toString(),
          )
        )
          if (existsSync(socket)) resolve();
      };
      started.stdout.on('data', look);
      started.stderr.on('data', look);
      started.on('exit', (code) => reject(new Error(`clamd ended with ${code}`)));
    });
  }, 60_000);

  afterAll(() => {
    child?.removeAllListeners('exit');
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

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
    const desk = await openDesk({ scanner: clamd(address) });
    const { id } = await desk.open();
    await desk.upload(id, 'telephone_bill', infectedPdf());
    const read = await desk.settled(id, ({ uploads }) => uploads[0].removed_at !== null);
    expect(read).toMatchObject({
      state: 'needs_review',
      uploads: [{ malware_status: 'infected', malware_detail: expect.stringContaining('Eicar-In-Paper') }],
      extractions: [{ status: 'failed', failure_reason: 'malware_found', fields: [] }],
    });
    expect(read.missing.map(({ code }: { code: string }) => code)).toContain('malware_found');
    expect(await desk.blobs.list('compliance', id)).toEqual([]);
  });
});

describe('a scanner that is not there', () => {
  it('says so, and nothing becomes clean by itself', async () => {
    for (const scanner of [NO_SCANNER, clamd('unix:/nowhere/clamd.ctl')]) {
      const desk = await openDesk({ scanner });
      const { id } = await desk.open();
      await desk.upload(id, 'telephone_bill', infectedPdf());
      const read = await desk.settled(id);
      expect(read.uploads[0]).toMatchObject({
        malware_status: 'pending',
        malware_detail: expect.any(String),
      });
      const said = read.missing.find(({ code }: { code: string }) => code === 'malware_scan_pending');
      expect(said.message).toMatch(/scanner/);
    }
  });

  it('that hangs up, or answers nonsense, is no clean file', async () => {
    for (const answer of ['', 'stream: OK but no', 'PONG\0']) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.end(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const { kind } = await clamd(`tcp://127.0.0.1:${port}`).scan(one(Buffer.from('a paper')), never);
      expect(['unavailable', 'unscannable']).toContain(kind);
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
