import {
  CarrierError,
  type CarrierNumbers,
  type NumberQuery,
  type NumberType,
  type OfferedNumber,
  type ProvisionedNumber,
} from '../contract.ts';

interface Range {
  readonly country: string;
  readonly numberType: NumberType;
  readonly form: string;
}

/** The ranges are reserved by regulators for fiction, so that a leaked number rings no real telephone. */
const RANGES: readonly Range[] = [
  { country: 'US', numberType: 'local', form: '+1415555 01##' },
  { country: 'US', numberType: 'local', form: '+1212555 01##' },
  { country: 'US', numberType: 'toll_free', form: '+1800555 01##' },
  { country: 'CA', numberType: 'local', form: '+1416555 01##' },
  { country: 'GB', numberType: 'local', form: '+44207946 0###' },
  { country: 'GB', numberType: 'mobile', form: '+44770090 0###' },
  { country: 'AU', numberType: 'local', form: '+6125550 10##' },
  { country: 'AU', numberType: 'mobile', form: '+6149157 0###' },
  { country: 'IN', numberType: 'local', form: '+91805550 1###' },
];

const OFFERED: readonly OfferedNumber[] = RANGES.flatMap(({ country, numberType, form }) => {
  const bare = form.replace(' ', '');
  const digits = bare.split('#').length - 1;
  return Array.from({ length: 10 ** digits }, (_, count) => ({
    phoneNumber: bare.slice(0, bare.length - digits) + String(count).padStart(digits, '0'),
    country,
    numberType,
    capabilities: ['voice' as const, 'sms' as const],
  }));
});
const BY_NUMBER = new Map(OFFERED.map((number) => [number.phoneNumber, number]));

const referenceOf = (phoneNumber: string): string => `PN${phoneNumber.slice(1)}`;

/** Each number of the pool is free at the carrier: the product stores which tenant has it. */
export const loopbackNumbers: CarrierNumbers = {
  search: async ({ country, numberType, capabilities, pattern, limit }: NumberQuery) =>
    OFFERED.filter(
      (number) =>
        number.country === country &&
        (numberType === null || number.numberType === numberType) &&
        capabilities.every((one) => number.capabilities.includes(one)) &&
        (pattern === null || holds(number.phoneNumber, pattern)),
    ).slice(0, limit),
  provision: async (phoneNumber): Promise<ProvisionedNumber> => {
    const offered = BY_NUMBER.get(phoneNumber);
    if (offered === undefined) {
      throw new CarrierError('unavailable_number', `${phoneNumber} is not offered by the loopback network`);
    }
    return { ...offered, reference: referenceOf(phoneNumber) };
  },
  adopt: async (number) => ({ ...number, reference: referenceOf(number.phoneNumber) }),
  route: async () => {},
  release: async () => {},
};

function holds(number: string, pattern: string): boolean {
  const digits = number.slice(1);
  for (let from = 0; from + pattern.length <= digits.length; from++) {
    if ([...pattern].every((one, at) => one === '*' || one === digits[from + at])) return true;
  }
  return false;
}
