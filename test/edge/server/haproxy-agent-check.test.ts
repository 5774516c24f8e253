import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HaproxyAgentCheck } from '../../../src/edge/server/index.ts';

const checks: HaproxyAgentCheck[] = [];
afterEach(() => {
  for (const check of checks.splice(0)) check.stop();
});

async function answered(state: { isServing: boolean; freeShare: number }): Promise<string> {
  const check = new HaproxyAgentCheck({
    host: '127.0.0.1',
    port: 0,
    isServing: async () => state.isServing,
    freeShare: () => state.freeShare,
    onError: (error) => {
      throw error;
    },
  });
  checks.push(check);
  const socket = connect(await check.start(), '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  await once(socket, 'end');
  return text;
}

it.each([
  [{ isServing: true, freeShare: 1 }, 'ready up 100%\n'],
  [{ isServing: true, freeShare: 0.254 }, 'ready up 25%\n'],
  // HAProxy drains a node whose weight is 0, and a full node becomes free by itself.
  [{ isServing: true, freeShare: 0 }, 'ready up 1%\n'],
  [{ isServing: false, freeShare: 0.5 }, 'drain\n'],
])('a node of %j answers %s', async (state, line) => {
  expect(await answered(state)).toBe(line);
});
