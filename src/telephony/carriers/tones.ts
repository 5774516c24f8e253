import { addTone, convertAudio, SILENCE_BYTE } from '../../media/engine/index.ts';

const RATE = 8000;
const BYTES_A_MS = (2 * RATE) / 1000;
const LEVEL = 0.2;
const CHORDS = [
  [262, 330, 392],
  [220, 262, 330],
  [175, 220, 262],
  [196, 247, 294],
] as const;
const CHORD_MS = 900;
const NOTE_MS = 225;
/** A plucked note falls by e to this power in a second. */
const PLUCK = 6;

const KEYS = '123A456B789C*0#D';
const ROWS = [697, 770, 852, 941] as const;
const COLUMNS = [1209, 1336, 1477, 1633] as const;
const KEY_MS = 100;

export const SILENCE = SILENCE_BYTE.pcmu;

export function tone(hertz: readonly number[], ms: number): Uint8Array {
  const level = LEVEL / Math.sqrt(hertz.length || 1);
  const pcm = blank(ms);
  for (const one of hertz) addTone({ pcm }, { hertz: one, rate: RATE, level });
  return convertAudio('pcm16', pcm, 'pcmu');
}

export function keySound(key: string): Uint8Array {
  const at = KEYS.indexOf(key);
  if (at < 0) return new Uint8Array();
  const both = [ROWS[at >> 2] as number, COLUMNS[at & 3] as number];
  return Buffer.concat([tone(both, KEY_MS), silence(KEY_MS)]);
}

export function music(ms: number): Uint8Array {
  const pcm = blank(ms);
  for (let from = 0; from < ms; from += NOTE_MS) {
    const chord = CHORDS[Math.floor(from / CHORD_MS) % CHORDS.length]!;
    const note = chord[(from / NOTE_MS) % chord.length]!;
    const part = { pcm: pcm.subarray(from * BYTES_A_MS, (from + NOTE_MS) * BYTES_A_MS) };
    const play = (hertz: number, share: number, decay: number) =>
      addTone(part, { hertz, rate: RATE, level: LEVEL * share, decay, began: (from * RATE) / 1000 });
    play(2 * note, 0.5, PLUCK);
    play(4 * note, 0.25, PLUCK);
    play(6 * note, 0.12, PLUCK);
    for (const low of chord) play(low, 0.18, 0);
  }
  return convertAudio('pcm16', pcm, 'pcmu');
}

export const silence = (ms: number): Uint8Array =>
  new Uint8Array(Math.round((ms * RATE) / 1000)).fill(SILENCE);

const blank = (ms: number): Buffer => Buffer.alloc(2 * Math.round((ms * RATE) / 1000));
