import { expect, it } from 'vitest';
import {
  type Engine,
  EngineStatus,
  engineStatusError,
  type StatusName,
} from '../../../src/media/engine/index.ts';
import { AddedModelError, testEncoder } from '../../../src/speech/added-models/index.ts';
import { engineVoices } from '../../../src/speech/transcription/index.ts';

const SECOND = 32_000;
const NO_SEGMENTS = Buffer.alloc(8);
const signal = new AbortController().signal;
const failed = (status: StatusName) => engineStatusError(EngineStatus[status]);

/** The added encoder fails with pieces that are shorter than this. */
function engineOf(status: StatusName, leastBytes = Number.POSITIVE_INFINITY) {
  const submit = (_kind: unknown, options: { readonly encoder?: string } | undefined, pcm: Uint8Array) => ({
    result: async () => {
      if (options?.encoder !== undefined && pcm.length < leastBytes) throw failed(status);
      return NO_SEGMENTS;
    },
  });
  return { submit } as unknown as Engine;
}

it.each<[StatusName, boolean]>([
  ['inference', true],
  ['bad_model', true],
  ['capacity', false],
  ['cancelled', false],
])('an added encoder that fails with %s is replaced by the bundled one: %s', async (status, isReplaced) => {
  const failures: unknown[] = [];
  const bounds = { same: 0.5, sameNarrow: 0.5, surelySame: 0.7 };
  const voices = engineVoices(engineOf(status), {
    choose: () => ({ id: 'ours/1', folder: '/ours', bounds }),
    failed: (_, error) => void failures.push(error),
  }).voices(Buffer.alloc(SECOND), 'live', signal);
  if (isReplaced) expect(await voices).toEqual([]);
  else await expect(voices).rejects.toThrow();
  expect(failures).toHaveLength(isReplaced ? 1 : 0);
});

it('does not add an encoder that fails with short pieces', async () => {
  const pcm = Buffer.alloc(2 * SECOND);
  const segment = Buffer.alloc(28);
  segment.writeUInt32LE(1, 4);
  segment.writeUInt32LE(1, 20);
  segment.writeFloatLE(1, 24);
  const engine = engineOf('inference', SECOND);
  const submit = (kind: { readonly name: string }, options: object, given: Uint8Array) => ({
    result: async () => {
      if (kind.name === 'synthesize') return pcm;
      await engine.submit(kind as never, options, given).result();
      return segment;
    },
  });
  const voice = { model: 'kokoro', styles: [] } as never;
  const adding = testEncoder({ submit } as unknown as Engine, '/ours', [voice, voice], signal);
  await expect(adding).rejects.toThrow(AddedModelError);
  await expect(adding).rejects.toThrow('0.2 s');
});
