import { ApiError } from '../../foundation/platform/errors.ts';
import type { NumberSettings } from './number-settings.ts';

export function checkRoute(
  { route, fallback }: Partial<Pick<NumberSettings, 'route' | 'fallback'>>,
  carrier: string,
  checkTarget: (to: string, param: string) => void,
): void {
  if (fallback?.kind === 'transfer') {
    const param = 'settings.fallback.to';
    if (fallback.to === undefined)
      throw lacking('A fallback of the kind transfer requires the number in to.', param);
    checkTarget(fallback.to, param);
  }
  if (fallback?.kind === 'message' && fallback.text === undefined)
    throw lacking('A fallback of the kind message requires the text.', 'settings.fallback.text');
  if (route?.kind === 'url' && route.url === undefined)
    throw lacking('A route of the kind url requires the url.', 'settings.route.url');
  if (route?.kind !== 'forward') return;
  const param = 'settings.route.to';
  const { to } = route;
  if (to === undefined) throw lacking('A route of the kind forward requires the number in to.', param);
  checkTarget(to, param);
  if (/^sips?:/i.test(to) && carrier !== 'sip')
    throw lacking('SIP addresses are only supported with the carrier `sip`.', param);
}

const lacking = (what: string, param: string): ApiError => new ApiError('invalid_request', what, { param });
