import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { type CrashPoint, crashing } from '../../foundation/billing/crash-work.ts';
import { type NodeSetting, workUntilDone } from './node.ts';

export interface NodeInput extends NodeSetting {
  readonly storage: StorageOptions;
  readonly crash: CrashPoint | null;
}

const input = JSON.parse(process.argv[2] as string) as NodeInput;
const plain = await openStorage(input.storage);
const watched = input.crash
  ? crashing(plain, input.crash, () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    })
  : plain;
process.send?.('working');
await workUntilDone(plain, watched, input);
await plain.close();
