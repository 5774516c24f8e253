import type { Config } from '../../foundation/platform/config/index.ts';
import { lackingForSip, sipSettings } from '../../telephony/carriers/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

export function sipFindings(config: Config): DoctorFinding[] {
  const { missing, without } = lackingForSip();
  const wanted = config.carrier === 'sip';
  const name = 'SIP calls';
  if (missing !== null) return [{ name, works: false, required: wanted, detail: missing }];
  const lacks = without.length === 0 ? 'with Opus and SRTP' : `without ${without.join(' and ')}`;
  if (!wanted)
    return [{ name, works: true, required: false, detail: `${lacks}; TRUNKLINE_CARRIER=sip enables them` }];
  try {
    const { listen, trunks } = sipSettings(config);
    const places = listen
      .map(({ transport, address, port }) => `${transport}://${address}:${port}`)
      .join(' ');
    return [{ name, works: true, required: true, detail: `${lacks}; ${trunks.length} trunks, ${places}` }];
  } catch (error) {
    return [{ name, works: false, required: true, detail: (error as Error).message }];
  }
}
