import type { FastifyRequest } from 'fastify';
import { grants } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { DubRequest, SOURCES, TARGETS, TranslationDirections } from '../../../products/dub/index.ts';
import type { VoiceCatalogue } from '../../../speech/voices/index.ts';
import type { DubOptions } from './schemas.ts';

const CLONE = 'speak:clone';

export async function dubRequestOf(
  request: FastifyRequest,
  options: DubOptions,
  deps: { readonly directions: TranslationDirections; readonly voices: VoiceCatalogue },
): Promise<DubRequest> {
  const { source, target, voice = null, consent = false } = options;
  await checkLanguages(deps.directions, { source, target });
  if (voice !== null) await checkVoices(deps.voices, request, voice, target);
  if (consent && !grants(request.caller().scopes, CLONE)) {
    throw new ApiError('forbidden', `Cloning the speakers' voices needs the scope ${CLONE}.`, {
      param: CLONE,
    });
  }
  return {
    voice,
    consent,
    glossary: options.glossary ?? {},
    background: options.background ?? 'separate',
    format: options.format ?? 'mp3',
  };
}

async function checkLanguages(
  directions: TranslationDirections,
  direction: { readonly source: (typeof SOURCES)[number]; readonly target: (typeof TARGETS)[number] },
): Promise<void> {
  if ((await directions.routesOf(direction)).length > 0) return;
  const { source, target } = direction;
  const message = `This server cannot dub from ${source} to ${target} at the moment; GET /healthz/dub lists the available directions.`;
  throw new ApiError('unsupported_direction', message, { param: 'target' });
}

export async function checkVoices(
  voices: VoiceCatalogue,
  request: FastifyRequest,
  voice: string,
  target: string,
): Promise<void> {
  const { id, language } = await voices.resolve(request.tenantScope(), voice);
  if (language === target) return;
  throw new ApiError('voice_not_found', `The voice '${id}' speaks ${language}, not ${target}.`, {
    param: 'voice',
  });
}

export function checkUserUrl(gate: Pick<UrlGate, 'check'>, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}
