// @requirement SIP: Two other SIP stacks call and are called.
/** PJSIP is a second stack, independent of those of baresip and SIPp (PyPI pjsua2-python). */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { pythonWith } from '../../../python-package.ts';
import { freePort, lacking, OWN_NUMBER, openWorld } from './peers.ts';
import { correlation, melody, pcmOf, wavOf } from './phone.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const python = pythonWith('pjsua2-python', '2.15.1.post1');
const lack = lacking() ?? (python.missing || null);

describe.skipIf(lack !== null)(`calls of PJSIP${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it.each([
    ['UDP', 'udp', 'clear'],
    ['TCP', 'tcp', 'clear'],
    ['UDP, enciphered by SDES', 'udp', 'srtp'],
  ])('carry sound and keys, and are held: over %s', async (_, transport, srtp) => {
    const made = await openWorld(5099, {
      trunk: { allow: ['127.0.0.1'] },
      media: (media) => media.bind({ audio: (frames) => media.send(frames) }),
    });
    closing.push(() => made.close());
    const folder = mkdtempSync(join(tmpdir(), 'pjsua-'));
    closing.push(async () => rmSync(folder, { recursive: true, force: true }));
    const [plays, records] = [join(folder, 'in.wav'), join(folder, 'out.wav')];
    const said = melody(10);
    writeFileSync(plays, wavOf(said));
    const target = `sip:${OWN_NUMBER}@127.0.0.1:${made.port};transport=${transport}`;
    const { stdout } = await promisify(execFile)(
      join(python.folder, 'bin/python'),
      [join(import.meta.dirname, 'pjsua.py'), target, plays, records, String(freePort()), transport, srtp],
      { timeout: 25_000 },
    );
    expect(stdout).toContain('done');
    const reported = await made.call();
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    expect(reported.keys).toEqual(['5']);
    expect(reported.holds).toEqual([true, false]);
    const heard = pcmOf(readFileSync(records));
    const best = Math.max(...[4_000, 8_000, 11_000, 14_000].map((from) => correlation(said, heard, from)));
    expect(best, stdout).toBeGreaterThan(0.95);
  });
});
