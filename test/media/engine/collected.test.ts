import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Engine } from '../../../src/media/engine/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function collectUntil(done: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !done(); turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('is not collected while somebody waits for it to be ready', async () => {
  let ready = false;
  // Only the promise is referenced: an awaiting caller has nothing else.
  void new Engine({ slots: 1 }).prepared().then(() => {
    ready = true;
  });
  await collectUntil(() => ready);
  expect(ready).toBe(true);
});

it('is collected when nobody waits for anything of it', async () => {
  let collected = 0;
  const registry = new FinalizationRegistry(() => collected++);
  await (async () => {
    const engine = new Engine({ slots: 1 });
    await engine.prepared();
    registry.register(engine, '');
  })();
  await collectUntil(() => collected > 0);
  expect(collected).toBe(1);
});
