import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { openService } from './node.ts';

const { folder, after } = JSON.parse(process.argv[2] as string) as { folder: string; after: number };
const engine = sharedEngine();
await engine.prepared();
const { service, storage } = await openService(engine, { folder });
await service.start();
for (;;) {
  const takes = await storage.db
    .selectFrom('cast_takes' as never)
    .selectAll()
    .execute();
  if (takes.length >= after) process.kill(process.pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 1));
}
