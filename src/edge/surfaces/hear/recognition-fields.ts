import { ApiError } from '../../../foundation/platform/errors.ts';
import { modelNamed, servesAs } from '../../../foundation/platform/model-names.ts';
import { printableValue } from '../../../foundation/platform/printable.ts';
import { HEAR_LANGUAGES, type HearLanguage } from '../../../media/engine/index.ts';

export const HEAR_MODEL = 'svc-hear';

export function checkModel(model: string | null | undefined): void {
  if (model == null || modelNamed(model) === HEAR_MODEL) return;
  const message = `The model '${model.slice(0, 64)}' does not support transcription; use '${HEAR_MODEL}' or omit model.`;
  throw new ApiError('unsupported_model', message, { param: 'model' });
}

/** Accepts the models of other vendors as well, for their clients. */
export function checkAnyModel(model: string | undefined): void {
  if (!model || servesAs(HEAR_MODEL, model)) return;
  checkModel(model);
}

export function readLanguage(code: string | null | undefined): HearLanguage | undefined {
  if (code == null) return undefined;
  const known = HEAR_LANGUAGES.find((language) => language === code);
  if (known) return known;
  throw new ApiError(
    'unsupported_language',
    `language must be one of ${HEAR_LANGUAGES.join(', ')}, received ${printableValue(code)}.`,
    {
      param: 'language',
    },
  );
}
