// @requirement Brains: A model’s own voice says the words of its answer alone, and none of an answer that a rule reads.
import { expect, it } from 'vitest';
import { AnswerVoice, type BrainEvent } from '../../../src/conversation/brains/index.ts';
import type { SessionOptions, SpeakOptions } from '../../../src/conversation/session/index.ts';
import { ManualBrain, StageLane, settle, stage, stageOf, utterance } from './stage.ts';

const voice = () =>
  new AnswerVoice({ name: 'desk', host: 'h:443', rate: 24_000, firstAudioMs: 1_000, betweenAudioMs: 500 });

class VoicedLane extends StageLane {
  readonly playsModelVoice = true;
  readonly said: [string, AnswerVoice | null][] = [];

  override speak(speech: number, segment: number, text: string, options: SpeakOptions): void {
    this.said.push([text, options.voice ?? null]);
    super.speak(speech, segment, text, options);
  }
}

function staged(options: Partial<SessionOptions> = {}) {
  const on = stageOf({ lane: new VoicedLane(), brain: new ManualBrain() }, {}, [], options);
  on.session.start();
  const answer = async (...events: BrainEvent[]) => {
    on.brain.next(async function* () {
      yield* events;
    });
    on.session.take({ kind: 'final', ...utterance('When?') });
    await settle();
  };
  return { ...on, answer };
}

const text = (said: string): BrainEvent => ({ kind: 'text', text: said });

it('is asked for where the lane plays it and no rule reads the answer', async () => {
  const { brain, answer } = staged();
  await answer(text('At nine.'));
  expect(brain.requests[0]!.request.playsVoice).toBe(true);
  const guarded = staged({ guard: { spoken: () => null } });
  await guarded.answer(text('At nine.'));
  expect(guarded.brain.requests[0]!.request.playsVoice).toBeUndefined();
  const silent = stage();
  silent.session.start();
  silent.brain.says('At nine.');
  silent.session.take({ kind: 'final', ...utterance('When?') });
  await settle();
  expect(silent.brain.requests[0]!.request.playsVoice).toBeUndefined();
});

it('says each sentence when its audio follows, and waits behind a digit', async () => {
  const { lane, answer } = staged();
  const own = voice();
  await answer(
    { kind: 'voice', voice: own },
    text('We open at nine.'),
    { kind: 'sound' },
    text(' It costs 3.'),
    { kind: 'sound' },
    text('50 to park here.'),
  );
  expect(lane.said).toEqual([
    ['We open at nine.', own],
    ['It costs 3.50 to park here.', own],
  ]);
});

it('ends where another brain continues', async () => {
  const { lane, answer } = staged();
  const own = voice();
  await answer(
    { kind: 'voice', voice: own },
    text('We open at nine. You may '),
    { kind: 'fallback', fault: 'timeout', dropped: 0 },
    text('come at any time.'),
  );
  expect(lane.said).toEqual([
    ['We open at nine.', own],
    ['You may come at any time.', null],
  ]);
});
