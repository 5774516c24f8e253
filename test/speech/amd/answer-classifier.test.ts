import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../src/speech/amd/contract.ts';
import { answerModel, DEFAULTS, replay, type Tunables } from '../../../src/speech/amd/index.ts';

const model = answerModel();

function said(fromMs: number, toMs: number, text: string | null, stretch = 1): Evidence[] {
  return [
    { kind: 'speech', atMs: fromMs + 64, fromMs },
    { kind: 'quiet', atMs: toMs + 160, fromMs: toMs, levelDbfs: -25, floorDbfs: -60 },
    ...(text === null
      ? []
      : [{ kind: 'words', atMs: toMs + 450, fromMs, toMs: toMs + 160, stretch, text } as const]),
  ];
}
const tone = (kind: Extract<Evidence, { kind: 'tone' }>['tone'], fromMs: number, toMs: number): Evidence => ({
  kind: 'tone',
  tone: kind,
  atMs: toMs + 40,
  fromMs,
  toMs,
  hertz: 1000,
});
const judge = (evidence: Evidence[], tunables: Partial<Tunables> = {}, endMs = 40_000) =>
  replay(
    [...evidence].sort((one, other) => one.atMs - other.atMs),
    endMs,
    model,
    { ...DEFAULTS, ...tunables },
  );

