import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Voice } from '../../../speech/voices/index.ts';
import type { VoiceQuery } from './schemas.ts';

const ENGLISH = 'en';
const EVERY = 'all';

/** Matches language and region in any case. An error for an unknown one lists the known ones. */
export function queryVoices(voices: readonly Voice[], { language, region }: VoiceQuery): Voice[] {
  const spoken = oneOf('language', language ?? ENGLISH, [EVERY, ...voices.map((voice) => voice.language)]);
  const from =
    region === undefined
      ? null
      : oneOf(
          'region',
          region,
          voices.flatMap((voice) => voice.region ?? []),
        );
  return voices.filter(
    (voice) => (spoken === EVERY || voice.language === spoken) && (from === null || voice.region === from),
  );
}

function oneOf(param: string, asked: string, known: readonly string[]): string {
  const value = asked.toLowerCase();
  if (known.includes(value)) return value;
  const all = [...new Set(known)].sort().join(', ');
  throw new ApiError('invalid_request', `${param} must be one of ${all}.`, { param });
}
