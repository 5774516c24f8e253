import { describe, expect, it } from 'vitest';
import { GroupSync } from '../../../src/foundation/storage/group-sync.ts';

class Disk {
  readonly calls: { done(): void; fail(error: Error): void }[] = [];
  readonly group = new GroupSync(
    () => new Promise((done, fail) => this.calls.push({ done: () => done(), fail })),
  );
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function states(...promises: Promise<unknown>[]): Promise<string[]> {
  await turn();
  return Promise.all(
    promises.map((promise) =>
      Promise.race([
        promise.then(
          () => 'kept',
          () => 'lost',
        ),
        turn().then(() => 'waiting'),
      ]),
    ),
  );
}

describe('writes that wait for the disk together', () => {
  it('are answered by one call, when they came before it began', async () => {
    const disk = new Disk();
    const first = [disk.group.settled(), disk.group.settled(), disk.group.settled()];
    expect(await states(...first)).toEqual(['waiting', 'waiting', 'waiting']);
    expect(disk.calls).toHaveLength(1);
    disk.calls[0]!.done();
    expect(await states(...first)).toEqual(['kept', 'kept', 'kept']);
  });

  it('wait for the next call, when one was under way', async () => {
    const disk = new Disk();
    const early = disk.group.settled();
    await turn();
    const late = [disk.group.settled(), disk.group.settled()];
    disk.calls[0]!.done();
    expect(await states(early, ...late)).toEqual(['kept', 'waiting', 'waiting']);
    expect(disk.calls).toHaveLength(2);
    disk.calls[1]!.done();
    expect(await states(...late)).toEqual(['kept', 'kept']);
  });

  it('are lost together, and what comes later is not', async () => {
    const disk = new Disk();
    const early = [disk.group.settled(), disk.group.settled()];
    const reported = states(...early);
    await turn();
    const late = disk.group.settled();
    disk.calls[0]!.fail(new Error('the disk fails'));
    await reported;
    expect(await states(...early)).toEqual(['lost', 'lost']);
    disk.calls[1]!.done();
    expect(await states(late)).toEqual(['kept']);
  });
});
