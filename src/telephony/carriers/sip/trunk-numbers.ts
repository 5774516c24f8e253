import { parsePhoneNumberFromString } from 'libphonenumber-js';
import {
  CarrierError,
  type CarrierNumbers,
  type OfferedNumber,
  type ProvisionedNumber,
} from '../contract.ts';
import type { SipTrunk } from './settings.ts';

export function trunkNumbers(trunks: readonly SipTrunk[]): CarrierNumbers {
  const all = trunks.flatMap(({ numbers }) => numbers);
  const offered = (phoneNumber: string): OfferedNumber => ({
    phoneNumber,
    country: countryOf(phoneNumber),
    numberType: 'local',
    capabilities: ['voice'],
  });
  const brought = (phoneNumber: string): ProvisionedNumber => {
    if (!all.includes(phoneNumber))
      throw new CarrierError('unavailable_number', `no trunk has the number ${phoneNumber}`);
    return { ...offered(phoneNumber), reference: `trunk:${phoneNumber}` };
  };
  return {
    search: async ({ country, numberType, capabilities, pattern, limit }) =>
      numberType !== null && numberType !== 'local'
        ? []
        : all
            .filter((number) => capabilities.every((one) => one === 'voice') && holds(number, pattern))
            .filter((number) => countryOf(number) === country)
            .slice(0, limit)
            .map(offered),
    provision: async (phoneNumber) => brought(phoneNumber),
    adopt: async ({ phoneNumber }) => brought(phoneNumber),
    route: async () => undefined,
    release: async () => undefined,
  };
}

/** Numbers of +1 without a location count as the United States. The country is empty where it is unknown. */
function countryOf(phoneNumber: string): string {
  const number = parsePhoneNumberFromString(phoneNumber);
  return number?.country ?? (number?.countryCallingCode === '1' ? 'US' : '');
}

function holds(number: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  for (let from = 1; from + pattern.length <= number.length; from++) {
    if ([...pattern].every((one, at) => one === '*' || one === number[from + at])) return true;
  }
  return false;
}
