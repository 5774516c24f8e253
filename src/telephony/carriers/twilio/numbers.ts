import {
  type Capability,
  CarrierError,
  type CarrierNumbers,
  type NumberQuery,
  type NumberType,
  type OfferedNumber,
  type ProvisionedNumber,
} from '../contract.ts';
import type { TwilioRest } from './rest.ts';

const LISTS: Readonly<Record<NumberType, string>> = {
  local: 'Local',
  mobile: 'Mobile',
  toll_free: 'TollFree',
};
/** Twilio's error codes for a number that belongs to another account. */
const TAKEN = /\(21422\)|\(21421\)/;

interface Offer {
  readonly phone_number: string;
  readonly iso_country: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
}

export class TwilioNumbers implements CarrierNumbers {
  readonly #rest: TwilioRest;
  readonly #voiceUrl: () => string;
  /** Search results by number: the purchase response has neither country nor type. */
  readonly #seen = new Map<string, OfferedNumber>();

  constructor(rest: TwilioRest, voiceUrl: () => string) {
    this.#rest = rest;
    this.#voiceUrl = voiceUrl;
  }

  async search(query: NumberQuery): Promise<readonly OfferedNumber[]> {
    const numberType = query.numberType ?? 'local';
    const path = `AvailablePhoneNumbers/${query.country}/${LISTS[numberType]}.json`;
    const found = await this.#rest.get(path, {
      PageSize: String(query.limit),
      ...(query.pattern === null ? {} : { Contains: query.pattern }),
      ...(query.capabilities.includes('voice') ? { VoiceEnabled: 'true' } : {}),
      ...(query.capabilities.includes('sms') ? { SmsEnabled: 'true' } : {}),
    });
    const offers = (found.available_phone_numbers ?? []) as readonly Offer[];
    const numbers = offers.map((offer) => offered(offer, numberType)).slice(0, query.limit);
    for (const number of numbers) this.#seen.set(number.phoneNumber, number);
    return numbers;
  }

  async provision(phoneNumber: string): Promise<ProvisionedNumber> {
    const bought = await this.#buy(phoneNumber);
    const seen = this.#seen.get(phoneNumber);
    return {
      phoneNumber,
      country: seen?.country ?? '',
      numberType: seen?.numberType ?? 'local',
      capabilities: capabilitiesOf((bought.capabilities ?? {}) as Offer['capabilities']),
      reference: String(bought.sid),
    };
  }

  async adopt(number: OfferedNumber): Promise<ProvisionedNumber> {
    const found = await this.#rest.get('IncomingPhoneNumbers.json', { PhoneNumber: number.phoneNumber });
    const [own] = (found.incoming_phone_numbers ?? []) as readonly { sid: string }[];
    if (own === undefined)
      throw new CarrierError('unavailable_number', `the account does not have ${number.phoneNumber} yet`);
    return { ...number, reference: own.sid };
  }

  async route({ reference }: ProvisionedNumber, on: boolean): Promise<void> {
    const url = on ? this.#voiceUrl() : '';
    await this.#rest.post(`IncomingPhoneNumbers/${reference}.json`, { VoiceUrl: url, VoiceMethod: 'POST' });
  }

  async release({ reference }: ProvisionedNumber): Promise<void> {
    await this.#rest.delete(`IncomingPhoneNumbers/${reference}.json`);
  }

  async #buy(phoneNumber: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await this.#rest.post('IncomingPhoneNumbers.json', { PhoneNumber: phoneNumber });
    } catch (error) {
      if (!(error instanceof CarrierError) || !TAKEN.test(error.message)) throw error;
      throw new CarrierError('unavailable_number', `${phoneNumber} cannot be bought: ${error.message}`, {
        cause: error,
      });
    }
  }
}

const capabilitiesOf = (offered: Offer['capabilities']): Capability[] => {
  const has = (name: string) => offered[name] === true || offered[name.toUpperCase()] === true;
  return (['voice', 'sms'] as const).filter(has);
};

const offered = (
  { phone_number, iso_country, capabilities }: Offer,
  numberType: NumberType,
): OfferedNumber => ({
  phoneNumber: phone_number,
  country: iso_country,
  numberType,
  capabilities: capabilitiesOf(capabilities),
});
