/** Fits speech into the time of other speech, by a pace that listeners accept, else by fewer words. */
import type { Fit } from '../contract.ts';
import type { SpokenClause } from '../voices/index.ts';

export const RATES = { least: 0.85, most: 1.25 } as const;
/** An end within this distance counts as on time. */
const ON_TIME_MS = 40;
const CORRECTIONS = 2;
const REWORDINGS = 2;
/** A shorter wording is requested a little shorter than necessary. */
const SPARE = 0.95;

export interface Slot {
  readonly milliseconds: number;
  /** The most time there is, including the pause after the segment. */
  readonly most: number;
}

export interface Fitted extends SpokenClause {
  readonly text: string;
  readonly rate: number;
  readonly fit: Fit;
}

export interface Fitting {
  say(text: string, rate: number): Promise<SpokenClause>;
  /** Returns a wording of at most this many characters; null where there is none. */
  reword(mostCharacters: number): Promise<string | null>;
}

/** No space follows the marks of Chinese and Japanese. */
const CLAUSE_END = /(?<=[,;:.!?…—।])\s+|(?<=[，、；：。！？])\s*/u;
const ENDS_WITHOUT_SPACE = /[，、；：。！？]$/u;

export async function fitToDuration(text: string, slot: Slot, fitting: Fitting): Promise<Fitted> {
  const first = await fitting.say(text, 1);
  const whole = await paced(text, first, slot, fitting);
  if (whole !== null) return whole;
  let [said, length] = [text, first.milliseconds];
  for (let asked = 0; asked < REWORDINGS; asked += 1) {
    const most = charactersFor(said, length, slot);
    const wording = await fitting.reword(most);
    if (wording === null || wording.length >= said.length) break;
    const natural = await fitting.say(wording, 1);
    const spoken = await paced(wording, natural, slot, fitting);
    if (spoken !== null) return { ...spoken, fit: 'reworded' };
    [said, length] = [wording, natural.milliseconds];
  }
  return await cut(said, length, slot, fitting);
}

const charactersFor = (text: string, length: number, { most }: Slot): number =>
  Math.max(1, Math.floor(((text.length * most * RATES.most) / length) * SPARE));

/** Returns null where no permitted pace ends in time. */
async function paced(
  text: string,
  natural: SpokenClause,
  slot: Slot,
  fitting: Fitting,
): Promise<Fitted | null> {
  const wanted = natural.milliseconds / slot.milliseconds;
  if (wanted < RATES.least)
    return { ...(await fitting.say(text, RATES.least)), text, rate: RATES.least, fit: 'short' };
  if (wanted <= RATES.most)
    return { ...(await onTime(text, natural, slot.milliseconds, fitting)), text, fit: 'fits' };
  if (natural.milliseconds / slot.most > RATES.most) return null;
  const least = natural.milliseconds / RATES.most;
  const spoken = await onTime(text, natural, Math.max(least, slot.milliseconds), fitting);
  return spoken.milliseconds <= slot.most ? { ...spoken, text, fit: 'long' } : null;
}

/** Corrects the pace by the measured length, because the length of speech does not follow the pace exactly. */
async function onTime(
  text: string,
  natural: SpokenClause,
  milliseconds: number,
  { say }: Fitting,
): Promise<SpokenClause & { readonly rate: number }> {
  let best = { ...natural, rate: 1 };
  let rate = 1;
  for (let tried = 0; tried <= CORRECTIONS; tried += 1) {
    const off = (clause: SpokenClause) => Math.abs(clause.milliseconds - milliseconds);
    if (off(best) <= ON_TIME_MS) break;
    const last = tried === 0 ? natural : best;
    rate = Math.min(RATES.most, Math.max(RATES.least, best.rate * (last.milliseconds / milliseconds)));
    if (rate === best.rate) break;
    const next = { ...(await say(text, rate)), rate };
    if (off(next) >= off(best)) break;
    best = next;
  }
  return best;
}

/** Keeps the clauses from the beginning that fit; where even one is too long, its first words. */
async function cut(text: string, length: number, slot: Slot, fitting: Fitting): Promise<Fitted> {
  const characters = charactersFor(text, length, slot);
  const clauses = text.split(CLAUSE_END);
  let shortened = beginningOf(clauses, characters);
  if (shortened === '') shortened = beginningOf(text.split(/\s+/), characters);
  if (shortened === '') shortened = text.slice(0, characters).trim();
  const natural = await fitting.say(shortened, 1);
  const spoken = await paced(shortened, natural, slot, fitting);
  if (spoken !== null) return { ...spoken, fit: 'cut' };
  const shorter = beginningOf(shortened.split(/\s+/), Math.floor(shortened.length / 2)) || shortened;
  const rate = RATES.most;
  return { ...(await fitting.say(shorter, rate)), text: shorter, rate, fit: 'cut' };
}

function beginningOf(parts: readonly string[], characters: number): string {
  let shortened = '';
  for (const part of parts) {
    const joint = shortened === '' || ENDS_WITHOUT_SPACE.test(shortened) ? '' : ' ';
    const longer = `${shortened}${joint}${part}`;
    if (longer.length > characters) break;
    shortened = longer;
  }
  return shortened;
}
