import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../long-tests.ts';
import { absent } from '../media/codec/recordings.ts';
import { compileProgram } from '../running-server.ts';
import { Caller } from './client.ts';
import { ServerProcess } from './server-process.ts';

/**
 * glibc writes these bytes over memory that it allocates and frees, as the memory of a long-lived server may hold
 * them.
 */
const PATTERNS = sampleOf(['16', '247'], 2);

describe.skipIf(Boolean(absent)).each(PATTERNS)('memory that holds %s before a socket opens', (pattern) => {
  let served: ServerProcess;
  beforeAll(async () => {
    await compileProgram();
    served = await ServerProcess.start({ environment: { MALLOC_PERTURB_: pattern } });
  }, 180_000);
  afterAll(() => served.end());

  it('cuts no socket', { timeout: 60_000 }, async () => {
    const caller = new Caller(served, await served.key());
    for (let i = 0; i < 8; i++) {
      const line = caller.socket('/v1/audio/transcriptions/stream?sample_rate=16000');
      await line.opened;
      line.json({ type: 'close' });
      expect(await line.closed).toBe(1000);
    }
  });
});
