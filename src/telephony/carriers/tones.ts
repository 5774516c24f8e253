const RATE = 8000;
const LEVEL = 0.2;
const CHORDS = [
  [262, 330, 392],
  [220, 262, 330],
  [175, 220, 262],
  [196, 247, 294],
] as const;
const CHORD_MS = 900;
const NOTE_MS = 225;

const KEYS = '123A456B789C*0#D';
const ROWS = [697, 770, 852, 941] as const;
const COLUMNS = [1209, 1336, 1477, 1633] as const;
const KEY_MS = 100;

export const SILENCE = 0xff;

export function tone(hertz: readonly number[], ms: number): Uint8Array {
  const level = LEVEL / Math.sqrt(hertz.length || 1);
  return sound(ms, (at) => hertz.reduce((sum, one) => sum + level * Math.sin(2 * Math.PI * one * at), 0));
}

export function keySound(key: string): Uint8Array {
  const at = KEYS.indexOf(key);
  if (at < 0) return new Uint8Array();
  const both = [ROWS[at >> 2] as number, COLUMNS[at & 3] as number];
  return Buffer.concat([tone(both, KEY_MS), silence(KEY_MS)]);
}

export function music(ms: number): Uint8Array {
  return sound(ms, (at) => {
    const chord = CHORDS[Math.floor((at * 1000) / CHORD_MS) % CHORDS.length]!;
    const note = chord[Math.floor((at * 1000) / NOTE_MS) % chord.length]!;
    const since = ((at * 1000) % NOTE_MS) / 1000;
    const pluck = Math.exp(-6 * since);
    const wave = (hertz: number, share: number) => share * Math.sin(2 * Math.PI * hertz * at);
    const strings = wave(2 * note, 0.5) + wave(4 * note, 0.25) + wave(6 * note, 0.12);
    return LEVEL * (pluck * strings + chord.reduce((sum, low) => sum + wave(low, 0.18), 0));
  });
}

export const silence = (ms: number): Uint8Array =>
  new Uint8Array(Math.round((ms * RATE) / 1000)).fill(SILENCE);

function sound(ms: number, wave: (seconds: number) => number): Uint8Array {
  const samples = new Uint8Array(Math.round((ms * RATE) / 1000));
  for (let at = 0; at < samples.length; at++) samples[at] = ulaw(Math.round(wave(at / RATE) * 32_767));
  return samples;
}

function ulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(32_635, Math.abs(sample)) + 0x84;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}
