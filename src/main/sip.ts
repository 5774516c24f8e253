import { StartError } from '../foundation/platform/start-error.ts';
import type { Engine } from '../media/engine/index.ts';
import { lackingForSip, SipCarrier, sipSettings, type Telephones } from '../telephony/carriers/index.ts';
import type { CoreServices } from './main.ts';

export function sipCarrier(
  { config, clock, background, log }: CoreServices,
  engine: Engine,
  telephones: Telephones | null,
  onError: (error: unknown) => void,
): SipCarrier {
  const { missing } = lackingForSip();
  if (missing !== null) throw new StartError('the carrier', 'TRUNKLINE_CARRIER', new Error(missing));
  return new SipCarrier({
    settings: sipSettings(config),
    engine,
    clock,
    background,
    registered: (trunk, registration) => {
      if (registration.state === 'failed')
        log.error({ trunk }, `SIP registration at the trunk failed: ${registration.detail}`);
      else log.info({ trunk }, 'SIP registration at the trunk succeeded');
    },
    telephones,
    onError,
  });
}
