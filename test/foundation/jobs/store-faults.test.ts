import { expect, it } from 'vitest';
import { GateError } from '../../../src/foundation/platform/url-gate/index.ts';
import { until } from '../../poll.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { enqueue, Handler, rows, setup } from './handler.ts';

onBothDatabases('job queue', (databases) => {
  it('takes no try from a job whose store fails, however often, and waits', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ backoffMs: () => 10 });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one', { maxAttempts: 2 });
    const again = (count: number) =>
      until(async () => {
        clock.advance(1000);
        return handler.started.length === count;
      });
    const codes = ['ENOSPC', 'SQLITE_FULL', 'EIO', 'SQLITE_IOERR_WRITE', 'EROFS', 'ECONNREFUSED', '53100'];
    for (const [at, code] of codes.entries()) {
      await again(at + 1);
      expect(handler.started.at(-1)).toMatchObject({ attempt: 1 });
      const cause = Object.assign(new Error('no space'), { code });
      handler.failLast(at % 2 ? cause : new Error('the sound could not be kept', { cause }));
      await until(async () => (await rows(storage))[0]?.state === 'waiting');
      expect(await rows(storage)).toMatchObject([{ attempts: 0, run_at: clock.now() + 5000 }]);
    }
    // An error of a customer's server is not the store's, whatever its connection reported.
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const gate = new GateError('connection', 'The URL could not be opened.', { cause: refused });
    for (const attempt of [1, 2]) {
      await again(codes.length + attempt);
      handler.failLast(new Error('The audio URL could not be fetched.', { cause: gate }));
      await until(async () => (await rows(storage))[0]?.state !== 'running');
    }
    expect(handler.dead).toEqual(['one: The audio URL could not be fetched.']);
    await worker.stop(0);
  });
});
