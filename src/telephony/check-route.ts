import { ApiError } from '../platform/errors.ts';
import type { NumberSettingsChange } from './number-settings.ts';

/** Throws ApiError where calls would be sent to nobody, or to whom this server does not call. */
export function checkRoute(
  { route, fallback }: NumberSettingsChange = {},
  carrier: string,
  checkCountry: (to: string) => void,
): void {
  if (fallback?.to !== undefined) checkCountry(fallback.to);
  if (route?.kind === 'url' && route.url === undefined)
    throw new ApiError('invalid_request', 'A route to a URL says which.', { param: 'settings.route.url' });
  if (route?.kind !== 'forward') return;
  const param = 'settings.route.to';
  const { to } = route;
  if (to === undefined)
    throw new ApiError('invalid_request', 'A forwarded call goes to a number.', { param });
  if (!to.startsWith('sip')) checkCountry(to);
  else if (carrier !== 'sip')
    throw new ApiError('invalid_request', 'Only the carrier `sip` reaches SIP addresses.', { param });
}
