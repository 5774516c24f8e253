// @requirement Brains: A brain gets the sound of the caller’s last words with the words, in a speculative request too, and none with typed input.
import { expect, it } from 'vitest';
import { CallerAudioTap } from '../../../src/conversation/calls/caller-audio.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { settle, stage, utterance } from './stage.ts';

const FRAME = new Uint8Array(320).fill(1);

function staged(...options: Parameters<typeof stage>) {
  const on = stage(...options);
  const tap = new CallerAudioTap({ rate: 8_000 });
  Object.assign(on.lane, { callerAudio: (message: string) => tap.of(message) });
  on.session.start();
  const take = (event: LaneEvent) => {
    tap.take(event);
    on.session.take(event);
  };
  const speak = (ms: number) => {
    take({ kind: 'speech_start', atMs: 100 });
    for (let at = 0; at < ms; at += 20) tap.push(FRAME);
  };
  const heard = () => on.brain.requests.map(({ request: { callerAudio } }) => callerAudio?.text ?? null);
  return { ...on, tap, take, speak, heard };
}

it('comes with the words', async () => {
  const { brain, take, speak, heard } = staged();
  brain.says('It is booked.');
  speak(600);
  take({ kind: 'final', ...utterance('Monday, please.') });
  await settle();
  expect(heard()[0]).toBe('Monday, please.');
  const audio = brain.requests[0]!.request.callerAudio!;
  expect(audio.pcm.length).toBe(600 * 48);
  expect(brain.requests[0]!.request.messages.at(-1)).toEqual({ role: 'user', content: 'Monday, please.' });
});

it('comes with a speculative request, as far as the caller had spoken', async () => {
  const { brain, take, speak, heard } = staged();
  brain.hangs();
  speak(600);
  take({ kind: 'eager_end', ...utterance('When do you open?') });
  await settle();
  expect(heard()).toEqual(['When do you open?']);
  expect(brain.requests[0]!.request.callerAudio!.pcm.length).toBe(600 * 48);
});

it('does not come with keys or with an instruction', async () => {
  const { brain, session, take, speak, heard } = staged();
  brain.says('At nine.').says('Of course.');
  speak(600);
  take({ kind: 'final', ...utterance('When do you open?') });
  await settle();
  session.input.respond('Offer a table.');
  await settle();
  expect(heard()).toEqual(['When do you open?', null]);
});
