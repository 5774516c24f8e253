import { createLiveSurface } from '../edge/surfaces/live/index.ts';
import { createWebhooksSurface } from '../edge/surfaces/webhooks/index.ts';
import { tenantScopeOfRow } from '../foundation/access/index.ts';
import type { NotifyBilling } from '../foundation/billing/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import { LiveCalls, LiveFeed } from '../foundation/live/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import { Webhooks } from '../foundation/webhooks/index.ts';
import { destinationParts } from './integrations.ts';
import { mailSurface, openMailer } from './mail.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

export async function eventDeliveryParts(
  services: CoreServices,
  queue: JobQueue,
  gate: UrlGate,
  onError: (error: unknown) => void,
) {
  const { config, sharedClock: clock, background, storage, mailQueue: post, billing } = services;
  const feed = new LiveFeed({ storage, clock, background, onError });
  const webhooks = new Webhooks({
    storage,
    queue,
    gate,
    clock,
    background,
    sealer: services.sealing.sealer(PURPOSES.webhooks),
    onError,
    happened: (trx, { scope, type, data }) => feed.publishIn(trx, scope, type, { ...data }),
  });
  billing.notifier.setHandler(notifyProjects(webhooks));
  const mailer = openMailer(config);
  const mail = mailSurface(post);
  const destinations = await destinationParts(services, webhooks, gate, mailer);
  const live = createLiveSurface(feed);
  return {
    webhooks,
    destinations,
    watch: new LiveCalls(feed, clock),
    surfaces: [createWebhooksSurface({ webhooks }), mail, live],
  };
}

/** Billing belongs to an organization and destinations to projects, so every project is notified. */
export const notifyProjects =
  (webhooks: Webhooks): NotifyBilling =>
  async (trx, news) => {
    const { org_id } = news.data;
    const projects = await trx
      .selectFrom('projects')
      .select('id as project_id')
      .where('org_id', '=', org_id)
      .orderBy('id')
      .execute();
    for (const { project_id } of projects)
      await webhooks.publish(trx, {
        ...news,
        scope: tenantScopeOfRow({ org_id, project_id, environment: 'live' }),
        resource: org_id,
        urls: [],
      });
  };
