import { beforeAll, describe, expect, it } from 'vitest';
import { compileProgram } from '../running-server.ts';
import { ServerProcess } from './server-process.ts';

beforeAll(compileProgram, 120_000);

describe('the server’s own process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'drains and ends with 0 after %s',
    async (signal) => {
      const served = await ServerProcess.start();
      expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
      served.running.child.kill(signal);
      expect(await served.running.code()).toBe(0);
      expect(served.faults).toEqual([]);
      await expect(fetch(`${served.url}/healthz`)).rejects.toThrow();
    },
    120_000,
  );
});
