import { ApiError, type ErrorCode } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import { TimeSlice } from '../../foundation/platform/time-slice.ts';
import { type LineDirection, NARRATOR, type ScriptedLine, type Warning } from './contract.ts';
import { fittingTo } from './emphasis.ts';
import { LIMITS } from './limits.ts';
import {
  readScript,
  type Script,
  type ScriptFormat,
  type ScriptLine,
  tooManyLines,
} from './scripts/index.ts';
import { saysSomething } from './spoken-text.ts';

const PROGRAM = compiledProgram(import.meta.url, 'products/cast', 'draft.js');
/** The worst script of this length is parsed within a few milliseconds, so that it needs no worker thread. */
const SHORT_CHARACTERS = 20_000;

export interface GivenLine {
  readonly id?: string;
  readonly speaker?: string;
  readonly text: string;
  readonly voice?: string | null;
  readonly chapter?: string | null;
  readonly note?: string | null;
  readonly direction?: LineDirection;
  readonly seed?: number;
}

export interface GivenText {
  readonly script?: string;
  readonly script_format?: ScriptFormat;
  readonly lines?: readonly GivenLine[];
}

export interface Draft {
  readonly lines: readonly ScriptedLine[];
  readonly warnings: readonly Warning[];
  /** The descriptions of voices, keyed by the speaker in lower case. */
  readonly voices: ReadonlyMap<string, string>;
}

/**
 * Returns null where the request does not change the lines. Lines that equal one of `before` keep their id, direction
 * and take. A long script is parsed on a worker thread, scheduled by `tenant`.
 */
export async function draftOf(
  given: GivenText,
  before: readonly ScriptedLine[],
  tenant: string,
): Promise<Draft | null> {
  const { script, lines } = given;
  if (script !== undefined && lines !== undefined)
    throw new ApiError('invalid_request', 'Send either script or lines.', { param: 'lines' });
  if (script !== undefined)
    return scriptDraft(await spokenScript(script, given.script_format, tenant), before);
  if (given.script_format !== undefined)
    throw new ApiError('invalid_request', 'script_format requires a script.', { param: 'script_format' });
  if (lines === undefined) return null;
  if (lines.length > LIMITS.lines) throw tooManyLines();
  const previous = new PreviousLines(before);
  return { lines: lines.map((line, at) => givenLine(line, at, previous)), warnings: [], voices: new Map() };
}

type ReadScript =
  | Script
  | { readonly refused: { readonly code: ErrorCode; readonly message: string; readonly param: string } };

/**
 * Parses a script and checks that each line can be spoken. It returns the refusal, because a thread passes only
 * messages of errors on.
 */
export function readSpoken({
  script,
  format,
}: {
  readonly script: string;
  readonly format: ScriptFormat | undefined;
}): ReadScript {
  try {
    const { lines, warnings } = readScript(script, format);
    for (const [at, { text, speaker }] of lines.entries()) {
      checkText(text, `line ${at + 1} of the script`, 'script');
      checkSpeaker(speaker, 'script');
    }
    return { lines, warnings: warnings.slice(0, LIMITS.warnings) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refused: { code: error.code, message: error.message, param: error.param ?? 'script' } };
  }
}

async function spokenScript(
  script: string,
  format: ScriptFormat | undefined,
  tenant: string,
): Promise<Script> {
  const asked = { script, format };
  const read =
    script.length <= SHORT_CHARACTERS
      ? readSpoken(asked)
      : await runInThread<ReadScript>(PROGRAM, readSpoken.name, asked, { tenant });
  if (!('refused' in read)) return read;
  const { code, message, param } = read.refused;
  throw new ApiError(code, message, { param });
}

async function scriptDraft(read: Script, before: readonly ScriptedLine[]): Promise<Draft> {
  const previous = new PreviousLines(before);
  const lines: ScriptedLine[] = [];
  const slice = new TimeSlice();
  for (const line of read.lines) {
    lines.push(scriptLine(line, previous.take(line.speaker, line.text)));
    await slice.next();
  }
  const voices = new Map<string, string>();
  for (const { speaker, voice } of read.lines)
    if (voice !== undefined) voices.set(speaker.toLowerCase(), voice);
  return { lines, warnings: read.warnings, voices };
}

function scriptLine(line: ScriptLine, same: ScriptedLine | undefined): ScriptedLine {
  const given = line.direction !== undefined;
  return {
    id: same?.id ?? newId('line'),
    speaker: line.speaker,
    text: line.text,
    voice: null,
    chapter: line.chapter ?? null,
    note: line.note ?? null,
    direction: line.direction ?? same?.direction ?? {},
    directed_by: given ? 'writer' : (same?.directed_by ?? null),
    seed: same?.seed ?? 0,
  };
}

function givenLine(line: GivenLine, at: number, previous: PreviousLines): ScriptedLine {
  const speaker = line.speaker ?? NARRATOR;
  const param = `lines.${at}`;
  checkText(line.text, param, `${param}.text`);
  checkSpeaker(speaker, `${param}.speaker`);
  const same =
    line.id === undefined ? previous.take(speaker, line.text) : previous.takeById(line.id, `${param}.id`);
  return {
    id: same?.id ?? newId('line'),
    speaker,
    text: line.text,
    voice: line.voice ?? null,
    chapter: line.chapter ?? null,
    note: line.note ?? null,
    direction: line.direction ?? fittingTo(line.text, same?.direction ?? {}),
    directed_by: line.direction === undefined ? (same?.directed_by ?? null) : 'writer',
    seed: line.seed ?? same?.seed ?? 0,
  };
}

export function checkText(text: string, where: string, param: string): void {
  if (text.length > LIMITS.line_characters) {
    const message = `The text of ${where} has ${text.length} characters; a line can have at most ${LIMITS.line_characters}.`;
    throw new ApiError('input_too_long', message, { param });
  }
  if (!saysSomething(text))
    throw new ApiError('invalid_request', `There is nothing to speak in ${where}.`, { param });
}

export function checkSpeaker(speaker: string, param: string): void {
  const isNamed = speaker.trim() === speaker && speaker !== '' && speaker.length <= LIMITS.speaker_characters;
  if (isNamed && !/[\p{Cc}\p{Cf}]/u.test(speaker)) return;
  throw new ApiError('invalid_request', `'${speaker.slice(0, 80)}' is not a valid speaker name.`, { param });
}

/** The previous lines of the project; each is matched once. */
class PreviousLines {
  readonly #byId: Map<string, ScriptedLine>;
  readonly #byText = new Map<string, ScriptedLine[]>();

  constructor(before: readonly ScriptedLine[]) {
    this.#byId = new Map(before.map((line) => [line.id, line]));
    for (const line of before) {
      const key = keyOf(line.speaker, line.text);
      const same = this.#byText.get(key);
      if (same === undefined) this.#byText.set(key, [line]);
      else same.push(line);
    }
  }

  take(speaker: string, text: string): ScriptedLine | undefined {
    const same = this.#byText.get(keyOf(speaker, text));
    for (let line = same?.shift(); line !== undefined; line = same?.shift())
      if (this.#byId.delete(line.id)) return line;
    return undefined;
  }

  takeById(id: string, param: string): ScriptedLine {
    const line = this.#byId.get(id);
    if (line === undefined)
      throw new ApiError('invalid_request', `The project has no line '${id.slice(0, 64)}'.`, { param });
    this.#byId.delete(id);
    return line;
  }
}

const keyOf = (speaker: string, text: string): string => `${speaker.toLowerCase()}\n${text}`;
