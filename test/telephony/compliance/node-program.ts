import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { type CrashPoint, crashing } from '../../foundation/billing/crash-work.ts';
import { type NodeSetting, workUntilOver } from './node.ts';

export interface NodeInput extends NodeSetting {
  readonly storage: StorageOptions;
  readonly crash: CrashPoint;
}

const input = JSON.parse(process.argv[2] as string) as NodeInput;
const plain = await openStorage(input.storage);
const die = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => {});
};
await workUntilOver(crashing(plain, input.crash, die), input);
await plain.close();
