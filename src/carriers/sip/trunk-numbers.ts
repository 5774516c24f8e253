import { CarrierFault, type CarrierNumbers, type OfferedNumber } from '../door.ts';
import type { SipTrunk } from './settings.ts';

/** The numbers that the operator's trunks bring: nothing is bought, and their countries are not known here. */
export function trunkNumbers(trunks: readonly SipTrunk[]): CarrierNumbers {
  const all = trunks.flatMap(({ numbers }) => numbers);
  const offered = (phoneNumber: string, country: string): OfferedNumber => ({
    phoneNumber,
    country,
    numberType: 'local',
    capabilities: ['voice'],
  });
  return {
    search: async ({ country, numberType, capabilities, pattern, limit }) =>
      numberType !== null && numberType !== 'local'
        ? []
        : all
            .filter((number) => capabilities.every((one) => one === 'voice') && holds(number, pattern))
            .slice(0, limit)
            .map((number) => offered(number, country)),
    provision: async (phoneNumber) => {
      if (!all.includes(phoneNumber))
        throw new CarrierFault('unavailable_number', `no trunk brings ${phoneNumber}`);
      return { ...offered(phoneNumber, ''), reference: `trunk:${phoneNumber}` };
    },
    route: async () => undefined,
    release: async () => undefined,
  };
}

function holds(number: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  for (let from = 1; from + pattern.length <= number.length; from++) {
    if ([...pattern].every((one, at) => one === '*' || one === number[from + at])) return true;
  }
  return false;
}