describe('who answered', () => {
  it.each([
    ['Hello?', 600, 'human'],
    ['Hello, this is Peter.', 1300, 'human'],
    ['Sí, ¿dígame?', 700, 'human'],
    [
      "Hi, you've reached Ann. I can't come to the phone right now, so please leave a message after the beep.",
      5600,
      'voicemail',
    ],
    ['Thank you for calling Acme. For sales, press one. For support, press two.', 5200, 'ivr'],
    [
      'The person you are calling is using a screening service. Please say your name and why you are calling.',
      6200,
      'screening',
    ],
    ['Good morning, Harbour Dental, this is Amy speaking, how can I help you?', 3400, 'receptionist'],
    [
      'The number you have dialed is not in service. Please check the number and dial again.',
      4800,
      'dead_number',
    ],
    ['Deje su mensaje después de la señal, por favor.', 3000, 'voicemail'],
    ['Bitte hinterlassen Sie eine Nachricht nach dem Signalton.', 3400, 'voicemail'],
    ['Appuyez sur le un pour le service commercial, tapez deux pour le reste.', 4600, 'ivr'],
    ['कृपया बीप के बाद अपना संदेश छोड़ें', 3200, 'voicemail'],
  ] as const)('%s', (text, milliseconds, answer) => {
    const verdict = judge(said(800, 800 + milliseconds, text));
    expect(verdict.answeredBy).toBe(answer);
    expect(verdict.because.length).toBeGreaterThan(0);
  });

  it('tells a person within 0.8 s of the greeting’s end', () => {
    expect(judge(said(800, 1400, 'Hello?')).atMs).toBeLessThanOrEqual(1400 + 800);
  });

  it('does without words where none come, by how long somebody spoke', () => {
    expect(judge(said(800, 1500, null))).toMatchObject({ answeredBy: 'human', reason: 'short_greeting' });
    expect(judge(said(800, 7000, null))).toMatchObject({ answeredBy: 'voicemail', reason: 'long_greeting' });
  });

  // @requirement AMD: Greetings are recognized in eight languages, and no single keyword decides.
  it('decides no class by one keyword alone', () => {
    for (const word of ['press', 'message', 'voicemail', 'extension', 'disconnected', 'beep', 'menu']) {
      expect(judge(said(800, 1500, `Hello ${word}?`)).answeredBy, word).toBe('human');
    }
  });

  it('never calls somebody a person while they still speak', () => {
    const verdict = judge([{ kind: 'speech', atMs: 864, fromMs: 800 }], {}, 6000);
    expect(verdict.atMs).toBe(6000);
  });

  it('takes a beep after words for a voicemail, and a beep before any for nothing', () => {
    expect(judge([...said(800, 2300, 'Peter Miller'), tone('beep', 2450, 2800)]).answeredBy).toBe(
      'voicemail',
    );
    expect(judge([tone('beep', 300, 500), ...said(900, 1500, 'Hello?')]).answeredBy).toBe('human');
  });

  it.each([
    ['fax_ced', 'fax', 'fax_tone'],
    ['busy', 'no_answer', 'busy_tone'],
    ['reorder', 'no_answer', 'congestion_tone'],
    ['sit', 'dead_number', 'sit_tone'],
  ] as const)('%s is %s', (kind, answeredBy, reason) => {
    expect(judge([tone(kind, 500, 1500)])).toMatchObject({ answeredBy, reason });
  });

  it('waits while it rings, and no longer than the time-out', () => {
    const rings = [1, 2, 3, 4].map((ring) => tone('ringback', 6000 * ring - 5000, 6000 * ring - 3000));
    expect(judge(rings)).toMatchObject({ answeredBy: 'no_answer', reason: 'rings_on', atMs: 30_000 });
    expect(judge([...rings, ...said(26_000, 26_600, 'Hello?')])).toMatchObject({ answeredBy: 'human' });
  });

  it('answers silence after the silence time-out', () => {
    expect(judge([])).toMatchObject({ answeredBy: 'no_answer', reason: 'silence', atMs: 5000 });
    expect(judge([], { silenceTimeoutMs: 8000 }).atMs).toBe(8000);
  });

  // @requirement AMD: A greeting that was heard on an earlier call is recognized.
  it('knows a greeting that was heard on an earlier call', () => {
    const repeat: Evidence = { kind: 'repeat', atMs: 1600, likeness: 0.93, call: 'amd_1' };
    const verdict = judge([...said(800, 1400, 'Peter Miller'), repeat]);
    expect(verdict.answeredBy).not.toBe('human');
    expect(verdict.because.map(({ code }) => code)).toContain('repeated_greeting');
  });

  // @requirement AMD: `aggressiveness` moves the time of the verdict and not the verdict.
  it('decides sooner the more aggressive it is, and answers the same', () => {
    const evidence = said(800, 1400, 'Hello?');
    const at = [0, 0.5, 1].map((aggressiveness) => judge(evidence, { aggressiveness }));
    expect(at.map(({ answeredBy }) => answeredBy)).toEqual(['human', 'human', 'human']);
    expect(at[0]!.atMs).toBeGreaterThan(at[1]!.atMs);
    expect(at[1]!.atMs).toBeGreaterThan(at[2]!.atMs);
  });

  function readOn(fromMs: number, toMs: number, text: string, everyMs = 700): Evidence[] {
    const words = text.split(' ');
    const [speech, quiet] = said(fromMs, toMs, null) as [Evidence, Evidence];
    const read: Evidence[] = [];
    for (let at = fromMs + everyMs; at < toMs + everyMs; at += everyMs) {
      const heard = words.slice(0, Math.round((words.length * (at - fromMs)) / (toMs - fromMs)));
      const upTo = Math.min(at, toMs + 160);
      const { length } = heard;
      if (length > 0)
        read.push({ kind: 'words', atMs: upTo + 300, fromMs, toMs: upTo, stretch: 1, text: heard.join(' ') });
    }
    return [speech, ...read, quiet];
  }

  it.each([
    'You have reached the voicemail of Ann. Please leave a message after the tone and I will call you back.',
    'Thank you for calling Acme. For sales, press one. For support, press two. For anything else, press three.',
    'The person you are calling is using a screening service. Please say your name and why you are calling.',
    'The number you have dialed is not in service. Please check the number and dial again. Goodbye.',
  ])('tells a machine while it speaks sooner the more aggressive it is: %s', (text) => {
    const greeting = readOn(800, 6800, text);
    const at = [0, 0.25, 0.5, 0.75, 1].map((aggressiveness) => judge(greeting, { aggressiveness }));
    const times = at.map(({ atMs }) => atMs);
    expect(new Set(at.map(({ answeredBy }) => answeredBy)).size).toBe(1);
    expect(at[0]!.answeredBy).not.toBe('human');
    expect(times.at(-1)).toBeLessThan(6800);
    expect([...times].sort((one, other) => other - one)).toEqual(times);
    expect(times[0]! - times[2]!).toBeGreaterThanOrEqual(300);
    expect(times[2]! - times[4]!).toBeGreaterThanOrEqual(300);
  });

  it('tells no call later for being more aggressive, whatever is heard, and however late the words come', () => {
    const texts = [
      'Hello?',
      'Hello, this is Ann, who is calling?',
      'Please leave a message after the beep.',
      'For sales press one, for support press two.',
      'Harbour Dental, how can I help you?',
      'We are closed now.',
    ];
    const steps = Array.from({ length: 11 }, (_, step) => step / 10);
    for (const text of texts)
      for (const milliseconds of [500, 1400, 2700, 4100, 7000])
        for (const lateMs of [0, 400, 900, 1500, 2400]) {
          const greeting = said(800, 800 + milliseconds, text).map((one) =>
            one.kind === 'words' ? { ...one, atMs: one.atMs + lateMs } : one,
          );
          const calls = [
            greeting,
            [...greeting, tone('beep', 1200 + milliseconds, 1600 + milliseconds)],
            [...greeting, ...said(2400 + milliseconds, 3600 + milliseconds, 'Hello? Is anybody there?', 2)],
          ];
          for (const [which, evidence] of calls.entries()) {
            const times = steps.map((aggressiveness) => judge(evidence, { aggressiveness }, 16_000).atMs);
            const sorted = [...times].sort((one, other) => other - one);
            expect(times, `${text} ${milliseconds} ${lateMs} ${which}`).toEqual(sorted);
          }
        }
  });

  // @requirement AMD: Thresholds can be set by project and by stream, and one out of range is named.
  it('takes the carrier’s thresholds', () => {
    const long = said(800, 4300, null);
    expect(judge(long).answeredBy).toBe('voicemail');
    expect(judge(long, { speechThresholdMs: 6000 }).answeredBy).toBe('human');
    expect(judge(said(800, 1400, 'Hello?'), { speechEndMs: 2000 }).atMs).toBeGreaterThanOrEqual(3400);
  });

  // @requirement AMD: A verdict names its reasons with times, and the same evidence gives the same verdict.
  it('gives the same verdict for the same evidence', () => {
    const evidence = said(800, 5000, 'Sorry I missed your call. Leave a message and I will call you back.');
    expect(judge(evidence)).toEqual(judge(evidence));
  });
});
