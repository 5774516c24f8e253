import type { TenantScope } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { stockVoice } from '../../../speech/voices/index.ts';
import type { CastSpeaker, Gender, Warning } from '../contract.ts';
import { LIMITS } from '../limits.ts';
import { chooseVoices, nearestTo } from './choose.ts';
import { DISTINCT_BELOW, type VoiceSimilarity } from './voice-similarity.ts';
import { type CastVoices, stressesWords } from './voices.ts';

export interface GivenSpeaker {
  readonly name: string;
  readonly voice?: string;
  readonly gender?: Gender;
}

export interface CastOrder {
  readonly scope: TenantScope;
  readonly language: string;
  /** The speakers with lines, in the order in which they first speak, with the voice that a line names. */
  readonly speaking: readonly GivenSpeaker[];
  readonly given: readonly GivenSpeaker[];
  /** The speakers that the project already has; they keep their voices. */
  readonly known: readonly CastSpeaker[];
}

export const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const named = <T extends { readonly name: string }>(list: readonly T[], name: string): T | undefined =>
  list.find((one) => sameName(one.name, name));

/** Gives every speaker a voice: the writer's choice, else the previous one, else a distinct one. */
export async function castSpeakers(
  voices: CastVoices,
  similarity: VoiceSimilarity,
  { scope, language, speaking, given, known }: CastOrder,
): Promise<{ readonly speakers: readonly CastSpeaker[]; readonly warnings: readonly Warning[] }> {
  const all = [...speaking, ...given.filter(({ name }) => named(speaking, name) === undefined)];
  checkNumber(all.length);
  const settled = new Map<string, CastSpeaker>();
  for (const { name, voice: ofLine } of all) {
    const said = named(given, name);
    const before = named(known, name);
    const place = given.indexOf(said!);
    const asked = said?.voice ?? ofLine;
    const gender = said?.gender ?? before?.gender ?? null;
    if (asked !== undefined) {
      const param = said?.voice === undefined ? 'script' : `speakers.${place}.voice`;
      const { id } = await voices.resolve(scope, asked, param);
      settled.set(name, { name, voice: id, chosen_by: 'writer', gender });
    } else if (before !== undefined && (said?.gender === undefined || said.gender === before.gender)) {
      settled.set(name, { ...before, name });
    }
  }
  const open = all.filter(({ name }) => !settled.has(name));
  const taken = [...settled.values()].map(({ voice }) => voice);
  const wanted = open.map(({ name }) => ({ name, gender: named(given, name)?.gender ?? null }));
  const chosen =
    open.length === 0 ? [] : chooseVoices(wanted, candidatesOf(voices, language), taken, similarity);
  for (const [at, { name, gender }] of wanted.entries())
    settled.set(name, { name, voice: chosen[at]!.voice, chosen_by: 'platform', gender });
  const speakers = all.map(({ name }) => settled.get(name)!);
  return { speakers, warnings: alike(speakers, similarity) };
}

function checkNumber(speakers: number): void {
  if (speakers <= LIMITS.speakers) return;
  const message = `There are ${speakers} speakers; a project can have at most ${LIMITS.speakers}.`;
  throw new ApiError('invalid_request', message, { param: 'speakers' });
}

/**
 * Returns the voices that speak with every emotion and stress words; all voices of the language where there are none.
 */
function candidatesOf(voices: CastVoices, language: string) {
  const all = voices.ofLanguage(language);
  const most = Math.max(...all.map(({ emotions }) => emotions.length));
  if (all.length > 0) {
    const moved = all.filter(({ emotions }) => emotions.length === most);
    const stressing = moved.filter((voice) => stressesWords(stockVoice(voice).engine));
    return stressing.length > 0 ? stressing : moved;
  }
  const message = `No voice speaks '${language}'; GET /v1/cast/capabilities lists the available voices.`;
  throw new ApiError('unsupported_language', message, { param: 'language' });
}

function alike(speakers: readonly CastSpeaker[], similarity: VoiceSimilarity): readonly Warning[] {
  return speakers.flatMap(({ name, voice }, at) => {
    const before = speakers.slice(0, at);
    const nearest = nearestTo(
      voice,
      before.map((one) => one.voice),
      similarity,
    );
    if (nearest === null || nearest.similarity < DISTINCT_BELOW) return [];
    const other = before.find((one) => one.voice === nearest.voice)!;
    const message = `The voices of ${name} and ${other.name} are similar (${nearest.similarity.toFixed(2)}): choose another voice for one of them.`;
    return [{ code: 'voices_alike', message }];
  });
}
