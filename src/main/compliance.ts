import { createComplianceSurface } from '../edge/surfaces/compliance/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import {
  ComplianceService,
  type ComplianceServiceDeps,
  clamd,
  compliancePersonalData,
  findTesseract,
  httpNetwork,
  loopbackNetwork,
  type NumberingNetwork,
  PictureReader,
} from '../telephony/compliance/index.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

export type Approved = NonNullable<ComplianceServiceDeps['approved']>;

export async function complianceParts(
  { config, sealing, sharedClock, background, storage, blobs, models, log }: CoreServices,
  queue: JobQueue,
  webhooks: Webhooks,
  retention: (orgId: string) => Promise<RetentionDays>,
  approved: Approved,
) {
  const sealer = sealing.sealer(PURPOSES.compliance);
  const service = new ComplianceService({
    storage,
    blobs,
    clock: sharedClock,
    background,
    queue,
    sealer,
    webhooks,
    documentDays: async (orgId) => (await retention(orgId)).compliance,
    ...(config.clamd === null ? {} : { scanner: clamd(config.clamd) }),
    pictures: pictureReader(config.tesseract, findFfmpeg(config.ffmpeg, models)?.path),
    network: networkOf(config, sharedClock),
    approved,
    onError: (err) => log.error({ err }, 'a job of a compliance case failed'),
  });
  return {
    cases: {
      asksBeforeOrder: (number: string) => service.registry.asksBeforeOrder(number),
      hasApproved: (...of: Parameters<typeof service.cases.hasApproved>) => service.cases.hasApproved(...of),
    },
    surface: createComplianceSurface({ compliance: service }),
    personalData: compliancePersonalData(storage, blobs, queue),
  };
}

/**
 * Returns null where the operator has chosen no network. The loopback network reviews numbers of the loopback
 * carrier.
 */
function networkOf(
  { carrier, complianceNetwork, complianceNetworkUrl: url, complianceNetworkSecret: secret }: Config,
  clock: Clock,
): NumberingNetwork | null {
  if ((complianceNetwork ?? carrier) === 'loopback') return loopbackNetwork;
  return url === null || secret === null ? null : httpNetwork({ url, secret, clock });
}

/** Returns null where a required program is missing. */
export function pictureReader(configured: string | null, ffmpeg: string | undefined): PictureReader | null {
  const tesseract = findTesseract(configured);
  return tesseract === null || ffmpeg === undefined ? null : new PictureReader(ffmpeg, tesseract);
}
