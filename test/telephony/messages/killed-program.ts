import { createAccess, tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { Webhooks } from '../../../src/foundation/webhooks/index.ts';
import { LoopbackMessages } from '../../../src/telephony/carriers/index.ts';
import {
  Messages,
  MeteredAnswerAdmission,
  type NumberDirectory,
} from '../../../src/telephony/messages/index.ts';
import { DEPLOYMENT_SEALER } from '../../foundation/access/deployment-sealer.ts';
import { WEBHOOK_SEALER } from '../../foundation/webhooks/sealer.ts';
import { FREE_TEXTS } from './free-texts.ts';

/** The process answers a message and dies by SIGKILL around the commit that stores the answer and its bill. */
export interface Input {
  readonly storage: StorageOptions;
  readonly keyId: string;
  readonly phase: 'before' | 'after';
}

const input = JSON.parse(process.argv[2] as string) as Input;
const storage = await openStorage(input.storage);

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  // The signal ends the process before this thread runs on; nothing may be committed meanwhile.
  return new Promise(() => {});
};

const transaction: Storage['transaction'] = async (task, options) => {
  let bills = false;
  const result = await storage.transaction(async (inner) => {
    const value = await task(inner);
    const bill = await inner.selectFrom('usage_events').select('id').executeTakeFirst();
    bills = bill !== undefined;
    if (bills && input.phase === 'before') await die();
    return value;
  }, options);
  if (bills) await die();
  return result;
};
const dying = new Proxy(storage, {
  get(target, name) {
    if (name === 'transaction') return transaction;
    const value = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

const clock = systemClock;
const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
const access = await createAccess({
  sealer: DEPLOYMENT_SEALER,
  storage,
  billing,
  clock,
  background: new BackgroundTasks({ clock }),
  operatorToken: null,
  entitledForAll: ['messages'],
});
const queue = new JobQueue(dying, clock);
const gate = new UrlGate({ allowLoopback: true, clock });
const key = await storage.db
  .selectFrom('api_keys')
  .selectAll()
  .where('id', '=', input.keyId)
  .executeTakeFirstOrThrow();
const scope = tenantScopeOfRow(key);
const numbers: NumberDirectory = {
  owns: async () => true,
  ownerOf: async () => scope,
  agentOf: async () => 'agt_1',
  ofAgent: async () => null,
};
new Messages({
  storage: dying,
  queue,
  clock,
  gate,
  webhooks: new Webhooks({
    sealer: WEBHOOK_SEALER,
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  }),
  carrier: new LoopbackMessages(),
  numbers,
  texts: FREE_TEXTS,
  answering: {
    answerer: { answer: async () => ({ text: 'Hello.', handOver: null }) },
    admission: new MeteredAnswerAdmission({ access, billing, clock, standings: access.impliedPrincipals }),
  },
}).start();
