import { expect, it } from 'vitest';
import { isBye, isRtcp, writeBye } from '../../../src/telephony/webrtc/worker/rtcp.ts';

it('knows a farewell among other reports, and control packets from sound', () => {
  expect(isBye(writeBye(7))).toBe(true);
  expect(isBye(writeBye(7).subarray(0, 8))).toBe(false);
  expect(isBye(Buffer.alloc(64))).toBe(false);
  expect(isBye(Buffer.of(0x80, 200, 0xff, 0xff))).toBe(false);
  expect([writeBye(7), Buffer.of(0x80, 111), Buffer.of(0x80, 0xef), Buffer.alloc(0)].map(isRtcp)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
