/** Every value of the documents is known; a seed makes them as offices write them. */
import { gstinCheckDigit } from '../../src/telephony/compliance/formats/check-digits.ts';
import { type Placed, pdfOf } from './pdf.ts';
import type { Random } from './random.ts';

export interface Paper {
  readonly kind: 'new_number' | 'port_in';
  readonly country: 'US' | 'CA' | 'GB' | 'AU' | 'IN';
  readonly number_type: string;
  readonly document: string;
  readonly truth: Readonly<Record<string, string>>;
  readonly pdf: Buffer;
}

const FIRST = ['Jane', 'Robert', 'Priya', 'Ahmed', 'Louise', 'Thomas', 'Mei', 'Grace', 'Samuel', 'Olivia'];
const LAST = ['Walker', 'Patel', 'Johnson', 'Nakamura', 'Fischer', 'Okafor', 'Bennett', 'Sinclair', 'Moreno'];
const TRADE = ['Northwind', 'Harbour', 'Bluebird', 'Summit', 'Lakeside', 'Orchard', 'Pioneer', 'Granite'];
const KIND = ['Trading', 'Logistics', 'Dental', 'Software', 'Foods', 'Engineering', 'Media'];
const STREETS = ['Main Street', 'Oak Avenue', 'Station Road', 'King Street', 'Mill Lane', 'Park Drive'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const PLACES = {
  US: {
    cities: ['Springfield, IL', 'Austin, TX', 'Denver, CO'],
    code: (r: Random) => `6${r.digits(4)}`,
    form: 'Inc.',
  },
  CA: { cities: ['Toronto, ON', 'Calgary, AB'], code: () => 'M5V 2T6', form: 'Ltd.' },
  GB: {
    cities: ['Leeds', 'Bristol', 'Norwich'],
    code: (r: Random) => `LS${r.whole(1, 9)} ${r.whole(1, 9)}AB`,
    form: 'Limited',
  },
  AU: { cities: ['Sydney NSW', 'Perth WA'], code: (r: Random) => `2${r.digits(3)}`, form: 'Pty Ltd' },
  IN: {
    cities: ['Bengaluru, Karnataka', 'Pune, Maharashtra'],
    code: (r: Random) => `56${r.digits(4)}`,
    form: 'Private Limited',
  },
} as const;
type Country = keyof typeof PLACES;

type Written = readonly [shown: string, stored: string];
type Facts = Readonly<Record<string, Written>>;

const phones: Readonly<Record<Country, (random: Random) => Written>> = {
  US: (random) => phone(`(212) 555-01${random.digits(2)}`, '+1'),
  CA: (random) => phone(`(416) 555-01${random.digits(2)}`, '+1'),
  GB: (random) => phone(`020 7946 0${random.digits(3)}`, '+44'),
  AU: (random) => phone(`(02) 5550 ${random.digits(4)}`, '+61'),
  IN: (random) => phone(`98${random.digits(3)} ${random.digits(5)}`, '+91'),
};
const phone = (shown: string, prefix: string): Written => {
  const digits = shown.replace(/\D/g, '');
  return [shown, prefix + (prefix === '+1' || prefix === '+91' ? digits : digits.slice(1))];
};

function day(random: Random, country: Country, before: number, least: number, most: number): Written {
  const at = new Date(before - random.whole(least, most) * 86_400_000);
  const iso = at.toISOString().slice(0, 10);
  const [year, month, date] = iso.split('-') as [string, string, string];
  const name = MONTHS[Number(month) - 1]!;
  const american = country === 'US' || country === 'CA';
  const named = american ? `${name} ${Number(date)}, ${year}` : `${Number(date)} ${name} ${year}`;
  return [random.pick([named, american ? `${month}/${date}/${year}` : `${date}/${month}/${year}`, iso]), iso];
}

const same = (text: string): Written => [text, text];

function abn(random: Random): Written {
  const rest = random.digits(9);
  const weights = [3, 5, 7, 9, 11, 13, 15, 17, 19];
  const sum = weights.reduce((total, weight, at) => total + weight * Number(rest[at]), 0);
  for (let first = 10; first < 100; first += 1) {
    const [a, b] = [Math.floor(first / 10), first % 10];
    if (((a - 1) * 10 + b + sum) % 89 !== 0) continue;
    const whole = `${first}${rest}`;
    return [whole.replace(/^(..)(...)(...)(...)$/, '$1 $2 $3 $4'), whole];
  }
  return abn(random);
}

function taxIds(random: Random): { pan: Written; gstin: Written; cin: Written } {
  const pan = `${random.letters(3)}C${random.letters(1)}${random.digits(4)}${random.letters(1)}`;
  const first = `29${pan}1Z`;
  const cin = `U${random.digits(5)}KA20${random.whole(10, 24)}PTC${random.digits(6)}`;
  return { pan: same(pan), gstin: same(first + gstinCheckDigit(first)), cin: same(cin) };
}

export function factsOf(random: Random, country: Country, now: number): Facts {
  const { cities, code, form } = PLACES[country];
  const person = `${random.pick(FIRST)} ${random.pick(LAST)}`;
  const business = `${random.pick(TRADE)} ${random.pick(KIND)} ${form}`;
  const account = `${random.letters(2)}-${random.digits(8)}`;
  const address = `${random.whole(10, 980)} ${random.pick(STREETS)}, ${random.pick(cities)} ${code(random)}`;
  return {
    account_holder: same(person),
    customer_name: same(person),
    signatory_name: same(person),
    manager_name: same(person),
    business_name: same(business),
    service_address: same(address),
    phone_number: phones[country](random),
    account_number: [account, account.replace('-', '')],
    port_out_pin: same(random.digits(6)),
    bill_date: day(random, country, now, 3, 25),
    signed_date: day(random, country, now, 1, 12),
    issue_date: day(random, country, now, 5, 60),
    birth_date: day(random, country, now, 9_000, 20_000),
    current_carrier: same(random.pick(['Continental Telephone', 'Metro Voice', 'Coastal Networks'])),
    company_number: same(`0${random.digits(7)}`),
    abn: abn(random),
    ...taxIds(random),
  };
}

const FORMS: readonly {
  readonly kind: Paper['kind'];
  readonly country: Country;
  readonly number_type: string;
  readonly document: string;
  readonly title: string;
  readonly rows: readonly (readonly [field: string, label: string])[];
}[] = [
  {
    kind: 'port_in',
    country: 'US',
    number_type: 'local',
    document: 'letter_of_authority',
    title: 'LETTER OF AUTHORIZATION',
    rows: [
      ['account_holder', 'Account Holder'],
      ['service_address', 'Service Address'],
      ['phone_number', 'Number to port'],
      ['account_number', 'Account Number'],
      ['port_out_pin', 'Port out PIN'],
      ['signatory_name', 'Printed Name'],
      ['signed_date', 'Date Signed'],
    ],
  },
  {
    kind: 'port_in',
    country: 'US',
    number_type: 'local',
    document: 'telephone_bill',
    title: 'Continental Telephone - Statement of Account',
    rows: [
      ['account_holder', 'Billed to'],
      ['service_address', 'Billing Address'],
      ['account_number', 'Account No'],
      ['bill_date', 'Bill Date'],
      ['phone_number', 'Telephone Number'],
    ],
  },
  {
    kind: 'new_number',
    country: 'GB',
    number_type: 'local',
    document: 'company_extract',
    title: 'Extract of the Register of Companies',
    rows: [
      ['business_name', 'Company Name'],
      ['company_number', 'Company Number'],
      ['service_address', 'Registered Office Address'],
      ['manager_name', 'Director'],
      ['issue_date', 'Date of issue'],
    ],
  },
  {
    kind: 'port_in',
    country: 'AU',
    number_type: 'mobile',
    document: 'letter_of_authority',
    title: 'Letter of Authority to transfer a service',
    rows: [
      ['business_name', 'Business Name'],
      ['abn', 'ABN'],
      ['service_address', 'Registered Address'],
      ['phone_number', 'Service Number'],
      ['account_number', 'Account ID'],
      ['birth_date', 'Date of Birth'],
      ['signatory_name', 'Signed by'],
      ['signed_date', 'Signed on'],
    ],
  },
  {
    kind: 'new_number',
    country: 'IN',
    number_type: 'local',
    document: 'gst_certificate',
    title: 'Form GST REG-06 - Registration Certificate',
    rows: [
      ['gstin', 'Registration Number'],
      ['business_name', 'Legal Name'],
      ['service_address', 'Principal Place of Business'],
    ],
  },
  {
    kind: 'new_number',
    country: 'IN',
    number_type: 'local',
    document: 'pan_card',
    title: 'INCOME TAX DEPARTMENT - GOVT. OF INDIA',
    rows: [
      ['pan', 'Permanent Account Number'],
      ['business_name', 'Name of Company'],
    ],
  },
  {
    kind: 'new_number',
    country: 'CA',
    number_type: 'local',
    document: 'proof_of_address',
    title: 'Hydro Utility - Account Statement',
    rows: [
      ['customer_name', 'Customer Name'],
      ['service_address', 'Service Address'],
      ['issue_date', 'Date of Issue'],
    ],
  },
];
export const FORMS_COUNT = FORMS.length;

const PROSE = [
  'I authorize the transfer of the service named here, and confirm that the name and the address given are those on record.',
  'This page was issued by a machine and is valid without a signature. Please keep it with your papers.',
  'Questions about the account are answered on working days; have the number of the account at hand.',
];

export function paperOf(form: number, style: number, facts: Facts): Paper {
  const { rows, title, ...of } = FORMS[form % FORMS.length]!;
  const placed: Placed[] = [{ text: title, x: 60, y: 90, size: 16, bold: true }];
  const texts = PROSE.map((text, at): Placed => ({ text, x: 60, y: 560 + 18 * at, size: 9 }));
  let y = 150;
  for (const [field, label] of rows) {
    const [shown] = facts[field]!;
    placed.push(...LAYOUTS[style % LAYOUTS.length]!(label, shown, y));
    y += 46;
  }
  const truth = Object.fromEntries(rows.map(([field]) => [field, facts[field]![1]]));
  return { ...of, truth, pdf: pdfOf([[...placed, ...texts]]) };
}

type Layout = (label: string, value: string, y: number) => Placed[];

const LAYOUTS: readonly Layout[] = [
  (label, value, y) => [{ text: `${label}: ${value}`, x: 60, y, size: 11 }],
  (label, value, y) => [
    { text: label, x: 60, y, size: 11, bold: true },
    { text: value, x: 260, y, size: 11 },
  ],
  (label, value, y) => [
    { text: label, x: 60, y, size: 9 },
    { text: value, x: 60, y: y + 14, size: 12 },
  ],
  (label, value, y) => {
    const cut = /^\d+ .*, /.test(value) ? value.indexOf(', ') + 1 : value.length;
    const lines = [value.slice(0, cut), value.slice(cut).trim()].filter((line) => line !== '');
    return [
      { text: `${label}:`, x: 60, y, size: 11, bold: true },
      ...lines.map((text, at): Placed => ({ text, x: 230, y: y + 14 * at, size: 11 })),
    ];
  },
];
