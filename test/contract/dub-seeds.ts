import { newId } from '../../src/foundation/platform/ids.ts';
import type { Seeds } from './seeds.ts';

let dub = '';

export const DUB_SEEDS: Pick<Seeds, 'dub_jobs' | 'dub_segments'> = {
  dub_jobs: (mark, now) => {
    dub = newId('dub');
    return {
      id: dub,
      key_id: null,
      status: 'error',
      source: 'es',
      target: 'en',
      request: JSON.stringify({ voice: null, glossary: { [mark]: mark }, background: 'none', format: 'wav' }),
      audio_url: null,
      idempotency_key: null,
      external_id: mark,
      max_bytes: 1,
      max_seconds: 1,
      media: null,
      speakers: null,
      duration_ms: 1,
      progress: 0,
      revision: 1,
      output: null,
      error: mark,
      error_code: 'no_speech',
      created_at: now,
      started_at: now,
      completed_at: now,
      audio_removed_at: now,
    };
  },
  dub_segments: (mark) => ({
    job_id: dub,
    number: 0,
    speaker: 'speaker_1',
    start_ms: 0,
    end_ms: 1000,
    text: mark,
    text_edited: 0,
    words: '[]',
    translation: mark,
    translated_by: 'you',
    voice: null,
    spoken: null,
  }),
};
