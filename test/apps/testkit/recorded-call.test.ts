import { expect, it } from 'vitest';
import { recordedCall } from '../../../src/apps/testkit/recorded-call.ts';
import type { CallRecord, ServerApi } from '../../../src/apps/testkit/server-api.ts';

it('asks for no recording of a call that is longer than is held again', async () => {
  const asked: string[] = [];
  const api = {
    record: async () => ({ call_id: 'omc_1', duration_s: 601 }) as CallRecord,
    sound: async (id: string) => {
      asked.push(id);
      return null;
    },
  } as unknown as ServerApi;
  const decode = () => Promise.reject(new Error('nothing is to be decoded'));
  await expect(recordedCall(api, 'omc_1', decode, 600_000)).rejects.toThrow(
    'a call of at most 10 minutes can be replayed',
  );
  expect(asked).toEqual([]);
});
