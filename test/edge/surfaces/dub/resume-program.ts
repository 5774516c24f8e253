import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { openDub } from './node.ts';
import { script, TRANSLATOR } from './resume-script.ts';

const { folder, after } = JSON.parse(process.argv[2] as string) as { folder: string; after: number };
const storage = await openStorage({ dataDir: folder });
const { openService } = await openDub({ storage, folder, script, translators: [TRANSLATOR()] });
await openService().start();
for (;;) {
  const spoken = await acrossTenants(storage.db)
    .selectFrom('dub_segments')
    .select('number')
    .where('spoken', 'is not', null)
    .execute();
  if (spoken.length >= after) process.kill(process.pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 1));
}
