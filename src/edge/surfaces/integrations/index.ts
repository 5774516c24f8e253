import { documentedEvents } from '../../../foundation/events/index.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import type { CallTokens, ImportedCalls, Receiver } from '../../../products/imports/index.ts';
import type { Destinations } from '../../../products/integrations/index.ts';
import type { Surface } from '../../server/surface.ts';
import { callRoutes } from './call-routes.ts';
import { destinationRoutes } from './destination-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { hookRoutes } from './hook-routes.ts';

export interface IntegrationsDeps {
  readonly storage: Storage;
  readonly destinations: Destinations;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly tokens: CallTokens;
  readonly calls: ImportedCalls;
  readonly receiver: Receiver;
  readonly baseUrl: () => string;
  readonly start?: () => Promise<void>;
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

export const createIntegrationsSurface = (deps: IntegrationsDeps): Surface => ({
  name: 'integrations',
  routes: (app) => {
    eventRoutes(app);
    destinationRoutes(app, deps);
    hookRoutes(app, deps);
    callRoutes(app, deps);
  },
  events: documentedEvents(),
  ...(deps.start ? { start: deps.start } : {}),
  ...(deps.stop ? { stop: deps.stop } : {}),
});
