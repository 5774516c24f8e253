import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import type {
  CallPermissions,
  HangUpQueue,
  MsgappCallStore,
  MsgappCalls,
  MsgappNumbers,
  MsgappProvider,
} from '../../../telephony/msgapp/index.ts';
import type { Surface } from '../../server/surface.ts';
import { callRoutes } from './call-routes.ts';
import { numberRoutes } from './number-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface MsgappDeps {
  readonly numbers: MsgappNumbers;
  readonly records: MsgappCallStore;
  readonly permissions: CallPermissions;
  readonly provider: MsgappProvider;
  readonly calls: MsgappCalls;
  readonly hangUps: HangUpQueue;
  readonly log: Log;
  readonly isAgent: (scope: TenantScope, id: string) => Promise<boolean>;
}

export function createMsgappSurface(deps: MsgappDeps): Surface {
  return {
    name: 'msgapp',
    routes: async (app) => {
      numberRoutes(app, deps);
      callRoutes(app, deps);
      await app.register(async (raw) => {
        raw.removeContentTypeParser('application/json');
        raw.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
          done(null, body),
        );
        webhookRoutes(raw, deps);
      });
    },
    start: async () =>
      deps.hangUps.start((err) =>
        deps.log.error(
          { err },
          'calls that ended could not be hung up at the messaging provider; the next sweep tries again',
        ),
      ),
    stop: async () => {
      await deps.calls.stop();
      await deps.hangUps.stop();
    },
  };
}
