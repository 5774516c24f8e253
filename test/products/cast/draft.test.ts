/** A worker thread reads the worst script that fits, and refuses it as it refuses a short one. */
import { beforeAll, describe, expect, it } from 'vitest';
import { draftOf } from '../../../src/products/cast/draft.ts';
import { LIMITS } from '../../../src/products/cast/limits.ts';
import { watchTurns } from '../../event-loop-blocking.ts';
import { compileProgram } from '../../running-server.ts';

beforeAll(compileProgram, 120_000);

const MOST_MS = 100;
const TENANT = 'org_1';
const filled = (start: string, piece: string, end = '') =>
  start +
  piece.repeat(Math.floor((LIMITS.script_characters - start.length - end.length) / piece.length)) +
  end;

const WORST = {
  'one line of Fountain that stresses': filled('INT. ROOM\n\nANN\n', '*a '),
  'lines of dots': filled('INT. ROOM\n\n', '...\n\n'),
  'pauses of SSML': filled('<speak>one', '<break/>a', '</speak>'),
  'one line of dialogue': filled('ANN: ', 'a *b* '),
  'ten thousand lines': 'ANN: Hello *there*, and good day to you all.\n\n'.repeat(LIMITS.lines),
  'cues that say nothing': filled('WEBVTT\n\n', '00:01.000 --> 00:02.000\n...\n\n'),
};

describe.each(Object.entries(WORST))('%s', (_name, script) => {
  it(`holds the event loop for less than ${MOST_MS} ms`, async () => {
    await draftOf({ script: filled('ANN: ', 'hello ').slice(0, 30_000) }, [], TENANT).catch(() => null);
    const turns = watchTurns();
    await draftOf({ script }, [], TENANT).catch((error) => expect(error).toMatchObject({ param: 'script' }));
    expect(turns.longestMs()).toBeLessThan(MOST_MS);
  }, 60_000);
});

it('says of a long script what it says of a short one', async () => {
  const long = filled('ANN: Hello.\n\nBEN: ', 'a ');
  await expect(draftOf({ script: long }, [], TENANT)).rejects.toMatchObject({
    code: 'input_too_long',
    param: 'script',
    message: expect.stringContaining('line 2 of the script'),
  });
  await expect(draftOf({ script: `${long}${long}` }, [], TENANT)).rejects.toMatchObject({
    code: 'payload_too_large',
    param: 'script',
  });
  const script = 'ANN: Hello *there*.\n\n'.repeat(2_000);
  const draft = await draftOf({ script }, [], TENANT);
  expect(draft?.lines).toHaveLength(2_000);
  expect(draft?.lines[1_999]).toMatchObject({ speaker: 'ANN', text: 'Hello *there*.' });
  const again = await draftOf({ script }, draft?.lines ?? [], TENANT);
  expect(again?.lines.map(({ id }) => id)).toEqual(draft?.lines.map(({ id }) => id));
}, 60_000);
