/** Fields that a request and a stream share, with the errors that the contract names for them. */
import { HEAR_LANGUAGES, type HearLanguage } from '../../engine/index.ts';
import { ApiError } from '../../platform/errors.ts';

export const HEAR_MODEL = 'svc-hear';

/** Absent means the one model there is. */
export function checkModel(model: string | null | undefined): void {
  if (model == null || model === HEAR_MODEL) return;
  throw new ApiError('unsupported_model', `model is ${HEAR_MODEL}.`, { param: 'model' });
}

export function readLanguage(code: string | null | undefined): HearLanguage | undefined {
  if (code == null) return undefined;
  const known = HEAR_LANGUAGES.find((language) => language === code);
  if (known) return known;
  throw new ApiError('unsupported_language', `language is one of ${HEAR_LANGUAGES.join(', ')}.`, {
    param: 'language',
  });
}
