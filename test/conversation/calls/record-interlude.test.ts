import { describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../src/conversation/calls/capture-interlude.ts';
import { captureOf } from '../../../src/conversation/calls/capture-of.ts';
import type { RecordSource } from '../../../src/conversation/calls/record-source.ts';
import type { CaptureRecord } from '../../../src/language/capture/index.ts';
import { settle, stage, utterance } from '../session/stage.ts';

const ORDER: CaptureOptions = { slot: 'customer', kind: 'name', hints: { language: 'en' } };
const rowsOf = (...values: string[]): CaptureRecord[] =>
  values.map((value) => ({ value, id: `id-${value}` }));

async function session(records: RecordSource, order = ORDER) {
  const on = stage();
  const heard: unknown[] = [];
  const listener = {
    captured: (_: unknown, result: object) => void heard.push(result),
    failed: (_: unknown, reason: string) => void heard.push(reason),
  };
  on.session.start();
  on.session.input.beginInterlude(captureOf(order, records, listener, false));
  const hears = async (): Promise<string> => {
    await settle();
    const said = on.lane.audible.at(-1);
    if (said === undefined) return '';
    on.lane.playOut(said.speech);
    await settle();
    return said.text;
  };
  const says = async (text: string): Promise<string> => {
    on.session.take({ kind: 'speech_start', atMs: 1 });
    on.session.take({ kind: 'final', ...utterance(text) });
    return await hears();
  };
  await hears();
  return { ...on, heard, hears, says };
}

const expectations = (log: readonly string[]): string[] => log.filter((line) => line.startsWith('expects'));

describe('a value of the records, in a session', () => {
  it('is listened for while it is asked for, and no longer', async () => {
    const on = await session({ kind: 'rows', rows: rowsOf('Anna Weber', 'Paul Vogel') });
    expect(expectations(on.lane.log)).toEqual(['expects Anna Weber Paul Vogel']);
    await on.says('Paul Fogle');
    await on.says('yes');
    expect(on.heard).toMatchObject([{ value: 'Paul Vogel', record: { id: 'id-Paul Vogel' } }]);
    expect(expectations(on.lane.log).at(-1)).toBe('expects null');
  });

  it('has at most 200 words listened for, which are the likeliest after an answer', async () => {
    const many = Array.from(
      { length: 400 },
      (_, at) => `Person${String.fromCharCode(97 + (at % 26))}${at} Weber`,
    );
    const on = await session({ kind: 'rows', rows: rowsOf(...many, 'Paul Fogerty', 'Paula Vogel') });
    await on.says('Paul Vogle');
    const listened = expectations(on.lane.log).map((line) => line.split(' ').slice(1));
    for (const words of listened) expect(words.length).toBeLessThanOrEqual(200);
    expect(listened.at(-1)).toContain('Vogel');
  });

  it('waits for the tool, and the rows of a later answer are other objects', async () => {
    const asked: unknown[] = [];
    const records: RecordSource = {
      kind: 'tool',
      filler: 'Let me look.',
      find: async (question) => {
        asked.push(question);
        return rowsOf('Schmidt', 'Schmitt', 'Weber');
      },
    };
    const on = await session(records);
    expect(await on.says('Schmidt')).toBe('Schmidt with D T, or Schmitt with double T?');
    expect(await on.says('neither, Weber')).toBe('I found Weber. Is that right?');
    await on.says('yes');
    expect(on.heard).toMatchObject([{ value: 'Weber', confirmed: 'read_back' }]);
    expect(asked).toEqual([
      { heard: 'Schmidt', keys: '', slot: 'customer', language: 'en' },
      { heard: 'neither, Weber', keys: '', slot: 'customer', language: 'en' },
    ]);
  });

  it('is asked for by keys after two answers for which the tool fails', async () => {
    const on = await session({ kind: 'tool', filler: null, find: () => Promise.reject(new Error('down')) });
    expect(await on.says('Weber')).toContain('spell');
    expect(await on.says('W E B E R')).toContain('spell');
    await on.says('Weber');
    await on.says('Weber');
    expect(on.heard).toEqual(['not_understood']);
  });

  it('reports nothing where the call goes on elsewhere before the tool answers', async () => {
    let answer: (rows: CaptureRecord[]) => void = () => undefined;
    const find = () => new Promise<CaptureRecord[]>((resolve) => (answer = resolve));
    const on = await session({ kind: 'tool', filler: null, find }, { ...ORDER, confirm: 'never' });
    await on.says('Weber');
    on.session.input.beginInterlude(
      captureOf({ ...ORDER, slot: 'other' }, null, { captured: () => {}, failed: () => {} }, false),
    );
    answer(rowsOf('Weber'));
    await settle();
    expect(on.heard).toEqual(['dropped']);
  });
});
