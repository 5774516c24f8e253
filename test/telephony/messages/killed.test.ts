// @requirement Messages: Written answers are admitted before and billed once.
/** A process that is killed around the commit of an answer leaves it stored once, and billed once. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { LoopbackMessages } from '../../../src/telephony/carriers/index.ts';
import { Messages, MeteredAnswerAdmission } from '../../../src/telephony/messages/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { openService } from '../../foundation/access/access-service.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { until } from '../../poll.ts';
import { FREE_TEXTS } from './free-texts.ts';
import { numbersOf, OURS, PERSON } from './writing.ts';

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/telephony/messages/killed-program.ts');
}, 60_000);
afterAll(() => program?.remove());

onBothDatabases('an answer whose process is killed', (databases) => {
  it.each(['before', 'after'] as const)(
    '%s its commit is written and billed once',
    async (phase) => {
      const { options } = await databases.empty();
      const storage = await openStorage(options);
      databases.after(() => storage.close());
      const clock = new ManualClock(Date.now());
      const { access, billing, makeKey } = await openService(storage, {
        clock,
        entitledForAll: ['messages'],
      });
      databases.after(() => access.close());
      const key = await makeKey();
      const scope = tenantScopeOf(key);
      const queue = new JobQueue(storage, clock);
      const gate = new UrlGate({ allowLoopback: true, clock });
      const numbers = numbersOf(scope, 'agt_1');
      const messages = new Messages({
        storage,
        queue,
        clock,
        gate,
        webhooks: new CheckedWebhooks({
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
          admission: new MeteredAnswerAdmission({
            access,
            billing,
            clock,
            standings: access.impliedPrincipals,
          }),
        },
      });
      await messages.incoming({ reference: 'r1', from: PERSON, to: OURS, body: 'Hello?', mediaUrls: [] });
      const ended = await runChild(program, { storage: options, keyId: key.id, phase });
      expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
      const bills = async () => await storage.db.selectFrom('usage_events').select(['id', 'count']).execute();
      expect(await bills()).toHaveLength(phase === 'before' ? 0 : 1);
      messages.start();
      databases.after(() => messages.stop(0));
      await until(async () => {
        clock.advance(60_000);
        return (await storage.db.selectFrom('jobs').select('id').execute()).length === 0;
      });
      const sent = await messages.store.list(scope, { direction: 'outbound' }, {}, null);
      expect(sent.map(({ body, status }) => [body, status])).toEqual([['Hello.', 'delivered']]);
      expect((await bills()).map(({ count }) => Number(count))).toEqual([1]);
    },
    60_000,
  );
});
