import { ApiError } from '../../foundation/platform/errors.ts';
import type { NumberSettingsChange } from './number-settings.ts';

export function checkRoute(
  change: NumberSettingsChange | null = {},
  carrier: string,
  checkTarget: (to: string, param: string) => void,
): void {
  const { route, fallback } = change ?? {};
  if (fallback?.kind === 'transfer' && fallback.to === undefined)
    throw lacking('A fallback that transfers says to which number.', 'settings.fallback.to');
  if (fallback?.kind === 'message' && fallback.text === undefined)
    throw lacking('A fallback that says a message says which.', 'settings.fallback.text');
  if (fallback?.to !== undefined) checkTarget(fallback.to, 'settings.fallback.to');
  if (route?.kind === 'url' && route.url === undefined)
    throw lacking('A route to a URL says which.', 'settings.route.url');
  if (route?.kind !== 'forward') return;
  const param = 'settings.route.to';
  const { to } = route;
  if (to === undefined) throw lacking('A forwarded call goes to a number.', param);
  checkTarget(to, param);
  if (/^sips?:/i.test(to) && carrier !== 'sip')
    throw lacking('Only the carrier `sip` reaches SIP addresses.', param);
}

const lacking = (what: string, param: string): ApiError => new ApiError('invalid_request', what, { param });
