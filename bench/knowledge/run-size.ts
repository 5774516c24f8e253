import { readFileSync } from 'node:fs';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { TENANT_SCOPE, World } from './world.ts';

export interface KnowledgeRunSize {
  readonly megabytes: number;
  readonly firstMs: number;
  readonly milliseconds: readonly number[];
}

const ROUNDS = 3;
const [folder = '', base = '', asked = ''] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(asked, 'utf8')) as string[];
const files = Object.entries(new Models().wholeFiles()).filter(([path]) => /minilm|e5-small/.test(path));
const engine = new Engine({ models: Object.fromEntries(files), device: 'cpu' });
const awake = setInterval(() => {}, 60_000);
await engine.prepared();
const world = await World.open(folder, engine);
await world.service.bases.get(TENANT_SCOPE, base);
globalThis.gc?.();
const before = process.memoryUsage().rss;
const ask = async (question: string): Promise<number> => {
  const start = performance.now();
  await world.ask(base, question, 5);
  return performance.now() - start;
};
const firstMs = await ask(questions[0] as string);
const milliseconds: number[] = [];
for (let round = 0; round < ROUNDS; round += 1)
  for (const question of questions) milliseconds.push(await ask(question));
globalThis.gc?.();
const megabytes = (process.memoryUsage().rss - before) / 2 ** 20;
console.log(JSON.stringify({ megabytes, firstMs, milliseconds } satisfies KnowledgeRunSize));
clearInterval(awake);
await world.close();
engine.destroy();
