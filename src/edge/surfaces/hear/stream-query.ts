import Type, { type Static } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { HEAR_LANGUAGES, HEAR_RATES, type HearLanguage, type HearRate } from '../../../media/engine/index.ts';
import { checkModel, HEAR_MODEL, readLanguage } from './recognition-fields.ts';

const DEFAULT_RATE: HearRate = 16000;
const ENDPOINTING = { least: 100, most: 3000, default: 500 };

export const StreamQuery = Type.Object({
  model: Type.Optional(Type.Literal(HEAR_MODEL)),
  language: Type.Optional(Type.Enum([...HEAR_LANGUAGES, 'auto'], { default: 'auto' })),
  sample_rate: Type.Optional(Type.Enum([...HEAR_RATES], { default: DEFAULT_RATE })),
  encoding: Type.Optional(Type.Literal('pcm16')),
  endpointing_ms: Type.Optional(
    Type.Integer({
      minimum: ENDPOINTING.least,
      maximum: ENDPOINTING.most,
      default: ENDPOINTING.default,
      description:
        'Milliseconds of silence that end an utterance. The end-of-turn model adjusts the value between half and one and a half times.',
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;

export interface StreamSettings {
  readonly language: HearLanguage | undefined;
  readonly rate: HearRate;
  readonly endpointingMs: number;
}

export function readStreamQuery(query: URLSearchParams): StreamSettings {
  checkModel(query.get('model'));
  const language = query.get('language');
  const encoding = query.get('encoding');
  if (encoding !== null && encoding !== 'pcm16') {
    throw new ApiError('invalid_request', 'encoding must be pcm16.', { param: 'encoding' });
  }
  return {
    language: language === 'auto' ? undefined : readLanguage(language),
    rate: readRate(query.get('sample_rate')),
    endpointingMs: readEndpointing(query.get('endpointing_ms')),
  };
}

function readRate(value: string | null): HearRate {
  if (value === null) return DEFAULT_RATE;
  const rate = HEAR_RATES.find((known) => String(known) === value);
  if (rate) return rate;
  throw new ApiError('invalid_request', `sample_rate must be one of ${HEAR_RATES.join(', ')}.`, {
    param: 'sample_rate',
  });
}

function readEndpointing(value: string | null): number {
  if (value === null) return ENDPOINTING.default;
  const ms = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (ms >= ENDPOINTING.least && ms <= ENDPOINTING.most) return ms;
  const message = `endpointing_ms must be an integer from ${ENDPOINTING.least} to ${ENDPOINTING.most}.`;
  throw new ApiError('invalid_request', message, { param: 'endpointing_ms' });
}
