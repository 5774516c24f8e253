import { beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../long-tests.ts';
import { compileProgram } from '../running-server.ts';
import { ServerProcess } from './server-process.ts';

beforeAll(compileProgram, 120_000);

describe('the server’s own process', () => {
  it.each(sampleOf(['SIGTERM', 'SIGINT'] as const, 2))(
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
