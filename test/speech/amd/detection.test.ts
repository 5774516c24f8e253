import { describe, expect, it } from 'vitest';
import type { AnswerUpdate, Evidence, MessageEnd, Mode } from '../../../src/speech/amd/contract.ts';
import {
  type AnswerVerdict,
  answerModel,
  DEFAULTS,
  Detection,
  holdModel,
} from '../../../src/speech/amd/index.ts';

const models = { answers: answerModel(), holds: holdModel() };

interface Reported {
  verdicts: AnswerVerdict[];
  ends: MessageEnd[];
  updates: AnswerUpdate[];
}

/** Evaluates a call every 100 ms, as the lane's clock does. */
function call(mode: Mode, evidence: Evidence[], untilMs: number): Reported {
  const reported: Reported = { verdicts: [], ends: [], updates: [] };
  const detection = new Detection(
    models,
    { ...DEFAULTS, mode },
    {
      verdict: (verdict) => reported.verdicts.push(verdict),
      messageEnd: (end) => reported.ends.push(end),
      update: (update) => reported.updates.push(update),
    },
  );
  const inOrder = [...evidence].sort((one, other) => one.atMs - other.atMs);
  for (let now = 100; now <= untilMs; now += 100) {
    while (inOrder[0] && inOrder[0].atMs <= now) detection.take(inOrder.shift()!);
    detection.clock(now);
  }
  detection.end(untilMs);
  return reported;
}

let stretch = 0;
const says = (fromMs: number, toMs: number, text: string): Evidence[] => [
  { kind: 'speech', atMs: fromMs + 64, fromMs },
  { kind: 'quiet', atMs: toMs + 160, fromMs: toMs, levelDbfs: -25, floorDbfs: -60 },
  { kind: 'words', atMs: toMs + 450, fromMs, toMs: toMs + 160, stretch: ++stretch, text },
];
const beep = (fromMs: number, toMs: number): Evidence => ({
  kind: 'tone',
  tone: 'beep',
  atMs: toMs + 40,
  fromMs,
  toMs,
  hertz: 1000,
});
const GREETING =
  "Hi, you've reached Ann. I can't take your call right now. Please leave a message after the tone.";
const SCREEN =
  'The person you are calling is using a screening service. Please say your name and why you are calling.';

// @requirement AMD: `message_end` says whether a greeting ended by beep, silence or otherwise.
describe('the end of a message', () => {
  it('is where the beep ended', () => {
    const { verdicts, ends } = call('message_end', [...says(800, 6000, GREETING), beep(6800, 7200)], 12_000);
    expect(verdicts).toHaveLength(1);
    expect(verdicts[0]!.answeredBy).toBe('voicemail');
    expect(ends).toEqual([{ kind: 'beep', atMs: 7200 }]);
  });

  it('is silence where no beep comes, and not a pause between two sentences', () => {
    const evidence = [...says(800, 6000, GREETING), ...says(7500, 9000, 'Thank you, goodbye.')];
    const { ends } = call('message_end', evidence, 20_000);
    expect(ends).toHaveLength(1);
    expect(ends[0]!.kind).toBe('silence');
    expect(ends[0]!.atMs).toBeGreaterThan(9000 + 2000);
  });

  it('counts a beep that came with the verdict', () => {
    const { ends } = call('message_end', [...says(800, 2300, 'Ann Miller'), beep(2500, 2900)], 9000);
    expect(ends).toEqual([{ kind: 'beep', atMs: 2900 }]);
  });

  it('is waited for with nobody but machines', () => {
    expect(call('message_end', says(800, 1400, 'Hello?'), 9000).ends).toEqual([]);
    expect(call('detect', [...says(800, 6000, GREETING), beep(6800, 7200)], 9000).ends).toEqual([]);
  });

  it('is told as other where the call ends before it', () => {
    expect(call('message_end', says(800, 6000, GREETING), 7000).ends).toEqual([
      { kind: 'other', atMs: 7000 },
    ]);
  });
});

// @requirement AMD: `follow` detects call screening, hold and an owner who picks up.
describe('a call that is followed', () => {
  it('tells when a screening assistant hands over to a person', () => {
    const { verdicts, updates } = call(
      'follow',
      [...says(800, 6500, SCREEN), ...says(15_000, 15_700, 'Hello?')],
      20_000,
    );
    expect(verdicts[0]!.answeredBy).toBe('screening');
    expect(updates.map(({ from, to }) => [from, to])).toEqual([['screening', 'human']]);
  });

  it('tells when somebody asks to hold, and when they are back', () => {
    const evidence: Evidence[] = [
      ...says(800, 1500, 'Hello?'),
      ...says(5000, 6500, 'Hold on a second, please hold.'),
      { kind: 'music', atMs: 12_000, playing: true, fromMs: 9000 },
      { kind: 'music', atMs: 31_600, playing: false, fromMs: 30_000 },
      ...says(31_000, 31_900, 'Hello, are you there?'),
    ];
    const { updates } = call('follow', evidence, 40_000);
    expect(updates.map(({ to, reason }) => [to, reason])).toEqual([
      ['hold', 'asked_to_hold'],
      ['human', expect.any(String)],
    ]);
  });

  it('tells when the owner of a voicemail picks up', () => {
    const evidence = [...says(800, 6000, GREETING), ...says(9000, 9900, 'Hello? Hello, who is this?')];
    expect(call('follow', evidence, 15_000).updates.map(({ to }) => to)).toEqual(['human']);
  });

  it('does not take the rest of a greeting for its owner', () => {
    const evidence = [...says(800, 6000, GREETING), ...says(7200, 8200, 'Thank you and have a good day.')];
    expect(call('follow', evidence, 15_000).updates).toEqual([]);
  });

  it('keeps no more evidence than a record may hold', () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      says(1000 + at * 2000, 1500 + at * 2000, 'Hello?'),
    ).flat();
    const detection = new Detection(
      models,
      { ...DEFAULTS, mode: 'follow' },
      {
        verdict: () => undefined,
        messageEnd: () => undefined,
        update: () => undefined,
      },
    );
    for (const evidence of many) detection.take(evidence);
    expect(detection.evidence.length).toBe(400);
  });
});
