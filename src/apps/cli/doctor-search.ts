import type { Models } from '../../foundation/platform/models/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { cpuFeatures } from '../../media/engine/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

const MEANING = 'minilm-l6';
const SOUND = 'espeak-ng';
const WORDS = { sqlite: "SQLite's FTS5", postgres: "PostgreSQL's full text" } as const;

export function searchFinding({ dialect }: Pick<Storage, 'dialect'>, models: Models): DoctorFinding {
  const missing = [MEANING, SOUND].filter((model) => !models.status(model).ready);
  const ways = [
    `words by ${WORDS[dialect]}`,
    ...(missing.includes(MEANING) ? [] : [`meaning (en) by the engine's ${cpuFeatures().kernels} kernels`]),
    ...(missing.length > 0 ? [] : ['terms (en) by their sound']),
  ];
  const lack = missing.length > 0 ? `; ${missing.join(' and ')} not here: npx trunkline models fetch` : '';
  return {
    name: 'knowledge search',
    works: missing.length === 0,
    required: false,
    detail: ways.join(', ') + lack,
  };
}
