import { expect, it } from 'vitest';
import type { CallMedia } from '../../../src/telephony/dialling/call-media.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { phoneSupervision } from '../../../src/telephony/dialling/supervision.ts';

const person = { enter() {}, audio() {}, key() {}, leave() {} };
const listener = { ...person, whisper: () => true };

it.each([
  ['to the agent', null, 1],
  ['to the agent who listened', listener, 1],
  ['to nobody where a transfer has taken the line', person, 0],
])('gives a call that was taken over back %s', (_, handler, times) => {
  const given: CallMedia[] = [];
  const supervise = phoneSupervision({
    giveBack: async (_call, media) => void given.push(media),
    listen: async () => undefined,
    onError: (error) => expect(error).toBeNull(),
  });
  const { media } = supervise({ media: { handler } } as unknown as PhoneCall);
  media?.giveBack();
  expect(given).toHaveLength(times);
});
