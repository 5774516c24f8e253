import type { Principal } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { DEFAULT_PII_ENTITIES } from '../../../language/pii/index.ts';
import { type JobRequest, PLAIN_REQUEST } from '../../../speech/transcription/index.ts';
import { type JobOptions, SUMMARY_LANGUAGES } from './job-schemas.ts';

const MODEL = 'svc-hear';
const MAX_TERM_LENGTH = 64;

/** Drops other characters, because they would mislead recognition. */
function sanitized(term: string): string {
  return term
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} .'’&+/-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TERM_LENGTH);
}

function termsOf(vocabulary: readonly string[]): readonly string[] {
  const terms = vocabulary.map(sanitized);
  const empty = terms.findIndex((term) => !/[\p{L}\p{N}]/u.test(term));
  if (empty >= 0) {
    const param = `vocabulary.${empty}`;
    throw new ApiError('invalid_request', `${param} must contain a letter or a digit.`, { param });
  }
  return [...new Set(terms)];
}

export function checkUserUrl(gate: UrlGate, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}

function checkTrace(options: JobOptions, principal: Principal): void {
  if (options.rule_pack && !options.trace) {
    throw new ApiError('invalid_request', 'rule_pack requires trace: true.', { param: 'rule_pack' });
  }
  if (!options.trace) return;
  if (options.diarize || options.channel) {
    const param = options.diarize ? 'diarize' : 'channel';
    throw new ApiError('trace_not_combinable', `trace cannot be combined with ${param}.`, { param });
  }
  if (!principal.entitlements.includes('trace')) {
    throw new ApiError('trace_not_entitled', 'Your organization is not entitled to trace.', {
      param: 'trace',
    });
  }
}

export function jobRequestOf(options: JobOptions, principal: Principal): JobRequest {
  const { language, model } = options;
  if (model !== undefined && model !== MODEL) {
    throw new ApiError('unsupported_model', `model must be ${MODEL}.`, { param: 'model' });
  }
  if (language !== undefined && !(SUMMARY_LANGUAGES as readonly string[]).includes(language)) {
    throw new ApiError('unsupported_language', `language must be one of ${SUMMARY_LANGUAGES.join(', ')}.`, {
      param: 'language',
    });
  }
  checkTrace(options, principal);
  if (options.speakers !== undefined && !options.diarize) {
    throw new ApiError('invalid_request', 'speakers requires diarize: true.', { param: 'speakers' });
  }
  return {
    outputFormats: options.output_formats ?? PLAIN_REQUEST.outputFormats,
    vocabulary: termsOf(options.vocabulary ?? PLAIN_REQUEST.vocabulary),
    summaryLanguage: language ?? PLAIN_REQUEST.summaryLanguage,
    entities: options.trace ? (options.rule_pack?.entities ?? DEFAULT_PII_ENTITIES) : null,
    diarize: options.diarize ?? PLAIN_REQUEST.diarize,
    ...(options.speakers === undefined ? {} : { speakers: options.speakers }),
    channel: options.channel ?? PLAIN_REQUEST.channel,
    numerals: (options.numerals ?? PLAIN_REQUEST.numerals) as JobRequest['numerals'],
  };
}
