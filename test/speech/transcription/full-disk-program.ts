import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { type NodeSetting, workUntilDone } from './node.ts';

const input = JSON.parse(process.argv[2] as string) as NodeSetting & { readonly storage: StorageOptions };
const filler = join(input.folder, 'filler');
const megabyte = Buffer.alloc(1024 * 1024);

function fill(): void {
  try {
    for (;;) writeFileSync(filler, megabyte, { flag: 'a' });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}

const storage = await openStorage(input.storage);
fill();
const working = workUntilDone(storage, storage, input);
const errors = async () =>
  await storage.db.selectFrom('jobs').select('last_error').where('last_error', 'is not', null).execute();
while ((await errors()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
process.send?.((await errors())[0]?.last_error ?? '');
rmSync(filler);
await working;
await storage.close();
