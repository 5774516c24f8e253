import type { Evidence } from '../../src/speech/amd/index.ts';
import { wordsOf } from '../../src/speech/amd/index.ts';
import { samplesOf } from './sound.ts';

export interface Peer {
  readonly says: 'human' | 'machine' | 'unsure';
  readonly atMs: number;
}

/** The rule is Asterisk's app_amd as its documentation describes the algorithm, with its default configuration. */
const INITIAL_SILENCE = 2500;
const GREETING = 1500;
const AFTER_GREETING_SILENCE = 800;
const TOTAL_ANALYSIS = 5000;
const MIN_WORD = 100;
const MAX_WORD = 5000;
const BETWEEN_WORDS = 50;
const MAX_WORDS = 2;
const THRESHOLD = 256;
const FRAME_MS = 20;

export function cadenceRule(pcm: Int16Array): Peer {
  const frame = samplesOf(FRAME_MS);
  const state = { silence: 0, voice: 0, word: 0, words: 0, inWord: true, initial: true, greeting: false };
  for (let at = 0; at + frame <= pcm.length; at += frame) {
    const nowMs = (at / frame + 1) * FRAME_MS;
    if (nowMs > TOTAL_ANALYSIS) break;
    const says = meanOf(pcm.subarray(at, at + frame)) < THRESHOLD ? quietFrame(state) : loudFrame(state);
    if (says) return { says, atMs: nowMs };
  }
  return { says: 'unsure', atMs: TOTAL_ANALYSIS };
}

interface Cadence {
  silence: number;
  voice: number;
  word: number;
  words: number;
  inWord: boolean;
  initial: boolean;
  greeting: boolean;
}

function quietFrame(state: Cadence): Peer['says'] | undefined {
  state.silence += FRAME_MS;
  if (state.silence >= BETWEEN_WORDS) {
    state.inWord = false;
    state.word = 0;
  }
  if (state.initial && state.silence >= INITIAL_SILENCE) return 'machine';
  return state.greeting && state.silence >= AFTER_GREETING_SILENCE ? 'human' : undefined;
}

function loudFrame(state: Cadence): Peer['says'] | undefined {
  state.silence = 0;
  state.word += FRAME_MS;
  state.voice += FRAME_MS;
  if (state.word >= MIN_WORD && !state.inWord) {
    state.words += 1;
    state.inWord = true;
  }
  if (state.word >= MAX_WORD || state.words >= MAX_WORDS) return 'machine';
  if (state.greeting && state.voice >= GREETING) return 'machine';
  if (state.word >= MIN_WORD && !state.greeting) {
    state.initial = false;
    state.greeting = true;
  }
  return undefined;
}

const meanOf = (samples: Int16Array): number =>
  samples.reduce((sum, sample) => sum + Math.abs(sample), 0) / samples.length;

/** Agent frameworks recognize a machine by these words in a transcript; one of them is enough. */
const MACHINE_WORDS = [
  'voicemail',
  'voice mail',
  'leave a message',
  'leave your message',
  'leave me a message',
  'after the tone',
  'after the beep',
  'at the tone',
  'not available',
  'unavailable',
  'record your message',
  'mailbox',
  'you have reached',
  "you've reached",
  'answering machine',
  'get back to you',
  'call you back',
  'press one',
  'press two',
  'for more options',
  'automated',
  'please hold',
  'main menu',
  'not in service',
  'been disconnected',
  'deja un mensaje',
  'deje un mensaje',
  'buzón de voz',
  'después del tono',
  'pulse',
  'no está disponible',
  'número marcado',
  'laissez un message',
  'après le bip',
  'messagerie',
  "n'est pas disponible",
  'tapez',
  'appuyez sur',
  'nach dem ton',
  'nachricht',
  'anrufbeantworter',
  'nicht erreichbar',
  'drücken sie',
  'lasciate un messaggio',
  'lascia un messaggio',
  'segreteria',
  'dopo il segnale',
  'non è disponibile',
  'premere',
  'deixe',
  'recado',
  'após o sinal',
  'caixa postal',
  'digite',
  'não está disponível',
  'संदेश',
  'दबाएँ',
  'उपलब्ध नहीं',
].map((words) => ` ${wordsOf(words).join(' ')} `);
const QUIET_MS = 800;
const GIVES_UP_MS = 8000;

/** Any of the words means a machine; a pause without one means a person. */
export function wordRule(evidence: readonly Evidence[], lengthMs: number): Peer {
  const texts = new Map<number, string>();
  let quietSinceMs: number | undefined;
  for (const one of [...evidence, { kind: 'end', atMs: Math.min(lengthMs, GIVES_UP_MS) } as const]) {
    const quietUntilMs = quietSinceMs === undefined ? Number.POSITIVE_INFINITY : quietSinceMs + QUIET_MS;
    if (texts.size > 0 && quietUntilMs <= one.atMs) return { says: 'human', atMs: quietUntilMs };
    if (one.kind === 'speech') quietSinceMs = undefined;
    if (one.kind === 'quiet') quietSinceMs = one.fromMs;
    if (one.kind === 'words') {
      texts.set(one.stretch, one.text);
      if (hasMachineWords([...texts.values()].join(' '))) return { says: 'machine', atMs: one.atMs };
    }
  }
  return { says: texts.size > 0 ? 'human' : 'unsure', atMs: Math.min(lengthMs, GIVES_UP_MS) };
}

function hasMachineWords(text: string): boolean {
  const said = ` ${wordsOf(text).join(' ')} `;
  return MACHINE_WORDS.some((words) => said.includes(words));
}
