import { newId } from '../../src/foundation/platform/ids.ts';
import type { Seeds } from './seeds.ts';

export const CAST_SEEDS: Pick<Seeds, 'cast_projects' | 'cast_lines' | 'cast_renders' | 'cast_takes'> = {
  cast_projects: (mark, now) => ({
    id: newId('cast'),
    title: mark,
    language: 'en',
    speakers: JSON.stringify([{ name: mark, voice: 'heart_en_us', chosen_by: 'platform', gender: null }]),
    pronunciations: '[]',
    warnings: '[]',
    external_id: mark,
    lines: 0,
    revision: 1,
    created_at: now,
    updated_at: now,
  }),
  cast_lines: (mark) => ({
    cast_id: newId('cast'),
    id: newId('line'),
    ordinal: 0,
    speaker: mark,
    text: mark,
    direction: '{}',
    seed: 0,
  }),
  cast_renders: (mark, now) => ({
    id: newId('rend'),
    cast_id: newId('cast'),
    status: 'failed',
    request: JSON.stringify({ format: 'mp3', stems: false, loudness_lufs: -16, room_tone_dbfs: null }),
    plan: JSON.stringify({ language: 'en', lines: [{ words: mark }] }),
    progress: 0,
    lines_total: 1,
    lines_done: 0,
    max_seconds: 1,
    error: mark,
    created_at: now,
    completed_at: now,
    audio_removed_at: now,
  }),
  cast_takes: (_mark, now) => ({ cast_id: newId('cast'), take: 'x', samples: 1, billed: 0, used_at: now }),
};
