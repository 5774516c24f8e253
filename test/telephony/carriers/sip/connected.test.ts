// @requirement Transfers: A warm transfer uses REFER with `Replaces` where the trunk allows it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CarrierCall } from '../../../../src/telephony/carriers/index.ts';
import { until } from '../../../poll.ts';
import { pythonWith } from '../../../python-package.ts';
import { RecordingListener } from '../contract.ts';
import { freePort, lacking, OWN_NUMBER, openWorld, type World } from './peers.ts';
import { correlation, melody, pcmOf, wavOf } from './phone.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const python = pythonWith('pjsua2-python', '2.15.1.post1');
const lack = lacking() ?? (python.missing || null);

/** The last samples that a phone recorded are compared with what the other one plays. */
const COMPARED = 10_000;
/** The sound has moved before a phone records so much more. */
const MOVING_BYTES = 20_000;

class Phone {
  readonly #child: ChildProcess;
  readonly #records: string;
  said = '';
  #woken: (() => void)[] = [];

  constructor(port: number, plays: Int16Array, target = '-', refers = 'follows') {
    const folder = mkdtempSync(join(tmpdir(), 'pjsua-'));
    const sound = join(folder, 'in.wav');
    this.#records = join(folder, 'out.wav');
    writeFileSync(sound, wavOf(plays));
    const script = join(import.meta.dirname, 'pjsua-transfer.py');
    this.#child = spawn(
      join(python.folder, 'bin/python'),
      [script, target, sound, this.#records, String(port), refers],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
      for (const wake of this.#woken.splice(0)) wake();
    });
    closing.push(async () => {
      this.#child.kill();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  async until(text: string): Promise<void> {
    while (!this.said.includes(text)) await new Promise<void>((resolve) => this.#woken.push(resolve));
  }

  recordedBytes(): number {
    return statSync(this.#records).size;
  }

  async stop(): Promise<Int16Array> {
    this.#child.stdin?.end('stop\n');
    await once(this.#child, 'exit');
    return pcmOf(readFileSync(this.#records));
  }
}

async function both(refers: string, replaces: boolean) {
  const port = freePort();
  const world: World = await openWorld(port, { trunk: { allow: ['127.0.0.1'], replaces } });
  closing.push(() => world.close());
  const melodies = [melody(20, 1), melody(20, 7)] as const;
  const person = new Phone(port, melodies[1]);
  await person.until('ready');
  const caller = new Phone(freePort(), melodies[0], `sip:${OWN_NUMBER}@127.0.0.1:${world.port}`, refers);
  const reported = await world.call();
  await reported.until('answered');
  const theirs = new RecordingListener();
  const to = `sip:pjsua@127.0.0.1:${port}`;
  const second: CarrierCall = await world.carrier.place(
    { id: 'tcl_2', from: OWN_NUMBER, to, ringMs: 10_000 },
    theirs,
  );
  await theirs.until('answered');
  return { melodies, person, caller, reported, theirs, second };
}

describe.skipIf(lack !== null)(`two calls of a trunk${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('are connected there: their sound moves, and both calls end here', async () => {
    const { melodies, person, caller, reported, theirs, second } = await both('follows', true);
    let wasOver = true;
    await reported.call.connect?.(second).then(() => {
      wasOver = reported.states.some(({ kind }) => kind === 'ended');
    });
    expect(wasOver).toBe(false);
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await second.hangUp();
    expect((await theirs.until('ended')).end).toMatchObject({ reason: 'completed' });
    const before = [caller.recordedBytes(), person.recordedBytes()] as const;
    const isEnough = (phone: Phone, had: number) => phone.recordedBytes() > had + 2 * COMPARED + MOVING_BYTES;
    await until(() => isEnough(caller, before[0]) && isEnough(person, before[1]));
    const heard = [await caller.stop(), await person.stop()] as const;
    const late = (sound: Int16Array) => sound.length - COMPARED;
    expect(correlation(melodies[1], heard[0], late(heard[0])), caller.said).toBeGreaterThan(0.95);
    expect(correlation(melodies[0], heard[1], late(heard[1])), person.said).toBeGreaterThan(0.95);
  }, 40_000);

  it.each([
    ['where the caller’s side declines', 'declines', true, '603'],
    ['where the trunk is not said to take it', 'follows', false, 'does not allow a transfer'],
  ])(
    'stay here %s',
    async (_, refers, replaces, why) => {
      const { reported, theirs, second } = await both(refers, replaces);
      await expect(reported.call.connect?.(second)).rejects.toMatchObject({
        name: 'CarrierError',
        kind: 'refused',
        message: expect.stringContaining(why),
      });
      expect([reported.call.state.kind, second.state.kind]).toEqual(['answered', 'answered']);
      await second.hangUp();
      await theirs.until('ended');
    },
    40_000,
  );
});
