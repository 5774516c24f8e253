import { ApiError } from '../../../foundation/platform/errors.ts';
import { LIMITS } from '../limits.ts';
import type { Script, ScriptFormat } from './contract.ts';
import { readDialogue } from './dialogue.ts';
import { readFountain } from './fountain.ts';
import { isUpperCase, linesOf } from './script-builder.ts';
import { readSsml } from './ssml.ts';
import { readSubtitles } from './subtitles.ts';

export { FORMATS, type Script, type ScriptFormat, type ScriptLine } from './contract.ts';
export { tooManyLines } from './script-builder.ts';

const READERS: Readonly<Record<ScriptFormat, (text: string) => Script>> = {
  dialogue: readDialogue,
  fountain: readFountain,
  ssml: readSsml,
  srt: readSubtitles,
  vtt: readSubtitles,
};

/** Without a format, the beginning of the text decides. */
export function readScript(text: string, format?: ScriptFormat): Script & { readonly format: ScriptFormat } {
  if (text.length > LIMITS.script_characters) {
    const message = `The script has ${text.length} characters; the limit is ${LIMITS.script_characters}.`;
    throw new ApiError('payload_too_large', message, { param: 'script' });
  }
  const plain = text.replace(/^\uFEFF/u, '');
  const readAs = format ?? formatOf(plain);
  const script = READERS[readAs](plain);
  if (script.lines.length === 0) {
    throw new ApiError('invalid_request', `The script (read as ${readAs}) has no line that can be spoken.`, {
      param: 'script',
    });
  }
  return { ...script, format: readAs };
}

const SCENE = /^(?:INT|EXT|EST|I\/E)[. ]/u;
const LOOKED_AT = 400;

export function formatOf(text: string): ScriptFormat {
  const start = text.trimStart();
  if (start.startsWith('WEBVTT')) return 'vtt';
  if (/^<(?:\?xml|!|speak[\s>])/u.test(start)) return 'ssml';
  const lines = linesOf(text.slice(0, 40_000)).slice(0, LOOKED_AT);
  if (lines.some((line) => /^\d{1,3}:\d\d:\d\d,\d{3} --> /u.test(line))) return 'srt';
  if (lines.some((line) => /^\d{1,3}:\d\d(?::\d\d)?\.\d{3} --> /u.test(line))) return 'vtt';
  return looksLikeFountain(lines) ? 'fountain' : 'dialogue';
}

/** A scene heading, or a name in capitals above text, shows Fountain. */
function looksLikeFountain(lines: readonly string[]): boolean {
  return lines.some((raw, at) => {
    const line = raw.trim();
    const below = (lines[at + 1] ?? '').trim();
    const isAlone = (lines[at - 1] ?? '').trim() === '' && below !== '' && !line.includes(':');
    return (
      SCENE.test(line) ||
      (isAlone && isUpperCase(line) && line.split(' ').length <= 5 && !/[.!?]$/u.test(line))
    );
  });
}
