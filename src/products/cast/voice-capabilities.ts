/** Checks the directions of a line against the capabilities of its voice. */
import { ApiError } from '../../foundation/platform/errors.ts';
import type { ServedVoice } from '../../speech/voices/index.ts';
import { stressesWords } from './casting/index.ts';
import type { ScriptedLine, Warning } from './contract.ts';
import { hasEmphasis, saysWord } from './emphasis.ts';

export function requireCapableVoice({ text, direction }: ScriptedLine, voice: ServedVoice, at: number): void {
  const { emotion, emphasis = [] } = direction;
  if (emotion !== undefined && !voice.emotions.includes(emotion)) {
    const message = `The voice '${voice.id}' does not speak '${emotion}'; it speaks ${voice.emotions.join(', ')}.`;
    throw new ApiError('unsupported_emotion', message, { param: `lines.${at}.direction.emotion` });
  }
  const param = `lines.${at}.direction.emphasis`;
  if (emphasis.length > 0 && !stressesWords(voice.engine))
    throw new ApiError('invalid_request', `The voice '${voice.id}' does not support emphasis.`, { param });
  const absent = emphasis.find((word) => !saysWord(text, word));
  if (absent !== undefined)
    throw new ApiError('invalid_request', `The line does not contain '${absent}'.`, { param });
}

export const NOT_STRESSED = 'emphasis_not_rendered';

/** Describes the directions that the voice cannot render; null where it renders all. */
export function unsupportedDirections({ text, speaker }: ScriptedLine, voice: ServedVoice): Warning | null {
  if (stressesWords(voice.engine) || !hasEmphasis(text)) return null;
  const message = `The voice '${voice.id}' of ${speaker} does not support emphasis: marked words are spoken like the others.`;
  return { code: NOT_STRESSED, message };
}
